"""Declaration of ``controller``: the trace of each complaint's search, and the run of its pool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest

import pyarrow as pa

from citegrain.tasks.core import plugins
from citegrain.tasks.core.runs import Ranked, make_run, rankings
from citegrain.tasks.core.schemas import RUNS, TRACES
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.controller.config import MINDS
from citegrain.tasks.online.controller.loop import control, replay, trace_table
from citegrain.tasks.online.controller.means import Means
from citegrain.tasks.online.controller.operations import Mind
from citegrain.tasks.online.controller.records import COVERED, OPEN, PLAN, REFLECT, Asked, Retriever

STAGE = Stage("controller", 1, (TRACES,))
POOLED = Stage("pooled", 2, (RUNS,))


def make_mind(means: Means) -> Mind:
    """The mind that the configuration names."""
    make = MINDS.function(means.config.kind)
    mind: Mind = make(means, **plugins.parameters(make, means.config))
    return mind


def make_traces(queries: pa.Table, mind: Mind, retrieve: Retriever) -> pa.Table:
    """Table ``traces`` of complaints: how each was searched, round by round."""
    asked = asked_of(queries)
    courses = control(list(asked.values()), mind, retrieve, mind.config)
    return trace_table(dict(zip(asked, courses, strict=True)))


def make_pooled(queries: pa.Table, traces: pa.Table, first: pa.Table, mind: Mind) -> pa.Table:
    """The run that is passed on, from the trace alone: the pool, then the rest of the single search.

    Parameters
    ----------
    first
        Run of the complaints themselves.
    """
    courses = replay(traces, asked_of(queries), mind)
    single = rankings(first)
    return make_run(
        {query: _behind(mind.kept(c.memory), single.get(query, [])) for query, c in courses.items()}, "pooled"
    )


def unresolved(traces: pa.Table) -> dict[str, list[str]]:
    """The sub-questions that each complaint was left with, by query id."""
    planned: dict[str, list[str]] = {}
    states: dict[str, list[str]] = {}
    for row in traces.to_pylist():
        content, query = json.loads(row["content"]), row["query_id"]
        if row["operation"] == PLAN:
            planned.setdefault(query, []).extend(content["subquestions"])
        elif row["operation"] == REFLECT:
            states[query] = content["states"]
    return {
        query: [
            s for s, state in zip_longest(asked, states.get(query, ()), fillvalue=OPEN) if state != COVERED
        ]
        for query, asked in planned.items()
    }


def _behind(pool: Ranked, rest: Ranked) -> Ranked:
    """The pool, and behind it what else was ranked, with scores that go on falling."""
    last = min((score for _, score in pool), default=0.0)
    seen = {chunk for chunk, _ in pool}
    others = [chunk for chunk, _ in rest if chunk not in seen]
    return [*pool, *((chunk, last - place) for place, chunk in enumerate(others, 1))]


def asked_of(queries: pa.Table) -> Mapping[str, Asked]:
    """What is asked, by query id."""
    rows = queries.select(["query_id", "text", "as_of"]).to_pylist()
    return {row["query_id"]: Asked(row["text"], row["as_of"]) for row in rows}
