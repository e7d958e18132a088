"""Means of a metric by the levels of two factors, for plots of interactions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from citegrain.tasks.evaluation.design import Design

Means = dict[tuple[str, str], float]


def level_means(design: Design, values: Mapping[str, float], a: str, b: str) -> tuple[Means, int]:
    """Mean over cells by (level of ``a``, level of ``b``), and of how many cells each is the mean.

    Only surroundings (levels of the other factors) in which every combination of ``a`` and ``b`` has a value
    count: else a hole would move one mean and not those it is compared with.

    Parameters
    ----------
    values
        The metric by cell; a cell that it lacks is a hole.

    Returns
    -------
    tuple
        No means and 0 where no surroundings are whole.
    """
    wanted = len(design.factors[a]) * len(design.factors[b])
    blocks: dict[tuple[tuple[str, str], ...], Means] = {}
    for name, cell in design.cells.items():
        if name in values:
            around = tuple(sorted((f, level) for f, level in cell.items() if f not in (a, b)))
            blocks.setdefault(around, {})[cell[a], cell[b]] = values[name]
    whole = [block for block in blocks.values() if len(block) == wanted]
    if not whole:
        return {}, 0
    return {key: float(np.mean([block[key] for block in whole])) for key in whole[0]}, len(whole)
