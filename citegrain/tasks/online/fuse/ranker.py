"""A trained ranker: trees over the features of a candidate, or weights of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.faults import printable
from citegrain.tasks.offline.models import ModelError, read_learned
from citegrain.tasks.online.features import FEATURES, Priors

Matrix = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float64]


class Trees:
    """Sums of regression trees, evaluated side by side.

    LightGBM, which trains them, takes seconds to be imported: too long for one question.

    Parameters
    ----------
    trees
        Of each: ``feature``, ``threshold``, ``missing_left``, ``left``, ``right`` and ``value`` by inner
        node, and ``leaves``. A child below 0 is a leaf, ~child its number; ``value`` is what is expected
        there.
    """

    def __init__(self, trees: Sequence[Mapping[str, Sequence[float]]]) -> None:
        def padded(name: str, kind: type) -> npt.NDArray[Any]:
            out: npt.NDArray[Any] = np.zeros((len(trees), max(len(tree[name]) for tree in trees)), dtype=kind)
            for row, tree in zip(out, trees, strict=True):
                row[: len(tree[name])] = tree[name]
            return out

        self._feature, self._threshold = padded("feature", np.intp), padded("threshold", np.float64)
        self._missing_left = padded("missing_left", np.bool_)
        self._left, self._right = padded("left", np.intp), padded("right", np.intp)
        self._value, self._leaves = padded("value", np.float64), padded("leaves", np.float64)

    def _walk(self, rows: Matrix) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        """Nodes before and after each step: shape (rows, trees); a leaf stays where it is."""
        trees, nodes = self._feature.shape
        # each row twice: what is missing is below no threshold first, and then below every one
        values = np.concatenate([rows, np.where(np.isnan(rows), -np.inf, rows)], axis=1).ravel()
        row, tree = np.arange(len(rows))[:, None] * 2 * rows.shape[1], np.arange(trees) * nodes
        feature = self._feature + self._missing_left * rows.shape[1]
        node = np.zeros((len(rows), trees), dtype=np.intp)
        steps = []
        while (inner := node >= 0).any():  # positions in flat arrays: twice as fast as indices by axis
            at = tree + np.maximum(node, 0)
            left = values.take(row + feature.take(at)) <= self._threshold.take(at)
            after = np.where(left, self._left.take(at), self._right.take(at))
            after = np.where(inner, after, node)
            steps.append((node, after))
            node = after
        return steps

    def scores(self, rows: Matrix) -> Vector:
        """Score of each row."""
        leaves = self._walk(rows)[-1][1]
        return np.asarray(self._leaves[np.arange(leaves.shape[1]), ~leaves].sum(axis=1))

    def contributions(self, rows: Matrix) -> Vector:
        """What each feature adds to each score on the way down the trees: shape (rows, features).

        Source: Saabas 2014. They sum to the score less what is expected of any candidate.
        """
        out = np.zeros(rows.shape)
        trees = np.arange(len(self._feature))
        for before, after in self._walk(rows):
            inner = np.maximum(before, 0)
            value = np.where(
                after >= 0, self._value[trees, np.maximum(after, 0)], self._leaves[trees, ~after]
            )
            gained = np.where(before >= 0, value - self._value[trees, inner], 0.0)
            np.add.at(out, (np.arange(len(rows))[:, None], self._feature[trees, inner]), gained)
        return out


class Linear:
    """A weighted sum of standardised features; no value is an average one."""

    def __init__(self, mean: Sequence[float], scale: Sequence[float], weights: Sequence[float]) -> None:
        self._mean, self._scale, self._weights = np.array(mean), np.array(scale), np.array(weights)

    def contributions(self, rows: Matrix) -> Vector:
        """What each feature adds to each score: shape (rows, features)."""
        return np.asarray(np.nan_to_num((rows - self._mean) / self._scale) * self._weights)

    def scores(self, rows: Matrix) -> Vector:
        """Score of each row."""
        return np.asarray(self.contributions(rows).sum(axis=1))


@dataclass(frozen=True)
class Ranker:
    """What orders candidates by their features.

    Attributes
    ----------
    names
        Features in the order in which the model reads them.
    sha256
        Digest of its file.
    """

    names: tuple[str, ...]
    priors: Priors
    model: Trees | Linear
    sha256: str


@lru_cache(maxsize=4)
def read_ranker(path: Path, sha256: str) -> Ranker:
    """Read a ranker.

    Raises
    ------
    ModelError
        If it is not there, has another digest, or reads features that this citegrain does not know.
    """
    described = read_learned(path, sha256, "fuse.ranker_sha256")
    unknown = [name for name in described["features"] if name not in FEATURES]
    if unknown:
        raise ModelError(f"{printable(path)}: reads features that are unknown here: {', '.join(unknown)}")
    model = Trees(described["trees"]) if "trees" in described else Linear(**described["linear"])
    return Ranker(tuple(described["features"]), Priors(described["priors"]), model, sha256)
