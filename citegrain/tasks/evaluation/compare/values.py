"""Scores in long form to the values of one metric under one configuration, by query."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence

import pyarrow as pa

from citegrain.tasks.evaluation.compare.intervals import MEAN, POOLED, PROPORTION

Values = dict[str, float]
"""Value by query id, in the order of the ids."""

COLUMNS = ("configuration", "query_id", "metric", "value")


def values_by_configuration(scores: pa.Table, kinds: Mapping[str, str]) -> dict[str, dict[str, Values]]:
    """Values by configuration, metric and query.

    Configurations and metrics are in the order of their first rows, and all configurations have the same
    metrics. Queries are in the order of their ids, so that no number depends on the order of the rows.

    Parameters
    ----------
    scores
        Long form: ``configuration``, ``query_id``, ``metric``, ``value``. A value that is missing
        has no row.
    kinds
        ``proportion``, ``mean`` or ``pooled`` by metric; may name more metrics than the table has. A pooled
        one is computed from others, and has no rows.

    Raises
    ------
    ValueError
        If a column is missing, a value is null or not finite, a row is there twice, a metric has no
        kind, or a proportion has a value other than 0 and 1.
    """
    if missing := set(COLUMNS) - set(scores.column_names):
        raise ValueError(f"scores: missing columns {sorted(missing)}")
    check_kinds(kinds)
    columns = [scores.column(name).to_pylist() for name in COLUMNS]
    metrics = dict.fromkeys(columns[2])
    if unknown := [metric for metric in metrics if metric not in kinds]:
        raise ValueError(f"scores: the kind is missing of {', '.join(map(str, unknown))}")
    out: dict[str, dict[str, Values]] = {c: {m: {} for m in metrics} for c in dict.fromkeys(columns[0])}
    for configuration, query_id, metric, value in zip(*columns, strict=True):
        where = f"scores: {configuration}, {query_id}, {metric}"
        if None in (configuration, query_id, value) or not math.isfinite(value):
            raise ValueError(f"{where}: {value} is not a score; leave out the row of a missing one")
        if kinds[metric] == PROPORTION and value not in (0, 1):
            raise ValueError(f"{where}: {value}: a proportion has values 0 and 1 only")
        values = out[configuration][metric]
        if query_id in values:
            raise ValueError(f"{where}: appears twice")
        values[query_id] = float(value)
    return {
        configuration: {metric: dict(sorted(values.items())) for metric, values in by_metric.items()}
        for configuration, by_metric in out.items()
    }


def check_kinds(kinds: Mapping[str, str]) -> None:
    """Refuse a kind that is not known."""
    for metric, kind in kinds.items():
        if kind not in (PROPORTION, MEAN, POOLED):
            raise ValueError(f"kind of {metric}: {kind}: must be {PROPORTION}, {MEAN} or {POOLED}")


def queries_by_group(groups: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str], set[str]]:
    """Ids of queries by dimension and group, dimensions together, each by first appearance.

    Parameters
    ----------
    groups
        ``query_id``, ``dimension``, ``group``.
    """
    by_dimension: dict[str, dict[str, set[str]]] = {}
    for query_id, dimension, group in groups:
        by_dimension.setdefault(dimension, {}).setdefault(group, set()).add(query_id)
    return {(d, g): ids for d, by_group in by_dimension.items() for g, ids in by_group.items()}


def derive_seed(seed: int, *names: str) -> int:
    """A separate seed for each sequence of names, the same on every machine.

    Configurations are left out of the names on purpose: the same queries are then drawn for all of
    them, and a configuration that is added changes no number that was there.
    """
    text = "\x1f".join([str(seed), *names])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
