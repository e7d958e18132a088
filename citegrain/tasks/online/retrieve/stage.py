"""Declaration of ``retrieve``: one run a channel, over whole batches of queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, make_run, top_rows
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.embed import cached_vectors
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve.config import RetrieveConfig
from citegrain.tasks.online.retrieve.lay import lay_dense, lay_sparse
from citegrain.tasks.online.retrieve.searchable import centred, lawful

STAGE = Stage("retrieve", 4, (RUNS,))


def retrieve(
    build: PublishedBuild, queries: pa.Table, config: RetrieveConfig, vectors: Matrix | None = None
) -> dict[str, pa.Table]:
    """The run of each configured channel, as :func:`search_channel` makes it."""
    return {channel: search_channel(build, queries, channel, config, vectors) for channel in config.channels}


def search_channel(
    build: PublishedBuild,
    queries: pa.Table,
    channel: str,
    config: RetrieveConfig,
    vectors: Matrix | None = None,
) -> pa.Table:
    """The run of one channel. Filtering by the law of each query's day comes before the top k.

    Parameters
    ----------
    queries
        Table ``queries``.
    vectors
        Vector of each query, shape (queries, dimension), if they are encoded already.
    """
    rows = queries.to_pylist()
    if channel in BY_VECTOR and vectors is None:
        vectors = query_vectors(build, rows)
    found: dict[str, Ranked] = {}
    # a complaint that names an entry of a Schedule is led to it all the same
    everything = config.schedules or channel == "provision"
    for law, members in _by_law(build, rows):
        eligible = law if everything else law & build.citable
        own = [rows[i] for i in members]
        if channel in BY_VECTOR and vectors is not None:
            ranked = BY_VECTOR[channel](build, own, vectors[members], config, eligible)
        else:
            ranked = _CHANNELS[channel](build, own, config, eligible)
        found |= _with_family(build, ranked, config, eligible) if config.family else ranked
    return make_run({q["query_id"]: found[q["query_id"]] for q in rows}, channel)


def _by_law(build: PublishedBuild, queries: Sequence[Mapping[str, Any]]) -> list[tuple[Mask, list[int]]]:
    """Queries (by position) for which the same chunks are law: days differ more often than the law."""
    groups: dict[bytes, tuple[Mask, list[int]]] = {}
    of_day: dict[Any, bytes] = {}
    for i, query in enumerate(queries):
        day = query["as_of"]
        if day not in of_day:
            mask = build.eligible(day)
            of_day[day] = mask.tobytes()
            groups.setdefault(of_day[day], (mask, []))
        groups[of_day[day]][1].append(i)
    return list(groups.values())


def query_vectors(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], rows: RowStore | None = None
) -> Matrix:
    """One vector a query: the unit sum of its texts' vectors by weight.

    Parameters
    ----------
    rows
        Vectors by text, read before and added to after encoding; None keeps none.
    """
    texts = list(dict.fromkeys(t["text"] for q in queries for t in q["texts"]))
    at = {text: i for i, text in enumerate(texts)}
    encode = build.encode_queries
    encoded = encode(texts) if rows is None else cached_vectors(encode, texts, rows)
    out = np.zeros((len(queries), encoded.shape[1]), dtype=np.float32)
    for i, query in enumerate(queries):
        for t in query["texts"]:
            out[i] += t["weight"] * encoded[at[t["text"]]]
    return np.asarray(out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def dense(
    build: PublishedBuild,
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


def sparse(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> dict[str, Ranked]:
    """The ``config.k`` chunks with the highest BM25 for each query; those that score 0 are left out.

    A query's score is the sum of its texts' by weight. With ``config.rarity`` its terms count once each,
    by their rarity in the background stories.
    """
    ids = build.chunk_ids
    ranked = {}
    for query in queries:
        scores = np.zeros(len(ids), dtype=np.float32)
        for t in query["texts"]:
            scores += np.float32(t["weight"]) * build.sparse_scores(t["text"], config.rarity)
        rows = top_rows(scores, config.k, eligible)
        ranked[query["query_id"]] = [(ids[int(r)], float(scores[r])) for r in rows if scores[r] > 0]
    return ranked


def provision(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> dict[str, Ranked]:
    """Chunks of the provisions that a query names by number.

    A mention that several provisions answer to (``section 10``, without the Act) gives each its
    share: the score is one over their number. With ``config.counterparts`` one that is not law on the
    day stands for its counterpart in the Act that is. Parts of a provision follow one another.
    """
    ids = build.chunk_ids
    ranked = {}
    for query in queries:
        scores: dict[int, float] = {}
        for mention in query["mentions"]:
            found = build.numbered(mention["kind"], mention["number"], mention["act_id"])
            allowed = []
            for provision_id, named in found:
                rows = lawful(build, provision_id, named, config, eligible)
                if rows:
                    allowed.append(rows)
            for rows in allowed:
                for row in rows:
                    scores[row] = max(scores.get(row, 0.0), 1.0 / len(allowed))
        best = sorted(scores, key=lambda row: -scores[row])[: config.k]
        ranked[query["query_id"]] = [(ids[row], scores[row]) for row in best]
    return ranked


BY_VECTOR: Mapping[str, Callable[..., dict[str, Ranked]]] = {
    "dense": dense,
    "lay_dense": lay_dense,
    "lay_sparse": lay_sparse,
}
"""Channels that want the queries' vectors."""

_CHANNELS: Mapping[str, Callable[..., dict[str, Ranked]]] = {
    "sparse": sparse,
    "provision": provision,
}


def _with_family(
    build: PublishedBuild, found: Mapping[str, Ranked], config: RetrieveConfig, eligible: Mask | None
) -> dict[str, Ranked]:
    """Lists in which each hit is followed by the other parts of its provision, cut at ``config.k``."""
    at = {chunk_id: row for row, chunk_id in enumerate(build.chunk_ids)}
    out: dict[str, Ranked] = {}
    for query, ranked in found.items():
        scores: dict[str, float] = {}
        for chunk_id, score in ranked:
            scores.setdefault(chunk_id, score)
            for row in build.family(at[chunk_id]):
                if eligible is None or eligible[row]:
                    scores.setdefault(build.chunk_ids[row], score)
        out[query] = list(scores.items())[: config.k]
    return out
