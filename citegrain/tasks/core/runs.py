"""The run: the one table in which every ranked list of the program is kept, as in TREC."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.schemas import RUNS

Ranked = list[tuple[str, float]]
"""Chunk ids with scores, best first."""


def trec_column(name: str) -> str:
    """A name in a file whose columns blanks part: a blank in it becomes ``%20``, as in a URL."""
    return re.sub(r"[\s%]", lambda sign: quote(sign[0]), name) if re.search(r"\s", name) else name


def make_run(rankings: Mapping[str, Ranked], channel: str) -> pa.Table:
    """A run table from ranked lists by query, ranks from 1; made of arrays in half the time of lists."""
    columns: dict[str, list[object]] = {name: [] for name in RUNS.arrow.names}
    for query_id, ranked in rankings.items():
        columns["query_id"] += [query_id] * len(ranked)
        columns["chunk_id"] += [chunk_id for chunk_id, _ in ranked]
        columns["rank"] += range(1, len(ranked) + 1)
        columns["score"] += [float(score) for _, score in ranked]
        columns["channel"] += [channel] * len(ranked)
    return pa.Table.from_arrays([pa.array(columns[f.name], f.type) for f in RUNS.arrow], schema=RUNS.arrow)


def is_run(table: pa.Table) -> bool:
    """Whether a table is a run: steps also yield queries, features and answers."""
    return bool(table.schema.equals(RUNS.arrow))


def rankings(run: pa.Table) -> dict[str, Ranked]:
    """Ranked lists by query of a run table, in the order of the ranks."""
    out: dict[str, list[tuple[int, str, float]]] = {}
    queries, *columns = (run.column(name).to_pylist() for name in ("query_id", "rank", "chunk_id", "score"))
    rows = list(zip(*columns, strict=True))
    for query, first, after in groups(queries):
        out.setdefault(query, []).extend(rows[first:after])
    return {q: [(c, s) for _, c, s in sorted(items)] for q, items in out.items()}


def groups(queries: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Rows that stand together and are of one query: the query, the first row, and that after the last."""
    first = 0
    for query, rows in groupby(queries):
        after = first + sum(1 for _ in rows)
        yield query, first, after
        first = after


def collapse(ranked: Ranked, citations: Mapping[str, str | None]) -> list[tuple[str, str, float]]:
    """Provisions of a ranked list of chunks: (provision_id, its best chunk, score), best first.

    A provision has the score of its best chunk, and the first of its chunks at that score.
    Chunks that cite nothing are left out.
    """
    best: dict[str, tuple[str, float]] = {}
    for chunk_id, score in ranked:
        provision = citations.get(chunk_id)
        if provision is not None and (provision not in best or score > best[provision][1]):
            best[provision] = (chunk_id, score)
    hits = [(provision, chunk_id, score) for provision, (chunk_id, score) in best.items()]
    return sorted(hits, key=itemgetter(2), reverse=True)


SMOOTHING = 60
"""k of reciprocal rank fusion, as its authors have it."""


def reciprocal_rank_fusion(
    lists: Sequence[Ranked], k: int = SMOOTHING, weights: Sequence[float] | None = None
) -> Ranked:
    """Join ranked lists by ranks: RRF(c) = sum over lists of w / (k + rank(c)).

    A list in which an item does not stand adds nothing. Ties keep the order of first
    appearance, earlier lists first. Source: Cormack, Clarke and Buettcher 2009; Eq. 3.3 with w = 1.
    """
    scores: dict[str, float] = {}
    for ranked, weight in zip(lists, weights or [1.0] * len(lists), strict=True):
        for rank, (item, _) in enumerate(ranked, 1):
            scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def top_rows(
    scores: npt.NDArray[np.float32], k: int, eligible: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.int64]:
    """Rows of the ``k`` highest positive scores, best first, ties by row number."""
    if eligible is not None:
        scores = np.where(eligible, scores, -np.inf)
    k = min(k, len(scores))
    if k == 0:
        return np.zeros(0, dtype=np.int64)
    # mostly many score nothing: among equal numbers the border is found five times as slowly
    rows = np.flatnonzero(scores > 0)
    rows = rows if len(rows) >= k else np.arange(len(scores))
    # ties at the border are settled by row number, which argpartition does not do
    some = scores[rows]
    rows = rows[some >= np.partition(some, -k)[-k]]
    order = rows[np.lexsort((rows, -scores[rows]))][:k]
    return np.asarray(order[np.isfinite(scores[order])], dtype=np.int64)


def descending(scores: npt.NDArray[np.float32], first: int) -> Iterator[int]:
    """Rows of scores, the highest first, ties by row number; the ``first`` are put in order by themselves."""
    start = top_rows(scores, first).tolist()
    yield from start
    if len(start) < len(scores):
        yield from np.argsort(-scores, kind="stable").tolist()[len(start) :]


def queries_of(run: pa.Table) -> Sequence[str]:
    """Query ids of a run, in order of appearance."""
    return list(dict.fromkeys(run.column("query_id").to_pylist()))


def min_max(scores: Sequence[float]) -> list[float]:
    """Scores brought to 0..1; all 1 where they are equal."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    return [(s - low) / (high - low) if high > low else 1.0 for s in scores]
