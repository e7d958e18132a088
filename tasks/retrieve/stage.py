"""Declaration of ``retrieve``: one run a channel, over whole batches of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tasks.retrieve.config import RetrieveConfig
from tasks.runs import make_run, top_rows
from tasks.schemas import RUNS
from tasks.stage import Stage

STAGE = Stage("retrieve", 1, (RUNS,))

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float32]


class Searchable(Protocol):
    """What retrieval needs of a build."""

    @property
    def chunk_ids(self) -> Sequence[str]:
        """Ids of the searched chunks, in the order of the rows."""
        ...

    def dense_search(
        self, queries: Matrix, k: int, eligible: Mask | None
    ) -> tuple[Matrix, npt.NDArray[np.int64]]:
        """Scores and rows of the k nearest chunks a query; -1 for none."""
        ...

    def sparse_scores(self, text: str) -> npt.NDArray[np.float32]:
        """BM25 of every searched chunk."""
        ...


def dense(
    build: Searchable,
    query_ids: Sequence[str],
    vectors: Matrix,
    config: RetrieveConfig,
    eligible: Mask | None = None,
) -> pa.Table:
    """The ``config.k`` chunks nearest to each query by inner product.

    Parameters
    ----------
    vectors
        One row a query, L2-normalised, shape (queries, dimension).
    eligible
        Rows that may be returned: filtering comes before the top k.
    """
    scores, rows = build.dense_search(vectors, config.k, eligible)
    ids = build.chunk_ids
    ranked = {
        query: [(ids[int(r)], float(s)) for s, r in zip(scores[i], rows[i], strict=True) if r >= 0]
        for i, query in enumerate(query_ids)
    }
    return make_run(ranked, "dense")


def sparse(
    build: Searchable, queries: Mapping[str, str], config: RetrieveConfig, eligible: Mask | None = None
) -> pa.Table:
    """The ``config.k`` chunks with the highest BM25 for each query; those that score 0 are left out."""
    ids = build.chunk_ids
    ranked = {}
    for query, text in queries.items():
        scores = build.sparse_scores(text)
        rows = top_rows(scores, config.k, eligible)
        ranked[query] = [(ids[int(r)], float(scores[r])) for r in rows if scores[r] > 0]
    return make_run(ranked, "sparse")
