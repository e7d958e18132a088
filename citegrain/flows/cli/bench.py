"""The commands that measure: ``citegrain bench | sweep | ablate | calibrate | ui``."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import Overrides, Terminal, fail, line, out, published, settings_of, shown

if TYPE_CHECKING:
    from pathlib import Path

    from citegrain.flows.shared.settings import Settings
    from citegrain.flows.study.study import Study

Strict = Annotated[bool, typer.Option(help="Refuse a benchmark that cites what is not indexed.")]
Plan = Annotated[bool, typer.Option("--plan", help="Print the plan and do nothing.")]
Members = dict[str, tuple[list[str], "Settings"]]


def bench(overrides: Overrides = None, strict: Strict = False, plan: Plan = False) -> None:
    """Measure one configuration on a benchmark."""
    from citegrain.flows.shared.settings import group_of, shaping

    told = published(overrides)
    settings = settings_of(told)
    own = [o for o in told if group_of(o) in (*shaping(), "experiment")]
    name = _named(own)
    title = settings.bench.name or f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
    _measure(title, {name: (own, settings)}, settings, strict, plan)


def sweep(overrides: Overrides = None, strict: Strict = False, plan: Plan = False) -> None:
    """Measure the configurations of a sweep on a benchmark, by one plan that shares work."""
    told = published(overrides)
    settings = settings_of(told)
    chosen = settings.sweep
    members: Members = {n: (o, settings_of([*told, *o])) for n, o in chosen.members().items()}
    title = settings.bench.name or f"{chosen.name}-{settings.corpus.name}-{settings.benchmark.label}"
    baseline = chosen.baseline or next(iter(members))
    _measure(title, members, settings, strict, plan, baseline, chosen.metrics)


def ablate(
    overrides: Overrides = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print plan and time, and do nothing.")] = False,
) -> None:
    """Measure every cell of a factorial study, and what each factor is worth."""
    from citegrain.flows.shared.settings import SettingsError, group_of
    from citegrain.flows.study.ablate import ablate as run

    told = published(overrides)
    settings = settings_of(told)
    chosen = settings.study
    command = sys.argv[1:]
    if chosen.benchmark and not any(group_of(o) == "benchmark" for o in told):
        on = f"benchmark={chosen.benchmark}"
        told, command = [on, *told], [*command[:1], on, *command[1:]]  # of each cell alone it is wanted too
        settings = settings_of(told)
    begun = time.monotonic()
    try:
        with _errors(settings):
            done = run(told, settings, Terminal(), command, dry_run)
    except SettingsError as error:
        fail(str(error), 2)
    if done is not None:
        study, _, folder = done
        _close(study, folder, begun)


def _named(overrides: list[str]) -> str:
    """A name for a configuration that is told by overrides."""
    parts = [re.sub(r"[^\w.-]+", "_", o.removeprefix("experiment=").lstrip("+~")) for o in overrides]
    return "-".join(parts)[:60].strip("._-") or "default"


def _measure(
    title: str,
    members: Members,
    settings: Settings,
    strict: bool,
    plan: bool,
    baseline: str = "",
    metrics: list[str] | None = None,
) -> None:
    from citegrain.flows.study.run import Declared, run_study

    begun = time.monotonic()
    declared = Declared(baseline, tuple(metrics or ()))
    with _errors(settings):
        done = run_study(title, members, settings, declared, Terminal(), sys.argv[1:], strict, plan)
    if done is not None:
        study, _, folder = done
        _close(study, folder, begun)


def _close(study: Study, folder: Path, begun: float) -> None:
    """Print what came of a study; exits with 1 where a configuration has no scores."""
    from citegrain.flows.cli.showing import show
    from citegrain.tasks.evaluation.studies import read_study

    show(read_study(folder))
    made = ", ".join(f"{n} {stage}" for stage, n in study.computed.items()) or "nothing"
    seconds = time.monotonic() - begun
    page = folder / "report.html"
    out.print(f"made: {made}; {shown(page if page.is_file() else folder)} ({seconds:.1f} s)", soft_wrap=True)
    for member in study.members:
        if member.failure:
            line(f"{member.name}: failed: {member.failure}", style="red")
        elif member.lost:
            query, why = next(iter(member.lost.items()))
            line(f"{member.name}: {len(member.lost)} queries failed, the first {query}: {why}", style="red")
    if any(m.failure for m in study.members):
        raise typer.Exit(1)


@contextmanager
def _errors(settings: Settings) -> Iterator[None]:
    """Whatever keeps a study from being measured, in one line."""
    from citegrain.flows.cli.terminal import in_one_line
    from citegrain.flows.study.study import StudyError
    from citegrain.tasks.evaluation.benchmark import BenchmarkError

    with in_one_line(settings.artifacts_folder, more=(StudyError,), usage=(BenchmarkError,)):
        yield


def calibrate(
    overrides: Overrides = None,
    write: Annotated[str, typer.Option(help="Also write the choices to conf/experiment/NAME.yaml.")] = "",
) -> None:
    """Choose thresholds and operators on a development split, with the evidence of each choice."""
    from citegrain.flows.cli.showing import tried
    from citegrain.flows.study.calibrate import calibrate as run
    from citegrain.flows.study.calibrate import install

    told = published(overrides)
    settings = settings_of(told)
    if write and not re.fullmatch(r"\w+", write):
        fail(f"--write {write}: letters, digits and _", 2)
    with _errors(settings):
        choices, file = run(told, settings, Terminal(), sys.argv[1:], write or "calibrated")
    for choice in choices:
        out.print(tried(choice))
    line(shown(install(file, write)) if write else shown(file))


def ui(
    overrides: Overrides = None,
    mlflow_port: Annotated[int, typer.Option(help="Port of MLflow.")] = 5000,
    prefect_port: Annotated[int, typer.Option(help="Port of Prefect.")] = 4200,
) -> None:
    """Open the pages of MLflow and Prefect on loopback, the newest study ready to compare."""
    from citegrain.flows.serving.servers import ServerError
    from citegrain.flows.serving.ui import serve

    try:
        serve(settings_of(overrides), mlflow_port, prefect_port, line)
    except ServerError as error:
        fail(str(error), 1)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(bench)
    app.command()(sweep)
    app.command()(ablate)
    app.command()(calibrate)
    app.command()(ui)
