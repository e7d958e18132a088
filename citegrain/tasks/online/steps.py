"""A step of the online chain, the one function that runs steps, and what they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.runs import groups, is_run
from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables

if TYPE_CHECKING:
    from citegrain.tasks.online.hits import Hit

Progress = Callable[[int], None]
"""Called with numbers of queries done."""


def has_errors(table: pa.Table) -> bool:
    """Whether a query has an error instead of an answer."""
    return any(table.column("error").to_pylist())


@dataclass(frozen=True)
class Step:
    """One stage run of the chain, and of a study: what it reads, what shapes it and the work.

    A step can be pickled, and gives the same tables in another process.

    ``name``: of its table: ``query``, a channel, ``fused``, ``reranked``, ``selected``, ``answers``.
    ``sources``: digest of whatever else shapes the result: the build, the model. ``work``: from tables by
    name to its own, by name where its stage has several: a function of a module or a method, never a lambda.
    ``unanswered``: whether a model left a query of its table without an answer: a study does not store it, so
    that the next run asks again.
    """

    name: str
    stage: Stage
    params: Mapping[str, Any]
    reads: tuple[str, ...]
    sources: Mapping[str, Any]
    work: Callable[[Mapping[str, pa.Table], Progress], pa.Table | Tables]
    unanswered: Callable[[pa.Table], bool] | None = None

    @property
    def schema(self) -> TableSchema:
        """Schema of its table."""
        return self.stage.outputs[0]

    def key(self, contents: Mapping[str, str]) -> Key:
        """Its key, from the contents of what it reads."""
        return self.stage.key(self.params, {name: contents[name] for name in self.reads} | dict(self.sources))

    def run(self, tables: Mapping[str, pa.Table], progress: Progress) -> Tables:
        """Its tables by the names of their schemas, from at least those that it reads by name of step."""
        result = self.work({name: tables[name] for name in self.reads}, progress)
        return result if isinstance(result, dict) else {self.schema.name: result}


OnStep = Callable[[Step, pa.Table], None]
"""Called after each step with its table."""


def run_steps(
    steps: Iterable[Step],
    tables: Mapping[str, pa.Table] | None = None,
    on_step: OnStep = lambda step, table: None,
) -> Tables:
    """Run steps in their order, and return their tables by name.

    ``tables``: those that are there before. ``on_step``: a caller that wants times looks at its clock here.
    """
    available, out = dict(tables or {}), {}
    for step in steps:
        out[step.name] = available[step.name] = step.run(available, lambda n: None)[step.schema.name]
        on_step(step, out[step.name])
    return out


class Judging(NamedTuple):
    """Names of the tables of decisions and of candidates' probabilities; empty where nothing is estimated."""

    scope: str = ""
    estimates: str = ""


NOT_JUDGED = Judging()


@dataclass(frozen=True)
class CascadeResult:
    """What a run of the chain gives: the table of each step by name, and what was selected by query."""

    tables: Mapping[str, pa.Table]
    hits: Mapping[str, list[Hit]]
    judging: Judging = NOT_JUDGED

    def by_query(self) -> dict[str, CascadeResult]:
        """The same of each query alone, without the largest table, ``features``: no answer reads it."""
        if len(self.hits) == 1:
            return dict.fromkeys(self.hits, self)
        tables = {name: _by_query(table) for name, table in self.tables.items() if name != "features"}
        return {
            query: CascadeResult(
                {name: parts.get(query, self.tables[name].slice(0, 0)) for name, parts in tables.items()},
                {query: hits},
                self.judging,
            )
            for query, hits in self.hits.items()
        }

    @property
    def scope(self) -> pa.Table | None:
        """What was decided of each question; None where nothing was estimated."""
        return self.tables.get(self.judging.scope)

    @property
    def estimates(self) -> pa.Table | None:
        """The probabilities of the candidates; None where nothing was estimated."""
        return self.tables.get(self.judging.estimates)

    @property
    def queries(self) -> pa.Table:
        """Table ``queries``."""
        return self.tables["query"]

    @property
    def answers(self) -> pa.Table:
        """Table ``answers``."""
        return self.tables["answers"]

    @property
    def runs(self) -> dict[str, pa.Table]:
        """Run of each step that gives one: the channels, ``fused``, ``reranked``, ``selected`` and others."""
        return {name: table for name, table in self.tables.items() if is_run(table)}


def _by_query(table: pa.Table) -> dict[str, pa.Table]:
    """The rows of each query of a table."""
    places = list(groups(table.column("query_id").to_pylist()))
    parts = {query: table.slice(first, after - first) for query, first, after in places}
    if len(parts) < len(places):  # they do not stand together
        return {query: table.filter(pc.equal(table.column("query_id"), query)) for query in parts}
    return parts
