"""Declaration of ``fuse``: several runs to one."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from tasks.fuse.config import FuseConfig
from tasks.runs import Ranked, make_run, queries_of, rankings
from tasks.schemas import RUNS
from tasks.stage import Stage

STAGE = Stage("fuse", 1, (RUNS,))


def reciprocal_rank_fusion(lists: Sequence[Ranked], k: int) -> Ranked:
    """Join ranked lists by ranks: RRF(c) = sum over lists of 1 / (k + rank(c)).

    A list in which a chunk does not stand adds nothing. Ties keep the order of first
    appearance, earlier lists first. Source: Cormack, Clarke and Buettcher 2009; Eq. 3.3.
    """
    scores: dict[str, float] = {}
    for ranked in lists:
        for rank, (chunk_id, _) in enumerate(ranked, 1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + 1.0 / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])


def fuse(runs: Sequence[pa.Table], config: FuseConfig) -> pa.Table:
    """Fuse runs query by query; the result holds at most ``config.depth`` chunks a query."""
    by_run = [rankings(run) for run in runs]
    queries = list(dict.fromkeys(q for run in runs for q in queries_of(run)))
    fused = {
        q: reciprocal_rank_fusion([lists.get(q, []) for lists in by_run], config.k)[: config.depth]
        for q in queries
    }
    return make_run(fused, "fused")
