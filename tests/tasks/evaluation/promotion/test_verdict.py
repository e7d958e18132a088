"""The gate: what is refused, what is left out, and which provision an answer moved by."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.evaluation.promotion import changed_answers, judge


def values(right: int, n: int, start: int = 0) -> dict[str, float]:
    return {f"q{i:03d}": float(start <= i < start + right) for i in range(n)}


def test_a_build_that_answers_as_before_is_promoted() -> None:
    same = values(40, 100)
    verdict = judge(same, same, {}, [], {}, 0.02, 1)
    assert verdict.promoted and verdict.compared is not None and verdict.compared.difference == 0


def test_a_loss_beyond_chance_is_refused_and_so_is_one_beyond_what_is_allowed() -> None:
    worse = judge(values(60, 100), values(40, 100), {}, [], {}, 0.02, 1)
    assert not worse.promoted and "worse beyond chance: -20.0 points" in worse.reasons[0]
    # four lost and one won of 100: within chance, and more than two points
    after = values(37, 100) | {"q050": 1.0}
    some = judge(values(40, 100), after | {"q037": 0.0}, {}, [], {}, 0.02, 1)
    assert some.compared is not None and some.compared.hi > 0 > some.compared.lo - 1
    assert some.compared.difference == pytest.approx(-0.02)
    assert some.promoted, "two points are allowed"
    more = judge(values(40, 100), after | {"q036": 0.0}, {}, [], {}, 0.02, 1)
    assert more.compared is not None and more.compared.difference == pytest.approx(-0.03)
    assert (
        not more.promoted
        and "more than the 2.0 points allowed" in more.reasons[0]
        and "n = 100" in more.reasons[0]
    )


def test_a_gate_says_which_loss_it_could_not_have_seen() -> None:
    few, many = (judge(values(n // 2, n), values(n // 2, n), {}, [], {}, 0.02, 1) for n in (20, 400))
    assert few.compared is not None and few.blind == (
        f"20 complaints could not have seen a loss below {100 * few.compared.mde:.1f} points"
    )
    assert few.as_dict()["blind"] == few.blind and few.compared.mde > 0.3
    assert many.compared is not None and many.compared.mde < 0.03
    assert judge({}, {}, {}, [], {}, 0.02, 1).blind == ""


def test_labels_that_the_amendment_touches_are_left_out_and_listed() -> None:
    touched = {f"q{i:03d}": {"x/2", "x/1"} for i in range(10)}
    verdict = judge(values(40, 100), values(30, 100, 10), touched, [], {}, 0.02, 1)
    assert verdict.promoted and verdict.compared is not None and verdict.compared.n == 90
    assert verdict.excluded == {f"q{i:03d}": ["x/1", "x/2"] for i in range(10)}
    assert verdict.as_dict()["excluded"]["q003"] == ["x/1", "x/2"]


def test_a_document_that_is_no_longer_read_is_enough() -> None:
    lost = {"a.pdf": "was read before and is not now: encrypted"}
    verdict = judge({}, {}, {}, [], lost, 0.02, 1)
    assert verdict.compared is None and not verdict.promoted
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
