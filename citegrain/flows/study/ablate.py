"""A factorial study: its cells, what each kind of step costs on this machine, and the plan with its time."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import replace

from citegrain.flows.shared.progress import ENCODE, Progress
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.flows.study.nodes import WAITING, time_queries
from citegrain.flows.study.run import finish, make_study
from citegrain.flows.study.study import Member, Study, begin_study
from citegrain.tasks.core.stage import Key, Stage
from citegrain.tasks.core.store import Store
from citegrain.tasks.core.store.files import environment
from citegrain.tasks.online.steps import Step


def ablate(
    overrides: list[str], settings: Settings, progress: Progress, command: list[str], dry_run: bool = False
) -> Study:
    """Measure every cell and the effect of each factor; a dry run shows the plan alone. Raises Expected."""
    config = settings.study
    differing = {name: config.overrides(levels) for name, levels in config.design.cells.items()}
    members = {name: (cell, load_settings([*overrides, *cell])) for name, cell in differing.items()}
    name = config.name if config.cells == "all" else f"{config.name}-fraction"
    title = settings.bench.name or f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
    study = begin_study(title, members, settings, progress, make_builds=not dry_run, design=config)
    watch = Stopwatch(study.store, config.timed, keep=not dry_run)
    for line in plan(study):
        progress.say(line)
    watch.time(study)
    progress.say(estimate(study, watch))
    if dry_run:
        return study
    study = make_study(study, progress)
    study = replace(study, members=[replace(m, query_ms=watch.total(m)) for m in study.members])
    finish(study, progress, command)
    return study


def plan(study: Study) -> list[str]:
    """Number of cells, and of each stage the unique runs and how many of them are in the store."""
    lines = []
    if study.design is not None:
        factors = study.design.design.factors
        shape = " x ".join(f"{name} ({len(levels)})" for name, levels in factors.items())
        kind = "all" if study.design.design.full else "a fraction"
        lines.append(f"{len(study.members)} cells, {kind} of {shape}")
    stages: dict[str, list[bool]] = {}
    for recipe, node in study.nodes.items():
        stages.setdefault(node.step.stage.name, []).append(recipe in study.results)
    for stage, ready in stages.items():
        lines.append(f"  {stage:<9} {len(ready):>3} unique runs, {sum(ready):>3} present")
    return lines


def estimate(study: Study, watch: Stopwatch) -> str:
    """How long the missing runs of builds at hand will take. Pairs that cells share are scored once."""
    waiting = any(m.refusal == WAITING for m in study.members)
    if study.complete and not waiting:
        return "everything is present"
    if waiting and not study.living:
        return "how long it takes is not known before the builds are made"
    missing = {node.recipe for node in study.missing}
    scored: set[tuple[str, ...]] = set()
    ms, unknown = 0.0, 0
    for member in study.living:
        times = watch.times(member)
        for name, node in member.nodes.items():
            if node.recipe not in missing:
                continue
            missing.discard(node.recipe)
            each = times[name]
            # provenance changes no pair's score: a scorer sees candidates once
            pairs = (name, str(node.step.sources), *(node.reads[run] for run in node.reads if run != "query"))
            if each is None:
                unknown += 1
            elif name != "reranked" or pairs not in scored:
                ms += each * len(study.texts)
            scored.add(pairs)
    seconds = ms / 1000 + _OVERHEAD * len(study.missing) + _STARTING
    more = f"; {unknown} stage runs were not timed" if unknown else ""
    span = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
    return f"at most {span} by the time of single queries{more}{', and the builds' * waiting}"


_OVERHEAD = 0.1
"""Seconds that Prefect and the store take of a stage run, measured on 2 cores."""
_STARTING = 10.0
"""Seconds that Prefect takes to start, measured on 2 cores."""


STAGE = Stage("timing", 1, ())
_FREE = {"provenance", "section", "act", "consistent"}  # arithmetic, which costs nothing beside a model


class Stopwatch:
    """Times of kinds of steps on this machine, each of so many queries; with ``keep`` they are stored."""

    def __init__(self, store: Store, queries: int, keep: bool = True) -> None:
        self._store = store
        self._queries = queries
        self._keep = keep
        self._machine = str(environment()["machine"])
        self._ms: dict[str, float] = {}

    def times(self, member: Member) -> dict[str, float | None]:
        """Milliseconds a query of each step of a configuration, and of encoding; None where not timed."""
        return {name: self._find(key) for name, key in self._kinds(member).items()}

    def total(self, member: Member) -> float | None:
        """Milliseconds a query; None where a step of it was not timed."""
        times = self.times(member).values()
        return None if None in times else sum(ms for ms in times if ms is not None)

    def time(self, study: Study) -> None:
        """Time the kinds that were not timed before, on as few configurations as have them all."""
        if not self._queries or len(study.texts) < 2:
            return
        for member in study.living:
            cascade = member.cascade
            if cascade is None or cascade.endpoint or None not in self.times(member).values():
                continue
            queries = time_queries(cascade, study.texts, study.as_of, self._queries)
            for name, key in self._kinds(member).items():
                if queries and self._find(key) is None:
                    self._note(key, round(1000 * statistics.median(seconds[name] for seconds in queries), 3))

    def _kinds(self, member: Member) -> dict[str, Key]:
        """Kind by name of step, and that of encoding a query, which every configuration needs."""
        space = member.cascade.build.query_space if member.cascade else ""
        encoding = self._key(ENCODE, {}, {"space": space})
        return {ENCODE: encoding} | {name: self._kind(node.step) for name, node in member.nodes.items()}

    def _kind(self, step: Step) -> Key:
        """What steps of the same cost have in common: all of their key but the tables they read."""
        sources = {name: value for name, value in step.sources.items() if name != "queries"}
        params = {name: value for name, value in step.params.items() if name not in _FREE}
        return self._key(step.name, params, sources | {"stage": [step.stage.name, step.stage.version]})

    def _key(self, name: str, params: Mapping[str, object], inputs: Mapping[str, object]) -> Key:
        return STAGE.key({"step": name, **params}, {"machine": self._machine, **inputs})

    def _find(self, key: Key) -> float | None:
        if key.digest not in self._ms and (artefact := self._store.find(key)) is not None:
            self._ms[key.digest] = float(artefact.facts["ms"])
        return self._ms.get(key.digest)

    def _note(self, key: Key, ms: float) -> None:
        self._ms[key.digest] = ms
        if self._keep:
            self._ms[key.digest] = float(self._store.commit(key, lambda folder: None, {"ms": ms}).facts["ms"])
