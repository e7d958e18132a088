"""The channels over lay texts, which are found for the provision that they are told of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, top_rows
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.index import Expansion
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve.config import RetrieveConfig
from citegrain.tasks.online.retrieve.searchable import centred, lawful

_LAWS = 8  # laws of a day for which it is kept what lay texts stand for
_AT_ONCE = 256  # queries whose likeness to every lay text is held in memory


def lay_dense(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
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
    import torch  # by torch and not numpy: two pools of threads, each waiting for work, slow the encoder down

    lay = build.expansion
    if lay is None:
        return {query["query_id"]: [] for query in queries}
    texts = torch.from_numpy(np.ascontiguousarray(centred(lay.vectors, build, config))).T
    asked = torch.from_numpy(np.ascontiguousarray(centred(vectors, build, config)))
    told = _told(lay, build, config, eligible)
    ranked = {}
    for at in range(0, len(queries), _AT_ONCE):
        likeness = (asked[at : at + _AT_ONCE] @ texts).numpy()
        best = np.maximum.reduceat(likeness, lay.starts, axis=1)
        for query, scores in zip(queries[at : at + _AT_ONCE], best, strict=True):
            ranked[query["query_id"]] = _top_chunks(build, scores, told.standing, config.k)
    return _with_untold(build, told.untold, ranked, queries, vectors, config, eligible)


def lay_sparse(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    vectors: Matrix,
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> dict[str, Ranked]:
    """The ``config.k`` provisions with the highest BM25 of their lay texts; those that score 0 are left out.

    Words of every story weigh little without ``config.rarity``: they stand in most lay texts.
    """
    lay = build.expansion
    if lay is None:
        return {query["query_id"]: [] for query in queries}
    told = _told(lay, build, config, eligible)
    ranked = {}
    for query in queries:
        scores = np.zeros(len(lay.provisions), dtype=np.float32)
        for t in query["texts"]:
            scores += np.float32(t["weight"]) * lay.sparse_scores(t["text"])
        scores[scores <= 0] = -np.inf
        ranked[query["query_id"]] = _top_chunks(build, scores, told.standing, config.k)
    return _with_untold(build, told.untold, ranked, queries, vectors, config, eligible)


@dataclass(frozen=True)
class _Told:
    """What lay texts stand for under a law.

    Attributes
    ----------
    standing
        Row of the chunk by which each provision with lay texts stands, its first; -1 for none.
    untold
        Chunks that are law and of an Act that no lay text stands for: bool, shape (chunks,).
    """

    standing: npt.NDArray[np.int64]
    untold: Mask


def _told(lay: Expansion, build: PublishedBuild, config: RetrieveConfig, eligible: Mask | None) -> _Told:
    """What the lay texts stand for, worked out once a law: most complaints are of today's."""
    law = np.ones(len(build.chunk_ids), dtype=bool) if eligible is None else eligible
    key = law.tobytes() + bytes([config.counterparts])
    kept: dict[bytes, _Told] = lay.by_law
    if key not in kept:
        own = (lawful(build, p, build.rows_of(p), config, eligible) for p in lay.provisions)
        standing = np.array([rows[0] if rows else -1 for rows in own], dtype=np.int64)
        acts = np.asarray(build.act_ids)
        told = np.unique(acts[standing[standing >= 0]])
        while len(kept) >= _LAWS:
            kept.pop(next(iter(kept)))
        kept[key] = _Told(standing, law & ~np.isin(acts, told) & bool(len(told)))
    return kept[key]


def _with_untold(
    build: PublishedBuild,
    untold: Mask,
    ranked: dict[str, Ranked],
    queries: Sequence[Mapping[str, Any]],
    vectors: Matrix,
    config: RetrieveConfig,
    eligible: Mask | None,
) -> dict[str, Ranked]:
    """The lists with the chunks of Acts of which nobody told anything, each at its rank by its own vector.

    Else every provision that somebody told of would go before all of an Act that is new to the texts. Of an
    Act with lay texts a provision without any is left out: whoever told of the Act saw no need of it.
    """
    if not untold.any():
        return ranked
    _, found = build.dense_search(centred(vectors, build, config), config.k, eligible)
    ids = build.chunk_ids
    for query, rows in zip(queries, found.tolist(), strict=True):
        own = {rank: ids[row] for rank, row in enumerate(rows) if row >= 0 and untold[row]}
        ranked[query["query_id"]] = _merged(ranked[query["query_id"]], own, config.k)
    return ranked


def _merged(told: Ranked, own: Mapping[int, str], k: int) -> Ranked:
    """``told`` with each chunk of ``own`` at its rank, or after the last; it takes the score before it."""
    out: Ranked = []
    rest, places = list(told), dict(sorted(own.items()))
    while len(out) < k and (rest or places):
        here = min(places, default=k)
        if here <= len(out) or not rest:
            out.append((places.pop(here), out[-1][1] if out else (rest[0][1] if rest else 1.0)))
        else:
            out.append(rest.pop(0))
    return out


def _top_chunks(build: PublishedBuild, scores: Matrix, standing: npt.NDArray[np.int64], k: int) -> Ranked:
    """The ``k`` best chunks by the scores of the provisions that stand by them, the highest if several do."""
    by_chunk = np.full(len(build.chunk_ids), -np.inf, dtype=np.float32)
    held = standing >= 0
    np.maximum.at(by_chunk, standing[held], scores[held])
    return [(build.chunk_ids[int(r)], float(by_chunk[r])) for r in top_rows(by_chunk, k)]
