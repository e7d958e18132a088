"""Scores in long form to the values of one metric: by query, and by the cells of a design."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from citegrain.tasks.evaluation.compare.intervals import MEAN, POOLED, PROPORTION, Floats
from citegrain.tasks.evaluation.design import Contrast, Design

Values = dict[str, float]
"""Value by query id, in the order of the ids."""

COLUMNS = ("configuration", "query_id", "metric", "value")


def values_by_configuration(scores: pa.Table, kinds: Mapping[str, str]) -> dict[str, dict[str, Values]]:
    """Values by configuration, metric and query.

    Configurations and metrics are in the order of their first rows, and all configurations have the same
    metrics. Queries are in the order of their ids, so that no number depends on the order of the rows. Raises
    ValueError if a column is missing, a value is null or not finite, a row is there twice, a metric has no
    kind, or a proportion has a value other than 0 and 1.

    Parameters
    ----------
    scores
        Long form: ``configuration``, ``query_id``, ``metric``, ``value``. A value that is missing
        has no row.
    kinds
        ``proportion``, ``mean`` or ``pooled`` by metric; may name more metrics than the table has. A pooled
        one is computed from others, and has no rows.
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

    ``groups``: ``query_id``, ``dimension``, ``group``.
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


@dataclass(frozen=True, slots=True)
class Grid:
    """Values of one metric.

    Attributes
    ----------
    cells
        Cells that have a value at all, in the order of the design.
    queries
        Queries that have a value in any of them, in the order of their ids.
    values
        Shape (cells, queries); NaN where there is none.
    """

    cells: Sequence[str]
    queries: Sequence[str]
    values: Floats


def grid(by_configuration: Mapping[str, Mapping[str, Values]], design: Design, metric: str) -> Grid:
    """Values of a metric in the cells of a design; what lies outside the design is left out."""
    by_cell = {name: by_configuration.get(name, {}).get(metric, {}) for name in design.cells}
    by_cell = {name: values for name, values in by_cell.items() if values}
    queries = sorted(set().union(*by_cell.values()))
    place = {query_id: i for i, query_id in enumerate(queries)}
    values = np.full((len(by_cell), len(queries)), np.nan)
    for row, cell in zip(values, by_cell.values(), strict=True):
        row[[place[query_id] for query_id in cell]] = list(cell.values())
    return Grid(list(by_cell), queries, values)


def declared_grids(
    scores: pa.Table,
    kinds: Mapping[str, str],
    design: Design,
    contrasts: Sequence[Contrast],
    metrics: Sequence[str],
) -> dict[str, Grid]:
    """Values of each metric in the cells of a design, once what is declared is checked.

    Raises ValueError as `values_by_configuration` does, and if a factor or level is unknown, a level is
    compared with itself, a contrast is declared twice in either direction, a metric twice or without a kind,
    or a pooled metric.
    """
    _check_declared(design, contrasts, metrics, kinds)
    by_configuration = values_by_configuration(scores, kinds)
    return {metric: grid(by_configuration, design, metric) for metric in metrics}


def _check_declared(
    design: Design, contrasts: Sequence[Contrast], metrics: Sequence[str], kinds: Mapping[str, str]
) -> None:
    check_kinds(kinds)
    if unknown := [metric for metric in metrics if metric not in kinds]:
        raise ValueError(f"metrics: the kind is missing of {', '.join(unknown)}")
    if several := [metric for metric in metrics if kinds[metric] == POOLED]:
        raise ValueError(f"metrics: {', '.join(several)}: a query by itself has no value of it")
    if len(set(metrics)) < len(metrics):
        raise ValueError("metrics: one is declared twice")
    seen: set[tuple[str, frozenset[str]]] = set()
    for contrast in contrasts:
        levels = design.factors.get(contrast.factor, ())
        if contrast.level not in levels or contrast.against not in levels:
            raise ValueError(f"contrast {contrast.label}: the design has no such factor or level")
        if contrast.level == contrast.against:
            raise ValueError(f"contrast {contrast.label}: a level is compared with itself")
        pair = (contrast.factor, frozenset((contrast.level, contrast.against)))
        if pair in seen:
            raise ValueError(f"contrast {contrast.label}: declared twice")
        seen.add(pair)
