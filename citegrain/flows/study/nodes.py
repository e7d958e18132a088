"""A stage run of a study: what names it, and its work over all queries, or one by one where that fails."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.flows.shared.errors import TELLING
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.steps import Progress, Step, run_steps


@dataclass(frozen=True)
class Asked:
    """The queries of a study: complaint, and the day whose law applies, by query id."""

    texts: Mapping[str, str]
    as_of: Mapping[str, date | None]


@dataclass
class Node:
    """One stage run, whichever configurations it serves.

    Attributes
    ----------
    step, reads
        The work, and the nodes it reads by the names the step gives them.
    recipe
        What makes it, down to the benchmark: nodes of one recipe are one node. Unlike ``key`` it is
        known before anything is made.
    artefact
        Its artefact; None while it is not made, or where it is not kept.
    table
        Its table, once it is read or made.
    lost
        Why, by id, of the queries that failed here.
    failure
        Why it could not be made at all.
    cached
        Whether the store had it.
    seconds
        Wall-clock time of its making.
    """

    step: Step
    cascade: Cascade
    reads: dict[str, Node]
    recipe: str
    artefact: Artefact | None = None
    table: pa.Table | None = None
    lost: dict[str, str] = field(default_factory=dict)
    failure: str = ""
    cached: bool = False
    seconds: float = 0.0

    @property
    def ready(self) -> bool:
        """Whether its table can be had."""
        return self.table is not None or self.artefact is not None

    @property
    def key(self) -> Key | None:
        """Its key; None while the content of what it reads is not known."""
        contents: dict[str, str] = {}
        for name, node in self.reads.items():
            if node.artefact is None:
                return None
            contents[name] = node.artefact.content
        return self.step.key(contents)

    def read(self) -> pa.Table:
        """Its table."""
        if self.table is None:
            if self.artefact is None:
                raise RuntimeError(f"{self.step.name} is not made")
            self.table = self.artefact.table(self.step.schema)
        return self.table


def make_node(node: Node, asked: Asked, store: Store, progress: Progress = lambda n: None) -> None:
    """Make one stage run; what fails is noted on the node and stops no other.

    Parameters
    ----------
    progress
        Called with numbers of queries done.

    Raises
    ------
    StoreError
        If what was made cannot be written.
    """
    failed = [f"{n.step.name}: {n.failure}" for n in node.reads.values() if n.failure]
    if failed:
        node.failure = failed[0]
        return
    key = node.key
    if key is not None and (found := store.find(key)) is not None:
        node.artefact, node.cached = found, True  # what it reads was not known when the plan was made
        return
    begun = time.perf_counter()
    tables = {name: other.read() for name, other in node.reads.items()}
    try:
        node.table = run_steps([node.step], tables, progress)[node.step.name]
    except TELLING as error:
        node.failure = str(error)
        return
    except Exception as error:  # a query that breaks a stage must not take the others with it
        _make_one_by_one(node, asked, tables, error)
        if node.failure:
            return
    node.seconds = time.perf_counter() - begun
    if key is not None and not node.lost and not _unanswered(node):
        schema, table = node.step.schema, node.table

        def write(folder: Path) -> None:
            write_table(folder / schema.file, table, schema)

        node.artefact = store.commit(key, write, {"seconds": round(node.seconds, 4)})


def _unanswered(node: Node) -> bool:
    """Whether a model left queries without an answer: they are asked again in the next run."""
    return node.step.name == "answers" and any(node.read().column("error").to_pylist())


def _make_one_by_one(node: Node, asked: Asked, tables: Mapping[str, pa.Table], error: Exception) -> None:
    """A stage over each query by itself, to find which of them break it."""
    parts = []
    for query, text in asked.texts.items():
        own = {n: t.filter(pc.equal(t.column("query_id"), query)) for n, t in tables.items()}
        steps = node.cascade.steps({query: text}, {query: asked.as_of[query]})
        step = next(s for s in steps if s.name == node.step.name)
        try:
            parts.append(run_steps([step], own)[step.name])
        except TELLING as told:
            node.failure = str(told)
            return
        except Exception as broken:
            node.lost[query] = f"{type(broken).__name__}: {broken}"
    if len(node.lost) == len(asked.texts):
        node.failure = f"{type(error).__name__}: {error}"
    else:
        node.table = pa.concat_tables(parts)
