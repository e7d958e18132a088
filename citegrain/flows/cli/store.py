"""The commands of the artefact store: ``citegrain store gc``."""

from __future__ import annotations

import time

import typer

from citegrain.flows.cli.terminal import Overrides, in_one_line, out, settings_of, with_cfg

store = typer.Typer(no_args_is_help=True, help="The artefact store.")


@store.command("gc")
@with_cfg
def store_gc(overrides: Overrides = None) -> None:
    """Clear what no current or previous build needs."""
    from citegrain.tasks.core.store import collect_garbage

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        done = collect_garbage(settings.artifacts_folder, time.time())
    out.print(
        f"cleared {done.builds} builds, {done.artefacts} artefacts, {done.segments} row segments, "
        f"{done.leftovers} leftovers: {done.bytes / 2**20:.1f} MiB"
    )
