"""The steps of a study in their graph: how each is run over all queries, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.flows.index.run import build_for
from citegrain.flows.shared.asking import open_build
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import Progress as Reporting
from citegrain.flows.shared.progress import StepTimes
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.endpoint import Endpoint, metered
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.runs import is_run
from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables, digest
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.evaluation import score as score_stage
from citegrain.tasks.evaluation.benchmark import Benchmark, resolve
from citegrain.tasks.evaluation.score import GoldQuery, make_gold, place_spans
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.rerank import make_scorer
from citegrain.tasks.online.steps import Progress, Step, run_steps

SCORE = "score"
"""Name of the step that scores a configuration."""


@dataclass
class StageResult:
    """What came of a stage run.

    Attributes
    ----------
    tables
        Its tables by name, as far as they were read or computed.
    facts
        ``seconds`` of wall-clock time, ``tokens_in`` and ``tokens_out`` of a language model; of scores also
        ``single_ms``, milliseconds of single queries. ``errors``: why prompts got no reply, where the table
        does not say so.
    lost
        Error by id of each query that failed here; ``failure``: why there are no tables at all.
    retry_next_run
        Whether it is not to be stored: the next run may do better.
    """

    stage: Stage
    artefact: Artefact | None = None
    tables: Tables = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    failure: str = ""
    cached: bool = False
    retry_next_run: bool = False

    @property
    def ready(self) -> bool:
        """Whether there are tables."""
        return bool(self.tables) or self.artefact is not None

    @property
    def unanswered(self) -> list[str]:
        """Errors of what a model gave no reply to; the step went on without."""
        if not self.retry_next_run:
            return []
        table = self.read()
        said = table.column("error").to_pylist() if "error" in table.column_names else []
        return [error for error in said if error] or list(self.facts.get("errors", []))

    @property
    def portable(self) -> StageResult:
        """The same for another process, which reads from the store what is there."""
        return replace(self, tables={}) if self.artefact else self

    def read(self, schema: TableSchema | None = None) -> pa.Table:
        """One of its tables, by default the first of its stage. Raises RuntimeError if there is none."""
        schema = schema or self.stage.outputs[0]
        if schema.name not in self.tables:
            if self.artefact is None:
                raise RuntimeError(f"a table {schema.name} is read before it is computed")
            self.tables[schema.name] = self.artefact.table(schema)
        return self.tables[schema.name]


def scores(
    build: PublishedBuild, gold: list[GoldQuery], theirs: Sequence[str], tables: Tables, progress: Progress
) -> Tables:
    """The work of that step: tables ``scores`` and ``funnel`` of a configuration."""
    runs = {name: table for name, table in tables.items() if is_run(table)}
    return score_stage.score(build, gold, runs, tables["answers"], theirs)


@dataclass(frozen=True)
class Node:
    """A step in the graph of a study, whichever configurations it serves.

    It can be pickled, and another process gets the same tables from it.

    Attributes
    ----------
    reads
        Recipes of the nodes it reads, by the names of their steps.
    recipe
        Digest of everything behind it, down to the benchmark: nodes of one recipe are one node. Unlike
        the key of its artefact it is known before anything is computed.
    cascade
        That the step belongs to: where the step fails, it is run on each query by itself.
    texts, as_of
        Complaint, and day whose law applies, by query id.
    timed
        Number of single queries that are timed with it.
    """

    step: Step
    reads: Mapping[str, str]
    recipe: str
    cascade: Cascade
    texts: Mapping[str, str]
    as_of: Mapping[str, date | None]
    timed: int = 0

    def inputs(self, results: Mapping[str, StageResult]) -> dict[str, StageResult]:
        """What it reads, by name of step, from results by recipe; what is missing is left out."""
        return {name: results[recipe] for name, recipe in self.reads.items() if recipe in results}

    def key(self, inputs: Mapping[str, StageResult]) -> Key | None:
        """The key of its artefact; None where something that it reads is not in the store."""
        contents = {name: one.artefact.content for name, one in inputs.items() if one.artefact}
        return self.step.key(contents) if contents.keys() == self.reads.keys() else None

    def find(self, inputs: Mapping[str, StageResult], store: Store) -> StageResult | None:
        """What the store has; None where it has nothing."""
        key = self.key(inputs)
        artefact = store.find(key) if key is not None else None
        if artefact is None:
            return None
        return StageResult(self.step.stage, artefact, facts=dict(artefact.facts), cached=True)

    def run(
        self, inputs: Mapping[str, StageResult], store: Store, progress: Progress = lambda n: None
    ) -> StageResult:
        """Take the result from the store, or compute it; a failure is part of it. Raises StoreError."""
        for name, one in inputs.items():
            if one.failure:
                return StageResult(self.step.stage, failure=f"{name}: {one.failure}")
        stored = self.find(inputs, store)  # what it reads may not have been known when the plan was made
        if stored is not None:
            return stored
        begun = time.perf_counter()
        with metered() as usage:
            result = self._compute({name: one.read() for name, one in inputs.items()}, progress)
        if usage.tokens_in or usage.tokens_out:
            result.facts |= {name: value for name, value in vars(usage).items() if name != "errors"}
        if usage.errors and "error" not in self.step.schema.arrow.names:
            # nothing in the table says so: it would pass for one that the model had a part in
            result.facts["errors"], result.retry_next_run = usage.errors, True
        if self.step.name == SCORE and result.tables and self.timed:
            alone = time_queries(self.cascade, self.texts, self.as_of, self.timed, self.cascade.endpoint)
            result.facts["single_ms"] = [round(1000 * sum(seconds.values()), 2) for seconds in alone]
        result.facts["seconds"] = round(time.perf_counter() - begun, 4)
        key = self.key(inputs)
        if key is not None and result.tables and not result.retry_next_run:
            result.artefact = store.keep(self.step.stage, key, result.tables, result.facts)
        return result

    def _compute(self, tables: Tables, progress: Progress) -> StageResult:
        try:
            return self._result(self.step.run(tables, progress), {})
        except Expected as error:
            return StageResult(self.step.stage, failure=str(error))
        except Exception as error:  # a query that breaks a stage must not take the others with it
            return self._one_by_one(tables, error)

    def _result(self, tables: Tables, lost: dict[str, str]) -> StageResult:
        unanswered = self.step.unanswered
        again = bool(lost) or (unanswered is not None and unanswered(tables[self.step.schema.name]))
        return StageResult(self.step.stage, tables=tables, lost=lost, retry_next_run=again)

    def _one_by_one(self, tables: Tables, error: Exception) -> StageResult:
        """The step over each query by itself, to find which of them break it; scores fail as one."""
        parts: list[pa.Table] = []
        lost: dict[str, str] = {}
        for query, text in self.texts.items() if self.step.name != SCORE else ():
            rows = {n: t.filter(pc.equal(t.column("query_id"), query)) for n, t in tables.items()}
            steps = self.cascade.steps({query: text}, {query: self.as_of[query]})
            alone = next(s for s in steps if s.name == self.step.name)
            try:
                parts.append(alone.run(rows, lambda n: None)[alone.schema.name])
            except Expected as refusal:
                return StageResult(self.step.stage, failure=str(refusal))
            except Exception as broken:
                lost[query] = f"{type(broken).__name__}: {broken}"
        if not parts:
            return StageResult(self.step.stage, lost=lost, failure=f"{type(error).__name__}: {error}")
        return self._result({self.step.schema.name: pa.concat_tables(parts)}, lost)


def time_queries(
    cascade: Cascade,
    texts: Mapping[str, str],
    as_of: Mapping[str, date | None],
    n: int,
    endpoint: Endpoint | None = None,
) -> list[dict[str, float]]:
    """Seconds of each step, of ``n`` queries that are asked one by one without what is stored.

    One query more is asked first and not counted: it loads the models. A query that fails is left out.
    """
    alone = Cascade(cascade.build, cascade.config, endpoint=endpoint)
    if scorer := make_scorer(alone.build, alone.config.rerank):
        scorer.forget()
    measured = []
    for query, text in list(texts.items())[: n + 1]:
        times = StepTimes(alone)
        try:
            run_steps(alone.steps({query: text}, {query: as_of[query]}), on_step=times)
        except Exception:  # whoever runs the query in earnest reports it
            continue
        measured.append(times.seconds)
    return measured[1:]


WAITING = "its build does not exist yet"
"""Why a configuration has no chain where builds must not be made."""


def recipe_of(settings: Settings) -> str:
    """Digest of what a configuration's build is made from."""
    return digest([asdict(settings.corpus), [asdict(stage) for stage in settings.offline]])


def plan_line(ready: int, waiting: Sequence[Settings], queries: int, runs: int, missing: int) -> str:
    """What a study will do: its configurations, its stage runs, and how many of these are there.

    ``waiting``: settings of those whose builds are missing: of their stage runs nothing is known yet.
    """
    n = ready + len(waiting)
    configurations = f"{n} configuration{'s' if n != 1 else ''} x {queries} queries"
    to_make = f", {missing} to make" if missing else ""
    line = f"{configurations}, {runs} stage runs, {runs - missing} already present{to_make}"
    if not waiting:
        return line
    builds = len(set(map(recipe_of, waiting)))
    are = f"{builds} build{'s are' if builds != 1 else ' is'} to be made first"
    whose = f"{len(waiting)} configuration{'s have' if len(waiting) != 1 else ' has'}"
    return f"{line}; {are}, whose {whose} stage runs that are not counted"


@dataclass(frozen=True)
class Corpus:
    """A build, and the labels of a benchmark resolved to its provisions."""

    build: Build
    gold: list[GoldQuery]
    warnings: Sequence[str]


@dataclass
class Corpora:
    """The builds of a study; with ``exact`` made by the offline settings, whatever was published."""

    benchmark: Benchmark
    as_of: Mapping[str, date | None]
    progress: Reporting
    make: bool
    exact: bool
    _folders: dict[str, Path | None] = field(default_factory=dict)
    # a build is opened with the user's table of counterparts, which is not part of its folder
    _opened: dict[tuple[Path, str], Corpus] = field(default_factory=dict)

    @property
    def opened(self) -> list[Corpus]:
        """The builds opened so far, in this order."""
        return list(self._opened.values())

    def corpus_for(self, settings: Settings) -> Corpus | None:
        """The build of a configuration; None where it is missing and must not be made. Raises Expected."""
        recipe = recipe_of(settings)
        if recipe not in self._folders:
            self._folders[recipe] = build_for(settings, self.progress, self.make, self.exact)
        folder = self._folders[recipe]
        if folder is None:
            return None
        key = folder, settings.corpus.counterparts
        if key not in self._opened:
            self._opened[key] = open_corpus(open_build(folder, settings), self.benchmark, self.as_of)
        return self._opened[key]


def open_corpus(build: Build, benchmark: Benchmark, as_of: Mapping[str, date | None]) -> Corpus:
    """A build with the labels of a benchmark resolved to its provisions."""
    resolution = resolve(benchmark, build.labelled, {act_id for act_id, _, _ in build.names()})
    spans, missing = place_spans(benchmark, build)
    gold = make_gold(benchmark, resolution.provisions, build, as_of, spans)
    return Corpus(build, gold, [*resolution.warnings, *missing])
