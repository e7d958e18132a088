"""A trained ranker: trees over the features of a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.errors import printable
from citegrain.tasks.core.paths import located
from citegrain.tasks.offline.models import ModelError, read_learned
from citegrain.tasks.online.features import FEATURES, Priors
from citegrain.tasks.online.fuse.config import FuseConfig

Matrix = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float64]
_BLOCK = 128  # rows of candidates


class Trees:
    """Sums of regression trees, evaluated side by side.

    LightGBM, which trains them, takes seconds to be imported: too long for one question.

    ``trees``: of each: ``feature``, ``threshold``, ``missing_left``, ``left``, ``right`` and ``value`` by
    inner node, and ``leaves``. A child below 0 is a leaf, ~child its number; ``value`` is what is expected
    there.
    """

    def __init__(self, trees: Sequence[Mapping[str, Sequence[float]]]) -> None:
        inner, count = (max(len(tree[name]) for tree in trees) for name in ("feature", "leaves"))
        shape = (len(trees), inner + count)
        self._feature, self._value = np.zeros(shape, dtype=np.intp), np.zeros(shape)
        # leaves are nodes too, behind the inner ones: both children of a leaf are the leaf
        self._threshold, self._missing_left = np.full(shape, np.inf), np.zeros(shape, dtype=np.bool_)
        self._children = np.repeat(np.arange(inner + count), 2).reshape(1, -1, 2).repeat(len(trees), axis=0)
        for row, tree in enumerate(trees):
            n = len(tree["feature"])
            self._feature[row, :n], self._threshold[row, :n] = tree["feature"], tree["threshold"]
            self._missing_left[row, :n], self._value[row, :n] = tree["missing_left"], tree["value"]
            self._value[row, inner : inner + len(tree["leaves"])] = tree["leaves"]
            children = np.array([tree["right"], tree["left"]], dtype=np.intp).reshape(2, n).T
            self._children[row, :n] = np.where(children < 0, inner + ~children, children)
        self._roots = np.arange(len(trees)) * (inner + count)
        self._children += self._roots[:, None, None]

    def _walk(self, rows: Matrix) -> list[npt.NDArray[np.intp]]:
        """Positions of nodes in flat arrays, from the roots on: each shape (rows, trees)."""
        # each row twice: what is missing is below no threshold first, and then below every one
        values = np.concatenate([rows, np.where(np.isnan(rows), -np.inf, rows)], axis=1).ravel()
        row = np.arange(len(rows))[:, None] * 2 * rows.shape[1]
        feature = self._feature + self._missing_left * rows.shape[1]
        steps = [np.broadcast_to(self._roots, (len(rows), len(self._roots)))]
        while True:  # positions in flat arrays: twice as fast as indices by axis
            at = steps[-1]
            left = values.take(row + feature.take(at)) <= self._threshold.take(at)
            after = self._children.take(2 * at + left)
            if np.array_equal(after, at):
                return steps
            steps.append(after)

    def scores(self, rows: Matrix) -> Vector:
        """Score of each row. By blocks: what is in the cache of the processor is read at once."""
        blocks = (rows[i : i + _BLOCK] for i in range(0, max(1, len(rows)), _BLOCK))
        return np.concatenate([self._value.take(self._walk(block)[-1]).sum(axis=1) for block in blocks])

    def contributions(self, rows: Matrix) -> Vector:
        """What each feature adds to each score on the way down the trees: shape (rows, features).

        Source: Saabas 2014. They sum to the score less what is expected of any candidate.
        """
        out = np.zeros(rows.shape)
        for before, after in pairwise(self._walk(rows)):
            gained = self._value.take(after) - self._value.take(before)
            np.add.at(out, (np.arange(len(rows))[:, None], self._feature.take(before)), gained)
        return out


@dataclass(frozen=True)
class Ranker:
    """What orders candidates by their features.

    ``names``: features in the order in which the model reads them.
    """

    names: tuple[str, ...]
    priors: Priors
    model: Trees
    sha256: str


@lru_cache(maxsize=4)
def read_ranker(path: Path, sha256: str) -> Ranker:
    """Read a ranker.

    Raises ModelError if it is not there, has another digest, or reads features that this citegrain does not
    know.
    """
    described = read_learned(path, sha256, "fuse.ranker_sha256")
    unknown = [name for name in described["features"] if name not in FEATURES]
    if unknown:
        raise ModelError(f"{printable(path)}: reads features that are unknown here: {', '.join(unknown)}")
    model = Trees(described["trees"])
    return Ranker(tuple(described["features"]), Priors(described["priors"]), model, sha256)


def ranker_of(config: FuseConfig) -> Ranker | None:
    """The ranker of a configuration; None where channels are joined otherwise."""
    return read_ranker(located(config.ranker), config.ranker_sha256) if config.method == "learned" else None
