"""A factorial study: its cells, the plan with an estimate of its time, and then as any study."""

from __future__ import annotations

from pathlib import Path

from citegrain.flows.shared.choices import StudyConfig
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings, load_cells
from citegrain.flows.study.nodes import Node
from citegrain.flows.study.results import Results
from citegrain.flows.study.run import finish, make_study
from citegrain.flows.study.stopwatch import Stopwatch
from citegrain.flows.study.study import Study, begin_study


def ablate(
    overrides: list[str], settings: Settings, progress: Progress, command: list[str], dry_run: bool = False
) -> tuple[Study, Results, Path] | None:
    """Measure every cell of a design and the effect of each factor; None for a dry run.

    Raises
    ------
    BenchmarkError, CorpusError, RegistryError, ModelError, SettingsError, StoreError, StudyError
        If nothing can be measured.
    """
    config = settings.study
    differing = {name: config.overrides(levels) for name, levels in config.design.cells.items()}
    cells = load_cells(overrides, differing)
    members = {name: (differing[name], cell) for name, cell in cells.items()}
    title = settings.bench.name or _title(config, settings)
    study = begin_study(title, members, settings, progress, make_builds=not dry_run, design=config)
    watch = Stopwatch(study.store, config.timed, keep=not dry_run)
    for line in plan(study):
        progress.say(line)
    watch.time(study)
    progress.say(estimate(study, watch))
    if dry_run:
        return None
    make_study(study, progress)
    for member in study.members:
        member.query_ms = watch.total(member)
    return finish(study, progress, command)


def _title(config: StudyConfig, settings: Settings) -> str:
    name = config.name if config.cells == "all" else f"{config.name}-fraction"
    return f"{name}-{settings.corpus.name}-{settings.benchmark.label}"


def plan(study: Study) -> list[str]:
    """Number of cells, and of each stage the unique runs and how many of them are in the store."""
    lines = []
    if study.design is not None:
        factors = study.design.design.factors
        shape = " x ".join(f"{name} ({len(levels)})" for name, levels in factors.items())
        kind = "all" if study.design.design.full else "a fraction"
        lines.append(f"{len(study.members)} cells, {kind} of {shape}")
    stages: dict[str, list[bool]] = {}
    for node in study.nodes.values():
        stages.setdefault(node.work.stage.name, []).append(node.outcome.ready)
    for stage, ready in stages.items():
        lines.append(f"  {stage:<9} {len(ready):>3} unique runs, {sum(ready):>3} present")
    return lines


def estimate(study: Study, watch: Stopwatch) -> str:
    """How long the missing runs will take at most. Pairs that cells share are scored once."""
    waiting = sum(bool(m.failure) for m in study.members)
    builds = f", and the builds of {waiting} cells" if waiting else ""
    if study.complete and not waiting:
        return "everything is present"
    missing = {id(node) for node in study.missing}
    scored: set[tuple[str, str]] = set()
    ms, unknown = 0.0, 0
    for member in study.living:
        times = watch.of(member)
        for name, node in member.nodes.items():
            if id(node) not in missing:
                continue
            missing.discard(id(node))
            each = times[name]
            if each is None:
                unknown += 1
            elif name != "reranked" or _first(_candidates(node), str(node.work.sources), scored):
                ms += each * len(study.texts)
    seconds = ms / 1000 + _OVERHEAD * len(study.missing) + _STARTING
    more = f"; {unknown} stage runs were not timed" if unknown else ""
    return f"at most {_span(seconds)} by the time of single queries{more}{builds}"


_OVERHEAD = 0.1
"""Seconds that Prefect and the store take of a stage run, measured on 2 cores."""
_STARTING = 10.0
"""Seconds that Prefect takes to start, measured on 2 cores."""


def _candidates(reranked: Node) -> str:
    """Recipe of the run that is reranked."""
    return next(node.recipe for name, node in reranked.reads.items() if name != "query")


def _first(candidates: str, scorer: str, scored: set[tuple[str, str]]) -> bool:
    """Whether this scorer sees these candidates for the first time: provenance changes no pair's score."""
    if (candidates, scorer) in scored:
        return False
    scored.add((candidates, scorer))
    return True


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
