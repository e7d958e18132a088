"""Products of vectors of queries and of texts."""

from __future__ import annotations

import numpy as np

from citegrain.tasks.online.builds.indexes import Matrix


def products(queries: Matrix, texts: Matrix) -> Matrix:
    """Inner product of each query with each text: shape (queries, texts).

    By torch and not numpy: two pools of threads, each waiting for work, slow the encoder down.
    """
    import torch

    left, right = (torch.from_numpy(np.ascontiguousarray(vectors)) for vectors in (queries, texts))
    return np.asarray((left @ right.T).numpy())
