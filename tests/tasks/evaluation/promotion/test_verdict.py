"""The gate: what is refused, what is left out, and which provision an answer moved by."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.evaluation.compare import Paired
from citegrain.tasks.evaluation.promotion import Verdict, changed_answers, misread_editions
from citegrain.tasks.evaluation.promotion import judge as judge_by_metric


def judge(before: dict[str, float], after: dict[str, float], *rest: Any, metric: str = "accuracy") -> Verdict:
    return judge_by_metric({metric: before}, {metric: after}, *rest)


def only(verdict: Verdict) -> Paired:
    (compared,) = verdict.compared.values()
    return compared


def values(right: int, n: int, start: int = 0) -> dict[str, float]:
    return {f"q{i:03d}": float(start <= i < start + right) for i in range(n)}


def test_a_build_that_answers_as_before_is_promoted() -> None:
    same = values(40, 100)
    verdict = judge(same, same, {}, [], {}, 0.02, 1)
    assert verdict.promoted and only(verdict).difference == 0


def test_a_loss_beyond_chance_is_refused_and_so_is_one_beyond_what_is_allowed() -> None:
    worse = judge(values(60, 100), values(40, 100), {}, [], {}, 0.02, 1)
    assert not worse.promoted and "worse beyond chance: -20.0 points" in worse.reasons[0]
    # four lost and one won of 100: within chance, and more than two points
    after = values(37, 100) | {"q050": 1.0}
    some = judge(values(40, 100), after | {"q037": 0.0}, {}, [], {}, 0.02, 1)
    assert only(some).hi > 0 > only(some).lo - 1
    assert only(some).difference == pytest.approx(-0.02)
    assert some.promoted, "two points are allowed"
    more = judge(values(40, 100), after | {"q036": 0.0}, {}, [], {}, 0.02, 1)
    assert only(more).difference == pytest.approx(-0.03)
    assert not more.promoted and "n = 100" in more.reasons[0]
    assert "more than the 2.0 points allowed" in more.reasons[0]


def test_a_gate_says_which_loss_it_could_not_have_seen() -> None:
    few, many = (judge(values(n // 2, n), values(n // 2, n), {}, [], {}, 0.02, 1) for n in (20, 400))
    seen = f"20 complaints could not have seen a loss below {100 * only(few).mde:.1f} points"
    assert few.sentences == [f"accuracy: +0.0 points [-16.1, +16.1], n = 20; 0 better, 0 worse; {seen}"]
    assert few.as_dict()["compared"]["accuracy"]["blind"] == seen
    assert only(few).mde > 0.3 and only(many).mde < 0.03
    assert judge({}, {}, {}, [], {}, 0.02, 1).sentences == []


@pytest.mark.parametrize(
    ("metric", "before", "after", "refused"),
    [
        ("abstained_out_of_scope", 16, 4, True),  # declined less where nothing applies
        ("abstained_out_of_scope", 4, 16, False),
        ("abstained_in_scope", 4, 16, True),  # declined more though something applies
        ("abstained_in_scope", 16, 4, False),
    ],
)
def test_declining_is_judged_by_its_side(metric: str, before: int, after: int, refused: bool) -> None:
    verdict = judge(values(before, 20), values(after, 20), {}, [], {}, 0.02, 1, metric=metric)
    assert verdict.promoted is not refused
    points = "+60.0" if after > before else "-60.0"
    assert f"{metric}: {points} points [" in verdict.sentences[0]
    assert ("0 better, 12 worse" if refused else "12 better, 0 worse") in verdict.sentences[0]
    if refused:
        assert verdict.reasons[0].startswith(f"{metric}: worse beyond chance: {points} points [")
    change = 3 if after > before else -3  # of 200: within chance, and within two points
    within = judge(values(4, 200), values(4 + change, 200), {}, [], {}, 0.02, 1, metric=metric)
    assert within.promoted


def test_one_metric_is_enough_to_refuse() -> None:
    before, after = ({"accuracy": values(40, 100), "abstained_in_scope": values(n, 100)} for n in (0, 30))
    verdict = judge_by_metric(before, after, {}, [], {}, 0.02, 1, "stories")
    assert [reason.split(":")[0] for reason in verdict.reasons] == ["abstained_in_scope"]
    metrics = [sentence.split(":")[0] for sentence in verdict.sentences]
    assert metrics == ["accuracy on stories", "abstained_in_scope on stories"]


def test_labels_that_the_amendment_touches_are_left_out_and_listed() -> None:
    touched = {f"q{i:03d}": {"x/2", "x/1"} for i in range(10)}
    verdict = judge(values(40, 100), values(30, 100, 10), touched, [], {}, 0.02, 1)
    assert verdict.promoted and only(verdict).n == 90
    assert verdict.excluded == {f"q{i:03d}": ["x/1", "x/2"] for i in range(10)}
    assert verdict.as_dict()["excluded"]["q003"] == ["x/1", "x/2"]


def test_a_document_that_is_no_longer_read_is_enough() -> None:
    lost = {"a.pdf": "was read before and is not now: encrypted"}
    verdict = judge({}, {}, {}, [], lost, 0.02, 1)
    assert not verdict.compared and not verdict.promoted
    assert verdict.reasons == ["a.pdf: was read before and is not now: encrypted"]
    assert json.loads(json.dumps(verdict.as_dict()))["lost"] == lost


def test_an_answer_that_moved_names_the_provision_that_moved_it() -> None:
    before = {"a": ["x/1", "x/2"], "b": ["x/3"], "c": ["x/4"]}
    after = {"a": ["x/2A", "x/1"], "b": ["x/3"], "c": ["x/5"], "d": ["x/1"]}
    changed = changed_answers(before, after, {"x/2", "x/2A"})
    assert [(c.query_id, list(c.causes)) for c in changed] == [("a", ["x/2", "x/2A"]), ("c", [])]


def test_a_query_that_one_build_alone_has_is_listed_where_its_label_was_amended() -> None:
    assert judge({}, {"q": 1.0}, {"q": {"x/2A"}}, [], {}, 0.02, 1).excluded == {"q": ["x/2A"]}


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_nothing_that_is_better_or_the_same_is_refused(pairs: list[tuple[bool, bool]]) -> None:
    before = {f"q{i}": float(a) for i, (a, _) in enumerate(pairs)}
    after = {f"q{i}": float(a or b) for i, (a, b) in enumerate(pairs)}
    assert judge(before, after, {}, [], {}, 0.0, 1).promoted


LOST = "gone without a note, and {} more than before listed or skipped"
NOTED = "footnote 1, page 1: Subs. by Act 3 of 2026"
MANY = "5 of 40 sections are gone, and no note says that they were omitted"
NOISE = "30 of 40 sections read otherwise, and no note says why"


@pytest.mark.parametrize(
    ("counts", "kind", "numbers", "evidence", "said"),
    [
        ((3, 5), "omitted", (24, 25), "", f"24, 25: {LOST.format(2)}"),
        ((2, 3), "omitted", (24,), "", f"24: {LOST.format(1)}"),
        ((1, 5), "omitted", (24, 25), "", ""),
        ((0, 6), "omitted", (24,), "", f"24: {LOST.format(1)}"),
        ((0, 5), "omitted", (24,), "", ""),
        ((3, 5), "omitted", (24, 25), NOTED, ""),
        (None, "omitted", (24, 25), "", ""),
        (None, "omitted", range(20, 25), "", MANY),
        ((9, 9), "substituted", range(1, 31), "", NOISE),
        ((1, 5), "substituted", range(1, 31), NOTED, ""),
        ((1, 5), "substituted", range(1, 21), "", ""),
        ((1, 5), "printing", range(1, 41), "", ""),
    ],
)
def test_an_edition_that_looks_misread_is_no_amendment(
    counts: tuple[int, int] | None, kind: str, numbers: Iterable[int], evidence: str, said: str
) -> None:
    """Lost rows look like sections that were omitted, noise like sections that were substituted.

    ``counts``: numbers listed and numbers skipped that the new edition lacks; None: it is not judged by them.
    """
    provisions = [
        {"act_id": "a", "version_date": date(2026, 2, 1), "kind": "section", "number": str(n)}
        for n in range(1, 41)
    ]

    def build(counts: tuple[int, int] | None) -> Any:
        """Of an edition that is read so, beside an older one of which all is lost."""
        columns = ("n_unread", "n_gaps")
        edition = {"act_id": "a", "document_id": "y"}
        rows = [edition | {"document_id": "x"} | dict.fromkeys(columns, 99)]
        rows += [edition | dict(zip(columns, counts, strict=True))] if counts else []
        tables = {"provisions": pa.Table.from_pylist(provisions), "reports": pa.Table.from_pylist(rows)}
        return SimpleNamespace(
            table=lambda schema: tables[schema.name],
            acts=[
                edition | {"version_date": None, "document_id": "x"},
                edition | {"version_date": date(2026, 2, 1)},
            ],
            names=lambda: [("a", "The Lamp Act, 1901", "")],
        )

    rows = [
        {"act_id": "a", "kind": kind, "number": str(n), "evidence": evidence, "changes": []} for n in numbers
    ]
    lost = misread_editions(pa.Table.from_pylist(rows), build((1, 5)), build(counts))
    assert lost == ({"The Lamp Act, 1901": said} if said else {})


@pytest.mark.parametrize(
    ("old", "new", "evidence", "doubted"),
    [
        (60, 6, "", True),
        (60, 6, "footnote 1, page 1: Ins. by Act 3 of 2026", True),
        (60, 6, NOTED, False),
        (59, 0, "", False),
        (60, 7, "", False),
    ],
)
def test_a_block_that_is_gone_from_a_section_without_a_note_is_doubted(
    old: int, new: int, evidence: str, doubted: bool
) -> None:
    change = {"op": "replace", "old": "row " * old, "new": "row " * new}
    row = {"act_id": "a", "kind": "substituted", "number": "7", "evidence": evidence, "changes": [change]}
    build: Any = SimpleNamespace(
        table=lambda schema: pa.Table.from_pylist(
            [
                {
                    "act_id": "a",
                    "kind": "section",
                    "number": "7",
                    "version_date": None,
                    "document_id": "",
                    "verdict_reason": "",
                }
            ]
        ),
        names=lambda: [("a", "The Lamp Act, 1901", "")],
        acts=[{"act_id": "a", "version_date": None, "document_id": "x"}],
    )
    lost = misread_editions(pa.Table.from_pylist([row]), build, build)
    assert (
        list(lost.values()) == ["7: 60 words or more are gone at one place, and no note says why"] * doubted
    )
