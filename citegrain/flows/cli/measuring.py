"""What the commands that measure share: options, one call, the end of a study."""

from __future__ import annotations

import re
import sys
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import Terminal, in_one_line, line, out, shown

if TYPE_CHECKING:
    from pathlib import Path

    from citegrain.flows.shared.settings import Settings
    from citegrain.flows.study.study import Study

Strict = Annotated[bool, typer.Option(help="Refuse a benchmark that cites what is not indexed.")]
Multirun = Annotated[
    bool, typer.Option("-m", "--multirun", help="Measure each of several values, as in fuse.depth=5,10.")
]
Members = dict[str, tuple[list[str], "Settings"]]


def measure(
    title: str,
    members: Members,
    settings: Settings,
    strict: bool,
    dry_run: bool,
    baseline: str = "",
    metrics: list[str] | None = None,
) -> None:
    """Measure configurations on a benchmark and print their tables.

    Parameters
    ----------
    title
        Of the study.
    members
        Overrides and settings of each configuration.
    baseline, metrics
        The declared family: each configuration against ``baseline`` by these metrics.
    """
    from citegrain.flows.study.run import run_study

    begun = time.monotonic()
    with study_errors(settings):
        family = baseline, tuple(metrics or ())
        done = run_study(title, members, settings, Terminal(), sys.argv[1:], *family, strict, dry_run)
    if done is not None:
        study, _, folder = done
        close(study, folder, begun)


def named_by(overrides: list[str]) -> str:
    """A name for what these overrides give."""
    parts = [re.sub(r"[^\w.-]+", "_", o.removeprefix("experiment=").lstrip("+~")) for o in overrides]
    return "-".join(parts)[:60].strip("._-") or "default"


def close(study: Study, folder: Path, begun: float) -> None:
    """Print what came of a study; exits with 1 where a configuration has no scores."""
    from citegrain.flows.cli.showing import show
    from citegrain.tasks.evaluation.studies import read_study

    show(read_study(folder))
    computed = ", ".join(f"{n} {stage}" for stage, n in study.computed.items()) or "nothing"
    seconds = time.monotonic() - begun
    page = folder / "report.html"
    out.print(f"made: {computed} ({seconds:.1f} s)")
    line(shown(page if page.is_file() else folder))
    for member in study.members:
        if member.failure:
            line(f"{member.name}: failed: {member.failure}", style="red")
        elif member.lost:
            query, why = next(iter(member.lost.items()))
            line(f"{member.name}: {len(member.lost)} queries failed, the first {query}: {why}", style="red")
    if any(m.failure for m in study.members):
        raise typer.Exit(1)


def study_errors(settings: Settings) -> AbstractContextManager[None]:
    """Whatever keeps a study from being measured, in one line."""
    from citegrain.flows.shared.settings import SettingsError
    from citegrain.flows.study.study import StudyError
    from citegrain.tasks.evaluation.benchmark import BenchmarkError

    usage = (BenchmarkError, SettingsError)
    return in_one_line(settings.artifacts_folder, more=(StudyError, SettingsError), usage=usage)
