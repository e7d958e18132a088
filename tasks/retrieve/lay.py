"""The channels over lay texts, which are found for the provision that they are told of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tasks.retrieve.config import RetrieveConfig
from tasks.retrieve.searchable import Mask, Matrix, Searchable, centred, lawful
from tasks.runs import Ranked, top_rows

_AT_ONCE = 256  # queries whose likeness to every lay text is held in memory


def lay_dense(
    build: Searchable,
    query_ids: Sequence[str],
    vectors: Matrix,
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> dict[str, Ranked]:
    """The ``config.k`` provisions with the lay text nearest to each query, by its cosine.

    ``config.centre`` of the background stories' mean is taken off query and texts before.
    """
    # Chunks stay as they are in the channel dense, lay texts do not: they are told as queries are and have
    # the same mean m. With q = m + q' and t = m + t', what speaks for a provision is the cosine of q' and t'.
    # Taken off the query alone, m would leave the order of the product q't', in which a text counts by
    # how far it lies from all others: odd ones would come first and last, whatever is asked.
    lay = build.expansion
    texts = centred(lay.vectors, build, config)
    queries = centred(vectors, build, config)
    standing = _standing(build, config, eligible)
    ranked = {}
    for at in range(0, len(query_ids), _AT_ONCE):
        likeness = queries[at : at + _AT_ONCE] @ texts.T
        best = np.maximum.reduceat(likeness, lay.starts, axis=1)
        for query, scores in zip(query_ids[at : at + _AT_ONCE], best, strict=True):
            ranked[query] = _top_chunks(build, scores, standing, config.k)
    return ranked


def lay_sparse(
    build: Searchable,
    queries: Sequence[Mapping[str, Any]],
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> dict[str, Ranked]:
    """The ``config.k`` provisions with the highest BM25 of their lay texts; those that score 0 are left out.

    Words of every story weigh little without ``config.rarity``: they stand in most lay texts.
    """
    lay = build.expansion
    standing = _standing(build, config, eligible)
    ranked = {}
    for query in queries:
        scores = np.zeros(len(lay.provisions), dtype=np.float32)
        for t in query["texts"]:
            scores += np.float32(t["weight"]) * lay.sparse_scores(t["text"])
        scores[scores <= 0] = -np.inf
        ranked[query["query_id"]] = _top_chunks(build, scores, standing, config.k)
    return ranked


def _standing(build: Searchable, config: RetrieveConfig, eligible: Mask | None) -> npt.NDArray[np.int64]:
    """Row of the chunk by which each provision with lay texts stands, its first; -1 for none."""
    rows = (lawful(build, p, build.rows_of(p), config, eligible) for p in build.expansion.provisions)
    return np.array([own[0] if own else -1 for own in rows], dtype=np.int64)


def _top_chunks(build: Searchable, scores: Matrix, standing: npt.NDArray[np.int64], k: int) -> Ranked:
    """The ``k`` best chunks by the scores of the provisions that stand by them, the highest if several do."""
    by_chunk = np.full(len(build.chunk_ids), -np.inf, dtype=np.float32)
    held = standing >= 0
    np.maximum.at(by_chunk, standing[held], scores[held])
    return [(build.chunk_ids[int(r)], float(by_chunk[r])) for r in top_rows(by_chunk, k)]
