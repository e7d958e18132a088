"""Wilson and BCa: against SciPy, the closed formulas and the thesis' printed figures."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from citegrain.tasks.evaluation.compare import bca, wilson
from citegrain.tasks.evaluation.compare.values import Floats

NORMAL = NormalDist()


def wilson_by_formula(k: int, n: int) -> tuple[float, float]:
    z, p = NORMAL.inv_cdf(0.975), k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    arm = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return middle - arm, middle + arm


@pytest.mark.parametrize(("k", "lo", "hi"), [(188, 89.8, 96.5), (164, 76.1, 86.7)])
def test_the_intervals_the_thesis_prints(k: int, lo: float, hi: float) -> None:
    interval = wilson(k, 200)
    assert (interval.value, interval.n) == (k / 200, 200)
    assert (round(100 * interval.lo, 1), round(100 * interval.hi, 1)) == (lo, hi)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_the_closed_formula_and_scipys(counts: tuple[int, int]) -> None:
    interval = wilson(*counts)
    assert (interval.lo, interval.hi) == pytest.approx(wilson_by_formula(*counts), abs=1e-12)
    theirs = stats.binomtest(*counts).proportion_ci(0.95, method="wilson")
    assert (interval.lo, interval.hi) == (theirs.low, theirs.high)
    assert 0 <= interval.lo <= interval.value <= interval.hi <= 1


def test_wilson_of_nothing() -> None:
    interval = wilson(0, 0)
    assert interval.n == 0 and all(math.isnan(x) for x in (interval.value, interval.lo, interval.hi))


def bca_by_formula(x: Floats, seed: int, resamples: int) -> tuple[float, float]:
    """Efron and Tibshirani 1993, Eq. 14.9 to 14.15, with the acceleration of the jackknife."""
    n = len(x)
    drawn = x[np.random.default_rng(seed).integers(0, n, (resamples, n))].mean(axis=1).round(12)
    mean = round(x.mean(), 12)
    z0 = NORMAL.inv_cdf(float(np.mean(drawn < mean) + np.mean(drawn == mean) / 2))
    left_out = np.array([np.delete(x, i).mean() for i in range(n)])
    u = left_out.mean() - left_out
    a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    out = []
    for z in (NORMAL.inv_cdf(0.025), NORMAL.inv_cdf(0.975)):
        out.append(float(np.quantile(drawn, NORMAL.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))))))
    return out[0], out[1]


@pytest.mark.parametrize("n", [5, 40, 200])
def test_bca_is_the_textbook_formula_on_the_same_resamples(n: int) -> None:
    x = np.random.default_rng(n).beta(0.4, 1.5, n)
    x /= x.max()
    interval = bca(x, 7, 2999)
    assert interval.value == pytest.approx(x.mean())
    assert (interval.lo, interval.hi) == pytest.approx(bca_by_formula(x, 7, 2999), abs=1e-9)


def test_bca_follows_the_skew_of_the_exact_interval() -> None:
    """Mean of an exponential: 2 n mean / chi-square is exact; the arm to the right is the longer."""
    x = stats.expon.ppf((np.arange(100) + 0.5) / 100)
    interval = bca(x, 1)
    exact = 2 * x.sum() / stats.chi2.ppf([0.975, 0.025], 200)
    assert (interval.lo, interval.hi) == pytest.approx(tuple(exact), abs=0.02)
    assert interval.hi - interval.value > 1.1 * (interval.value - interval.lo)


VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=2, max_size=30)


@settings(max_examples=60)
@given(VALUES, st.integers(0, 2**64 - 1))
def test_bca_holds_the_mean_and_stays_within_the_values(values: list[float], seed: int) -> None:
    interval = bca(values, seed, resamples=499)
    assert interval.n == len(values)
    assert min(values) - 1e-12 <= interval.lo <= interval.value <= interval.hi <= max(values) + 1e-12
    assert interval == bca(values, seed, resamples=499)


@settings(max_examples=30)
@given(VALUES, st.floats(0.001, 1e6))
def test_bca_goes_with_the_unit(values: list[float], unit: float) -> None:
    one, other = bca(values, 3, resamples=499), bca([unit * v for v in values], 3, resamples=499)
    assert (other.lo, other.hi) == pytest.approx((unit * one.lo, unit * one.hi), rel=1e-6, abs=1e-9 * unit)


@pytest.mark.parametrize("values", [[0.3] * 9, [0.0] * 2, [0.1 + 0.2, 0.3], [1.0] * 200])
def test_equal_values_have_an_interval_of_one_point(values: list[float]) -> None:
    interval = bca(values, 1)
    assert interval.lo == interval.value == interval.hi == pytest.approx(values[0])


def test_too_few_values_have_no_interval() -> None:
    assert math.isnan(bca([], 1).value)
    one = bca([0.4], 1)
    assert (one.value, one.n) == (0.4, 1) and math.isnan(one.lo) and math.isnan(one.hi)


def test_where_bca_is_not_defined_the_percentiles_stand() -> None:
    values = [0.0] * 9 + [1.0]
    seed = next(s for s in range(99) if not np.any(np.random.default_rng(s).integers(0, 10, (2, 10)) == 9))
    interval = bca(values, seed, resamples=2)  # neither resample holds the 1: both means lie below
    assert (interval.lo, interval.value, interval.hi) == (0.0, 0.1, 0.1)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        bca([0.1, bad], 1)
