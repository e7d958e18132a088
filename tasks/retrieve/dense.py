"""The channel of vectors: chunks by their nearness to a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.retrieve.config import RetrieveConfig
from tasks.retrieve.searchable import Mask, Matrix, Searchable, centred
from tasks.runs import Ranked


def dense(
    build: Searchable,
    queries: Sequence[Mapping[str, Any]],
    vectors: Matrix,
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> dict[str, Ranked]:
    """The ``config.k`` chunks nearest to each query by inner product.

    ``config.centre`` of the background stories' mean is taken off each query first: what every story
    says is no evidence for a provision. The same as taking off each chunk's likeness to that mean.
    """
    scores, rows = build.dense_search(centred(vectors, build, config), config.k, eligible)
    ids = build.chunk_ids
    return {
        query["query_id"]: [
            (ids[int(r)], float(s)) for s, r in zip(scores[i], rows[i], strict=True) if r >= 0
        ]
        for i, query in enumerate(queries)
    }
