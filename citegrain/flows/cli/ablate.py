"""The command that runs a factorial study: ``citegrain ablate``."""

from __future__ import annotations

import sys
import time

from citegrain.flows.cli.measuring import close, study_errors
from citegrain.flows.cli.terminal import DryRun, Overrides, Terminal, published, settings_of


def ablate(overrides: Overrides = None, dry_run: DryRun = False) -> None:
    """Measure a factorial study: what each factor is worth."""
    from citegrain.flows.study.ablate import ablate as run

    given = published(overrides)
    settings = settings_of(given)
    config = settings.study
    command = sys.argv[1:]
    if config.benchmark and not any(o.partition("=")[0] == "benchmark" for o in given):
        on = f"benchmark={config.benchmark}"
        # the overrides of a single cell need it too
        given, command = [on, *given], [*command[:1], on, *command[1:]]
        settings = settings_of(given)
    begun = time.monotonic()
    with study_errors(settings):
        done = run(given, settings, Terminal(), command, dry_run)
    if done is not None:
        study, _, folder = done
        close(study, folder, begun)
