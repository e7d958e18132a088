"""Scores in long form to cells: the values of one metric under one configuration, by query."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping

import pyarrow as pa

from citegrain.tasks.evaluation.compare.intervals import MEAN, PROPORTION

Values = dict[str, float]
"""Value by query id, in the order of the ids."""

COLUMNS = ("configuration", "query_id", "metric", "value")


def cells(scores: pa.Table, kinds: Mapping[str, str]) -> dict[str, dict[str, Values]]:
    """Values by configuration, metric and query.

    Configurations and metrics stand in the order of their first rows, the metrics the same for
    all configurations; queries stand in the order of their ids, so that no number depends on the
    order of the rows.

    Parameters
    ----------
    scores
        Long form: ``configuration``, ``query_id``, ``metric``, ``value``. A value that is missing
        has no row.
    kinds
        ``proportion`` or ``mean`` by metric; may name more metrics than the table holds.

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
        raise ValueError(f"scores: no kind is given of {', '.join(map(str, unknown))}")
    out: dict[str, dict[str, Values]] = {c: {m: {} for m in metrics} for c in dict.fromkeys(columns[0])}
    for configuration, query_id, metric, value in zip(*columns, strict=True):
        where = f"scores: {configuration}, {query_id}, {metric}"
        if None in (configuration, query_id, value) or not math.isfinite(value):
            raise ValueError(f"{where}: {value} is no score; a missing one has no row")
        if kinds[metric] == PROPORTION and value not in (0, 1):
            raise ValueError(f"{where}: {value} in a proportion, where only 0 and 1 may be")
        cell = out[configuration][metric]
        if query_id in cell:
            raise ValueError(f"{where}: there twice")
        cell[query_id] = float(value)
    return {
        configuration: {metric: dict(sorted(cell.items())) for metric, cell in by_metric.items()}
        for configuration, by_metric in out.items()
    }


def check_kinds(kinds: Mapping[str, str]) -> None:
    """Refuse a kind that is neither ``proportion`` nor ``mean``."""
    for metric, kind in kinds.items():
        if kind not in (PROPORTION, MEAN):
            raise ValueError(f"kind of {metric}: {kind}: one of {PROPORTION}, {MEAN}")


def derive_seed(seed: int, *names: str) -> int:
    """A seed of its own for each sequence of names, the same on every machine.

    Configurations are left out of the names on purpose: the same queries are then drawn for all of
    them, and a configuration that is added changes no number that was there.
    """
    text = "\x1f".join([str(seed), *names])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
