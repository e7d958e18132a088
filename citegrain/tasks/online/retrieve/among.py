"""Chunks that were picked by something else than their words, the best of each level by their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.online.builds import PublishedBuild

_WITHIN = 0.2  # below the distance of two levels


def best_among(
    build: PublishedBuild, query: Mapping[str, Any], levels: Mapping[int, float], k: int
) -> Ranked:
    """The ``k`` rows of the highest level, those of one level by BM25; the score is both.

    Parameters
    ----------
    levels
        Level by row, in steps of a quarter or more.
    """
    if not levels:
        return []
    words = build.sparse_scores(query["text"])
    most = max(float(words[list(levels)].max()), 1e-9)
    scores = {row: level + _WITHIN * float(words[row]) / most for row, level in levels.items()}
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
    return [(build.chunk_ids[row], score) for row, score in best]
