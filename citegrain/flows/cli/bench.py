"""The command that measures one configuration: ``citegrain bench``."""

from __future__ import annotations

from citegrain.flows.cli.measuring import Multirun, Strict, measure, named_by
from citegrain.flows.cli.sweep import sweep
from citegrain.flows.cli.terminal import DryRun, Overrides, published, settings_of


def bench(
    overrides: Overrides = None, strict: Strict = False, dry_run: DryRun = False, multirun: Multirun = False
) -> None:
    """Measure one configuration on a benchmark; with -m several."""
    from citegrain.flows.shared.settings import group_of, shaping

    if multirun:
        sweep(overrides, strict, dry_run)
        return
    given = published(overrides)
    settings = settings_of(given)
    changes = [o for o in given if group_of(o) in (*shaping(), "experiment")]
    name = named_by(changes)
    title = settings.bench.name or f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
    measure(title, {name: (changes, settings)}, settings, strict, dry_run)
