"""Learning the classifier of provisions: kernel ridge regression, and its form that ships.

Source: Saunders, Gammerman and Vovk 1998. Weights and constants were chosen on the texts to learn from,
cross-fitted (docs/training.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from citegrain.tasks.online.retrieve import Classifier, Labels, Learned
from citegrain.tasks.train.texts import ASKED, FORUM, QUESTION, SHORT, STORY, STYLES

Matrix = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

_WEIGHTS = {ASKED: 3.0, QUESTION: 1.0, FORUM: 1.0, STORY: 1.0, SHORT: 0.5} | dict.fromkeys(STYLES, 0.1)
_RIDGE, _PROJECTED = 2.0, 0.05
_OTHER = 0.6  # of a provision that applies beside the primary one, which has 1
_LARGEST = 80  # weights of a text


@dataclass(frozen=True)
class LabelledText:
    """A text whose answers are known.

    ``kind``: style of a lay text, or ``story``, ``question``, ``asked``, ``short``. ``part``: of the parts
    for cross-fitting; -1 of a text that none does without.
    """

    kind: str
    text: str
    labels: Labels
    part: int = -1


class CrossFitted:
    """Classifiers that each did without a part of the texts, and one that learned from all of them.

    Each text is scored by the one that did without it.
    """

    def __init__(self, every: Sequence[Classifier], parts: Mapping[str, int]) -> None:
        self._every, self._parts = every, parts
        self.labels = every[-1].labels

    @property
    def full(self) -> Classifier:
        """The one that learned from all."""
        return self._every[-1]

    def scores(self, texts: Sequence[str], vectors: Matrix) -> Matrix:
        """As :meth:`Classifier.scores`."""
        by = np.array([self._parts.get(text, -1) for text in texts], dtype=np.int64)
        out = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        for part in np.unique(by).tolist():
            rows = np.flatnonzero(by == part)
            out[rows] = self._every[part].scores([texts[row] for row in rows.tolist()], vectors[rows])
        return out


def cross_fitted(texts: Sequence[LabelledText], vectors: Matrix) -> CrossFitted:
    """Learn from all texts, and from those without each part.

    ``vectors``: of the texts by the reader: shape (texts, dimension).
    """
    learned = Learned.from_texts([t.text for t in texts], vectors)
    likeness = learned.likeness([t.text for t in texts], vectors)
    labels = sorted({label for t in texts for label in t.labels})
    number = {label: n for n, label in enumerate(labels)}
    targets = np.zeros((len(texts), len(labels)), dtype=np.float32)
    for row, t in enumerate(texts):
        for label in reversed(t.labels):
            targets[row, number[label]] = 1.0 if label == t.labels[0] else _OTHER
    weights = np.array([_WEIGHTS[t.kind] for t in texts], dtype=np.float32)
    ships = np.array([t.kind != ASKED for t in texts])  # nothing of what people asked does
    parts = np.array([t.part for t in texts])
    every = []
    for part in (*range(parts.max() + 1), None):  # of few texts a part may be empty, and keeps its place
        taken = parts != part if part is not None else np.ones(len(texts), dtype=bool)
        solved = np.zeros_like(targets)
        solved[taken & ships] = _solved(
            likeness[np.ix_(taken, taken)], targets[taken], weights[taken], ships[taken]
        )
        order = np.argsort(-np.abs(solved[ships]), axis=1, kind="stable")[:, :_LARGEST]
        order.sort(axis=1)
        columns = np.take_along_axis(solved[ships], order, axis=1)
        every.append(Classifier(learned.part(ships), labels, order, columns))
    return CrossFitted(every, {t.text: t.part for t in texts})


def _solved(likeness: Matrix, targets: Matrix, weights: Matrix, ships: Mask) -> Matrix:
    """Weights of the texts that ship, onto which those of the others are projected: shape (texts, labels).

    ``likeness``: is overwritten: of all texts it has two gigabytes.
    """
    from scipy.linalg import cho_factor, cho_solve

    def solve(matrix: Matrix, diagonal: Matrix | float, right: Matrix) -> Matrix:
        matrix[np.diag_indices_from(matrix)] += diagonal
        # symmetric, and turned as LAPACK lays it out: else it would be copied
        factor = cho_factor(matrix.T, overwrite_a=True, check_finite=False)
        return np.asarray(cho_solve(factor, right, check_finite=False), dtype=np.float32)

    if ships.all():
        return solve(likeness, _RIDGE / weights, targets)
    within, across = likeness[np.ix_(ships, ships)], likeness[np.ix_(ships, ~ships)]
    every = solve(likeness, _RIDGE / weights, targets)
    return np.asarray(every[ships] + solve(within, _PROJECTED, across @ every[~ships]))
