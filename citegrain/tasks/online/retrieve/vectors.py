"""Vectors of queries, and what is near to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.embed import cached_vectors
from citegrain.tasks.offline.models import in_parts
from citegrain.tasks.online.builds import Matrix, PublishedBuild, unit


def query_vectors(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], rows: RowStore | None = None
) -> Matrix:
    """One vector a query: the unit sum of its texts' vectors by weight, of those that are not words only.

    ``rows``: vectors by text, read before and added to after encoding; None keeps none, and each text is then
    encoded by itself: an encoder in int8 scales a text by those beside it.
    """
    read = [[t for t in q["texts"] if not t.get("words_only")] for q in queries]
    texts = list(dict.fromkeys(t["text"] for some in read for t in some))
    at = {text: i for i, text in enumerate(texts)}
    encode = build.encode_queries
    if rows is None:
        encoded = np.concatenate([encode([]), *in_parts(lambda text: encode([text]), texts)])
    else:
        encoded = cached_vectors(encode, texts, rows)
    out = np.zeros((len(queries), encoded.shape[1]), dtype=np.float32)
    for i, some in enumerate(read):
        for t in some:
            out[i] += t["weight"] * encoded[at[t["text"]]]
    return unit(out)


def centred(vectors: Matrix, build: PublishedBuild, share: float) -> Matrix:
    """Vectors without a share of the background stories' mean, of length 1 again."""
    mean = build.story_mean
    return vectors if not share or mean is None else unit(vectors - np.float32(share) * mean)


def nearest_chunks(
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
