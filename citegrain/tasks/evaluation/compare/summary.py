"""Scores summarised: intervals over all queries and by group, and the comparisons that were declared.

A pooled metric is computed from two scores of every query: the confidence of its first charge, and whether
that charge is right. It is no mean over queries, so that it has no value of a single query.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.schemas import BREAKDOWN, COMPARISONS, SUMMARY
from citegrain.tasks.evaluation.compare.pairs import DRAWN, Paired, holm, paired, permuted
from citegrain.tasks.evaluation.compare.values import (
    BATCH,
    POOLED,
    PROPORTION,
    RESAMPLES,
    Floats,
    Interval,
    Values,
    bca,
    bootstrapped,
    derive_seed,
    queries_by_group,
    values_by_configuration,
    wilson,
)

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


def interval(by_metric: Mapping[str, Values], metric: str, kind: str, seed: int) -> Interval | None:
    """A metric of one configuration with the interval of its kind, Wilson or BCa; None without a value."""
    if kind == POOLED:
        return pooled(by_metric, metric, seed)
    numbers = np.fromiter(by_metric.get(metric, {}).values(), dtype=np.float64)
    if not len(numbers):
        return None
    return wilson(int(numbers.sum()), len(numbers)) if kind == PROPORTION else bca(numbers, seed)


def summarise(scores: pa.Table, kinds: Mapping[str, str], seed: int) -> pa.Table:
    """One row a configuration and metric that has a value, in the order of first appearance.

    Pooled metrics come last. The seed of a row comes from ``seed`` and the metric: a configuration or
    metric that is added changes no other row. Returns ``SUMMARY``.

    ``scores``: in long form, ``configuration``, ``query_id``, ``metric``, ``value``; see
    `values_by_configuration`. ``kinds``: ``proportion``, ``mean`` or ``pooled`` by metric.
    """
    pooled_metrics = [metric for metric, kind in kinds.items() if kind == POOLED]
    rows = [
        {"configuration": configuration} | row
        for configuration, by_metric in values_by_configuration(scores, kinds).items()
        for row in _rows(by_metric, [*by_metric, *pooled_metrics], kinds, seed)
    ]
    return SUMMARY.conform(SUMMARY.rows(rows))


def _rows(
    by_metric: Mapping[str, Values], metrics: Sequence[str], kinds: Mapping[str, str], seed: int, *place: str
) -> Iterator[dict[str, object]]:
    for metric in metrics:
        measured = interval(by_metric, metric, kinds[metric], derive_seed(seed, metric, *place))
        if measured is not None:
            yield {"metric": metric} | asdict(measured)


def breakdown(
    scores: pa.Table,
    kinds: Mapping[str, str],
    groups: Sequence[tuple[str, str, str]],
    metrics: Sequence[str],
    seed: int,
) -> pa.Table:
    """The same by group of queries, for the metrics named.

    Ordered by configuration, dimension, group and metric: configurations, dimensions and groups by
    first appearance, metrics as named. A group without a value has no row.

    ``groups``: ``query_id``, ``dimension``, ``group``; a query may lie in several groups of one dimension.
    Returns ``BREAKDOWN``.
    """
    rows = [
        {"configuration": configuration, "dimension": dimension, "group": group} | row
        for configuration, by_metric in values_by_configuration(scores, kinds).items()
        for (dimension, group), ids in queries_by_group(groups).items()
        for row in _rows(among(by_metric, ids), metrics, kinds, seed, dimension, group)
    ]
    return BREAKDOWN.conform(BREAKDOWN.rows(rows))


_NUMBERS = ("difference", "lo", "hi", "n", "wins", "losses", "p", "mde")


def compare(
    scores: pa.Table, kinds: Mapping[str, str], family: Sequence[tuple[str, str, str]], seed: int
) -> pa.Table:
    """One row a declared comparison, in the order declared, adjusted by Holm over exactly these.

    A comparison without a shared query keeps its row, with n = 0 and NaN, and counts in the
    adjustment. The seed comes from ``seed`` and the metric, so that a row does not depend on the
    rest of the family but for ``p_holm``.

    ``family``: baseline, configuration and metric of each comparison, declared before the scores are seen.
    Returns ``COMPARISONS``.
    """
    by_configuration = values_by_configuration(scores, kinds)
    rows: list[dict[str, object]] = []
    p_values: list[float] = []
    for baseline, configuration, metric in family:
        a, b = (by_configuration[name] for name in (baseline, configuration))
        seeded = derive_seed(seed, metric)
        if kinds[metric] == POOLED:
            compared = paired_pooled(a, b, metric, seeded)
        else:
            compared = paired(a.get(metric, {}), b.get(metric, {}), kinds[metric], seeded)
        p_values.append(compared.p)
        row = {"baseline": baseline, "configuration": configuration, "metric": metric}
        rows.append(row | {name: getattr(compared, name) for name in _NUMBERS})
    rows = [row | {"p_holm": p} for row, p in zip(rows, holm(p_values), strict=True)]
    return COMPARISONS.conform(COMPARISONS.rows(rows))
