"""A study by the cells of its design: the values of one metric as a grid, and the checks of a declaration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from citegrain.tasks.evaluation.compare.intervals import POOLED, Floats
from citegrain.tasks.evaluation.compare.values import Values, check_kinds
from citegrain.tasks.evaluation.design import Contrast, Design


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


def check_declared(
    design: Design, contrasts: Sequence[Contrast], metrics: Sequence[str], kinds: Mapping[str, str]
) -> None:
    """Refuse contrasts that the design does not have, and what is declared twice.

    Raises
    ------
    ValueError
        If a factor or level is unknown, a level is compared with itself, a contrast is declared twice in
        either direction, a metric twice or without a kind, or a pooled metric.
    """
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
