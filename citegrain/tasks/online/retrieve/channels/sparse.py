"""Channel ``sparse``: chunks by the words of their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from citegrain.tasks.core.runs import Ranked, top_rows
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild


def sparse(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], eligible: Mask, *, k: int, rarity: bool
) -> dict[str, Ranked]:
    """The ``k`` chunks with the highest BM25 for each query; those that score 0 are left out.

    A query's score is the sum of its texts' by weight. With ``rarity`` its terms count once each,
    by their rarity in the background stories.
    """
    ids = build.chunk_ids
    ranked = {}
    for query in queries:
        scores = np.zeros(len(ids), dtype=np.float32)
        for t in query["texts"]:
            scores += np.float32(t["weight"]) * build.sparse_scores(t["text"], rarity)
        rows = top_rows(scores, k, eligible)
        ranked[query["query_id"]] = [(ids[int(r)], float(scores[r])) for r in rows if scores[r] > 0]
    return ranked
