"""Declaration of ``retrieve``: one run a channel, over whole batches of queries, of what is law."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from citegrain.tasks.core import plugins
from citegrain.tasks.core.runs import Ranked, make_run
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.law.citing import names_only, spelled_out
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve.config import RetrieveConfig, function, split_space

LAWS = 64
"""Laws of a day, or of some Acts, for which what labels mean is cached."""

STAGE = Stage("retrieve", 6, (RUNS,))
_FEW, _FIRST, _MOST = 2, 5, 15
"""Provisions of one number that are all given; first rules of an Order; provisions of a question."""


def search_channel(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    channel: str,
    config: RetrieveConfig,
    vectors: Callable[[], Matrix],
    first: Mapping[str, Ranked] | None = None,
) -> pa.Table:
    """The run of one channel. Filtering by the law of each query's day comes before the top k.

    ``vectors``: gives the vector of each query, shape (queries, dimension); called if the channel reads them.
    ``first``: what the other channels found, joined by ranks, by query; given to a channel that reads it.
    """
    search, space = function(channel), split_space(channel)[1]
    build = build.in_space(space) if space else build
    matrix = vectors() if "vectors" in plugins.reads(search) else None
    before = (first or {},) if reads_others(channel) else ()
    values = plugins.parameters(search, config)
    # a complaint that names an entry of a Schedule is led to it all the same
    everything = config.schedules or channel == "provision"
    ranked: dict[str, Ranked] = {}
    for law, members in _by_law(build, queries):
        eligible = law if everything else law & build.citable
        given = (*(() if matrix is None else (matrix[members],)), *before)
        hits = search(build, [queries[i] for i in members], eligible, *given, **values)
        ranked |= _with_family(build, hits, config.k, eligible) if config.family else hits
    return make_run({q["query_id"]: ranked[q["query_id"]] for q in queries}, channel)


def reads_others(channel: str) -> bool:
    """Whether a channel starts from what the others found: its function has a parameter ``first_pass``."""
    return "first_pass" in plugins.reads(function(channel))


def _by_law(build: PublishedBuild, queries: Sequence[Mapping[str, Any]]) -> list[tuple[Mask, list[int]]]:
    """Queries (by position) for which the same chunks are law: days differ more often than the law."""
    groups: dict[bytes, tuple[Mask, list[int]]] = {}
    for i, query in enumerate(queries):
        mask = build.eligible(query["as_of"])
        groups.setdefault(mask.tobytes(), (mask, []))[1].append(i)
    return list(groups.values())


def _with_family(
    build: PublishedBuild, hits: Mapping[str, Ranked], k: int, eligible: Mask
) -> dict[str, Ranked]:
    """Lists in which each hit is followed by the other parts of its provision, cut at ``k``."""
    out: dict[str, Ranked] = {}
    for query, ranked in hits.items():
        scores: dict[str, float] = {}
        for chunk_id, score in ranked:
            scores.setdefault(chunk_id, score)
            for row in build.family(build.rows[chunk_id]):
                if eligible[row]:
                    scores.setdefault(build.chunk_ids[row], score)
        out[query] = list(scores.items())[:k]
    return out


def lawful(
    build: PublishedBuild, provision_id: str, rows: Sequence[int], counterparts: bool, eligible: Mask
) -> list[int]:
    """Those of a provision's rows that are eligible; if none is, with ``counterparts`` its counterpart's."""
    allowed = [row for row in rows if eligible[row]]
    if not allowed and counterparts:
        return list(build.counterpart(provision_id, eligible))
    return allowed


def standing(
    build: PublishedBuild, counterparts: bool, eligible: Mask
) -> Callable[[tuple[str, str]], Sequence[int]]:
    """The chunks by which what a label means stands: of each provision the first that is law.

    What is returned looks a label up once a build and law: counterparts of all labels cost half a second.
    """
    laws: dict[Any, dict[tuple[str, str], Sequence[int]]] = build.shared("standing", dict)
    if len(laws) >= LAWS:
        laws.clear()
    cached = laws.setdefault((eligible.tobytes(), counterparts), {})

    def look_up(label: tuple[str, str]) -> Sequence[int]:
        if label not in cached:
            rows = (
                lawful(build, p, build.rows_of(p), counterparts, eligible) for p in build.labelled(*label)
            )
            cached[label] = [some[0] for some in rows if some]
        return cached[label]

    return look_up


def named_alone(build: PublishedBuild, queries: pa.Table) -> dict[str, dict[str, float]]:
    """What is named by the questions that do nothing but name provisions, in their order.

    Of each the first chunk, and its share: a number that may be of two Acts is half of each.
    """
    out = {}
    for query in queries.to_pylist():
        mentions, plain = query["mentions"], spelled_out(query["text"], build.lexicon)
        if not mentions or names_only(plain, build.lexicon.find(plain)):
            continue
        law, chunks = build.eligible(query["as_of"]), dict[str, float]()
        for mention in mentions:
            kind, number, act = (mention[name] for name in ("kind", "number", "act_id"))
            alike = sum((m["kind"], m["number"]) == (kind, number) for m in mentions)
            meant = build.numbered(kind, number, act)
            if act is None and kind != "order":
                alike = len(meant)
                if alike > _FEW:
                    chunks.clear()
                    break
            for p, rows in meant[:_FIRST]:
                for row in lawful(build, p, rows, True, law)[:1]:
                    chunks.setdefault(build.chunk_ids[row], 1 / alike)
        if chunks:
            out[query["query_id"]] = dict(list(chunks.items())[:_MOST])
    return out
