"""A study: configurations measured on one benchmark, by one plan that shares what they share.

Every stage run of every configuration is a node of one graph, named by its recipe. Configurations that read
the same share the node, and it is computed once. A study is a value: planning and computing return it anew.
``study.run`` draws the graph as a Prefect flow. This module knows no Prefect, so that a study that is
complete starts none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cached_property, partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.flows.shared.answering import today
from citegrain.flows.shared.asking import online_endpoint
from citegrain.flows.shared.choices import StudyConfig
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study.nodes import (
    SCORE,
    WAITING,
    Corpora,
    Node,
    StageResult,
    open_corpus,
    plan_line,
    scores,
)
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.plugins import Plugins
from citegrain.tasks.core.schemas import FUNNEL, RUNS, SCORES, TableSchema
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import Store
from citegrain.tasks.evaluation import score as score_stage
from citegrain.tasks.evaluation.benchmark import Benchmark, open_benchmark
from citegrain.tasks.evaluation.score import GoldQuery, own_metrics
from citegrain.tasks.law.asof import find_incident
from citegrain.tasks.law.counterparts import changes_of
from citegrain.tasks.offline.corpus import REGISTRY, load_registry
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.steps import Step

_SINGLE = {"single_p50": 0.5, "single_p95": 0.95, "single_max": 1.0}  # rows of whole queries


class StudyError(RuntimeError, Expected):
    """A study cannot begin; the message says why."""


@dataclass(frozen=True)
class Member:
    """One configuration of a study.

    ``overrides``: how it differs from the plain configuration. ``nodes``: its chain, by name of step.
    ``score``: its scores, which are computed from the chain. ``query_ms``: of a cell, milliseconds a query as
    the sum of its steps, each timed once for all cells.
    """

    name: str
    overrides: list[str]
    settings: Settings
    cascade: Cascade | None = None
    gold: list[GoldQuery] = field(default_factory=list)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    score: Node | None = None
    refusal: str = ""
    query_ms: float | None = None
    results: Mapping[str, StageResult] = field(default_factory=dict)

    @property
    def scored(self) -> StageResult | None:
        """What came of scoring; None before it is computed."""
        return self.results.get(self.score.recipe) if self.score else None

    @property
    def failure(self) -> str:
        """Why it has no scores; empty while nothing failed."""
        return self.refusal or (self.scored.failure if self.scored else "")

    @property
    def scores(self) -> pa.Table | None:
        """Table ``scores``; None while it is missing."""
        return self._scored(SCORES)

    @property
    def funnel(self) -> pa.Table | None:
        """Table ``funnel``; None while it is missing."""
        return self._scored(FUNNEL)

    def _scored(self, schema: TableSchema) -> pa.Table | None:
        return self.scored.read(schema) if self.scored and self.scored.ready else None

    @property
    def lost(self) -> dict[str, str]:
        """Step and error of the queries that failed on the way, by id."""
        return {
            query: f"{name}: {error}"
            for name, node in self.nodes.items()
            if node.recipe in self.results
            for query, error in self.results[node.recipe].lost.items()
        }

    @property
    def went_without(self) -> list[str]:
        """What of its chain went on without replies of a model, a line a step."""
        return [
            f"{self.name}: {step} went on without {len(errors)} replies of the model: {errors[0]}"
            for step, errors in self.unanswered.items()
        ]

    @property
    def unanswered(self) -> dict[str, list[str]]:
        """Errors of what a model gave no reply to, by step; the step went on without."""
        results = {name: self.results.get(node.recipe) for name, node in self.nodes.items()}
        return {name: errors for name, one in results.items() if one and (errors := one.unanswered)}

    def read(self, step: str) -> pa.Table:
        """Table of a step of its chain."""
        return self.results[self.nodes[step].recipe].read()

    def runs(self) -> dict[str, pa.Table]:
        """Its runs by step."""
        return {name: self.read(name) for name, node in self.nodes.items() if node.step.schema is RUNS}

    def costs(self) -> list[dict[str, Any]]:
        """Rows of ``timings`` but for their configuration."""
        n, endpoint = max(1, len(self.gold)), self.cascade.endpoint if self.cascade else None
        rows, quantiles = [], self._quantiles()
        # who asks a model is not timed
        for step, ms in (dict.fromkeys(quantiles, math.nan) | self.timings()).items():
            row: dict[str, Any] = {"step": step, "ms": ms} | quantiles.get(step, {})
            if step in self.nodes:
                facts = self.results[self.nodes[step].recipe].facts
                used = [facts.get(name, 0) / n for name in ("tokens_in", "tokens_out")]
                by_model = used[0] - facts.get("scored_tokens", 0) / n
                cost = endpoint.price(by_model, used[1]) if endpoint else 0.0
                row |= {"tokens_in": used[0], "tokens_out": used[1], "cost": cost + facts.get("cost", 0) / n}
            rows.append(row)
        return rows

    def _quantiles(self) -> dict[str, dict[str, float]]:
        """Quantiles over the queries of what a language model took, by the rows of whole queries."""
        spent = dict.fromkeys((query.query_id for query in self.gold), np.zeros(2))
        for node in self.nodes.values():
            for query, used in self.results[node.recipe].facts.get("questions", {}).items():
                spent[query] = spent.get(query, 0) + np.array(used, dtype=float)
        each = np.array(list(spent.values())).reshape(-1, 2)
        if self.cascade is None or self.cascade.endpoint is None or not each.any():
            return {}
        prices = [self.cascade.endpoint.price(*used) for used in each]
        return {
            step: {
                "tokens_in": float(np.quantile(each[:, 0], share)),
                "tokens_out": float(np.quantile(each[:, 1], share)),
                "cost": float(np.quantile(prices, share)),
            }
            for step, share in _SINGLE.items()
        }

    def timings(self) -> dict[str, float]:
        """Milliseconds a query: of each step in the batch that made it, and of single queries."""
        n = max(1, len(self.gold))
        facts = {name: self.results[node.recipe].facts for name, node in self.nodes.items()}
        out = {name: 1000 * float(noted.get("seconds", 0.0)) / n for name, noted in facts.items()}
        if self.query_ms is not None:
            return out | {"single_p50": self.query_ms}
        single = self.scored.facts.get("single_ms") if self.scored else None
        if single:
            out |= dict(zip(_SINGLE, np.quantile(single, [*_SINGLE.values()]).tolist(), strict=True))
        return out


@dataclass(frozen=True)
class Study:
    """Configurations, benchmark, graph, and what was computed of it.

    ``day``: whose law applies to a complaint that has no date of its own. ``nodes``: the graph, by recipe,
    each node after those it reads. ``results``: what came of them, by recipe; of a node that is still to be
    computed nothing. ``warnings``: what the benchmark cites and a build lacks.
    """

    name: str
    settings: Settings
    benchmark: Benchmark
    day: date
    members: Sequence[Member] = ()
    baseline: str = ""
    metrics: Sequence[str] = ()
    design: StudyConfig | None = None
    nodes: Mapping[str, Node] = field(default_factory=dict)
    results: Mapping[str, StageResult] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    line: str = ""
    lost_workers: Sequence[str] = ()
    started_flow: bool = False

    @cached_property
    def texts(self) -> dict[str, str]:
        """Complaint by query id."""
        return {r.id: r.text for r in self.benchmark.records}

    @cached_property
    def as_of(self) -> dict[str, date | None]:
        """Day whose law applies, by query id, as ``benchmark.days`` has it."""
        days = self.settings.benchmark.days
        if days == "given":
            return {r.id: r.incident_date or self.day for r in self.benchmark.records}
        changes = changes_of(map(asdict, load_registry(located(f"data:{REGISTRY}")).acts.values()))
        read = {r.id: find_incident(r.text, self.day, changes).day for r in self.benchmark.records}
        return {query: day if day and days == "text" else self.day for query, day in read.items()}

    @cached_property
    def own_metrics(self) -> dict[str, tuple[str, str]]:
        """Kind and meaning of the metrics of somebody's own that it names, by import path."""
        bench, declared = self.settings.bench, self.design or self.settings.sweep
        return own_metrics((*bench.metrics, *bench.breakdown, *declared.metrics))

    @property
    def folder(self) -> Path:
        """Where it is written."""
        return self.settings.reports_folder / self.name

    @property
    def store(self) -> Store:
        """Where its stage runs are stored."""
        return Store(self.settings.store_folder)

    @property
    def living(self) -> list[Member]:
        """Configurations that have not failed."""
        return [m for m in self.members if not m.failure]

    @property
    def missing(self) -> list[Node]:
        """Stage runs that have still to be computed, in the order of the stages."""
        return [node for recipe, node in self.nodes.items() if recipe not in self.results]

    @property
    def complete(self) -> bool:
        """Whether every configuration has its scores."""
        return all(m.scores is not None for m in self.living)

    @property
    def computed(self) -> dict[str, int]:
        """Number of stage runs that were computed and not cached, by stage."""
        results = [r for r in self.results.values() if r.ready and not r.cached]
        return dict(Counter(result.stage.name for result in results))

    def steps(self) -> list[str]:
        """Names of the steps of all configurations and ``score``, each after whatever is read for it."""
        reads: dict[str, dict[str, None]] = {}  # ordered sets: the order of the chains stays
        for node in self.nodes.values():
            reads.setdefault(node.step.name, {}).update(dict.fromkeys(node.reads))
        return list(TopologicalSorter(reads).static_order())

    def with_results(self, results: Mapping[str, StageResult]) -> Study:
        """The study with what came of its nodes."""
        members = [replace(member, results=results) for member in self.members]
        return replace(self, results=results, members=members)


def begin_study(
    name: str,
    members: Mapping[str, tuple[list[str], Settings]],
    settings: Settings,
    progress: Progress,
    strict: bool = False,
    make_builds: bool = True,
    design: StudyConfig | None = None,
) -> Study:
    """Read the benchmark, open or make the builds, and plan.

    Where configurations differ in ``benchmark.language``, its complaints are those of the first.

    Raises BenchmarkError, StudyError if there is nothing to measure on or nothing to measure.

    ``members``: overrides and settings by name of configuration. ``strict``: whether a benchmark that cites
    what a build lacks is refused. ``make_builds``: if not, configurations that need a missing build are left
    out.
    """
    settings = replace(settings, benchmark=next(iter(members.values()))[1].benchmark)
    benchmark = open_benchmark(settings.benchmark)  # first: a wrong record is reported before a build is made
    study = Study(name, settings, benchmark, settings.benchmark.day or today(), design=design)
    if not settings.benchmark.day:
        progress.say(f"law of {study.day} for complaints without a date (benchmark.as_of fixes it)")
    if benchmark.unknown and any(record.applicable for record in benchmark):
        unknown = ", ".join(benchmark.unknown)
        progress.say(f"{benchmark.name}: no complaint says {unknown}: results are not broken down by them")
    # cells of a design must differ in their factors and in nothing else
    corpora = Corpora(benchmark, study.as_of, progress, make_builds, exact=design is not None)
    graph: dict[str, Node] = {}
    prepared = [
        _prepare(Member(name, overrides, config), study, corpora, graph, progress)
        for name, (overrides, config) in members.items()
    ]
    cited = [f"{w} [build {one.build.folder.name[:8]}]" for one in corpora.opened for w in one.warnings]
    warnings = list(dict.fromkeys(cited))
    for line in warnings:
        progress.say(f"not indexed: {line}")
    if strict and warnings:
        raise StudyError(f"--strict: the benchmark cites {len(warnings)} things that are not indexed")
    if make_builds and all(m.failure for m in prepared):
        raise StudyError("no configuration could be prepared: " + prepared[0].failure)
    study = with_stored(replace(study, members=prepared, nodes=graph, warnings=warnings))
    waiting = [m.settings for m in prepared if m.refusal == WAITING]
    counts = len(study.texts), len(graph), len(study.missing)
    study = replace(study, line=plan_line(len(study.living), waiting, *counts))
    progress.say(study.line)
    return study


def _prepare(
    member: Member, study: Study, corpora: Corpora, graph: dict[str, Node], progress: Progress
) -> Member:
    """A configuration with its build and its chain, whose new nodes are added to the graph."""
    settings = member.settings
    try:
        corpus = corpora.corpus_for(settings)
        if corpus is None:
            return replace(member, refusal=WAITING)
        model = online_endpoint(settings)
        cascade = Cascade(corpus.build, settings.cascade, settings.store_folder, model)
        # of cells the steps are timed instead
        bench = study.settings.bench
        timed = bench.latency if study.design is None and (model is None or bench.time_models) else 0
        member = replace(member, cascade=cascade, gold=corpus.gold)
        return _with_chain(member, cascade, study, graph, timed)
    except StudyError:
        raise
    except Expected as error:
        progress.say(f"{member.name}: {error}")
        return replace(member, refusal=str(error))


def _with_chain(member: Member, cascade: Cascade, study: Study, graph: dict[str, Node], timed: int) -> Member:
    """A configuration with the nodes of its steps and of its scores."""
    nodes: dict[str, Node] = {}
    texts = study.texts
    if member.settings.benchmark.language != study.settings.benchmark.language:
        texts = {r.id: r.text for r in open_benchmark(member.settings.benchmark).records}
        if texts.keys() != study.texts.keys():
            raise StudyError(
                f"{study.benchmark.name}: {member.name} has other complaints, not other languages"
            )

    def node(step: Step, timed: int = 0) -> Node:
        reads = {name: nodes[name].recipe for name in step.reads}
        recipe = step.key(reads).digest
        new = Node(step, reads, recipe, cascade, texts, study.as_of, timed)
        return graph.setdefault(recipe, new)

    for step in cascade.steps(texts, study.as_of):
        nodes[step.name] = node(step)
    labels = digest([study.benchmark.sha256, {query: str(day) for query, day in study.as_of.items()}])
    reads = tuple(name for name in nodes if name != "query")
    theirs = [*study.own_metrics]
    # what is timed is part of the key: scores of a study that timed nothing would leave a later one without
    sources: dict[str, Any] = {"gold": labels, "build": cascade.build.folder.name}
    if theirs:
        sources["own"] = {name: Plugins("metrics", ()).source(name) for name in theirs}
    work = partial(scores, cascade.build, member.gold, theirs)
    score = Step(SCORE, score_stage.STAGE, {"timed": timed > 0}, reads, sources, work)
    return replace(member, nodes=nodes, score=node(score, timed))


def with_stored(study: Study) -> Study:
    """The study with whatever of it is in the store."""
    results = dict(study.results)
    for node in study.missing:
        if (stored := node.find(node.inputs(results), study.store)) is not None:
            results[node.recipe] = stored
    return study.with_results(results)


def measure_build(
    build: Build, cascade: Cascade, benchmark: Benchmark, settings: Settings, day: date
) -> Member:
    """One configuration on an open build, measured here and now. ``day``: of a complaint without a date."""
    study = Study(build.folder.name, settings, benchmark, day)
    graph: dict[str, Node] = {}
    gold = open_corpus(build, benchmark, study.as_of).gold
    member = _with_chain(Member(study.name, [], settings, cascade, gold), cascade, study, graph, 0)
    study = with_stored(replace(study, members=[member], nodes=graph))
    results = dict(study.results)
    for node in study.missing:
        results[node.recipe] = node.run(node.inputs(results), study.store)
    return study.with_results(results).members[0]
