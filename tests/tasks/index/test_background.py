"""Background stories: read, averaged, counted."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.index import Background, BackgroundError, SparseIndex, background_table, read_stories
from tasks.index.sparse import Analyser
from tasks.schemas import BACKGROUND

ANALYSER = Analyser("english", "en")


def stories(*texts: str) -> Background:
    vectors = np.eye(max(1, len(texts)), dtype=np.float32)[: len(texts)]
    return Background(background_table(texts, vectors))


def test_texts_are_read_once_and_labels_never(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text('{"text": "He left.", "primary": "ignored"}\n\n{"text": "She stayed."}\n', "utf-8")
    two.write_text('{"text": "He left."}\n', "utf-8-sig")
    assert read_stories([one, two]) == ["He left.", "She stayed."]
    assert read_stories([]) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{oops", "s.jsonl:1: record: not JSON"),
        (b'{"text": "fine"}\n[1]\n', "s.jsonl:2: text: a string is wanted"),
        (b'{"text": " "}\n', "s.jsonl:1: text"),
        (b"\xff\xfe\x00", "index.background"),
    ],
)
def test_what_is_no_story_is_told_by_its_line(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    with pytest.raises(BackgroundError, match=told):
        read_stories([path])


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BackgroundError, match=r"none\.jsonl"):
        read_stories([tmp_path / "none.jsonl"])


def test_the_mean_is_that_of_the_vectors() -> None:
    assert stories("a", "b").mean == pytest.approx(np.array([0.5, 0.5]))
    assert Background(BACKGROUND.empty()).mean is None


def test_rarity_by_hand() -> None:
    # "land" stands in both stories, "goat" in one, "cheque" in none; ln(3 / (n + 1/2)) / ln 6
    rarity = stories("my land is my land", "the land and the goat").rarity(ANALYSER)
    assert rarity("land") == pytest.approx(math.log(3 / 2.5) / math.log(6))
    assert rarity("goat") == pytest.approx(math.log(3 / 1.5) / math.log(6))
    assert rarity("chequ") == pytest.approx(1.0)
    assert Background(BACKGROUND.empty()).rarity(ANALYSER)("land") == 1.0


@given(st.lists(st.sampled_from(["one", "two three", "three four five", "five"]), min_size=1, max_size=9))
def test_rarity_falls_with_use_and_stays_in_its_bounds(texts: list[str]) -> None:
    rarity = stories(*texts).rarity(ANALYSER)
    terms = sorted({t for x in texts for t in ANALYSER.terms(x)} | {"never"})
    used = {t: sum(t in ANALYSER.terms(x) for x in texts) for t in terms}
    ordered = sorted(terms, key=lambda t: used[t])
    assert all(0 <= rarity(t) <= 1 + 1e-9 for t in terms)
    assert all(rarity(a) >= rarity(b) - 1e-12 for a, b in itertools.pairwise(ordered))


def test_weights_of_one_are_plain_scores_of_distinct_terms() -> None:
    texts = ["land sold twice", "goat sold", "cheque returned unpaid", "land land land and goat"]
    index = SparseIndex.build(texts, ANALYSER, 1.5, 0.75)
    assert index.scores("goat land", lambda t: 1.0) == pytest.approx(index.scores("goat land"), abs=1e-6)
    assert index.scores("goat goat goat", lambda t: 1.0) == pytest.approx(index.scores("goat"), abs=1e-6)
    weights = {"goat": 0.25, "land": 2.0}
    by_hand = 0.25 * index.scores("goat") + 2 * index.scores("land")
    assert index.scores("the goat on my land, unseen", lambda t: weights.get(t, 0.0)) == pytest.approx(
        by_hand
    )
    assert not index.scores("unseen", lambda t: 1.0).any()
