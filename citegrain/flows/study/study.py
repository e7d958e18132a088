"""A study: configurations measured on one benchmark, by one plan that shares what they share.

Every stage run of every configuration is a node of one graph, named by what makes it: two
configurations that read the same have the same node, and it is made once. ``study.flow`` draws
it as a Prefect flow; this module knows no Prefect, so that a study that is done already starts none.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.flows.shared.asking import endpoint
from citegrain.flows.shared.choices import Factorial
from citegrain.flows.shared.errors import TELLING
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study.corpora import Corpora
from citegrain.flows.study.nodes import Asked, Node
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import FUNNEL, RUNS, SCORES
from citegrain.tasks.core.stage import Key, digest
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.evaluation import score as score_stage
from citegrain.tasks.evaluation.benchmark import Benchmark, load_benchmark
from citegrain.tasks.evaluation.score import GoldQuery, score
from citegrain.tasks.online.cascade import Cascade


class StudyError(RuntimeError):
    """A study cannot begin; the message says why."""


@dataclass
class Member:
    """One configuration of a study.

    Attributes
    ----------
    overrides
        What tells it from the plain configuration.
    nodes
        Its chain, by name of step.
    scores, funnel
        Its tables, once they are there.
    facts
        Times of its work: seconds of each step, milliseconds of single queries.
    failure
        Why it has no scores.
    query_ms
        Of a cell: milliseconds a query as the sum of its steps, each timed once for all cells.
    """

    name: str
    overrides: list[str]
    settings: Settings
    cascade: Cascade | None = None
    gold: list[GoldQuery] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    scores: pa.Table | None = None
    funnel: pa.Table | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    failure: str = ""
    query_ms: float | None = None

    @property
    def lost(self) -> dict[str, str]:
        """Why, by id, of the queries that failed on the way."""
        return {
            query: f"{node.step.name}: {why}"
            for node in self.nodes.values()
            for query, why in node.lost.items()
        }

    def runs(self) -> dict[str, pa.Table]:
        """Its runs by step."""
        return {n: node.read() for n, node in self.nodes.items() if node.step.schema is RUNS}


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
        What the benchmark cites and a build does not hold.
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
    design: Factorial | None = None
    nodes: dict[str, Node] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    line: str = ""
    made: dict[str, int] = field(default_factory=dict)
    started_flow: bool = False

    @property
    def asked(self) -> Asked:
        """Its queries."""
        return Asked(self.texts, self.as_of)

    @property
    def living(self) -> list[Member]:
        """Configurations that have not failed."""
        return [m for m in self.members if not m.failure]

    @property
    def missing(self) -> list[Node]:
        """Stage runs that are still to be made, in the order of the stages."""
        return [n for n in self.nodes.values() if not n.ready and not n.failure]

    @property
    def complete(self) -> bool:
        """Whether every configuration has its scores."""
        return all(m.scores is not None for m in self.living)

    def steps(self) -> list[str]:
        """Names of the steps of all configurations, each behind whatever any of them reads for it."""
        reads: dict[str, dict[str, None]] = {}  # ordered sets: the order of the chains stays
        for node in self.nodes.values():
            reads.setdefault(node.step.name, {}).update(dict.fromkeys(node.step.reads))
        return list(TopologicalSorter(reads).static_order())


def open_benchmark(settings: Settings) -> Benchmark:
    """The benchmark that the settings name.

    Raises
    ------
    BenchmarkError
        If a record is wrong; the message names file, line and field.
    """
    told = settings.benchmark
    return load_benchmark(located(told.path), told.label, told.split, told.format)


def begin_study(
    name: str,
    members: Mapping[str, tuple[list[str], Settings]],
    settings: Settings,
    progress: Progress,
    strict: bool = False,
    make_builds: bool = True,
    design: Factorial | None = None,
) -> Study:
    """Read the benchmark, see to the builds, and plan.

    Parameters
    ----------
    members
        Overrides and settings by name of configuration.
    strict
        Whether a benchmark that cites what a build does not hold is refused.
    make_builds
        Whether a build that is not there is made; if not, the configurations that want it are left out.

    Raises
    ------
    BenchmarkError, StudyError
        If there is nothing to measure on or nothing to measure.
    """
    benchmark = open_benchmark(settings)  # first: a wrong record is told of before a build is made
    day = settings.benchmark.day or datetime.now(UTC).astimezone().date()
    study = Study(
        name,
        settings,
        benchmark,
        [Member(n, overrides, own) for n, (overrides, own) in members.items()],
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
        except TELLING as error:
            member.failure = str(error)
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
        member.failure = "its build is not made yet"
        return
    member.gold, build = corpus.gold, corpus.build
    asked = endpoint(settings.generate)
    member.cascade = Cascade(build, settings.cascade, settings.store_folder, asked)
    for step in member.cascade.steps(study.texts, study.as_of):
        reads = {name: member.nodes[name] for name in step.reads}
        recipe = step.key({name: node.recipe for name, node in reads.items()}).digest
        made = study.nodes.get(recipe) or Node(step, member.cascade, reads, recipe)
        member.nodes[step.name] = study.nodes[recipe] = made


def advance(study: Study) -> None:
    """Take from the store whatever is there."""
    store = Store(study.settings.store_folder)
    for node in study.nodes.values():
        if not node.ready and (key := node.key) is not None:
            node.artefact = store.find(key)
            node.cached = node.artefact is not None
    for member in study.living:
        if member.scores is None and (score_key := _score_key(member, study)) is not None:
            found = store.find(score_key)
            if found is not None:
                _take_scores(member, found)


def _plan_line(study: Study) -> str:
    runs = len(study.nodes) + len(study.living)
    missing = len(study.missing) + sum(m.scores is None for m in study.living)
    configurations = f"{len(study.living)} configuration{'s' if len(study.living) != 1 else ''}"
    to_make = f", {missing} to make" if missing else ""
    return (
        f"{configurations} x {len(study.texts)} queries, {runs} stage runs, "
        f"{runs - missing} already present{to_make}"
    )


def _score_key(member: Member, study: Study) -> Key | None:
    """Key of a configuration's scores; None while a stage run of it is missing or not kept."""
    contents: dict[str, Any] = {}
    for name, node in member.nodes.items():
        if name == "query":
            continue
        if node.artefact is None:
            return None
        contents[name] = node.artefact.content
    if member.cascade is None:
        return None
    gold = digest([study.benchmark.sha256, {q: str(d) for q, d in study.as_of.items()}])
    inputs = contents | {"gold": gold, "build": member.cascade.build.folder.name}
    # times are kept with the scores: those of a study that timed nothing would leave a later one without
    return score_stage.STAGE.key({"timed": _timed(member, study)}, inputs)


def score_member(member: Member, study: Study) -> None:
    """Score one configuration and time it on single queries."""
    broken = next((f"{n}: {node.failure}" for n, node in member.nodes.items() if node.failure), "")
    if broken or member.cascade is None:
        member.failure = member.failure or broken
        return
    store = Store(study.settings.store_folder)
    key = _score_key(member, study)
    if key is not None and (found := store.find(key)) is not None:
        _take_scores(member, found)
        return
    answers = member.nodes["answers"].read()
    tables = score(member.cascade.build, member.gold, member.runs(), answers)
    facts = {"single_ms": _single_queries(member, study)}
    if key is None:
        member.scores, member.funnel, member.facts = tables[SCORES.name], tables[FUNNEL.name], facts
        return

    def write(folder: Path) -> None:
        for schema in score_stage.STAGE.outputs:
            write_table(folder / schema.file, tables[schema.name], schema)

    _take_scores(member, store.commit(key, write, facts))


def _take_scores(member: Member, artefact: Artefact) -> None:
    member.scores = artefact.table(SCORES)
    member.funnel = artefact.table(FUNNEL)
    member.facts = dict(artefact.facts)


def _timed(member: Member, study: Study) -> bool:
    """Whether a configuration is timed on single queries; one that asks a model is not."""
    timed = study.design is None and study.settings.bench.latency > 0
    return timed and member.settings.generate.kind != "llm"


def _single_queries(member: Member, study: Study) -> list[float]:
    """Milliseconds of the first queries asked one by one, with nothing kept."""
    if member.cascade is None or not _timed(member, study):
        return []
    cascade = Cascade(member.cascade.build, member.settings.cascade)
    if cascade.scorer:
        cascade.scorer.forget()
    times = []
    for query, text in list(study.texts.items())[: study.settings.bench.latency + 1]:
        begun = time.perf_counter()
        try:
            cascade.run({query: text}, study.as_of[query])
        except Exception:  # it is told of in the scores
            continue
        times.append(round(1000 * (time.perf_counter() - begun), 2))
    return times[1:]  # the first loads models


def timings(member: Member) -> dict[str, float]:
    """Milliseconds a query: of each step in the batch that made it, and of single queries."""
    n = max(1, len(member.gold))
    out = {}
    for name, node in member.nodes.items():
        noted = node.artefact.facts.get("seconds") if node.artefact else node.seconds
        out[name] = 1000 * float(noted or 0.0) / n
    if member.query_ms is not None:
        return out | {"single_p50": member.query_ms}
    single = member.facts.get("single_ms") or []
    if single:
        out["single_p50"] = statistics.median(single)
        out["single_max"] = max(single)
    return out
