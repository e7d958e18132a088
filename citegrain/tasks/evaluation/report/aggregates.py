"""What figures show and no table holds: accuracy with time, the undominated, means by two factors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from citegrain.tasks.evaluation.design import Design
from citegrain.tasks.evaluation.report.wording import known
from citegrain.tasks.evaluation.studies import Row

Means = dict[tuple[str, str], float]


def timed(summary: Iterable[Row], timings: Iterable[Row], metric: str) -> list[dict[str, Any]]:
    """Rows of a metric with ``ms``, the median time of a query asked by itself; others are left out."""
    times = {r["configuration"]: r["ms"] for r in timings if r["step"] == "single_p50"}
    return [
        {**r, "ms": times[r["configuration"]]}
        for r in summary
        if r["metric"] == metric and known(r["value"]) and times.get(r["configuration"], 0) > 0
    ]


def undominated(rows: Sequence[Row]) -> list[Row]:
    """Those that none beats in both ``ms`` and ``value``, fastest first; of equals the first."""
    front: list[Row] = []
    for row in sorted(rows, key=lambda r: (r["ms"], -r["value"])):
        if not front or row["value"] > front[-1]["value"]:
            front.append(row)
    return front


def level_means(design: Design, values: Mapping[str, float], a: str, b: str) -> Means:
    """Mean over cells by (level of ``a``, level of ``b``).

    Only surroundings (levels of the other factors) in which every combination of ``a`` and ``b`` has a value
    count. Otherwise a hole would move one mean and not those it is compared with.

    Parameters
    ----------
    values
        The metric by cell; a cell that it lacks is a hole.

    Returns
    -------
    dict
        Empty where no surroundings are complete.
    """
    n_combinations = len(design.factors[a]) * len(design.factors[b])
    blocks: dict[tuple[tuple[str, str], ...], Means] = {}
    for name, cell in design.cells.items():
        if name in values:
            around = tuple(sorted((f, level) for f, level in cell.items() if f not in (a, b)))
            blocks.setdefault(around, {})[cell[a], cell[b]] = values[name]
    whole = [block for block in blocks.values() if len(block) == n_combinations]
    return {key: float(np.mean([block[key] for block in whole])) for key in whole[0]} if whole else {}
