"""The stage runs of a study: what names one, what it computes over all queries, and what became of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.runs import is_run
from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.evaluation import score as score_stage
from citegrain.tasks.evaluation.score import GoldQuery
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.rerank import make_scorer
from citegrain.tasks.online.steps import Progress, Step, run_steps


class Counter:
    """Counts finished queries and reports them; unpickled in another process, it reports to nobody."""

    def __init__(self, report: Progress = lambda n: None) -> None:
        self.count = 0
        self._report = report

    def __call__(self, queries: int) -> None:
        self.count += queries
        self._report(queries)

    def __reduce__(self) -> tuple[type[Counter], tuple[()]]:
        return Counter, ()


@dataclass
class Outcome:
    """What became of a stage run; at first nothing.

    Attributes
    ----------
    artefact
        Its artefact; None where it is missing or is not stored.
    tables
        Its tables by name, once they were read or computed.
    facts
        ``seconds`` of wall-clock time; of scores also ``single_ms``, milliseconds of single queries.
    lost
        Error by id of each query that failed here.
    failure
        Why there are no tables at all.
    cached
        Whether the store had it.
    passing
        Whether it is not to be stored: the next run may do better.
    """

    stage: Stage
    artefact: Artefact | None = None
    tables: Tables = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    failure: str = ""
    cached: bool = False
    passing: bool = False

    @property
    def ready(self) -> bool:
        """Whether there are tables."""
        return bool(self.tables) or self.artefact is not None

    @property
    def seconds(self) -> float:
        """Wall-clock time of the work."""
        return float(self.facts.get("seconds", 0.0))

    @property
    def lean(self) -> Outcome:
        """The same for another process, which reads from the store what is there."""
        return replace(self, tables={}) if self.artefact else self

    def read(self, schema: TableSchema | None = None) -> pa.Table:
        """One of its tables, by default the first of its stage, read from the store once.

        Raises
        ------
        RuntimeError
            If there is none.
        """
        schema = schema or self.stage.outputs[0]
        if schema.name not in self.tables:
            if self.artefact is None:
                raise RuntimeError(f"a table {schema.name} is read before it is computed")
            self.tables[schema.name] = self.artefact.table(schema)
        return self.tables[schema.name]


@dataclass(frozen=True)
class Work:
    """The work of a stage run. It can be pickled, and another process gets the same tables from it.

    Attributes
    ----------
    name
        Of the step, or ``score``.
    params
        The parameters that are read.
    sources
        Digests of whatever else shapes the result.
    compute
        From tables by name to an outcome.
    """

    name: str
    stage: Stage
    params: Mapping[str, Any]
    sources: Mapping[str, Any]
    compute: Callable[[Tables, Progress], Outcome]

    def key(self, inputs: Mapping[str, Outcome]) -> Key | None:
        """The key; None where something that it reads is not in the store."""
        contents = {name: one.artefact.content for name, one in inputs.items() if one.artefact}
        whole = contents.keys() == inputs.keys()
        return self.stage.key(self.params, contents | dict(self.sources)) if whole else None

    def find(self, inputs: Mapping[str, Outcome], store: Store) -> Outcome | None:
        """What the store has; None where it has nothing."""
        key = self.key(inputs)
        artefact = store.find(key) if key is not None else None
        if artefact is None:
            return None
        return Outcome(self.stage, artefact, facts=dict(artefact.facts), cached=True)

    def run(self, inputs: Mapping[str, Outcome], store: Store, progress: Progress) -> Outcome:
        """Take the result from the store, or compute it. A failure is part of the outcome, and not raised.

        Parameters
        ----------
        inputs
            Outcomes by name of what it reads.
        progress
            Called with numbers of queries done.

        Raises
        ------
        StoreError
            If the result cannot be written.
        """
        for name, one in inputs.items():
            if one.failure:
                return Outcome(self.stage, failure=f"{name}: {one.failure}")
        stored = self.find(inputs, store)  # what it reads may not have been known when the plan was made
        if stored is not None:
            return stored
        begun = time.perf_counter()
        outcome = self.compute({name: one.read() for name, one in inputs.items()}, progress)
        outcome.facts["seconds"] = round(time.perf_counter() - begun, 4)
        key = self.key(inputs)
        if key is not None and outcome.tables and not outcome.passing:
            outcome.artefact = store.keep(self.stage, key, outcome.tables, outcome.facts)
        return outcome


@dataclass
class Node:
    """One stage run in the graph of a study, whichever configurations it serves.

    Attributes
    ----------
    reads
        The nodes it reads, by the names the work gives them.
    recipe
        Digest of everything behind it, down to the benchmark: nodes of one recipe are one node. Unlike
        the key of its artefact it is known before anything is computed.
    """

    work: Work
    reads: dict[str, Node]
    recipe: str
    outcome: Outcome

    @property
    def inputs(self) -> dict[str, Outcome]:
        """Outcomes of the nodes it reads, by the same names."""
        return {name: node.outcome for name, node in self.reads.items()}

    def read(self) -> pa.Table:
        """The first table of its stage."""
        return self.outcome.read()


Texts = Mapping[str, str]
"""Complaint by query id."""
Days = Mapping[str, date | None]
"""Day whose law applies, by query id."""


def compute_step(
    step: Step, cascade: Cascade, texts: Texts, as_of: Days, tables: Tables, progress: Progress
) -> Outcome:
    """A step over all queries. What fails is part of the outcome, and not raised.

    Parameters
    ----------
    cascade
        That the step belongs to: where the step fails, it is run on each query by itself.
    """
    try:
        table = run_steps([step], tables, progress)[step.name]
    except Expected as error:
        return Outcome(step.stage, failure=str(error))
    except Exception as error:  # a query that breaks a stage must not take the others with it
        return _one_by_one(step, cascade, texts, as_of, tables, error)
    return _outcome(step, table, {})


def _outcome(step: Step, table: pa.Table, lost: dict[str, str]) -> Outcome:
    # queries that a model left without an answer are asked again in the next run
    unanswered = step.name in ("answers", "rewritten") and any(table.column("error").to_pylist())
    unanswered |= step.name == "route" and 0 in table.column("probability").to_pylist()
    return Outcome(step.stage, tables={step.schema.name: table}, lost=lost, passing=bool(lost) or unanswered)


def _one_by_one(
    step: Step, cascade: Cascade, texts: Texts, as_of: Days, tables: Tables, error: Exception
) -> Outcome:
    """A step over each query by itself, to find which of them break it."""
    parts, lost = [], {}
    for query, text in texts.items():
        rows = {n: t.filter(pc.equal(t.column("query_id"), query)) for n, t in tables.items()}
        steps = cascade.steps({query: text}, {query: as_of[query]})
        alone = next(s for s in steps if s.name == step.name)
        try:
            parts.append(run_steps([alone], rows)[step.name])
        except Expected as refusal:
            return Outcome(step.stage, failure=str(refusal))
        except Exception as broken:
            lost[query] = f"{type(broken).__name__}: {broken}"
    if not parts:
        return Outcome(step.stage, lost=lost, failure=f"{type(error).__name__}: {error}")
    return _outcome(step, pa.concat_tables(parts), lost)


def compute_scores(
    cascade: Cascade,
    texts: Texts,
    as_of: Days,
    gold: list[GoldQuery],
    timed: int,
    tables: Tables,
    progress: Progress,
) -> Outcome:
    """Scores of a configuration from its runs and ``answers``, and the times of single queries.

    Parameters
    ----------
    timed
        Number of queries to time.
    """
    runs = {name: table for name, table in tables.items() if is_run(table)}
    scored = score_stage.score(cascade.build, gold, runs, tables["answers"])
    singles = _single_queries(cascade, texts, as_of, timed) if timed else []
    return Outcome(score_stage.STAGE, tables=scored, facts={"single_ms": singles})


def _single_queries(cascade: Cascade, texts: Texts, as_of: Days, timed: int) -> list[float]:
    """Milliseconds of each of some queries asked by itself, without what is stored."""
    alone = Cascade(cascade.build, cascade.config)
    if scorer := make_scorer(alone.build, alone.config.rerank):
        scorer.forget()
    times = []
    for query, text in list(texts.items())[: timed + 1]:
        begun = time.perf_counter()
        try:
            alone.run({query: text}, as_of[query])
        except Exception:  # the scores report it
            continue
        times.append(round(1000 * (time.perf_counter() - begun), 2))
    return times[1:]  # the first loads models
