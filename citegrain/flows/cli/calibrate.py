"""The command that chooses by a development split: ``citegrain calibrate``."""

from __future__ import annotations

import re
import shlex
import sys
from typing import Annotated

import typer

from citegrain.flows.cli.measuring import study_errors
from citegrain.flows.cli.terminal import (
    DryRun,
    Overrides,
    Terminal,
    fail,
    line,
    out,
    published,
    settings_of,
    shown,
)


def calibrate(
    overrides: Overrides = None,
    write: Annotated[str, typer.Option(help="Also write the choices to conf/experiment/NAME.yaml.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Choose thresholds and operators on a development split."""
    from citegrain.flows.cli.showing import tried
    from citegrain.flows.study.calibrate import calibrate as run
    from citegrain.flows.study.calibrate import install

    given = published(overrides)
    settings = settings_of(given)
    if write and not re.fullmatch(r"\w+", write):
        fail(f"--write {write}: letters, digits and _", 2)
    if dry_run:
        for factor in settings.calibrate.factors:
            line(f"{factor.name}: {len(factor.values)} values by {factor.metric}, rule {factor.rule}")
        return
    with study_errors(settings):
        choices, file = run(given, settings, Terminal(), sys.argv[1:], write or "calibrated")
    for choice in choices:
        out.print(tried(choice))
    line(shown(install(file, write)) if write else shown(file))
    line(shlex.join(override for choice in choices for override in choice.chosen))
