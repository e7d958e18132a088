"""Vectors of queries and of texts: their products, and how they are laid out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


def products(queries: Matrix, texts: Matrix) -> Matrix:
    """Inner product of each query with each text: shape (queries, texts).

    By torch and not numpy: two pools of threads, each waiting for work, slow the encoder down.
    """
    import torch

    return np.asarray((torch.from_numpy(queries) @ torch.from_numpy(texts.T)).numpy())


def max_similarity(passages: Matrix, starts: npt.NDArray[np.int64], query: Matrix) -> Matrix:
    """The best inner product that each token of a query has in each passage.

    Parameters
    ----------
    passages
        Token vectors of all passages one after another, shape (tokens, dimension).
    starts
        Where those of each passage begin; none is empty.
    query
        Shape (query tokens, dimension).

    Returns
    -------
    numpy.ndarray
        Shape (passages, query tokens).
    """
    return np.asarray(np.maximum.reduceat(products(passages, query), starts, axis=0))


def by_columns(texts: Matrix) -> Matrix:
    """The same vectors, each dimension in one piece: one query is compared in two fifths of the time."""
    return np.asfortranarray(texts)


def unit(vectors: Matrix) -> Matrix:
    """The same vectors, of length 1."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def in_bytes(vectors: Matrix) -> npt.NDArray[np.int8]:
    """Each row with 127 for its greatest value: ``unit`` gives it back."""
    greatest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.asarray(np.rint(127 * vectors / np.maximum(greatest, 1e-12)), dtype=np.int8)
