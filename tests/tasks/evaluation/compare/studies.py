"""Studies made up for the tests of effects: tables from arrays, and populations whose effects are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy import stats

from citegrain.tasks.evaluation.compare import MEAN, PROPORTION
from citegrain.tasks.evaluation.compare.values import Floats
from citegrain.tasks.evaluation.design import Contrast, Design, full

FACTORS = {
    "retrieval": ["dense", "sparse", "weighted", "rrf"],
    "chunking": ["fixed", "statutory"],
    "reranker": ["off", "on"],
    "provenance": ["off", "on"],
    "diversity": ["topk", "mmr"],
}
CONTRASTS = [
    *(Contrast("retrieval", level, "dense") for level in ("sparse", "weighted", "rrf")),
    *(Contrast(factor, levels[1], levels[0]) for factor, levels in list(FACTORS.items())[1:]),
]
DESIGN = full(FACTORS)
KINDS = {"mrr": MEAN, "accuracy": PROPORTION}
SMALL = full({"a": ["x", "y"], "b": ["off", "on"]})
A, B = Contrast("a", "y", "x"), Contrast("b", "on", "off")


def table(values: Mapping[str, Mapping[str, Sequence[float] | Floats]]) -> pa.Table:
    """Long form of values by metric, cell and query; the queries are q000, q001, ...; NaN has no row."""
    rows = [
        (cell, f"q{i:03}", metric, float(value))
        for metric, by_cell in values.items()
        for cell, of_queries in by_cell.items()
        for i, value in enumerate(of_queries)
        if not np.isnan(value)
    ]
    return from_rows(rows)


def from_rows(rows: Sequence[tuple[str, str, str, float]]) -> pa.Table:
    names = ("configuration", "query_id", "metric", "value")
    types = (pa.string(), pa.string(), pa.string(), pa.float64())
    columns = [list(c) for c in zip(*rows, strict=True)] or [[], [], [], []]
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


def by_cell(design: Design, values: Floats) -> dict[str, Floats]:
    """Rows of an array by name of cell."""
    return dict(zip(design.cells, values, strict=True))


@dataclass(frozen=True)
class Population:
    """Queries drawn for a design, of which the mean of every cell is known without a simulation.

    Behind a value stands a normal variable: what the cell is worth, how easy the query is (spread 1), what each
    level of each factor does to this query in particular (spread .5) and what is left (spread .7).
    Above 0 it is a right answer; its normal distribution function is a score within 0..1. With a total
    variance v the mean over queries is Phi(worth / sqrt(v)) and Phi(worth / sqrt(1 + v)).
    """

    design: Design
    worth: Floats

    EASE, OF_LEVEL, LEFT = 1.0, 0.5, 0.7

    @property
    def _variance(self) -> float:
        return self.EASE**2 + len(self.design.factors) * self.OF_LEVEL**2 + self.LEFT**2

    @property
    def right(self) -> Floats:
        """Share of right answers by cell."""
        return np.asarray(stats.norm.cdf(self.worth / np.sqrt(self._variance)))

    @property
    def score(self) -> Floats:
        """Mean score by cell."""
        return np.asarray(stats.norm.cdf(self.worth / np.sqrt(1 + self._variance)))

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Right answers and scores of n queries, each of shape (cells, queries)."""
        cells = list(self.design.cells.values())
        behind = self.worth[:, np.newaxis] + rng.normal(0, self.EASE, n)
        for factor, levels in self.design.factors.items():
            of_level = rng.normal(0, self.OF_LEVEL, (len(levels), n))
            behind = behind + of_level[[levels.index(cell[factor]) for cell in cells]]
        behind = behind + rng.normal(0, self.LEFT, behind.shape)
        return (behind > 0).astype(np.float64), np.asarray(stats.norm.cdf(behind))


def worth(design: Design, planted: Mapping[tuple[str, ...], float], base: float) -> Floats:
    """What each cell is worth: a base and what is planted on a level, or on two that meet."""
    return np.array(
        [
            base + sum(size for levels, size in planted.items() if set(levels) <= set(labels_of(cell)))
            for cell in design.cells.values()
        ]
    )


def labels_of(cell: Mapping[str, str]) -> list[str]:
    """Levels with their factors, ``reranker=on``."""
    return [f"{factor}={level}" for factor, level in cell.items()]
