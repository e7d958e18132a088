"""Declaration of ``features``: one row a query and candidate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, rankings
from citegrain.tasks.core.schemas import FEATURES as SCHEMA
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.features.candidates import Candidates, Priors
from citegrain.tasks.online.features.columns import FEATURES

STAGE = Stage("features", 3, (SCHEMA,))

_SAID_AS = {"lay_dense": ("dense", 0.99, -0.16), "lay_sparse": ("sparse", 0.2, 0.0)}
"""For lay texts of a new Act: the channel that takes them in, and slope and offset of their score there.

Logistic regressions on 1,200 questions about Acts that were learned of give equal odds of being right at an
offset of -.076, and at .26 and 2.8. Lowered until such questions kept their answers beside new Acts with lay
texts (docs/log.md).
"""


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
    new: Collection[str] = (),
) -> pa.Table:
    """Table ``features``.

    Parameters
    ----------
    names
        Features in the order of ``values``.
    new
        Acts of which the ranker learned nothing. It knows lay texts only of provisions that its priors know
        too, and would put these last: their lay texts count as words of the Act.
    """
    lists = {channel: rankings(run) for channel, run in runs.items()}
    ids: list[str] = []
    provisions: list[str] = []
    chunks: list[str] = []
    values = [np.empty((0, len(names)), np.float32)]
    for query in queries.to_pylist():
        by_channel = {channel: ranked.get(query["query_id"], []) for channel, ranked in lists.items()}
        by_channel = _with_lay_texts_as_words(by_channel, build.citations, new) if new else by_channel
        pool = Candidates.gather(build, query, by_channel, priors, weights, new)
        ids += [query["query_id"]] * len(pool.provisions)
        provisions += pool.provisions
        chunks += pool.chunks
        values.append(matrix(pool, names))
    flat = pa.array(np.concatenate(values).ravel())
    of_rows = pa.ListArray.from_arrays(np.arange(len(ids) + 1, dtype=np.int32) * len(names), flat)
    columns = zip(SCHEMA.arrow.names, (ids, provisions, chunks, of_rows), strict=True)
    return pa.table(dict(columns), schema=SCHEMA.arrow)


def _with_lay_texts_as_words(
    lists: Mapping[str, Ranked], citations: Mapping[str, str | None], new: Collection[str]
) -> dict[str, Ranked]:
    """The lists of a query in which a provision of a new Act is as near as the nearest of its lay texts."""
    out = dict(lists)
    for lay, (channel, slope, offset) in _SAID_AS.items():
        scores = dict(out.get(channel, ()))
        standing: dict[str | None, str] = {}
        for chunk in scores:
            standing.setdefault(citations[chunk], chunk)
        for chunk, score in lists.get(lay, ()):
            if (provision := citations[chunk]) and provision.partition("/")[0] in new:
                best = standing.setdefault(provision, chunk)
                scores[best] = max(scores.get(best, -np.inf), slope * score + offset)
        out[channel] = sorted(scores.items(), key=lambda hit: -hit[1])
    return out


def matrix_of(features: pa.Table, width: int) -> npt.NDArray[np.float32]:
    """``values`` of a table ``features``, of so many features: shape (rows, width)."""
    values = features.column("values").combine_chunks().flatten()
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(-1, width)
