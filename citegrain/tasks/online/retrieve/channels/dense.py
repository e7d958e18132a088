"""Channel ``dense``: chunks by the vectors of their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve.vectors import centred


def dense(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    vectors: Matrix,
    *,
    k: int,
    centre: float,
) -> dict[str, Ranked]:
    """The ``k`` chunks nearest to each query by inner product.

    ``centre`` of the background stories' mean is taken off each query first: what every story
    says is no evidence for a provision. The same as taking off each chunk's likeness to that mean.
    """
    scores, rows = build.dense_search(centred(vectors, build, centre), k, eligible)
    ids = build.chunk_ids
    return {
        query["query_id"]: [
            (ids[int(r)], float(s)) for s, r in zip(scores[i], rows[i], strict=True) if r >= 0
        ]
        for i, query in enumerate(queries)
    }
