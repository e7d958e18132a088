"""The command that measures a sweep: ``citegrain sweep``."""

from __future__ import annotations

from citegrain.flows.cli.measuring import Members, Plan, Strict, measure
from citegrain.flows.cli.terminal import Overrides, published, settings_of


def sweep(overrides: Overrides = None, strict: Strict = False, plan: Plan = False) -> None:
    """Measure the configurations of a sweep on a benchmark, by one plan that shares work."""
    given = published(overrides)
    settings = settings_of(given)
    config = settings.sweep
    members: Members = {n: (o, settings_of([*given, *o])) for n, o in config.members().items()}
    title = settings.bench.name or f"{config.name}-{settings.corpus.name}-{settings.benchmark.label}"
    baseline = config.baseline or next(iter(members))
    measure(title, members, settings, strict, plan, baseline, config.metrics)
