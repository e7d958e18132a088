"""Declaration of ``fuse``: several runs to one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, groups, make_run, queries_of, rankings, reciprocal_rank_fusion
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.features import matrix_of
from citegrain.tasks.online.fuse.config import FuseConfig
from citegrain.tasks.online.fuse.ranker import Ranker

STAGE = Stage("fuse", 4, (RUNS,))
BY_VECTORS = ("dense", "layers", "lay_dense", "questions", "classifier", "colbert")
"""Channels that compare vectors."""


def fuse(
    runs: Mapping[str, pa.Table],
    config: FuseConfig,
    naming: Mapping[str, Collection[str]] | None = None,
    lexical: Collection[str] = (),
    unread: Collection[str] = BY_VECTORS,
) -> pa.Table:
    """Fuse runs query by query; the result holds at most ``config.depth`` chunks a query.

    Parameters
    ----------
    runs
        Run of each channel, in the order that settles ties.
    naming
        What each query names, by its id, of ``MENTIONS``: ``config.weights_of`` says what that changes.
    lexical
        Ids of the queries that the encoder does not read: for them the channels ``unread`` do not count.
    """
    if config.method == "single":
        channel = config.channel or next(iter(runs))
        if channel not in runs:
            raise ValueError(f"fuse.channel={channel}: not among retrieve.channels {', '.join(runs)}")
        runs = {channel: runs[channel]}
    by_run = {channel: rankings(run) for channel, run in runs.items()}
    queries = list(dict.fromkeys(q for run in runs.values() for q in queries_of(run)))
    fused = {}
    for query in queries:
        lists = [
            [] if query in lexical and c in unread else ranked.get(query, []) for c, ranked in by_run.items()
        ]
        table = config.weights_of((naming or {}).get(query, ()))
        weights = [table.get(channel, 1.0) for channel in by_run]
        single = config.method == "single"
        joined = lists[0] if single else reciprocal_rank_fusion(lists, config.k, weights)
        fused[query] = joined[: config.depth]
    return make_run(fused, "fused")


def stand_ins(
    tables: Mapping[str, pa.Table], types: Mapping[str, str], instead: Mapping[str, str]
) -> dict[str, str]:
    """The channel that stands in place of all others, by query, for those that have one.

    For a question that names a provision, where the channel finds something.

    Parameters
    ----------
    tables
        ``query``, and the run of each channel.
    types, instead
        Type of each question by its id, and channel by type.
    """
    if not instead:
        return {}
    rows = tables["query"].select(["query_id", "mentions"]).to_pylist()
    channels = {
        row["query_id"]: instead.get(types.get(row["query_id"], "")) for row in rows if row["mentions"]
    }
    hits = {channel: set(queries_of(tables[channel])) for channel in set(instead.values())}
    return {query: channel for query, channel in channels.items() if channel and query in hits[channel]}


_LOOK_UP = 20  # words of the longest question that is taken for a look-up where it names a provision


def fuse_learned(features: pa.Table, ranker: Ranker, depth: int) -> pa.Table:
    """The candidates in the order of a ranker, each by its chunk; at most ``depth`` a query."""
    columns = features.select(["query_id", "chunk_id"]).to_pydict()
    values = matrix_of(features, len(ranker.names))
    scores = ranker.model.scores(values) if len(values) else np.empty(0)
    looked_up = _looked_up(values, ranker.names)
    fused: dict[str, Ranked] = {}
    for query, first, after in groups(columns["query_id"]):
        part, chunks = scores[first:after], columns["chunk_id"][first:after]
        part += looked_up[first:after] * (np.ptp(part) + 1)  # before all others, in their order
        best = np.argsort(-part, kind="stable")[:depth].tolist()
        fused[query] = [(chunks[row], float(part[row])) for row in best]
    return make_run(fused, "fused")


def _looked_up(values: npt.NDArray[np.float32], names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which candidates are the one provision that a short question names: it asks for that provision.

    The ranker learned from people who tell what happened, and hardly from look-ups.
    """
    if not {"provision_score", "words"} <= set(names):
        return np.zeros(len(values), dtype=bool)
    short = values[:, names.index("words")] <= np.log1p(_LOOK_UP)
    return np.asarray(short & (values[:, names.index("provision_score")] == 1))
