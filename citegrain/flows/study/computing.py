"""What the stage runs of a study compute: a step over all queries, or one by one where that fails; scores."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.flows.study.nodes import Outcome
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.runs import is_run
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.evaluation import score as score_stage
from citegrain.tasks.evaluation.score import GoldQuery
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.rerank import make_scorer
from citegrain.tasks.online.steps import Progress, Step, run_steps

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
