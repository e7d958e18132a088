"""The command that trains a reader of complaints or a reranker: ``citegrain train``."""

from typing import Annotated

import typer

from citegrain.flows.cli.terminal import (
    DryRun,
    Overrides,
    Terminal,
    build_folder,
    fail,
    in_one_line,
    is_named,
    line,
    note,
    out,
    published,
    rendered,
    settings_of,
    shown,
)

Keep = Annotated[bool, typer.Option(help="Copy what was learned to data/models.")]


def train(overrides: Overrides = None, keep: Keep = True, dry_run: DryRun = False) -> None:
    """Train a reader, a ranker or a reranker on a published build."""
    from citegrain.flows.study.tracking import log_training
    from citegrain.flows.train.run import run_train
    from citegrain.flows.train.training import digests, gains_table, plan_training, ship
    from citegrain.tasks.offline.models import SHIPPED

    given = published(overrides)
    settings = settings_of(given)
    folder = build_folder(settings, is_named(given))
    if folder is None:
        fail(f"no build is published in {settings.builds_folder}: run citegrain index", 1)
    with in_one_line(settings.artifacts_folder):
        plan = plan_training(settings, folder)
        if dry_run:
            line(plan.line)
            return
        result = run_train(plan, Terminal())
        shipped = ship(result, SHIPPED) if keep else None
        if settings.bench.mlflow:
            log_training(result.artefact.path, settings.artifacts_folder)
    out.print(rendered(gains_table(result)))
    if not result.started_flow:
        note("nothing to do: this model is trained already")
    if shipped:
        line(f"kept in {shown(shipped)}")
        for name, sha256 in digests(result).items():
            line(f"SHA-256 of {name}: {sha256}")
