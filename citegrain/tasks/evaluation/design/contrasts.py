"""Contrasts of a design: what each cell weighs in an effect."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from citegrain.tasks.evaluation.design.cells import Design, Levels

Weights = Mapping[str, float]
"""Weight by name of cell; they sum to 0, and those above 0 to 1 for an effect of one factor."""


@dataclass(frozen=True)
class Contrast:
    """One level of a factor against another."""

    factor: str
    level: str
    against: str

    @property
    def label(self) -> str:
        """How it is written: ``retrieval: rrf - dense``."""
        return f"{self.factor}: {self.level} - {self.against}"


def main(design: Design, contrast: Contrast, present: Collection[str]) -> tuple[Weights, int]:
    """Weights of a main effect, and the matched pairs of cells (of a fraction: cells) that it rests on.

    In a full design each cell with the level is matched with the one that differs in this factor
    alone, and a pair of which one is missing is left out. In a fraction cells have no such partner: there
    the weights are those of least squares with the effects of all factors, which for whole fractions are
    the plain difference of the two levels' means.

    Parameters
    ----------
    present
        Cells that have scores.

    Returns
    -------
    tuple
        No weights and 0 where the effect cannot be estimated.
    """
    if not design.full:
        return _by_least_squares(design, contrast, present)
    matched = [
        (high, low) for high, low in _partners(design, contrast).items() if high in present and low in present
    ]
    weights: dict[str, float] = {}
    for high, low in matched:
        weights[high], weights[low] = 1 / len(matched), -1 / len(matched)
    return weights, len(matched)


def interaction(design: Design, a: Contrast, b: Contrast, present: Collection[str]) -> tuple[Weights, int]:
    """Weights of an interaction of two factors, and the matched fours of cells that it rests on.

    It is the effect of ``a`` under ``b.level`` minus that under ``b.against``: a difference of differences,
    not halved. A fraction of resolution IV mixes interactions up with each other: it has none here.
    """
    if not design.full:
        return {}, 0
    of_a, of_b = _partners(design, a), _partners(design, b)
    fours = []
    for both, without_a in of_a.items():
        if both in of_b:  # its cell has both levels
            four = both, without_a, of_b[both], of_b[without_a]
            if all(cell in present for cell in four):
                fours.append(four)
    weights: dict[str, float] = {}
    for four in fours:
        for cell, sign in zip(four, (1, -1, -1, 1), strict=True):
            weights[cell] = sign / len(fours)
    return weights, len(fours)


def interactions(contrasts: Sequence[Contrast]) -> list[tuple[Contrast, Contrast]]:
    """Every two contrasts of different factors."""
    return [(a, b) for a, b in combinations(contrasts, 2) if a.factor != b.factor]


def _partners(design: Design, contrast: Contrast) -> dict[str, str]:
    """The cell that differs in the factor alone, by each cell with the contrast's level."""
    names = {tuple(sorted(cell.items())): name for name, cell in design.cells.items()}
    out: dict[str, str] = {}
    for name, cell in design.cells.items():
        if cell[contrast.factor] == contrast.level:
            other = {**cell, contrast.factor: contrast.against}
            out[name] = names[tuple(sorted(other.items()))]
    return out


def _by_least_squares(design: Design, contrast: Contrast, present: Collection[str]) -> tuple[Weights, int]:
    used = [name for name in design.cells if name in present]
    if not used:
        return {}, 0
    columns = np.array([dummies(design.factors, design.cells[name]) for name in used])
    cell = next(iter(design.cells.values()))
    high, low = (
        np.array(dummies(design.factors, {**cell, contrast.factor: level}))
        for level in (contrast.level, contrast.against)
    )
    weights = np.linalg.pinv(columns).T @ (high - low)
    if not np.allclose(weights @ columns, high - low):  # the cells present cannot separate the levels
        return {}, 0
    weighted = {name: float(w) for name, w in zip(used, np.round(weights, 12), strict=True) if w}
    return weighted, len(weighted)


def dummies(factors: Mapping[str, Sequence[str]], cell: Levels) -> list[float]:
    """1, and for each level but the first of each factor whether the cell has it: a row of a linear model."""
    return [1.0] + [float(cell[factor] == level) for factor, of in factors.items() for level in of[1:]]
