"""A stage run of a study: what names it, and its work over all queries, or one by one where that fails."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.flows.shared.errors import EXPECTED
from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.steps import Progress, Step, run_steps


class Queries:
    """The queries of a study: complaint, and the day whose law applies, by query id."""

    def __init__(self, texts: Mapping[str, str], as_of: Mapping[str, date | None]) -> None:
        self.texts = texts
        self.as_of = as_of


class Counter:
    """Counts finished queries and reports them; in another process, where it is unpickled, to nobody."""

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
    schema
        Of its table.
    artefact
        Its artefact; None where it is missing or is not stored.
    table
        Its table, once it was read or computed.
    lost
        Error by id of each query that failed here.
    failure
        Why there is no table at all.
    cached
        Whether the store had it.
    seconds
        Wall-clock time of the work.
    """

    schema: TableSchema
    artefact: Artefact | None = None
    table: pa.Table | None = None
    lost: dict[str, str] = field(default_factory=dict)
    failure: str = ""
    cached: bool = False
    seconds: float = 0.0

    @property
    def ready(self) -> bool:
        """Whether there is a table."""
        return self.table is not None or self.artefact is not None

    def read(self) -> pa.Table:
        """The table, read from the store once.

        Raises
        ------
        RuntimeError
            If there is none.
        """
        if self.table is None:
            if self.artefact is None:
                raise RuntimeError(f"a table {self.schema.name} is read before it is computed")
            self.table = self.artefact.table(self.schema)
        return self.table


@dataclass
class Node:
    """One stage run, whichever configurations it serves.

    Attributes
    ----------
    step, reads
        The work, and the nodes it reads by the names the step gives them.
    recipe
        Digest of everything behind it, down to the benchmark: nodes of one recipe are one node. Unlike
        ``key`` it is known before anything is computed.
    """

    step: Step
    cascade: Cascade
    reads: dict[str, Node]
    recipe: str
    outcome: Outcome

    @property
    def inputs(self) -> dict[str, Outcome]:
        """Outcomes of the nodes it reads, by the same names."""
        return {name: node.outcome for name, node in self.reads.items()}

    @property
    def key(self) -> Key | None:
        """Its key; None while the content of what it reads is not known."""
        return key_of(self.step, self.inputs)

    def read(self) -> pa.Table:
        """Its table."""
        return self.outcome.read()


def key_of(step: Step, inputs: Mapping[str, Outcome]) -> Key | None:
    """Key of a stage run; None where something that it reads is not in the store."""
    contents = {name: one.artefact.content for name, one in inputs.items() if one.artefact is not None}
    return step.key(contents) if contents.keys() == inputs.keys() else None


def find_outcome(step: Step, key: Key | None, store: Store) -> Outcome | None:
    """What the store has under the key of a stage run; None where it has nothing."""
    artefact = store.find(key) if key is not None else None
    if artefact is None:
        return None
    return Outcome(step.schema, artefact, cached=True, seconds=float(artefact.facts.get("seconds", 0.0)))


def run_stage(
    step: Step,
    cascade: Cascade,
    queries: Queries,
    inputs: Mapping[str, Outcome],
    store: Store,
    progress: Progress = lambda n: None,
) -> Outcome:
    """Take a stage run from the store, or compute it. A failure is part of the outcome and is not raised.

    Parameters
    ----------
    cascade
        That the step belongs to: where the step fails, it is run on each query by itself.
    inputs
        Outcomes by name of what the step reads.
    progress
        Called with numbers of queries done.

    Raises
    ------
    StoreError
        If the result cannot be written.
    """
    for name, one in inputs.items():
        if one.failure:
            return Outcome(step.schema, failure=f"{name}: {one.failure}")
    key = key_of(step, inputs)
    stored = find_outcome(step, key, store)  # its inputs may not have been known when the plan was made
    if stored is not None:
        return stored
    begun = time.perf_counter()
    tables = {name: one.read() for name, one in inputs.items()}
    try:
        outcome = Outcome(step.schema, table=run_steps([step], tables, progress)[step.name])
    except EXPECTED as error:
        return Outcome(step.schema, failure=str(error))
    except Exception as error:  # a query that breaks a stage must not take the others with it
        outcome = _one_by_one(step, cascade, queries, tables, error)
    outcome.seconds = round(time.perf_counter() - begun, 4)
    if key is not None and not outcome.failure and not outcome.lost and not _unanswered(step, outcome):

        def write(folder: Path) -> None:
            write_table(folder / step.schema.file, outcome.read(), step.schema)

        outcome.artefact = store.commit(key, write, {"seconds": outcome.seconds})
    return outcome


def _unanswered(step: Step, outcome: Outcome) -> bool:
    """Whether a model left queries without an answer: they are asked again in the next run."""
    return step.name == "answers" and any(outcome.read().column("error").to_pylist())


def _one_by_one(
    step: Step, cascade: Cascade, queries: Queries, tables: Mapping[str, pa.Table], error: Exception
) -> Outcome:
    """A stage over each query by itself, to find which of them break it."""
    outcome, parts = Outcome(step.schema), []
    for query, text in queries.texts.items():
        rows = {n: t.filter(pc.equal(t.column("query_id"), query)) for n, t in tables.items()}
        steps = cascade.steps({query: text}, {query: queries.as_of[query]})
        alone = next(s for s in steps if s.name == step.name)
        try:
            parts.append(run_steps([alone], rows)[step.name])
        except EXPECTED as refusal:
            return Outcome(step.schema, failure=str(refusal))
        except Exception as broken:
            outcome.lost[query] = f"{type(broken).__name__}: {broken}"
    if parts:
        outcome.table = pa.concat_tables(parts)
    else:
        outcome.failure = f"{type(error).__name__}: {error}"
    return outcome
