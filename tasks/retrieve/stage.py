"""Declaration of ``retrieve``: one run a channel, over whole batches of queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tasks.retrieve.config import RetrieveConfig
from tasks.runs import Ranked, make_run, rankings, top_rows
from tasks.schemas import RUNS
from tasks.stage import Stage

STAGE = Stage("retrieve", 2, (RUNS,))

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float32]


class Searchable(Protocol):
    """What retrieval needs of a build."""

    @property
    def chunk_ids(self) -> Sequence[str]:
        """Ids of the searched chunks, in the order of the rows."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors of texts, L2-normalised, shape (texts, dimension)."""
        ...

    def dense_search(
        self, queries: Matrix, k: int, eligible: Mask | None
    ) -> tuple[Matrix, npt.NDArray[np.int64]]:
        """Scores and rows of the k nearest chunks a query; -1 for none."""
        ...

    def sparse_scores(self, text: str) -> npt.NDArray[np.float32]:
        """BM25 of every searched chunk."""
        ...

    def numbered(self, kind: str, number: str, act_id: str | None) -> Sequence[tuple[str, Sequence[int]]]:
        """(provision_id, rows of its chunks) of every provision cited by this number."""
        ...

    def family(self, row: int) -> Sequence[int]:
        """Rows of all chunks that cite what the chunk of ``row`` cites."""
        ...


def retrieve(
    build: Searchable,
    queries: pa.Table,
    config: RetrieveConfig,
    eligible: Mask | None = None,
    vectors: Matrix | None = None,
) -> dict[str, pa.Table]:
    """The run of each configured channel.

    Parameters
    ----------
    queries
        Table ``queries``.
    eligible
        Rows that may be returned: filtering comes before the top k.
    vectors
        Vector of each query, shape (queries, dimension), if they are encoded already.
    """
    rows = queries.to_pylist()
    out: dict[str, pa.Table] = {}
    for channel in config.channels:
        if channel == "dense":
            known = query_vectors(build, rows) if vectors is None else vectors
            run = dense(build, [r["query_id"] for r in rows], known, config, eligible)
        else:
            run = _CHANNELS[channel](build, rows, config, eligible)
        out[channel] = _with_family(build, run, config, eligible) if config.family else run
    return out


def query_vectors(build: Searchable, queries: Sequence[Mapping[str, Any]]) -> Matrix:
    """One vector a query: the unit sum of its texts' vectors by weight."""
    texts = list(dict.fromkeys(t["text"] for q in queries for t in q["texts"]))
    at = {text: i for i, text in enumerate(texts)}
    encoded = build.encode_queries(texts)  # of no text: shape (0, dimension)
    out = np.zeros((len(queries), encoded.shape[1]), dtype=np.float32)
    for i, query in enumerate(queries):
        for t in query["texts"]:
            out[i] += t["weight"] * encoded[at[t["text"]]]
    return np.asarray(out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def dense(
    build: Searchable,
    query_ids: Sequence[str],
    vectors: Matrix,
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> pa.Table:
    """The ``config.k`` chunks nearest to each query by inner product."""
    scores, rows = build.dense_search(vectors, config.k, eligible)
    ids = build.chunk_ids
    ranked = {
        query: [(ids[int(r)], float(s)) for s, r in zip(scores[i], rows[i], strict=True) if r >= 0]
        for i, query in enumerate(query_ids)
    }
    return make_run(ranked, "dense")


def sparse(
    build: Searchable,
    queries: Sequence[Mapping[str, Any]],
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> pa.Table:
    """The ``config.k`` chunks with the highest BM25 for each query; those that score 0 are left out.

    A query's score is the sum of its texts' by weight.
    """
    ids = build.chunk_ids
    ranked = {}
    for query in queries:
        scores = np.zeros(len(ids), dtype=np.float32)
        for t in query["texts"]:
            scores += np.float32(t["weight"]) * build.sparse_scores(t["text"])
        rows = top_rows(scores, config.k, eligible)
        ranked[query["query_id"]] = [(ids[int(r)], float(scores[r])) for r in rows if scores[r] > 0]
    return make_run(ranked, "sparse")


def provision(
    build: Searchable,
    queries: Sequence[Mapping[str, Any]],
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> pa.Table:
    """Chunks of the provisions that a query names by number.

    A mention that several provisions answer to (``section 10``, without the Act) gives each its
    share: the score is one over their number. Parts of a provision follow one another.
    """
    ids = build.chunk_ids
    ranked = {}
    for query in queries:
        scores: dict[int, float] = {}
        for mention in query["mentions"]:
            found = build.numbered(mention["kind"], mention["number"], mention["act_id"])
            allowed = [[r for r in rows if eligible is None or eligible[r]] for _, rows in found]
            allowed = [rows for rows in allowed if rows]
            for rows in allowed:
                for row in rows:
                    scores[row] = max(scores.get(row, 0.0), 1.0 / len(allowed))
        best = sorted(scores, key=lambda row: -scores[row])[: config.k]
        ranked[query["query_id"]] = [(ids[row], scores[row]) for row in best]
    return make_run(ranked, "provision")


_CHANNELS: Mapping[str, Callable[..., pa.Table]] = {"sparse": sparse, "provision": provision}


def _with_family(build: Searchable, run: pa.Table, config: RetrieveConfig, eligible: Mask | None) -> pa.Table:
    """A run in which each hit is followed by the other parts of its provision, cut at ``config.k``."""
    at = {chunk_id: row for row, chunk_id in enumerate(build.chunk_ids)}
    out: dict[str, Ranked] = {}
    for query, ranked in rankings(run).items():
        scores: dict[str, float] = {}
        for chunk_id, score in ranked:
            scores.setdefault(chunk_id, score)
            for row in build.family(at[chunk_id]):
                if eligible is None or eligible[row]:
                    scores.setdefault(build.chunk_ids[row], score)
        out[query] = list(scores.items())[: config.k]
    channel = run.column("channel")[0].as_py() if run.num_rows else ""
    return make_run(out, channel)
