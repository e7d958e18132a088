"""The minimum detectable effect: solved for, enumerated and simulated."""

from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from citegrain.tasks.evaluation.compare import MEAN, POWER, PROPORTION, paired
from citegrain.tasks.evaluation.compare.pairs import mcnemar_power, mde_mean, mde_proportion, sign_flip


def test_the_effect_has_the_power_for_every_n() -> None:
    """Also for those n for which statsmodels' solver returns an array, or a negative number (73)."""
    differences = [mde_mean(1.0, n) for n in range(2, 400)]
    assert all(later < earlier for earlier, later in pairwise(differences))
    for n in (2, 3, 4, 5, 7, 20, 73, 87, 92, 117, 200, 2000):
        assert TTestPower().power(mde_mean(1.0, n), n, 0.05) == pytest.approx(POWER, abs=1e-6), n


def test_near_the_normal_formula() -> None:
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert mde_mean(0.4, 200) == pytest.approx(0.4 * z / math.sqrt(200), rel=0.01)


def test_mcnemars_power_by_enumeration() -> None:
    n, gain, loss = 14, 0.5, 0.1
    power = 0.0
    for wins, losses in product(range(n + 1), repeat=2):
        if 0 < wins + losses <= n and stats.binomtest(wins, wins + losses).pvalue <= 0.05:
            counts = [wins, losses, n - wins - losses]
            power += stats.multinomial.pmf(counts, n, [gain, loss, 1 - gain - loss])
    assert mcnemar_power(n, gain, loss) == pytest.approx(power)


@pytest.mark.parametrize("n", [6, 20, 200, 1000])
@pytest.mark.parametrize("discordant", [0.0, 0.02, 0.2, 1.0])
def test_the_difference_of_proportions_has_the_power(n: int, discordant: float) -> None:
    d = mde_proportion(discordant, n)
    share = max(d, discordant)
    assert mcnemar_power(n, (share + d) / 2, (share - d) / 2) == pytest.approx(POWER, abs=1e-6)


@pytest.mark.parametrize("n", [10, 200, 1000])
def test_without_a_discordant_pair_six_of_one_side_must_differ(n: int) -> None:
    d = mde_proportion(0.0, n)
    assert stats.binom.sf(5, n, d) == pytest.approx(POWER, abs=1e-6)
    assert d == pytest.approx(stats.beta.ppf(POWER, 6, n - 5), abs=1e-6)


def test_where_nothing_can_be_said() -> None:
    assert math.isnan(mde_mean(0.0, 100))
    assert math.isnan(mde_mean(1.0, 1))
    assert math.isnan(mde_proportion(0.5, 5))
    assert not math.isnan(mde_proportion(0.5, 6))
    assert mcnemar_power(0, 0.1, 0.1) == 0.0
    assert mcnemar_power(10, 0.0, 0.0) == 0.0


def test_paired_asks_for_it() -> None:
    a = {f"q{i:02}": float(x) for i, x in enumerate(np.random.default_rng(1).random(40))}
    b = {q: 1 - v for q, v in a.items()}
    sd = float(np.std([b[q] - a[q] for q in a], ddof=1))
    assert paired(a, b, MEAN, 1).mde == pytest.approx(mde_mean(sd, 40))
    a, b = ({q: float(v > 0.5) for q, v in side.items()} for side in (a, b))
    assert paired(a, b, PROPORTION, 1).mde == pytest.approx(mde_proportion(1.0, 40))


@pytest.mark.parametrize(("n", "discordant"), [(200, 0.15), (200, 0.0), (60, 0.3)])
def test_mcnemar_finds_the_mde_in_four_of_five_studies(n: int, discordant: float) -> None:
    rng = np.random.default_rng(n)
    d = mde_proportion(discordant, n)
    share = max(d, discordant)
    studies = rng.multinomial(n, [(share + d) / 2, (share - d) / 2, 1 - share], size=4000)
    m = studies[:, 0] + studies[:, 1]
    p = np.minimum(1, 2 * stats.binom.cdf(studies[:, :2].min(axis=1), m, 0.5))
    assert np.mean(p <= 0.05) == pytest.approx(POWER, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 60])
def test_sign_flips_find_the_mde_in_four_of_five_studies(n: int) -> None:
    rng = np.random.default_rng(n)
    studies = rng.normal(mde_mean(0.3, n), 0.3, size=(1500, n))
    rejected = np.mean([sign_flip(d, seed) <= 0.05 for seed, d in enumerate(studies)])
    assert rejected == pytest.approx(POWER, abs=0.03)
