"""The least true difference that a comparison of n queries would have detected."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import optimize, stats

ALPHA, POWER = 0.05, 0.80


def mde_mean(sd: float, n: int) -> float:
    """Least difference of means that ``n`` paired differences detect with 80% power, two-sided .05.

    The power is that of the paired t-test (non-central t, by SciPy), which the sign-flip test
    attains as n grows (Hoeffding 1952). NaN for n < 2, and for a standard deviation of 0, from which
    nothing can be said of the next sample.
    """
    return sd * _effect_size(n) if n > 1 and sd > 0 else math.nan


@lru_cache(maxsize=1024)
def _effect_size(n: int) -> float:
    # by the non-central t itself: statsmodels' TTestPower leaves its bracket for some n (73, 87, 92) and
    # returns what it had then. The far tail, below 1e-5 at this power, is left out
    critical = stats.t.isf(ALPHA / 2, n - 1)
    root = math.sqrt(n)
    return float(
        optimize.brentq(lambda d: stats.nct.sf(critical, n - 1, d * root) - POWER, 1 / root, 20 / root)
    )


def mcnemar_power(n: int, gain: float, loss: float) -> float:
    """Probability that McNemar's exact test of ``n`` pairs rejects at .05, two-sided.

    Parameters
    ----------
    gain, loss
        Shares of pairs that are right only after, and only before.

    Notes
    -----
    The unconditional power: over the number m of discordant pairs, binomial (n, gain + loss), the
    probability that a sign test of m rejects. Source: Duffy 1984; Connor 1987.
    """
    discordant = gain + loss
    if n == 0 or discordant == 0:
        return 0.0
    m = np.arange(n + 1)
    # greatest count of the rarer side that still rejects: 2 P(X <= c) <= alpha; -1 where none does
    c = stats.binom.ppf(ALPHA / 2, m, 0.5) - 1
    q = gain / discordant
    rejects = stats.binom.cdf(c, m, q) + stats.binom.sf(m - c - 1, m, q)
    return float(stats.binom.pmf(m, n, min(discordant, 1.0)) @ rejects)


@lru_cache(maxsize=1024)
def mde_proportion(discordant: float, n: int) -> float:
    """Least difference of proportions that McNemar's exact test of ``n`` pairs detects with 80% power.

    The normal approximation from the standard deviation promises too much here: the exact test is
    conservative and cannot reject at all on fewer than six discordant pairs. So the test's own power is
    solved for. Where a difference is greater than the share of discordant pairs observed, all of the
    discordant pairs must lie on one side and their share is the difference. With no discordant pair at all
    this gives about 7.9 / n; Wilson's upper bound of that share, 3.8 / (n + 3.8), is below it,
    so the greatest share that the data allow gives the same number. NaN for n < 6.

    Parameters
    ----------
    discordant
        Share of pairs that differ, as observed.
    """
    if n < 6:
        return math.nan

    def shortfall(difference: float) -> float:
        share = max(discordant, difference)
        return mcnemar_power(n, (share + difference) / 2, (share - difference) / 2) - POWER

    return float(optimize.brentq(shortfall, 0.0, 1.0, xtol=1e-9))
