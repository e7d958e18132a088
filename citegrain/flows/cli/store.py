"""The commands of the artefact store: ``citegrain store gc``, ``connect`` and ``fetch``."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from citegrain.flows.cli.terminal import Overrides, in_one_line, out, settings_of, with_cfg

store = typer.Typer(no_args_is_help=True, help="The artefact store.")


@store.command("gc")
@with_cfg
def store_gc(overrides: Overrides = None) -> None:
    """Clear what no current or previous build needs."""
    from citegrain.tasks.core.store.gc import collect_garbage

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        done = collect_garbage(settings.artifacts_folder, time.time())
    out.print(
        f"cleared {done.builds} builds, {done.artefacts} artefacts, {done.segments} row segments, "
        f"{done.leftovers} leftovers: {done.bytes / 2**20:.1f} MiB"
    )


@store.command("connect")
@with_cfg
def store_connect(address: Annotated[str, typer.Argument()], overrides: Overrides = None) -> None:
    """Share by object storage: s3://bucket/lab, or "" for none."""
    from citegrain.tasks.core.store import connect

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        connect(settings.store_folder, address)
    out.print(f"{settings.store_folder}: " + (f"shares with {address}" if address else "shares with none"))


@store.command("fetch")
@with_cfg
def store_fetch(overrides: Overrides = None) -> None:
    """Fetch the build that another machine published."""
    from citegrain.tasks.offline.index import fetch

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder, more=(ValueError,)):
        build = fetch(settings.builds_folder, settings.corpus.name)
    out.print(f"{build}: current")
