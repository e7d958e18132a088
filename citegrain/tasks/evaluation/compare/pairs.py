"""Two configurations on the same queries: difference, interval, test, power; and two labelling passes."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from citegrain.tasks.evaluation.benchmark import Labels, Pass
from citegrain.tasks.evaluation.compare.values import (
    PROPORTION,
    RESAMPLES,
    SAME,
    Floats,
    Interval,
    Statistic,
    bca,
    derive_seed,
    kappa,
    steady_mean,
    wilson,
)

ENUMERATED = 16
"""Differences up to which all sign patterns are tried (65,536, in .3 s)."""
DRAWN = 19_999
"""Sign patterns drawn beyond: the least p is 1e-4, and at .05 its error is .0015."""


@dataclass(frozen=True, slots=True)
class Paired:
    """What b does better or worse than a on the ``n`` queries that have a value under both.

    Attributes
    ----------
    difference, lo, hi
        Mean of b minus a with its 95% interval.
    p
        Two-sided; NaN for n = 0.
    wins, losses
        Queries on which b is greater, and less.
    mde
        Least true difference that n such queries detect with 80% power at .05, two-sided.
    """

    difference: float
    lo: float
    hi: float
    n: int
    p: float
    wins: int
    losses: int
    mde: float


def paired(a: Mapping[str, float], b: Mapping[str, float], kind: str, seed: int) -> Paired:
    """Compare b with a, query by query. Queries that only one of them has are left out.

    Raises ValueError if a value is not finite, or a proportion has a value other than 0 and 1.

    ``a`` and ``b``: values by query id. ``kind``: ``proportion``, of values 0 and 1 (exact McNemar), or
    ``mean`` (permutation of signs).
    """
    shared = sorted(a.keys() & b.keys())
    before, after = (np.array([side[q] for q in shared], dtype=np.float64) for side in (a, b))
    if not np.isfinite([before, after]).all():
        raise ValueError("paired: a value is not finite")
    d = after - before
    # what differs in the last bits alone is a tie
    d[np.abs(d) <= SAME * np.maximum(np.abs(before), np.abs(after))] = 0.0
    if kind != PROPORTION:
        return mean_difference(d, seed)
    if not np.isin([before, after], (0, 1)).all():
        raise ValueError("paired: a proportion has values 0 and 1 only")
    n, wins, losses = len(d), int((d > 0).sum()), int((d < 0).sum())
    interval = _difference_of_proportions(d, wins, losses, seed)
    p = float(mcnemar([[0, losses], [wins, 0]], exact=True).pvalue) if n else math.nan
    mde = mde_proportion((wins + losses) / n, n) if n else math.nan
    return Paired(interval.value, interval.lo, interval.hi, n, p, wins, losses, mde)


def mean_difference(d: Floats, seed: int, resamples: int = RESAMPLES, drawn: int = DRAWN) -> Paired:
    """Mean of differences of queries, its interval, test and minimum detectable effect.

    Where no query moved the difference and both bounds are 0 and p is 1: that is what was seen, not
    certainty. NaN and counts of 0 where there is no query.

    ``d``: of each query, shape (n,), in the order of their ids. ``resamples`` and ``drawn``: of the
    bootstrap, and sign patterns of the test.
    """
    n, wins, losses = len(d), int((d > 0).sum()), int((d < 0).sum())
    interval = bca(d, derive_seed(seed, "bootstrap"), resamples)
    p = sign_flip(d, derive_seed(seed, "signs"), drawn)
    mde = mde_mean(float(np.std(d, ddof=1)), n) if n > 1 and np.ptp(d) > 0 else math.nan
    return Paired(interval.value, interval.lo, interval.hi, n, p, wins, losses, mde)


def _difference_of_proportions(d: Floats, wins: int, losses: int, seed: int) -> Interval:
    """BCa of the mean of differences -1, 0 and 1, with what was never seen allowed for.

    The bootstrap draws only what it has seen: without a loss in the sample it takes losses for
    impossible. Their share may be as high as u, Wilson's upper bound of 0 of n. So on a side never seen
    u is joined to the bootstrap's arm by square-and-add (Newcombe 1998; Zou and
    Donner 2008); with no discordant pair at all that leaves 0 +/- u. If all
    pairs are wins, up to u of all could as well be losses, and the bound is 1 - 2u.
    """
    n = len(d)
    unseen = wilson(0, n).hi
    if n and n in (wins, losses):
        value = (wins - losses) / n
        return Interval(value, max(-1.0, value - 2 * unseen), min(1.0, value + 2 * unseen), n)
    if not wins and not losses:
        return Interval(0.0 if n else math.nan, -unseen, unseen, n)
    drawn = bca(d, derive_seed(seed, "bootstrap"))
    lo, hi = drawn.lo, drawn.hi
    if not losses:
        lo = max(-1.0, drawn.value - math.hypot(drawn.value - lo, unseen))
    if not wins:
        hi = min(1.0, drawn.value + math.hypot(hi - drawn.value, unseen))
    return Interval(drawn.value, lo, hi, n)


def sign_flip(d: Floats, seed: int, drawn: int = DRAWN) -> float:
    """Two-sided p of the permutation test of paired differences, in which each may change its sign.

    Differences of 0 are left out: their sign changes no mean, and without them more cases can be
    enumerated. Exact where at most `ENUMERATED` are left, else from ``drawn`` patterns. 1 if none
    is left, NaN if there was none at all.

    Source: Fisher 1935, section 21; Phipson and Smyth 2010 for the patterns drawn. Computed by SciPy.
    """
    if len(d) == 0:
        return math.nan
    moved = d[d != 0]
    if len(moved) < 2:  # of one alone both signs are as far from 0
        return 1.0
    return permuted((moved / np.max(np.abs(moved)),), steady_mean, seed, drawn, 1000)


def permuted(
    data: tuple[npt.NDArray[Any], ...], statistic: Statistic, seed: int, drawn: int, batch: int
) -> float:
    """Two-sided p of a permutation test, exact where at most `ENUMERATED` can change."""
    test = stats.permutation_test(
        data,
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**ENUMERATED if len(data[0]) <= ENUMERATED else drawn,
        batch=batch,
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's step-down method.

    A test that was declared and could not be made (NaN) counts in the number of tests and stays
    NaN: it must not make the others look better.

    Source: Holm 1979. Computed by statsmodels.
    """
    if not len(p_values):
        return []
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = multipletests(np.where(np.isnan(p), 1.0, p), method="holm")[1]
    return [float(x) for x in np.where(np.isnan(p), math.nan, adjusted)]


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

    ``gain`` and ``loss``: shares of pairs that are right only after, and only before.

    The unconditional power: over the number m of discordant pairs, binomial (n, gain + loss), the probability
    that a sign test of m rejects. Source: Duffy 1984; Connor 1987.
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

    ``discordant``: share of pairs that differ, as observed.
    """
    if n < 6:
        return math.nan

    def shortfall(difference: float) -> float:
        share = max(discordant, difference)
        return mcnemar_power(n, (share + difference) / 2, (share - difference) / 2) - POWER

    return float(optimize.brentq(shortfall, 0.0, 1.0, xtol=1e-9))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two passes agree; every figure is a share or a coefficient, with its 95% interval.

    Attributes
    ----------
    kappa
        Cohen's kappa on the primary; out of scope is one category. BCa bootstrap over complaints.
    primary
        Share of complaints with the same primary. Wilson.
    jaccard
        Mean over complaints of the Jaccard index of the two sets; 1 where both are empty. BCa.
    equal
        Share of complaints with equal sets. Wilson.
    dated
        Share of complaints with the same day of the acts, none included; of no complaint where a pass
        has no days. Wilson.
    """

    first: str
    second: str
    kappa: Interval
    primary: Interval
    jaccard: Interval
    equal: Interval
    dated: Interval

    @property
    def n(self) -> int:
        """Number of complaints compared."""
        return self.equal.n


def agree(first: Pass, second: Pass, ids: Collection[str], seed: int) -> Agreement:
    """Compare two passes on those of ``ids`` that both label.

    Sources: Cohen 1960; Jaccard 1912. Complaints are taken by id, so that their order changes no number.
    """
    both = [(first.labels[i], second.labels[i]) for i in sorted({*ids} & {*first.labels} & {*second.labels})]
    n = len(both)
    dates = first.dates and second.dates
    return Agreement(
        first.name,
        second.name,
        kappa([a.primary for a, _ in both], [b.primary for _, b in both], seed),
        wilson(sum(a.primary == b.primary for a, b in both), n),
        bca([_jaccard(a, b) for a, b in both], seed),
        wilson(sum(set(a.applicable) == set(b.applicable) for a, b in both), n),
        wilson(sum(a.incident_date == b.incident_date for a, b in both), n if dates else 0),
    )


def _jaccard(a: Labels, b: Labels) -> float:
    """Share of the provisions of either that are in both; 1 where neither has any."""
    either = {*a.applicable, *b.applicable}
    return len({*a.applicable} & {*b.applicable}) / len(either) if either else 1.0


def differing(passes: Sequence[Pass], ids: Collection[str]) -> list[str]:
    """Those of ``ids`` on which passes differ in primary or set, in order."""
    out = []
    for query in sorted(ids):
        labels = [labelled.labels[query] for labelled in passes if query in labelled.labels]
        if any(not labels[0].same(other) for other in labels[1:]):
            out.append(query)
    return out


def unlabelled(labelled: Pass, ids: Collection[str]) -> list[str]:
    """Those of ``ids`` that a pass does not label, in order."""
    return sorted({*ids} - {*labelled.labels})


def contradicted(passes: Sequence[Pass], settled: Mapping[str, Labels], records: Pass) -> list[str]:
    """Complaints whose record contradicts what was settled or, where nothing was, what all passes agree on.

    One pass alone settles nothing.
    """
    out = []
    for query, recorded in records.labels.items():
        labels = [labelled.labels[query] for labelled in passes if query in labelled.labels]
        right = settled.get(query)
        if right is None and len(labels) > 1 and all(labels[0].same(other) for other in labels[1:]):
            right = labels[0]
        if right is not None and not right.same(recorded):
            out.append(query)
    return sorted(out)
