"""What holds of any two versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.law.editions_compared import amendments
from citegrain.tasks.law.editions_compared.differences import readable, regions, similarity
from citegrain.tasks.law.editions_compared.units import read_words
from tests.tasks.law.editions_compared.acts import NEW, sections

WORDS = st.sampled_from("oil lamp keeper wages shall may not 10 20 the (1) (a) [tower] “lens” and or".split())
TEXTS = st.lists(WORDS, min_size=1, max_size=25).map(" ".join)
ACTS = st.dictionaries(st.sampled_from(["1", "2", "3", "3A", "4"]), TEXTS, min_size=1, max_size=5)
SHORT = st.lists(WORDS, min_size=1, max_size=7).map(" ".join)
FEW_WORDS = st.dictionaries(st.sampled_from(["1", "2", "3", "3A", "4"]), SHORT, min_size=1)
ANY_TEXT = st.text(max_size=200)


def two_numbers(row: Mapping[str, Any]) -> bool:
    return row["old_number"] is not None and row["old_number"] != row["number"]


@given(st.dictionaries(st.sampled_from(["1", "2", "3"]), ANY_TEXT, max_size=3))
def test_a_version_against_itself_has_no_amendments(act: dict[str, str]) -> None:
    assert amendments(sections(act), sections(act, NEW)).num_rows == 0


@given(ACTS, ACTS)
def test_the_way_back_swaps_what_was_inserted_and_omitted(a: dict[str, str], b: dict[str, str]) -> None:
    swapped = {"inserted": "omitted", "omitted": "inserted"}
    there = amendments(sections(a), sections(b, NEW)).to_pylist()
    back = amendments(sections(b), sections(a, NEW)).to_pylist()
    # renumbered, or with a number that one of them has wrong
    ends = [(r["kind"], r["old_number"], r["number"]) for r in there if two_numbers(r)]
    assert sorted(ends) == sorted((r["kind"], r["number"], r["old_number"]) for r in back if two_numbers(r))
    assert sorted((swapped.get(r["kind"], r["kind"]), r["number"]) for r in there if not two_numbers(r)) == (
        sorted((r["kind"], r["number"]) for r in back if not two_numbers(r))
    )


@given(FEW_WORDS, FEW_WORDS)
def test_every_provision_is_accounted_for_once(a: dict[str, str], b: dict[str, str]) -> None:
    """Against the plain comparison of numbers and words."""
    living_old, living_new = (
        {n: read_words(t).keys for n, t in act.items() if read_words(t).keys} for act in (a, b)
    )
    rows = amendments(sections(a), sections(b, NEW)).to_pylist()
    moved = {(r["old_number"], r["number"]) for r in rows if r["kind"] == "renumbered"}
    gone = {r["number"] for r in rows if r["kind"] == "omitted"} | {old for old, _ in moved}
    came = {r["number"] for r in rows if r["kind"] == "inserted"} | {new for _, new in moved}
    assert gone == living_old.keys() - living_new.keys() and came == living_new.keys() - living_old.keys()
    changed = {r["number"] for r in rows if r["kind"] in ("substituted", "printing")}
    differ = {n for n in living_old.keys() & living_new.keys() if living_old[n] != living_new[n]}
    same_letters = {n for n in differ if "".join(living_old[n]) == "".join(living_new[n])}
    assert differ - same_letters <= changed <= differ


@given(TEXTS, TEXTS)
def test_regions_turn_the_old_words_into_the_new(a: str, b: str) -> None:
    old, new = read_words(a), read_words(b)
    for differing in (regions(old, new), readable(regions(old, new))):
        out: list[str] = []
        at = 0
        for region in differing:
            out += [*old.keys[at : region.old_first], *new.keys[region.new_first : region.new_last]]
            at = region.old_last
        assert tuple(out + list(old.keys[at:])) == new.keys


def longest_common(a: Sequence[str], b: Sequence[str]) -> int:
    @cache
    def longest(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


@given(TEXTS, TEXTS)
@settings(max_examples=50)
def test_similarity_is_the_share_of_words_kept_in_order(a: str, b: str) -> None:
    old, new = read_words(a), read_words(b)
    total = len(old.keys) + len(new.keys)
    expected = 2 * longest_common(old.keys, new.keys) / total if total else 1.0
    assert abs(similarity(old, new) - expected) < 1e-9


@given(ANY_TEXT)
def test_words_stand_where_they_say(text: str) -> None:
    words = read_words(text)
    assert len(words.keys) == len(words.spans)
    assert all(words.text[a:b] for a, b in words.spans)
    assert words.shown(0, len(words.keys)) in words.text
