"""The commands that serve until Ctrl-C: ``serve`` and ``ui``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from citegrain.flows.cli.terminal import Overrides, fail, in_one_line, line, settings_of


def serve(
    overrides: Overrides = None,
    port: Annotated[int, typer.Option(help="Port of Prefect's server.", min=1, max=65535)] = 4200,
    crontab: Annotated[bool, typer.Option("--crontab", help="Print the same for cron and end.")] = False,
) -> None:
    """Re-index by schedule, with Prefect's server, until Ctrl-C."""
    from citegrain.flows.serving import serve as serving
    from citegrain.flows.serving.servers import ServerError

    given = list(overrides or [])
    settings = settings_of(given)
    if settings.corpus.kind == "published":
        fail("a corpus given by its name alone has no sources: add corpus=folder or corpus=http", 2)
    if crontab:
        name, artifacts = settings.corpus.name, settings.artifacts_folder
        try:
            line(serving.crontab(settings.schedule, name, given, sys.executable, Path.cwd(), artifacts))
        except ValueError as error:
            fail(str(error), 2)
        return
    with in_one_line(settings.artifacts_folder, more=(ServerError,)):
        serving.serve(settings, given, port, line)


def ui(
    overrides: Overrides = None,
    mlflow_port: Annotated[int, typer.Option(help="Port of MLflow.")] = 5000,
    prefect_port: Annotated[int, typer.Option(help="Port of Prefect.")] = 4200,
) -> None:
    """Serve the pages of MLflow and Prefect, the newest study open."""
    from citegrain.flows.serving.servers import ServerError
    from citegrain.flows.serving.ui import serve

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder, more=(ServerError,)):
        serve(settings, mlflow_port, prefect_port, line)
