"""Simulated studies: how often the intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from citegrain.tasks.evaluation.compare import PROPORTION, bca, paired
from citegrain.tasks.evaluation.compare.values import Floats

STUDIES, N = 1200, 200


def reciprocal_ranks(rng: np.random.Generator, weights: list[float]) -> Floats:
    """Ranks 1 to 4 and none, as the metrics of a benchmark are: few values, skewed."""
    return rng.choice([1, 1 / 2, 1 / 3, 1 / 4, 0], size=(STUDIES, N), p=weights)


@pytest.mark.slow
def test_bca_of_a_mean() -> None:
    weights = [0.1, 0.08, 0.05, 0.02, 0.75]
    truth = 0.1 + 0.04 + 0.05 / 3 + 0.005
    studies = reciprocal_ranks(np.random.default_rng(1), weights)
    intervals = [bca(x, seed, resamples=999) for seed, x in enumerate(studies)]
    assert 0.93 <= np.mean([i.lo <= truth <= i.hi for i in intervals]) <= 0.97


def test_bca_of_a_difference_of_means() -> None:
    rng = np.random.default_rng(2)
    a = reciprocal_ranks(rng, [0.5, 0.1, 0.1, 0.1, 0.2])
    b = np.where(rng.random(a.shape) < 0.7, a, reciprocal_ranks(rng, [0.7, 0.1, 0.1, 0.0, 0.1]))
    truth = 0.3 * ((0.7 + 0.05 + 0.1 / 3) - (0.5 + 0.05 + 0.1 / 3 + 0.025))
    intervals = [bca(d, seed, resamples=999) for seed, d in enumerate(b - a)]
    assert 0.93 <= np.mean([i.lo <= truth <= i.hi for i in intervals]) <= 0.97


def difference_coverage(gain: float, loss: float) -> float:
    """The interval depends on the counts alone but for the draw: one a pair of counts is enough."""
    counts = np.random.default_rng(3).multinomial(N, [gain, loss, 1 - gain - loss], size=STUDIES)
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    covered = 0
    for (wins, losses, _), studies in zip(kinds, times, strict=True):
        d = np.zeros(N)
        d[:wins], d[wins : wins + losses] = 1, -1
        a = {f"{i:03}": float(x < 0) for i, x in enumerate(d)}
        b = {f"{i:03}": float(x > 0) for i, x in enumerate(d)}
        compared = paired(a, b, PROPORTION, 1)
        covered += int(studies) * (compared.lo - 1e-12 <= gain - loss <= compared.hi + 1e-12)
    return covered / STUDIES


@pytest.mark.parametrize(
    ("gain", "loss"),
    [
        pytest.param(0.12, 0.06, marks=pytest.mark.slow),
        pytest.param(0.1, 0.1, marks=pytest.mark.slow),
        (0.05, 0.02),
    ],
)
def test_difference_of_proportions(gain: float, loss: float) -> None:
    assert 0.93 <= difference_coverage(gain, loss) <= 0.97


@pytest.mark.parametrize(
    ("gain", "loss"), [(0.02, 0.02), (0.02, 0.0), (0.01, 0.01), (0.005, 0.005), (0.0, 0.0)]
)
def test_few_discordant_pairs_make_it_wide_and_not_wrong(gain: float, loss: float) -> None:
    """The bootstrap alone holds the truth in 90% of studies at .01 and .01."""
    assert difference_coverage(gain, loss) >= 0.92
