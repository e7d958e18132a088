"""Scores in long form to the values of one metric: by query, and by the cells of a design."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from citegrain.tasks.evaluation.compare.intervals import PROPORTION, Floats
from citegrain.tasks.evaluation.design import Design

Values = dict[str, float]
"""Value by query id, in the order of the ids."""

COLUMNS = ("configuration", "query_id", "metric", "value")


def values_by_configuration(scores: pa.Table, kinds: Mapping[str, str]) -> dict[str, dict[str, Values]]:
    """Values by configuration, metric and query.

    Configurations and metrics are in the order of their first rows, and all configurations have the same
    metrics. Queries are in the order of their ids, so that no number depends on the order of the rows. Raises
    ValueError if a value is null or not finite, a row is there twice, or a proportion has a value other than
    0 and 1.

    ``scores``: in long form, ``configuration``, ``query_id``, ``metric``, ``value``. A value that is missing
    has no row. ``kinds``: ``proportion``, ``mean`` or ``pooled`` by metric; may name more metrics than the
    table has. A pooled one is computed from others, and has no rows.
    """
    columns = [scores.column(name).to_pylist() for name in COLUMNS]
    metrics = dict.fromkeys(columns[2])
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

    ``cells``: cells that have a value at all, in the order of the design. ``queries``: queries that have a
    value in any of them, in the order of their ids. ``values``: shape (cells, queries); NaN where there is
    none.
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


def grids_of(
    scores: pa.Table, kinds: Mapping[str, str], design: Design, metrics: Sequence[str]
) -> dict[str, Grid]:
    """Values of each metric in the cells of a design. Raises ValueError as `values_by_configuration` does."""
    by_configuration = values_by_configuration(scores, kinds)
    return {metric: grid(by_configuration, design, metric) for metric in metrics}
