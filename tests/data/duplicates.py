"""What is too near: runs of words that texts share, and how alike their vectors are.

An encoder that has seen a benchmark's texts, or near copies of them, is not measured by that benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.words import Analyser

Matrix = npt.NDArray[np.float32]
_SHORT = 10_000  # characters


@cache
def _analyser() -> Analyser:
    return Analyser("none", "none")


@cache
def _terms(text: str) -> list[str]:
    """Those of a question, which is compared with several sets of others."""
    return _analyser().terms(text)


def shared_runs(
    texts: Mapping[str, str], others: Mapping[str, str] | None = None, words: int = 8
) -> list[tuple[str, str]]:
    """Pairs of texts that share a run of words, case and punctuation aside.

    A text shorter than the run shares none, not even with itself.

    Parameters
    ----------
    texts, others
        Texts by id. Without ``others`` the texts are compared with each other.
    words
        Length of a run.

    Returns
    -------
    list of (str, str)
        Ids of one of ``texts`` and one of ``others``, sorted. Without ``others`` each pair stands once, the
        lesser id first.

    Raises
    ------
    ValueError
        If a run has no word.
    """
    if words < 1:
        raise ValueError(f"a run of {words} words: one or more are wanted")
    few, many = sorted((texts, texts if others is None else others), key=_length)
    holders: dict[tuple[str, ...], set[str]] = {}  # of the shorter side: most runs of the other are in none
    for name, text in few.items():
        for run in _runs(text, words):
            holders.setdefault(run, set()).add(name)
    pairs = {
        (name, other)
        for other, text in many.items()
        for run in _runs(text, words)
        for name in holders.get(run, ())
    }
    if others is None:
        return sorted(pair for pair in pairs if pair[0] < pair[1])
    return sorted(pairs if few is texts else ((other, name) for name, other in pairs))


def shared_words(text: str, other: str) -> float:
    """Share of the words of the shorter of two texts that the other has, too."""
    words, others = set(_terms(text)), set(_terms(other))
    return len(words & others) / max(1, min(len(words), len(others)))


def _length(texts: Mapping[str, str]) -> int:
    return sum(map(len, texts.values()))


def _runs(text: str, words: int) -> Iterator[tuple[str, ...]]:
    terms = _terms(text) if len(text) < _SHORT else _analyser().terms(text)
    return (tuple(terms[at : at + words]) for at in range(len(terms) - words + 1))


def nearest(vectors: Matrix, others: Matrix, rows: int = 1024) -> tuple[Matrix, npt.NDArray[np.intp]]:
    """For each vector the largest cosine to any of ``others``, and to which.

    Parameters
    ----------
    vectors, others
        Shapes (n, dimension) and (m, dimension), of any length; a vector of length 0 has cosine 0 to all.
    rows
        How many of ``vectors`` are compared at a time: memory is rows times m numbers.

    Returns
    -------
    (numpy.ndarray, numpy.ndarray)
        Cosines, float32, and rows of ``others``, the first of those equally near; both of shape (n,).

    Raises
    ------
    ValueError
        If there are no others.
    """
    if not len(others):
        raise ValueError("there is nothing to compare with")
    directions = _unit(others)
    cosines = np.empty(len(vectors), np.float32)
    where = np.empty(len(vectors), np.intp)
    for at in range(0, len(vectors), rows):
        alike = _unit(vectors[at : at + rows]) @ directions.T
        where[at : at + rows] = alike.argmax(axis=1)
        cosines[at : at + rows] = alike.max(axis=1)
    return cosines, where


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)
