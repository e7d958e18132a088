"""A trained ranker: trees over the features of a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.errors import printable
from citegrain.tasks.offline.models import ModelError, read_learned
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.features import FEATURES, Priors

Vector = npt.NDArray[np.float64]


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
        self._leaf_bits: type[np.unsignedinteger[Any]] = np.uint16 if count <= 16 else np.uint64
        self._leaves, self._before = np.zeros((len(trees), count)), np.arange(len(trees)) * count - 1
        tests: dict[int, list[tuple[float, int, bool, int]]] = {}
        for row, tree in enumerate(trees):
            order, lefts = _leaves_of(tree)
            self._leaves[row, : len(order)] = np.array(tree["leaves"])[order]
            for node, bits in lefts.items():
                test = tree["threshold"][node], row, bool(tree["missing_left"][node]), bits
                tests.setdefault(int(tree["feature"][node]), []).append(test)
        self._tests = {feature: self._table(some) for feature, some in tests.items()}

    def _table(
        self, tests: Sequence[tuple[float, int, bool, int]]
    ) -> tuple[Vector, npt.NDArray[np.unsignedinteger[Any]]]:
        """Thresholds of a feature, rising, and bits of the leaves that are left in each tree.

        A row for a value above none of them, above one, and so on; the last for a missing value.
        """
        values, rows, missing_left, ruled_out = zip(*tests, strict=True)
        thresholds, places = np.unique(values, return_inverse=True)
        shape = len(thresholds) + 2, len(self._roots)
        bits = np.full(shape, ~self._leaf_bits(0), dtype=self._leaf_bits)
        right, others, trees = ~np.array(missing_left), ~np.array(ruled_out, self._leaf_bits), np.array(rows)
        np.bitwise_and.at(bits, (1 + places, trees), others)
        np.bitwise_and.at(bits[-1], trees[right], others[right])
        np.bitwise_and.accumulate(bits[:-1], axis=0, out=bits[:-1])
        return thresholds, bits

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
        """Score of each row, by bits of leaves and feature by feature (Lucchese et al. 2015).

        The first leaf that no test rules out is the one that a walk would reach.
        """
        left = np.full((len(rows), len(self._roots)), ~self._leaf_bits(0), dtype=self._leaf_bits)
        for feature, (thresholds, bits) in self._tests.items():
            column = rows[:, feature]
            passed = np.searchsorted(thresholds, column)
            passed[np.isnan(column)] = len(thresholds) + 1
            left &= bits.take(passed, axis=0)
        first = np.bitwise_count(left ^ (left - self._leaf_bits(1)))  # from 1
        return np.asarray(self._leaves.take(first + self._before).sum(axis=1))

    def contributions(self, rows: Matrix) -> Vector:
        """What each feature adds to each score on the way down the trees: shape (rows, features).

        Source: Saabas 2014. They sum to the score less what is expected of any candidate.
        """
        out = np.zeros(rows.shape)
        for before, after in pairwise(self._walk(rows)):
            gained = self._value.take(after) - self._value.take(before)
            np.add.at(out, (np.arange(len(rows))[:, None], self._feature.take(before)), gained)
        return out


def _leaves_of(tree: Mapping[str, Sequence[float]]) -> tuple[list[int], dict[int, int]]:
    """Leaves of a tree from left to right, and by inner node the bits of those on its left by their place."""
    order: list[int] = []
    lefts: dict[int, int] = {}

    def visit(child: int) -> None:
        if child < 0:
            order.append(~child)
            return
        first = len(order)
        visit(int(tree["left"][child]))
        lefts[child] = (1 << len(order)) - (1 << first)
        visit(int(tree["right"][child]))

    visit(0 if len(tree["feature"]) else ~0)
    return order, lefts


@dataclass(frozen=True)
class Ranker:
    """What orders candidates by their features, ``names`` in the order in which the model reads them."""

    names: tuple[str, ...]
    priors: Priors
    model: Trees
    sha256: str

    def new(self, build: PublishedBuild) -> tuple[set[str], set[str]]:
        """The searched provisions of which nothing was learned, of Acts without lay texts and with some."""
        act_of, acts = self.priors.act_of, {act["act_id"] for act in build.searched_acts}
        provisions = {p for p in build.citations.values() if p and p.partition("/")[0] in acts}
        new = {p for p in provisions if act_of(p) not in self.priors.acts}
        written = set(map(act_of, build.expansion.provisions if new and build.expansion else ()))
        return {p for p in new if act_of(p) not in written}, {p for p in new if act_of(p) in written}


def provisions_by_act(build: PublishedBuild) -> dict[str, list[str]]:
    """What a ranker's file says of the build by which it was learned: its provisions without their Act."""
    out: dict[str, list[str]] = {}
    for act, _, name in (p.partition("/") for p in sorted({p for p in build.citations.values() if p})):
        out.setdefault(act, []).append(name)
    return out


@lru_cache(maxsize=4)
def read_ranker(path: Path, sha256: str) -> Ranker:
    """Read a ranker.

    Raises ModelError if it is not there, has another digest, or reads features that this citegrain does not
    know.
    """
    described = read_learned(path, sha256, "fuse.ranker_sha256", dict)
    unknown = [name for name in described["features"] if name not in FEATURES]
    if unknown:
        raise ModelError(f"{printable(path)}: reads features that are unknown here: {', '.join(unknown)}")
    every = frozenset(f"{act}/{p}" for act, some in described.get("provisions", {}).items() for p in some)
    priors = Priors(described["priors"], every)
    return Ranker(tuple(described["features"]), priors, Trees(described["trees"]), sha256)
