"""Paired comparisons: worked by hand, by enumeration, and what must hold for any data."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.evaluation.compare import MEAN, PROPORTION, Paired, bca, holm, paired, wilson
from citegrain.tasks.evaluation.compare.pairs import sign_flip
from citegrain.tasks.evaluation.compare.values import derive_seed


def outcomes(wins: int, losses: int, ties: int) -> tuple[dict[str, float], dict[str, float]]:
    d = [1] * wins + [-1] * losses + [0] * ties
    before, after = ({f"q{i:03}": float(x == side) for i, x in enumerate(d)} for side in (-1, 1))
    return before, after


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (9, 2, 2 * (1 + 11 + 55) / 2**11),
        (2, 9, 2 * (1 + 11 + 55) / 2**11),
        (6, 0, 2 / 2**6),
        (5, 0, 2 / 2**5),
        (1, 0, 1.0),
        (4, 4, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_by_hand(wins: int, losses: int, p: float) -> None:
    compared = paired(*outcomes(wins, losses, 30), PROPORTION, 1)
    n = wins + losses + 30
    assert (compared.wins, compared.losses, compared.n) == (wins, losses, n)
    assert compared.difference == pytest.approx((wins - losses) / n)
    assert compared.p == pytest.approx(p)


def enumerated(d: list[float]) -> float:
    sums = np.abs(np.array(list(product((1, -1), repeat=len(d)))) @ d)
    return float(np.mean(sums >= abs(sum(d)) - 1e-9))


@settings(max_examples=40)
@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=8, max_size=8))
def test_sign_flips_of_eight_are_all_tried(d: list[float]) -> None:
    assert sign_flip(np.array(d), 1) == pytest.approx(enumerated(d))


def test_sign_flips_by_hand_with_zeros_and_rounding() -> None:
    assert sign_flip(np.array([1.0, 2.0, 3.0]), 1) == pytest.approx(2 / 8)
    assert sign_flip(np.array([1.0, 2.0, 3.0] + [0.0] * 500), 1) == pytest.approx(2 / 8)
    # .1 + .2 - .3 is 0 and not 5e-17: every pattern reaches it
    assert sign_flip(np.array([0.1, 0.2, -0.3]), 1) == 1.0
    assert sign_flip(np.zeros(5), 1) == 1.0
    assert sign_flip(np.array([0.0, 0.4]), 1) == 1.0
    assert math.isnan(sign_flip(np.zeros(0), 1))


def test_drawn_sign_flips_come_near_the_enumeration() -> None:
    d = np.random.default_rng(4).normal(0.35, 1, 16)
    padded = np.append(d, 1e-9)  # the seventeenth moves nothing but makes it draw
    assert sign_flip(padded, 2) == pytest.approx(sign_flip(d, 2), abs=0.01)


def test_an_interval_without_a_discordant_pair() -> None:
    compared = paired(*outcomes(0, 0, 200), PROPORTION, 1)
    assert (compared.difference, compared.p) == (0.0, 1.0)
    assert (compared.lo, compared.hi) == (-wilson(0, 200).hi, wilson(0, 200).hi)


def test_a_side_never_seen_is_allowed_for() -> None:
    a, b = outcomes(4, 0, 196)
    compared = paired(a, b, PROPORTION, 1)
    drawn = bca([b[q] - a[q] for q in a], derive_seed(1, "bootstrap"))
    assert drawn.lo > 0  # as if losses were impossible, at p = .125
    assert compared.lo == pytest.approx(0.02 - math.hypot(0.02 - drawn.lo, wilson(0, 200).hi))
    assert compared.lo < 0
    assert compared.hi == drawn.hi
    both = paired(*outcomes(5, 1, 194), PROPORTION, 1)
    assert both.lo > -wilson(0, 200).hi


def test_all_won() -> None:
    compared = paired(*outcomes(50, 0, 0), PROPORTION, 1)
    assert (compared.difference, compared.hi) == (1.0, 1.0)
    assert compared.lo == pytest.approx(1 - 2 * wilson(0, 50).hi)
    assert paired(*outcomes(0, 50, 0), PROPORTION, 1).hi == pytest.approx(2 * wilson(0, 50).hi - 1)


def test_only_shared_queries_count() -> None:
    a, b = {"q1": 0.1, "q2": 0.2, "q9": 1.0}, {"q1": 0.4, "q2": 0.6, "q8": 0.0}
    compared = paired(a, b, MEAN, 1)
    assert (compared.n, compared.wins) == (2, 2)
    assert compared.difference == pytest.approx(0.35)


@pytest.mark.parametrize("kind", [MEAN, PROPORTION])
def test_nothing_shared(kind: str) -> None:
    compared = paired({"q1": 1.0}, {"q2": 1.0}, kind, 1)
    assert (compared.n, compared.wins, compared.losses) == (0, 0, 0)
    numbers = (compared.difference, compared.lo, compared.hi, compared.p, compared.mde)
    assert all(math.isnan(x) for x in numbers)


def test_one_query_shared() -> None:
    compared = paired({"q": 0.2}, {"q": 0.5}, MEAN, 1)
    assert compared.p == 1.0 and math.isnan(compared.lo) and math.isnan(compared.mde)


def test_equal_values_of_means() -> None:
    same = {f"q{i}": 0.1 * i for i in range(9)}
    compared = paired(same, dict(same), MEAN, 1)
    assert (compared.difference, compared.lo, compared.hi, compared.p) == (0, 0, 0, 1)
    assert math.isnan(compared.mde)


def test_the_last_bits_are_ties() -> None:
    compared = paired({"q1": 0.3, "q2": 0.5}, {"q1": 0.1 + 0.2, "q2": 0.6}, MEAN, 1)
    assert (compared.wins, compared.losses, compared.n) == (1, 0, 2)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="0 and 1"):
        paired({"q": 0.5}, {"q": 1.0}, PROPORTION, 1)
    with pytest.raises(ValueError, match="finite"):
        paired({"q": math.nan}, {"q": 1.0}, MEAN, 1)


def mirrored(one: Paired, other: Paired) -> None:
    assert (other.difference, other.p) == pytest.approx((-one.difference, one.p), abs=0, rel=0, nan_ok=True)
    assert (other.wins, other.losses, other.n) == (one.losses, one.wins, one.n)
    assert (other.lo, other.hi) == pytest.approx((-one.hi, -one.lo), abs=1e-9, nan_ok=True)
    assert other.mde == pytest.approx(one.mde, nan_ok=True)


IDS = st.sampled_from([f"q{i}" for i in range(30)])


@settings(max_examples=25)
@given(st.dictionaries(IDS, st.floats(0, 1), min_size=2), st.dictionaries(IDS, st.floats(0, 1), min_size=2))
def test_means_swapped_are_mirrored(a: dict[str, float], b: dict[str, float]) -> None:
    compared = paired(a, b, MEAN, 5)
    mirrored(compared, paired(b, a, MEAN, 5))
    if compared.n > 1:
        assert compared.lo <= compared.difference <= compared.hi


BITS = st.dictionaries(IDS, st.sampled_from([0.0, 1.0]), min_size=1)


@settings(max_examples=60)
@given(BITS, BITS)
def test_proportions_swapped_are_mirrored(a: dict[str, float], b: dict[str, float]) -> None:
    compared = paired(a, b, PROPORTION, 5)
    mirrored(compared, paired(b, a, PROPORTION, 5))
    if compared.n > 1:
        assert -1 <= compared.lo <= compared.difference <= compared.hi <= 1


@settings(max_examples=20)
@given(BITS, BITS, st.randoms(use_true_random=False))
def test_the_order_of_queries_does_not_matter(
    a: dict[str, float], b: dict[str, float], random: Random
) -> None:
    items = list(a.items())
    random.shuffle(items)
    assert repr(paired(dict(items), b, PROPORTION, 5)) == repr(paired(a, b, PROPORTION, 5))


def test_holm_by_hand() -> None:
    # .005 x 4, .01 x 3, .03 x 2, and .04 x 1 raised to the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []
    # what could not be tested counts
    assert holm([0.02, math.nan, 0.03]) == pytest.approx([0.06, math.nan, 0.06], nan_ok=True)
