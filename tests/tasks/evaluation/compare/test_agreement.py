"""Agreement of passes: a set worked by hand, and what holds of any two passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.evaluation.benchmark import Citation, Labels, Pass
from citegrain.tasks.evaluation.compare import Agreement, agree, contradicted, differing, unlabelled

SECTIONS = st.lists(st.sampled_from(["1", "2", "3"]), max_size=3, unique=True)


def labels(query: str, sections: Sequence[str], day: date | None = None) -> Labels:
    cited = tuple(Citation(act="a-1900", section=s) for s in sections)
    primary = cited[0] if cited else None
    return Labels(id=query, applicable=cited, primary=primary, incident_date=day, reason="")


def pass_of_sets(name: str, sets: Sequence[Sequence[str]], dates: bool = True) -> Pass:
    return Pass(name, {f"q{i}": labels(f"q{i}", s) for i, s in enumerate(sets)}, dates)


ONE = pass_of_sets("pass-1", ["12", "1", "", "23", "3"])
TWO = pass_of_sets("pass-2", ["21", "12", "", "23", ""])


def test_five_complaints_by_hand() -> None:
    """Primaries 1 1 - 2 3 against 2 1 - 2 -.

    Same in 3 of 5. By chance (1: 2x1 + 2: 1x2 + 3: 1x0 + none: 1x2) / 25 = 6/25, so kappa is
    (15 - 6) / (25 - 6). Jaccard 1, 1/2, 1, 1, 0: mean .7. Equal sets: the first, third and fourth.
    """
    agreement = agree(ONE, TWO, ONE.labels, seed=1)
    assert (agreement.first, agreement.second, agreement.n) == ("pass-1", "pass-2", 5)
    assert agreement.kappa.value == pytest.approx(9 / 19, abs=1e-12)
    assert agreement.primary.value == 0.6 and agreement.equal.value == 0.6
    assert agreement.jaccard.value == pytest.approx(0.7, abs=1e-12)
    assert agreement.dated.value == 1
    assert differing([ONE, TWO], ONE.labels) == ["q0", "q1", "q4"], "q0: the same set with another primary"


def test_only_what_both_label_and_is_asked_is_compared() -> None:
    agreement = agree(ONE, pass_of_sets("pass-2", ["12", "1"]), ["q0", "q3", "q9"], seed=1)
    assert agreement.n == 1 and agreement.equal.value == 1
    assert unlabelled(ONE, ["q9", "q0", "q7"]) == ["q7", "q9"]
    assert differing([ONE, pass_of_sets("pass-2", ["3"])], ["q0", "q3", "q9"]) == ["q0"]


def test_nothing_in_common_is_no_number() -> None:
    agreement = agree(ONE, TWO, [], seed=1)
    measured = (agreement.kappa, agreement.primary, agreement.jaccard, agreement.equal)
    assert agreement.n == 0 and all(math.isnan(figure.value) for figure in measured)


def test_days_are_compared_where_both_have_them() -> None:
    day = date(2024, 7, 1)
    one = Pass("one", {"a": labels("a", "1", day), "b": labels("b", "2")}, dates=True)
    two = Pass("two", {"a": labels("a", "1"), "b": labels("b", "2")}, dates=True)
    assert agree(one, two, "ab", seed=1).dated.value == 0.5
    silent = Pass("two", two.labels, dates=False)
    assert agree(one, silent, "ab", seed=1).dated.n == 0


def test_of_three_passes_any_two_may_differ() -> None:
    third = pass_of_sets("pass-3", ["12", "1", "", "2", "3"])
    assert differing([ONE, ONE, third], ONE.labels) == ["q3"]


def test_records_that_contradict_what_was_settled() -> None:
    settled = {"q0": labels("q0", "21"), "q4": labels("q4", "3")}
    records = pass_of_sets("records", ["21", "12", "", "23", "3"])
    assert contradicted([ONE, TWO], settled, records) == [], "q1 is not settled: any label may stand"
    records = pass_of_sets("records", ["12", "3", "1", "32", ""])
    assert contradicted([ONE, TWO], settled, records) == ["q0", "q2", "q3", "q4"]
    assert contradicted([ONE], {}, records) == [], "one pass settles nothing"


def figures(agreement: Agreement) -> str:
    return repr((agreement.kappa, agreement.primary, agreement.jaccard, agreement.equal, agreement.dated))


@settings(max_examples=25)
@given(st.lists(st.tuples(SECTIONS, SECTIONS), min_size=1, max_size=12))
def test_symmetric_and_1_for_equal_passes(sets: list[tuple[list[str], list[str]]]) -> None:
    one, two = (pass_of_sets(name, [pair[i] for pair in sets]) for i, name in enumerate(("one", "two")))
    assert figures(agree(one, two, one.labels, 1)) == figures(agree(two, one, one.labels, 1))
    itself = agree(one, one, one.labels, 1)
    assert itself.primary.value == itself.jaccard.value == itself.equal.value == 1
    assert itself.kappa.value == 1 or len({x.primary for x in one.labels.values()}) == 1
    assert differing([one, one], one.labels) == []
    agreement = agree(one, two, one.labels, 1)
    assert agreement.equal.value <= agreement.jaccard.value + 1e-12
    assert all(0 <= f.value <= 1 for f in (agreement.primary, agreement.jaccard, agreement.equal))
