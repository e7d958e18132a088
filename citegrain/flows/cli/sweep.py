"""The command that measures a sweep: ``citegrain sweep``."""

from __future__ import annotations

from citegrain.flows.cli.measuring import Members, Multirun, Strict, measure, named_by
from citegrain.flows.cli.terminal import DryRun, Overrides, err, fail, published, settings_of


def sweep(
    overrides: Overrides = None, strict: Strict = False, dry_run: DryRun = False, multirun: Multirun = False
) -> None:
    """Measure a sweep, or values as in fuse.depth=5,10, by one plan."""
    from citegrain.flows.shared.settings import SettingsError, split_values

    try:
        given, cells = split_values(published(overrides))
    except SettingsError as error:
        fail(str(error), 2)
    settings = settings_of(given)
    config = settings.sweep
    chosen, name = config.members(), config.name
    if cells:  # without sweep= these alone
        swept = any(o.startswith("sweep=") for o in given)
        name = "-".join([*[name][: int(swept)], named_by([o for o in overrides or [] if o not in given])])
        chosen = {
            "-".join(filter(None, (a, b))): [*x, *y]
            for a, x in (chosen if swept else {"": []}).items()
            for b, y in cells.items()
        }
    if config.substitute:
        chosen = {n: [*o, *_substituted(n, [*given, *o])] for n, o in chosen.items()}
    members: Members = {n: (o, settings_of([*given, *o])) for n, o in chosen.items()}
    title = settings.bench.name or f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
    baseline = config.baseline if config.baseline in members else next(iter(members))
    measure(title, members, settings, strict, dry_run, baseline, config.metrics)


def _substituted(name: str, overrides: list[str]) -> list[str]:
    """Overrides for what a configuration names and is not at hand; each is said."""
    from citegrain.flows.study.reproduce import substitutes

    missing = list(substitutes(settings_of(overrides)))
    for _, remark in missing:
        err.print(f"{name}: {remark}", markup=False, soft_wrap=True)
    return [override for override, _ in missing]
