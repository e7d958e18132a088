"""Declaration of ``features``: one row a query and candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import FEATURES as SCHEMA
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.features.candidates import Candidates, Priors
from citegrain.tasks.online.features.columns import FEATURES

STAGE = Stage("features", 5, (SCHEMA,))


def matrix(candidates: Candidates, names: Sequence[str]) -> npt.NDArray[np.float32]:
    """Values of the features of these names: shape (candidates, features)."""
    columns = np.empty((len(names), len(candidates.provisions)), np.float32)
    for number, name in enumerate(names):
        columns[number] = FEATURES[name](candidates)
    return np.ascontiguousarray(columns.T)


def make_features(
    build: PublishedBuild,
    queries: pa.Table,
    runs: Mapping[str, pa.Table],
    names: Sequence[str],
    priors: Priors,
    weights: Mapping[str, float],
) -> pa.Table:
    """Table ``features``; ``names``: in the order of ``values``."""
    lists = {channel: rankings(run) for channel, run in runs.items()}
    ids: list[str] = []
    provisions: list[str] = []
    chunks: list[str] = []
    values = [np.empty((0, len(names)), np.float32)]
    for query in queries.to_pylist():
        by_channel = {channel: ranked.get(query["query_id"], []) for channel, ranked in lists.items()}
        pool = Candidates.gather(build, query, by_channel, priors, weights)
        ids += [query["query_id"]] * len(pool.provisions)
        provisions += pool.provisions
        chunks += pool.chunks
        values.append(matrix(pool, names))
    flat = pa.array(np.concatenate(values).ravel())
    of_rows = pa.ListArray.from_arrays(np.arange(len(ids) + 1, dtype=np.int32) * len(names), flat)
    columns = zip(SCHEMA.arrow.names, (ids, provisions, chunks, of_rows), strict=True)
    return pa.table(dict(columns), schema=SCHEMA.arrow)


def matrix_of(features: pa.Table, width: int) -> npt.NDArray[np.float32]:
    """``values`` of a table ``features``, of so many features: shape (rows, width)."""
    values = features.column("values").combine_chunks().flatten()
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(-1, width)
