"""What retrieval needs of a build, and what its channels have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve.config import RetrieveConfig


def centred(vectors: Matrix, build: PublishedBuild, config: RetrieveConfig) -> Matrix:
    """Vectors without ``config.centre`` of the background stories' mean, of length 1 again."""
    mean = build.story_mean
    if not config.centre or mean is None:
        return vectors
    vectors = vectors - np.float32(config.centre) * mean
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)


def lawful(
    build: PublishedBuild,
    provision_id: str,
    own: Sequence[int],
    config: RetrieveConfig,
    eligible: Mask | None,
) -> list[int]:
    """Which of a provision's own rows may be returned, or else, if told, those of its counterpart."""
    rows = [r for r in own if eligible is None or eligible[r]]
    if not rows and config.counterparts:
        rows = list(build.counterpart(provision_id, eligible))
    return rows
