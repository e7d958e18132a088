"""Scores summarised: intervals over all queries and by group, and the comparisons that were declared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.schemas import BREAKDOWN, COMPARISONS, SUMMARY
from citegrain.tasks.evaluation.compare.intervals import POOLED, PROPORTION, Interval, bca, wilson
from citegrain.tasks.evaluation.compare.pairs import holm, paired
from citegrain.tasks.evaluation.compare.pooled import among, paired_pooled, pooled
from citegrain.tasks.evaluation.compare.values import (
    Values,
    derive_seed,
    queries_by_group,
    values_by_configuration,
)


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
