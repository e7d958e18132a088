"""Kappa: tables worked by hand, statsmodels, and what holds of any two labellings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from citegrain.tasks.evaluation.compare import kappa
from citegrain.tasks.evaluation.compare.values import _kappas

Pairs = list[tuple[str, str]]
LABELLINGS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=25)


def labelled(pairs: Pairs) -> tuple[list[str], list[str]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_a_table_worked_by_hand() -> None:
    """50 items: 20 both yes, 15 both no, 5 and 10 split.

    Observed 35 / 50 = .7; by chance .5 x .6 + .5 x .4 = .5; (.7 - .5) / (1 - .5) = .4.
    """
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    agreement = kappa(*labelled(pairs), seed=1)
    assert agreement.value == pytest.approx(0.4, abs=1e-12) and agreement.n == 50
    # statsmodels' interval by the large-sample standard error
    theirs = cohens_kappa(np.array([[20, 5], [10, 15]]))
    assert (agreement.lo, agreement.hi) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.03)


def test_three_categories_by_hand() -> None:
    """Four items, labels a a b c against a b b c: observed 3/4, chance (2x1 + 1x2 + 1x1) / 16 = 5/16."""
    agreement = kappa(list("aabc"), list("abbc"), seed=1)
    assert agreement.value == pytest.approx((12 - 5) / (16 - 5), abs=1e-12)


def test_no_better_than_chance_and_worse() -> None:
    assert kappa(list("aabb"), list("abab"), seed=1).value == pytest.approx(0, abs=1e-12)
    assert kappa(list("aabb"), list("bbaa"), seed=1).value == pytest.approx(-1, abs=1e-12)


def test_full_agreement_is_1_throughout() -> None:
    agreement = kappa(["x", None, "y"], ["x", None, "y"], seed=1)
    assert (agreement.value, agreement.lo, agreement.hi, agreement.n) == (1, 1, 1, 3)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_one_category_tells_nothing(n: int) -> None:
    agreement = kappa(["a"] * n, ["a"] * n, seed=1)
    assert agreement.n == n and all(math.isnan(x) for x in (agreement.value, agreement.lo, agreement.hi))


def test_a_resample_of_one_category_counts_as_agreement() -> None:
    matches = np.array([[1.0, 0.0], [0.0, 0.0]])  # items (a, a) and (b, c)
    assert _kappas(matches, np.array([[0, 0], [0, 1]])).tolist() == [1.0, pytest.approx(1 / 3)]


def test_one_item_has_no_bounds() -> None:
    agreement = kappa(["a"], ["b"], seed=1)
    assert agreement.value == 0 and math.isnan(agreement.lo) and math.isnan(agreement.hi)


def test_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="same items"):
        kappa(["a"], [], seed=1)


@settings(max_examples=60)
@given(LABELLINGS, st.integers(0, 9))
def test_any_two_labellings(pairs: Pairs, seed: int) -> None:
    a, b = labelled(pairs)
    agreement, turned, itself = (kappa(x, y, seed, resamples=99) for x, y in ((a, b), (b, a), (a, a)))
    assert repr(agreement) == repr(turned), "symmetric"
    assert repr(agreement) == repr(kappa(a, b, seed, resamples=99)), "repeatable"
    if len(set(a)) > 1:
        assert itself.value == 1
    if not math.isnan(agreement.value):
        assert -1 <= agreement.value <= 1
        n = len(a)
        matches = np.array([[x == y for y in b] for x in a], dtype=float)
        assert _kappas(matches, np.arange(n)[None])[0] == pytest.approx(agreement.value, abs=1e-9)
    if not math.isnan(agreement.lo):
        assert -1 <= agreement.lo <= agreement.value <= agreement.hi <= 1
