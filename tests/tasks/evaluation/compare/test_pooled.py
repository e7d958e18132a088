"""Metrics of many queries together: by hand, against slow and plain code, and what must not change them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from citegrain.tasks.evaluation.compare import (
    MEAN,
    POOLED,
    PROPORTION,
    Outcomes,
    bins_of,
    breakdown,
    compare,
    ece_by_chance,
    outcomes,
    risks,
    summarise,
)
from citegrain.tasks.evaluation.compare.summary import POOLED_METRICS, paired_pooled, pooled
from tests.tasks.evaluation.compare.studies import from_rows

Case = tuple[float | None, float | None]
"""Confidence, and whether the first charge is right; None where there is none."""
KINDS = {"confidence": MEAN, "failed": PROPORTION, "primary_accuracy": PROPORTION}
KINDS |= dict.fromkeys(POOLED_METRICS, POOLED)
FEW = 199


def values(cases: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Values by metric and query, as scoring gives them: no confidence without a charge, no accuracy out of scope."""
    cases_by_id = [(f"q{i:03}", case) for i, case in enumerate(cases)]
    return {
        "failed": {q: 0.0 for q, _ in cases_by_id},
        "confidence": {q: sure for q, (sure, _) in cases_by_id if sure is not None},
        "primary_accuracy": {q: right for q, (_, right) in cases_by_id if right is not None},
    }


def scores(**measured: dict[str, dict[str, float]]) -> pa.Table:
    """The table of values by configuration."""
    rows = [
        (c, q, m, v)
        for c, by_metric in measured.items()
        for m, by_query in by_metric.items()
        for q, v in by_query.items()
    ]
    return from_rows(rows)


def value(cases: Sequence[Case], name: str) -> float:
    measured = pooled(values(cases), name, 1, FEW)
    assert measured is not None and measured.lo <= measured.value <= measured.hi
    return measured.value


CHARGED = ["ece", "calibration_error"]
HAND: list[Case] = [(0.95, 1), (0.85, 1), (0.85, 0), (0.15, 0), (None, 0)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # shares of wrong ones: 0; 1/4 and 1/3, half of the tied two being wrong; 2/4; 3/5, the uncharged last
        ("aurc", (0 + 0.25 + 1 / 3 + 0.5 + 0.6) / 5),
        ("selective_50", 2 / 3),  # three of five
        ("selective_80", 0.5),  # four of five
        # (.9, 1]: .05 x 1; (.8, .9]: |.85 - .5| x 2; (.1, .2]: .15 x 1; of four that are charged
        ("ece", (0.05 + 0.7 + 0.15) / 4),
        ("calibration_error", 0),  # four queries in ten parts: none has two
    ],
)
def test_by_hand(name: str, expected: float) -> None:
    assert value(HAND, name) == pytest.approx(expected, abs=1e-9)
    measured = pooled(values(HAND), name, 1, FEW)
    assert measured is not None and measured.n == (4 if name in CHARGED else 5)


def test_what_was_not_estimated_has_no_row() -> None:
    plain = {name: by_query for name, by_query in values(HAND).items() if name != "confidence"}
    assert all(pooled(plain, name, 1) is None for name in POOLED_METRICS)
    listed = summarise(scores(plain=plain, sure=values(HAND)), KINDS, 1).to_pylist()
    names = {c: [r["metric"] for r in listed if r["configuration"] == c] for c in ("plain", "sure")}
    estimated = ["failed", "primary_accuracy", "confidence", *POOLED_METRICS]
    assert names == {"plain": ["failed", "primary_accuracy"], "sure": estimated}


def test_where_nothing_applies_there_is_no_accuracy_to_select_for() -> None:
    beyond: list[Case] = [(0.3, None), (0.2, None), (None, None)]
    assert [name for name in POOLED_METRICS if pooled(values(beyond), name, 1, FEW) is not None] == CHARGED
    assert value(beyond, "ece") == pytest.approx(0.25)
    # beside others a charge where nothing applies is a wrong one
    assert value([(0.9, 1), (0.5, None)], "selective_80") == 0.5


def test_one_query_has_no_spread() -> None:
    measured = pooled(values([(0.5, 1)]), "aurc", 1)
    assert measured is not None and (measured.value, measured.n) == (0.0, 1) and math.isnan(measured.lo)


# Against slow and plain code --------------------------------------------------------

sure = st.integers(0, 12).map(lambda i: i / 12)
right = st.sampled_from([0.0, 1.0])
many = st.lists(st.tuples(sure, right), min_size=2, max_size=7)


def slow_aurc(cases: Sequence[tuple[float, float]]) -> float:
    """Mean over all orders that do not put the less sure first, of the mean over all coverages of the risk."""
    risks = []
    for order in itertools.permutations(cases):
        if all(a[0] >= b[0] for a, b in itertools.pairwise(order)):
            wrong = list(itertools.accumulate(1 - r for _, r in order))
            risks.append(np.mean([w / k for k, w in enumerate(wrong, 1)]))
    return float(np.mean(risks))


@settings(max_examples=60)
@given(many)
def test_the_area_is_that_of_every_order_of_ties(cases: list[tuple[float, float]]) -> None:
    confidence, outcome = (np.array(column) for column in zip(*cases, strict=True))
    assert risks(confidence, outcome).mean() == pytest.approx(slow_aurc(cases))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 1), right), min_size=2, max_size=60))
def test_calibration_is_that_of_scikit_learn(cases: list[tuple[float, float]]) -> None:
    confidence, outcome = (np.array(column) for column in zip(*cases, strict=True))
    true, mean = calibration_curve(outcome, confidence, n_bins=10, strategy="uniform")
    counts = np.bincount(bins_of(confidence), minlength=10)
    weighed = np.sum(counts[counts > 0] * np.abs(true - mean)) / len(cases)
    assert value(list(cases), "ece") == pytest.approx(weighed, abs=1e-9)


# What must hold ---------------------------------------------------------------------


@settings(max_examples=40)
@given(st.lists(st.tuples(st.none() | sure, right), min_size=2, max_size=30))
def test_the_bounds_of_each(cases: list[Case]) -> None:
    cases = [(s, r if s is not None else 0.0) for s, r in cases]
    for name in POOLED_METRICS:
        measured = pooled(values(cases), name, 1, FEW)
        if measured is not None and measured.n > 1:
            least = -1 if name == "calibration_error" else 0  # chance is taken off, and may be more
            assert least <= measured.lo <= measured.value <= measured.hi <= 1


@settings(max_examples=40)
@given(st.lists(st.tuples(sure, right), min_size=2, max_size=30), st.floats(0.2, 5))
def test_selection_goes_by_the_order_of_confidence_alone(
    cases: list[tuple[float, float]], power: float
) -> None:
    bent: list[Case] = [(s**power, r) for s, r in cases]
    for name in ("aurc", "selective_50", "selective_80"):
        one, other = (pooled(values(c), name, 1, FEW) for c in (list(cases), bent))
        assert one == other


@settings(max_examples=40)
@given(st.dictionaries(st.integers(1, 9), st.integers(1, 4), min_size=1, max_size=6))
def test_bins_in_which_as_many_are_right_as_expected_have_no_error(bins: dict[int, int]) -> None:
    cases: list[Case] = []
    for tenth, times in bins.items():
        cases += [(tenth / 10, float(i < tenth)) for i in range(10)] * times
    assert value(cases, "ece") == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("n", [100, 400])
def test_what_chance_makes_of_true_probabilities(n: int) -> None:
    rng = np.random.default_rng(5)
    p = np.sort(rng.random(n))
    by_chance = ece_by_chance(Outcomes(tuple(map(str, range(n))), p, p))
    simulated = POOLED_METRICS["ece"](np.tile(p, (2000, 1)), (rng.random((2000, n)) < p).astype(float))
    assert by_chance == pytest.approx(simulated.mean(), rel=0.03)


def test_the_squared_error_is_that_of_the_probabilities_and_not_of_chance() -> None:
    rng = np.random.default_rng(6)
    p = np.tile(np.sort(rng.random(200)), (3000, 1))
    drawn = rng.random(p.shape)
    for shift in (0.0, 0.1, 0.3):  # of true probabilities, and of some that say so much less
        said = np.clip(p - shift, 0, 1)
        squared = POOLED_METRICS["calibration_error"](said, (drawn < p).astype(float))
        parts = np.array_split(p[0] - said[0], 10)
        assert squared.mean() == pytest.approx(np.mean([part.mean() ** 2 for part in parts]), abs=1e-3)


def test_a_better_order_has_a_smaller_area() -> None:
    cases: list[Case] = [(0.9, 1), (0.8, 1), (0.7, 0), (0.6, 0)]
    best, none, worst = (
        value([(s, r) for s, (_, r) in zip(by, cases, strict=True)], "aurc")
        for by in ((4, 3, 2, 1), (1, 1, 1, 1), (1, 2, 3, 4))
    )
    assert best < none < worst


# Intervals and comparisons ----------------------------------------------------------


def drawn(n: int, seed: int, skill: float = 1.0) -> list[Case]:
    """Queries whose confidence is true: each is right with the probability that it states."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return [(float(a), float(rng.random() < a * skill)) for a in p]


def test_intervals_contain_the_truth_about_as_often_as_they_say() -> None:
    large = values(drawn(200_000, 1))
    judged = outcomes(large)
    truth = float(POOLED_METRICS["aurc"](judged.confidence, judged.right))
    covered = 0
    for seed in range(40):
        measured = pooled(values(drawn(120, 100 + seed)), "aurc", seed, 499)
        covered += measured is not None and measured.lo <= truth <= measured.hi
    assert covered >= 34


def test_a_pair_that_differs_and_one_that_does_not() -> None:
    a, b = drawn(80, 1), drawn(80, 2)
    asleep: list[Case] = [(0.5, r) for _, r in a]
    same = paired_pooled(values(a), values(a), "aurc", 1, FEW)
    assert (same.difference, same.lo, same.hi, same.p, same.n) == (0, 0, 0, 1, 80)
    worse = paired_pooled(values(a), values(asleep), "aurc", 1, 999)
    assert worse.difference > 0 and worse.lo > 0 and worse.p < 0.01
    back = paired_pooled(values(asleep), values(a), "aurc", 1, 999)
    assert back.difference == -worse.difference and back.p == worse.p
    assert (worse.wins, worse.losses) == (0, 0) and math.isnan(worse.mde)
    assert paired_pooled(values(a), values(b), "ece", 1, FEW).p > 0.01


def test_only_shared_queries_are_compared() -> None:
    a, b = values(drawn(30, 1)), values(drawn(30, 2))
    b["confidence"] = {q: v for q, v in b["confidence"].items() if q < "q020"}
    assert paired_pooled(a, b, "ece", 1, FEW).n == 20 and paired_pooled(a, b, "aurc", 1, FEW).n == 30
    b["confidence"] = {}
    nothing = paired_pooled(a, b, "aurc", 1)
    assert nothing.n == 0 and math.isnan(nothing.p) and math.isnan(nothing.difference)


def test_comparisons_and_groups_know_them() -> None:
    both = scores(a=values(drawn(40, 1)), b=values(drawn(40, 2)))
    listed = compare(both, KINDS, [("a", "b", "ece"), ("a", "b", "primary_accuracy")], 3).to_pylist()
    assert [r["n"] for r in listed] == [40, 40] and 0 < listed[0]["p"] <= listed[0]["p_holm"] <= 1
    halves = [(f"q{i:03}", "half", "first" if i < 20 else "second") for i in range(40)]
    groups = breakdown(both, KINDS, halves, ["aurc", "primary_accuracy"], 3).to_pylist()
    assert [(r["metric"], r["n"]) for r in groups[:4]] == [("aurc", 20), ("primary_accuracy", 20)] * 2
