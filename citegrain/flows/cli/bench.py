"""The command that measures one configuration: ``citegrain bench``."""

from __future__ import annotations

import re

from citegrain.flows.cli.measuring import Plan, Strict, measure
from citegrain.flows.cli.terminal import Overrides, published, settings_of


def bench(overrides: Overrides = None, strict: Strict = False, plan: Plan = False) -> None:
    """Measure one configuration on a benchmark."""
    from citegrain.flows.shared.settings import group_of, shaping

    given = published(overrides)
    settings = settings_of(given)
    changes = [o for o in given if group_of(o) in (*shaping(), "experiment")]
    name = _named(changes)
    title = settings.bench.name or f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
    measure(title, {name: (changes, settings)}, settings, strict, plan)


def _named(overrides: list[str]) -> str:
    """A name for a configuration of these overrides."""
    parts = [re.sub(r"[^\w.-]+", "_", o.removeprefix("experiment=").lstrip("+~")) for o in overrides]
    return "-".join(parts)[:60].strip("._-") or "default"
