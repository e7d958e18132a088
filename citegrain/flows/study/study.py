"""A study: configurations measured on one benchmark, by one plan that shares what they share.

Every stage run of every configuration is a node of one graph, named by its recipe. Configurations that read
the same share the node, and it is computed once. ``study.flow`` draws the graph as a Prefect flow. This
module knows no Prefect, so that a study that is complete starts none.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from graphlib import TopologicalSorter

import pyarrow as pa

from citegrain.flows.shared.choices import StudyConfig
from citegrain.flows.shared.endpoint import online_endpoint
from citegrain.flows.shared.library import today
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study.corpora import Corpora
from citegrain.flows.study.nodes import Node, Outcome, Work, compute_scores, compute_step
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.schemas import FUNNEL, RUNS, SCORES, TableSchema
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import Store
from citegrain.tasks.evaluation import score as score_stage
from citegrain.tasks.evaluation.benchmark import Benchmark, open_benchmark
from citegrain.tasks.evaluation.score import GoldQuery
from citegrain.tasks.online.cascade import Cascade


class StudyError(RuntimeError):
    """A study cannot begin; the message says why."""


@dataclass
class Member:
    """One configuration of a study.

    Attributes
    ----------
    overrides
        How it differs from the plain configuration.
    nodes
        Its chain, by name of step.
    score
        Its scores, which are computed from the chain.
    refusal
        Why it could not be prepared.
    query_ms
        Of a cell: milliseconds a query as the sum of its steps, each timed once for all cells.
    """

    name: str
    overrides: list[str]
    settings: Settings
    cascade: Cascade | None = None
    gold: list[GoldQuery] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    score: Node | None = None
    refusal: str = ""
    query_ms: float | None = None

    @property
    def failure(self) -> str:
        """Why it has no scores; empty while nothing failed."""
        return self.refusal or (self.score.outcome.failure if self.score else "")

    @property
    def scores(self) -> pa.Table | None:
        """Table ``scores``; None while it is missing."""
        return self._scored(SCORES)

    @property
    def funnel(self) -> pa.Table | None:
        """Table ``funnel``; None while it is missing."""
        return self._scored(FUNNEL)

    def _scored(self, schema: TableSchema) -> pa.Table | None:
        return self.score.outcome.read(schema) if self.score and self.score.outcome.ready else None

    @property
    def lost(self) -> dict[str, str]:
        """Step and error of the queries that failed on the way, by id."""
        return {
            query: f"{name}: {error}"
            for name, node in self.nodes.items()
            for query, error in node.outcome.lost.items()
        }

    def runs(self) -> dict[str, pa.Table]:
        """Its runs by step."""
        return {n: node.read() for n, node in self.nodes.items() if node.work.stage.outputs[0] is RUNS}


@dataclass
class Study:
    """Configurations, benchmark and graph.

    Attributes
    ----------
    as_of
        Day whose law applies, by query id; ``day`` where a complaint has no date of its own.
    design
        Of a factorial study.
    warnings
        What the benchmark cites and a build lacks.
    line
        The plan in one line.
    computed
        Number of stage runs that were computed and not cached, by stage.
    lost_workers
        Names of the workers of a cluster that were lost on the way.
    """

    name: str
    settings: Settings
    benchmark: Benchmark
    members: list[Member]
    texts: dict[str, str]
    as_of: dict[str, date | None]
    day: date
    baseline: str = ""
    metrics: Sequence[str] = ()
    design: StudyConfig | None = None
    nodes: dict[str, Node] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    line: str = ""
    computed: dict[str, int] = field(default_factory=dict)
    lost_workers: list[str] = field(default_factory=list)
    started_flow: bool = False

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
        return [n for n in self.nodes.values() if not n.outcome.ready and not n.outcome.failure]

    @property
    def complete(self) -> bool:
        """Whether every configuration has its scores."""
        return all(m.scores is not None for m in self.living)

    def steps(self) -> list[str]:
        """Names of the steps of all configurations and ``score``, each after whatever is read for it."""
        reads: dict[str, dict[str, None]] = {}  # ordered sets: the order of the chains stays
        for node in self.nodes.values():
            reads.setdefault(node.work.name, {}).update(dict.fromkeys(node.reads))
        return list(TopologicalSorter(reads).static_order())


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

    Parameters
    ----------
    members
        Overrides and settings by name of configuration.
    strict
        Whether a benchmark that cites what a build lacks is refused.
    make_builds
        Whether missing builds are made; if not, the configurations that need one are left out.

    Raises
    ------
    BenchmarkError, StudyError
        If there is nothing to measure on or nothing to measure.
    """
    benchmark = open_benchmark(settings.benchmark)  # first: a wrong record is reported before a build is made
    day = settings.benchmark.day or today()
    study = Study(
        name,
        settings,
        benchmark,
        [Member(n, overrides, config) for n, (overrides, config) in members.items()],
        {r.id: r.text for r in benchmark.records},
        {r.id: r.incident_date or day for r in benchmark.records},
        day,
        design=design,
    )
    if not settings.benchmark.day:
        progress.say(f"law of {day} for complaints without a date (benchmark.as_of fixes it)")
    # cells of a design must differ in their factors and in nothing else
    corpora = Corpora(benchmark, study.as_of, progress, make_builds, exact=design is not None)
    for member in study.members:
        try:
            _prepare(member, study, corpora)
        except Expected as error:
            member.refusal = str(error)
            progress.say(f"{member.name}: {error}")
    for corpus in corpora.opened:
        study.warnings += [f"{w} [build {corpus.build.folder.name[:8]}]" for w in corpus.warnings]
    study.warnings = list(dict.fromkeys(study.warnings))
    for line in study.warnings:
        progress.say(f"not indexed: {line}")
    if strict and study.warnings:
        raise StudyError(f"--strict: the benchmark cites {len(study.warnings)} things that are not indexed")
    if make_builds and not study.living:
        raise StudyError("no configuration could be prepared: " + study.members[0].failure)
    advance(study)
    study.line = _plan_line(study)
    progress.say(study.line)
    return study


def _prepare(member: Member, study: Study, corpora: Corpora) -> None:
    """Open a configuration's build and add its chain to the graph."""
    settings = member.settings
    corpus = corpora.of(settings)
    if corpus is None:
        member.refusal = "its build does not exist yet"
        return
    member.gold, build = corpus.gold, corpus.build
    model = online_endpoint(settings)
    cascade = Cascade(build, settings.cascade, settings.store_folder, model)
    member.cascade = cascade
    for step in cascade.steps(study.texts, study.as_of):
        compute = partial(compute_step, step, cascade, study.texts, study.as_of)
        work = Work(step.name, step.stage, step.params, step.sources, compute)
        member.nodes[step.name] = _node(study, work, {name: member.nodes[name] for name in step.reads})
    # a configuration that asks a language model is not timed; of cells the steps are timed instead
    timed = study.settings.bench.latency if study.design is None and model is None else 0
    # what is timed is part of the key: scores of a study that timed nothing would leave a later one without
    gold = digest([study.benchmark.sha256, {query: str(day) for query, day in study.as_of.items()}])
    sources = {"gold": gold, "build": build.folder.name}
    compute = partial(compute_scores, cascade, study.texts, study.as_of, corpus.gold, timed)
    work = Work("score", score_stage.STAGE, {"timed": timed > 0}, sources, compute)
    member.score = _node(study, work, {n: node for n, node in member.nodes.items() if n != "query"})


def _node(study: Study, work: Work, reads: dict[str, Node]) -> Node:
    """The node of the graph that does some work on what it reads."""
    recipes = {name: node.recipe for name, node in reads.items()}
    recipe = work.stage.key(work.params, recipes | dict(work.sources)).digest
    return study.nodes.setdefault(recipe, Node(work, reads, recipe, Outcome(work.stage)))


def advance(study: Study) -> None:
    """Take from the store whatever is there."""
    for node in study.nodes.values():
        if not node.outcome.ready:
            node.outcome = node.work.find(node.inputs, study.store) or node.outcome


def _plan_line(study: Study) -> str:
    runs, missing = len(study.nodes), len(study.missing)
    configurations = f"{len(study.living)} configuration{'s' if len(study.living) != 1 else ''}"
    to_make = f", {missing} to make" if missing else ""
    return (
        f"{configurations} x {len(study.texts)} queries, {runs} stage runs, "
        f"{runs - missing} already present{to_make}"
    )


def timings(member: Member) -> dict[str, float]:
    """Milliseconds a query: of each step in the batch that made it, and of single queries."""
    n = max(1, len(member.gold))
    out = {name: 1000 * node.outcome.seconds / n for name, node in member.nodes.items()}
    if member.query_ms is not None:
        return out | {"single_p50": member.query_ms}
    single = member.score.outcome.facts.get("single_ms") if member.score else None
    if single:
        out |= {"single_p50": statistics.median(single), "single_max": max(single)}
    return out
