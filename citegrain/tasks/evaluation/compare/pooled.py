"""Metrics of many queries together: whether the surest answers are right, and whether confidence is true.

Each is computed from two scores of every query: the confidence of its first charge, and whether that charge
is right. None is a mean over queries, so that none has a value of a single query.
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from citegrain.tasks.evaluation.compare.intervals import BATCH, RESAMPLES, Floats, Interval, bootstrapped
from citegrain.tasks.evaluation.compare.pairs import DRAWN, Paired, permuted
from citegrain.tasks.evaluation.compare.values import Values, derive_seed

CONFIDENCE, RIGHT = "confidence", "primary_accuracy"
"""The metrics that these are computed from; a query that has no value of ``RIGHT`` has no right answer."""
BINS = 10

Positions = npt.NDArray[np.intp]
_EDGES = np.linspace(0.0, 1.0, BINS + 1)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of queries.

    ``confidence``: of the first charge, within 0..1, shape (n,); -1 where nothing is charged. ``right``: 1
    where the first charge is right, else 0.
    """

    queries: tuple[str, ...]
    confidence: Floats
    right: Floats

    def __len__(self) -> int:
        return len(self.queries)


def outcomes(by_metric: Mapping[str, Values], charged: bool = False) -> Outcomes:
    """What became of the queries of a configuration; of none where no confidence was estimated.

    ``by_metric``: values by metric and query. Whatever has a value of any metric was asked. ``charged``:
    whether those to which something was charged are taken alone, else all.
    """
    sure, right = by_metric.get(CONFIDENCE, {}), by_metric.get(RIGHT, {})
    queries = sorted(sure if charged else set().union(*by_metric.values())) if sure else []
    return Outcomes(
        tuple(queries),
        np.array([sure.get(q, -1.0) for q in queries]),
        np.array([right.get(q, 0.0) for q in queries]),
    )


def among(by_metric: Mapping[str, Values], queries: Collection[str]) -> dict[str, Values]:
    """The values of some queries alone."""
    return {m: {q: value for q, value in values.items() if q in queries} for m, values in by_metric.items()}


def risks(confidence: Floats, right: Floats) -> Floats:
    """Share of wrong answers among the 1, 2, ... n queries of the greatest confidence, along the last axis.

    Queries of equal confidence could be answered in any order: the share is the mean over all orders.

    Source: Geifman and El-Yaniv 2017.
    """
    n = confidence.shape[-1]
    order = np.argsort(-confidence, axis=-1, kind="stable")
    sure, wrong = (np.take_along_axis(a, order, -1).reshape(-1, n) for a in (confidence, 1.0 - right))
    first = np.concatenate([np.zeros((len(sure), 1)), sure[:, 1:] != sure[:, :-1]], axis=1)
    tied = np.cumsum(first, axis=1).astype(np.intp) + n * np.arange(len(sure))[:, None]
    each = np.bincount(tied.ravel(), wrong.ravel()) / np.maximum(1, np.bincount(tied.ravel()))
    shares = np.cumsum(each[tied], axis=1) / np.arange(1, n + 1)
    return np.asarray(shares.reshape(confidence.shape))


def bins_of(confidence: Floats) -> Positions:
    """Bin of each confidence, from 0: the first is [0, .1], the others (.1, .2], ... (.9, 1]."""
    return np.searchsorted(_EDGES[1:-1], confidence)


def _aurc(confidence: Floats, right: Floats) -> Floats:
    return np.asarray(risks(confidence, right).mean(axis=-1))


def _selective(coverage: float) -> Callable[[Floats, Floats], Floats]:
    def accuracy(confidence: Floats, right: Floats) -> Floats:
        answered = math.ceil(round(coverage * confidence.shape[-1], 9))
        return np.asarray(1.0 - risks(confidence, right)[..., answered - 1])

    return accuracy


def _ece(confidence: Floats, right: Floats) -> Floats:
    """Expected calibration error: Naeini, Cooper and Hauskrecht 2015."""
    gap, places = confidence - right, bins_of(confidence)
    gaps = [np.abs(np.where(places == b, gap, 0.0).sum(axis=-1)) for b in range(BINS)]
    return np.asarray(np.sum(gaps, axis=0) / confidence.shape[-1])


def _squared_calibration_error(confidence: Floats, right: Floats) -> Floats:
    """Squared error of the probabilities, in ten bins of equal size, less what chance adds to it.

    It may be negative. Source: Kumar, Liang and Ma 2019, debiased estimator.
    """
    order = np.argsort(confidence, axis=-1, kind="stable")
    parts = [np.array_split(np.take_along_axis(a, order, -1), BINS, axis=-1) for a in (confidence, right)]
    total = np.zeros(confidence.shape[:-1])
    for sure, hits in zip(*parts, strict=True):
        if (n := sure.shape[-1]) > 1:
            share = hits.mean(axis=-1)
            total += n * ((sure.mean(axis=-1) - share) ** 2 - share * (1 - share) / (n - 1))
    return np.asarray(total / confidence.shape[-1])


def ece_by_chance(judged: Outcomes) -> float:
    """The ECE to be expected of these queries if every probability were true; NaN without a query.

    In each bin the sum of the differences is then about normal around 0.
    """
    variance = np.bincount(bins_of(judged.confidence), judged.confidence * (1.0 - judged.confidence))
    return float(np.sqrt(2 / math.pi * variance).sum() / len(judged)) if len(judged) else math.nan


@dataclass(frozen=True, slots=True)
class _Metric:
    """A metric: its function of confidence and outcome, and whether queries without a charge count."""

    function: Callable[[Floats, Floats], Floats]
    charged: bool = False

    def __call__(self, confidence: Floats, right: Floats) -> Floats:
        # resamples that are equal must be equal in the last bit, for BCa counts those below
        return np.asarray(np.round(self.function(confidence, right), 12))

    def outcomes(self, by_metric: Mapping[str, Values]) -> Outcomes:
        """The queries that it is computed from: none where nothing could be right."""
        return outcomes(by_metric if self.charged or by_metric.get(RIGHT) else {}, self.charged)


POOLED_METRICS: Mapping[str, _Metric] = {
    "aurc": _Metric(_aurc),
    "selective_50": _Metric(_selective(0.5)),
    "selective_80": _Metric(_selective(0.8)),
    "ece": _Metric(_ece, charged=True),
    "calibration_error": _Metric(_squared_calibration_error, charged=True),
}


def pooled(
    by_metric: Mapping[str, Values], name: str, seed: int, resamples: int = RESAMPLES
) -> Interval | None:
    """A metric with its BCa interval over queries; None where no confidence was estimated.

    Fewer than two queries have no spread to draw from: the bounds are NaN.

    ``by_metric``: values by metric and query, of one configuration.
    """
    metric = POOLED_METRICS[name]
    judged = metric.outcomes(by_metric)
    n = len(judged)
    if not n:
        return None
    value = float(metric(judged.confidence, judged.right))

    def statistic(drawn: Positions, axis: int = -1) -> Floats:
        positions = np.moveaxis(drawn, axis, -1)
        return metric(judged.confidence[positions], judged.right[positions])

    return bootstrapped(value, np.arange(n), statistic, seed, resamples=resamples)


def paired_pooled(
    a: Mapping[str, Values], b: Mapping[str, Values], name: str, seed: int, resamples: int = RESAMPLES
) -> Paired:
    """Compare b with a on the queries that both have. No query wins or loses by itself, and none is counted.

    The interval is BCa over queries, both configurations drawn together; p is that of the permutation test
    in which each query may exchange what the two did with it. What could have been detected is not
    known: NaN.

    ``a`` and ``b``: values by metric and query, of one configuration each.
    """
    metric = POOLED_METRICS[name]
    shared = set(metric.outcomes(a).queries) & set(metric.outcomes(b).queries)
    sides = [metric.outcomes(among(side, shared)) for side in (a, b)]
    n = min(map(len, sides))
    if not n:
        return Paired(math.nan, math.nan, math.nan, 0, math.nan, 0, 0, math.nan)
    both = np.concatenate([np.stack([side.confidence, side.right]) for side in sides], axis=1)

    def difference(first: Positions, second: Positions, axis: int = -1) -> Floats:
        before, after = (metric(*both[:, np.moveaxis(drawn, axis, -1)]) for drawn in (first, second))
        return np.asarray(np.round(after - before, 12))

    def resampled(drawn: Positions, axis: int = -1) -> Floats:
        return difference(drawn, drawn + n, axis)

    each = np.arange(n)
    value = float(difference(each, each + n))
    bounds = bootstrapped(value, each, resampled, derive_seed(seed, "bootstrap"), resamples=resamples)
    p = _exchanged(both, difference, derive_seed(seed, "exchanges"))
    return Paired(value, bounds.lo, bounds.hi, n, p, 0, 0, math.nan)


def _exchanged(both: Floats, difference: Callable[..., Floats], seed: int) -> float:
    """Two-sided p of the permutation test; 1 where the two differ on one query at most.

    ``both``: confidence and outcome, shape (2, 2 n): of the one configuration, then of the other.
    """
    n = both.shape[1] // 2
    if (both[:, :n] != both[:, n:]).any(axis=0).sum() < 2:
        return 1.0
    return permuted((np.arange(n), np.arange(n) + n), difference, seed, DRAWN, max(1, BATCH // n))
