"""Products of vectors of queries and of texts."""

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


def by_columns(texts: Matrix) -> Matrix:
    """The same vectors, each dimension in one piece: one query is compared in two fifths of the time."""
    return np.asfortranarray(texts)
