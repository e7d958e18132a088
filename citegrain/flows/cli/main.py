"""The command line: ``citegrain index | ask | builds | reindex | schedule | api | bench | sweep | ...``.

Exit 0: done. 1: nothing published, no answer, or a wrong citation. 2: wrong arguments. 3: with ``--strict``,
published but files were refused; or requests to a model wait for replies. 4: another re-index is at work.
5: the gate refused the new build. 6: ``check`` found no citation. 130, 143: stopped by Ctrl-C, SIGTERM.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import Annotated

import typer

from citegrain.flows.cli.agreement import agreement
from citegrain.flows.cli.ask import ask, check
from citegrain.flows.cli.builds import builds, documents, export, graph, rollback, store
from citegrain.flows.cli.index import index, lay_texts, reindex, train
from citegrain.flows.cli.measure import ablate, bench, calibrate, compare, report, sweep
from citegrain.flows.cli.replies import replies
from citegrain.flows.cli.reproduce import reproduce
from citegrain.flows.cli.serve import api, mcp, schedule, serve, ui
from citegrain.flows.cli.terminal import with_cfg

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)
for command in (
    index, lay_texts, ask, check, api, mcp, builds, documents, reindex, schedule, rollback,
    bench, sweep, ablate, calibrate, compare, train, report, reproduce, agreement, graph, export, ui,
):  # fmt: skip
    app.command()(with_cfg(command))
app.command(hidden=True)(with_cfg(serve))
app.add_typer(store, name="store")
app.add_typer(replies, name="replies")


def _print_version(requested: bool) -> None:
    from importlib.metadata import version

    if requested:
        typer.echo(f"citegrain {version('citegrain')}")
        raise typer.Exit


@app.callback()
def citegrain(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Citation-grounded retrieval over statutes: PDFs of Acts in, cited provisions out."""


def main() -> None:
    """Run the command of ``sys.argv``."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    for stream in (sys.stdout, sys.stderr):  # a sign that the terminal does not know ends no command
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    gc.set_threshold(50_000, 20, 50)  # the rows of many Acts are millions of objects, none in a circle
    app()
