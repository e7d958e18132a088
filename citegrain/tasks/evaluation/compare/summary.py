"""Scores summarised: one interval a configuration and metric, for all queries and by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.schemas import BREAKDOWN, SUMMARY
from citegrain.tasks.evaluation.compare.intervals import PROPORTION, Interval, bca, wilson
from citegrain.tasks.evaluation.compare.values import (
    Values,
    derive_seed,
    queries_by_group,
    values_by_configuration,
)


def interval(values: Values, kind: str, seed: int) -> Interval:
    """Mean of the values with the interval of their kind: Wilson or BCa."""
    numbers = np.fromiter(values.values(), dtype=np.float64)
    return wilson(int(numbers.sum()), len(numbers)) if kind == PROPORTION else bca(numbers, seed)


def summarise(scores: pa.Table, kinds: Mapping[str, str], seed: int) -> pa.Table:
    """One row a configuration and metric that has a value, in the order of first appearance.

    The seed of a row comes from ``seed`` and the metric: a configuration or metric that is added
    changes no other row.

    Parameters
    ----------
    scores
        Long form: ``configuration``, ``query_id``, ``metric``, ``value``; see `values_by_configuration`.
    kinds
        ``proportion`` or ``mean`` by metric.

    Returns
    -------
    pa.Table
        ``SUMMARY``.
    """
    rows: list[dict[str, object]] = []
    for configuration, by_metric in values_by_configuration(scores, kinds).items():
        for metric, values in by_metric.items():
            if values:
                measured = interval(values, kinds[metric], derive_seed(seed, metric))
                rows.append({"configuration": configuration, "metric": metric} | asdict(measured))
    return SUMMARY.conform(SUMMARY.rows(rows))


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

    Parameters
    ----------
    groups
        ``query_id``, ``dimension``, ``group``; a query may lie in several groups of one dimension.

    Returns
    -------
    pa.Table
        ``BREAKDOWN``.
    """
    rows: list[dict[str, object]] = []
    for configuration, by_metric in values_by_configuration(scores, kinds).items():
        for (dimension, group), ids in queries_by_group(groups).items():
            place = {"configuration": configuration, "dimension": dimension, "group": group}
            for metric in metrics:
                values = {q: v for q, v in by_metric.get(metric, {}).items() if q in ids}
                if values:
                    measured = interval(values, kinds[metric], derive_seed(seed, metric, dimension, group))
                    rows.append(place | {"metric": metric} | asdict(measured))
    return BREAKDOWN.conform(BREAKDOWN.rows(rows))
