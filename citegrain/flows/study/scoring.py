"""The scores of one configuration, from its runs and answers, with the times of single queries."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.flows.study.nodes import Outcome, Queries
from citegrain.tasks.core.schemas import FUNNEL, RUNS, SCORES
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation import score as score_stage
from citegrain.tasks.evaluation.score import GoldQuery
from citegrain.tasks.online.cascade import Cascade


@dataclass(frozen=True)
class Scored:
    """Scores of a configuration.

    Attributes
    ----------
    scores, funnel
        Its tables.
    facts
        ``single_ms``: milliseconds of each query that was asked by itself.
    cached
        Whether the store had them.
    """

    scores: pa.Table
    funnel: pa.Table
    facts: Mapping[str, Any] = field(default_factory=dict)
    cached: bool = False


def find_scores(key: Key | None, store: Store) -> Scored | None:
    """The scores that the store has under a key; None where it has none."""
    artefact = store.find(key) if key is not None else None
    return _stored(artefact, cached=True) if artefact is not None else None


def run_scoring(
    cascade: Cascade,
    queries: Queries,
    gold: list[GoldQuery],
    inputs: Mapping[str, Outcome],
    key: Key | None,
    store: Store,
    timed: int,
) -> Scored:
    """Take the scores of a configuration from the store, or compute them and time it on single queries.

    Parameters
    ----------
    inputs
        Outcomes of its runs and of ``answers``, by name.
    key
        Of the scores; None where they are not to be stored.
    timed
        Number of queries to time.

    Raises
    ------
    StoreError
        If the scores cannot be written.
    """
    stored = find_scores(key, store)  # its inputs may not have been known when the plan was made
    if stored is not None:
        return stored
    runs = {name: one.read() for name, one in inputs.items() if one.schema.name == RUNS.name}
    tables = score_stage.score(cascade.build, gold, runs, inputs["answers"].read())
    facts = {"single_ms": _single_queries(cascade, queries, timed) if timed else []}
    if key is None:
        return Scored(tables[SCORES.name], tables[FUNNEL.name], facts)

    def write(folder: Path) -> None:
        for schema in score_stage.STAGE.outputs:
            write_table(folder / schema.file, tables[schema.name], schema)

    return _stored(store.commit(key, write, facts), cached=False)


def _stored(artefact: Artefact, cached: bool) -> Scored:
    return Scored(artefact.table(SCORES), artefact.table(FUNNEL), dict(artefact.facts), cached)


def _single_queries(cascade: Cascade, queries: Queries, timed: int) -> list[float]:
    """Milliseconds of each of some queries asked by itself, without what is stored."""
    alone = Cascade(cascade.build, cascade.config)
    if alone.scorer:
        alone.scorer.forget()
    times = []
    for query, text in list(queries.texts.items())[: timed + 1]:
        begun = time.perf_counter()
        try:
            alone.run({query: text}, queries.as_of[query])
        except Exception:  # the scores report it
            continue
        times.append(round(1000 * (time.perf_counter() - begun), 2))
    return times[1:]  # the first loads models
