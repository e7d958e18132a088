"""The commands that serve until Ctrl-C: ``api``, ``mcp``, ``schedule`` and ``ui``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import (
    Overrides,
    fail,
    in_one_line,
    is_named,
    line,
    note,
    published,
    settings_of,
)

if TYPE_CHECKING:
    from citegrain.flows.shared.settings import Settings

HOST = "127.0.0.1"


AllowHost = Annotated[
    list[str] | None,
    typer.Option("--allow-host", help="Name by which others call the service; addresses need none."),
]


def api(
    overrides: Overrides = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this machine need a proxy.")
    ] = HOST,
    port: Annotated[int, typer.Option(help="Port.", min=1, max=65535)] = 8000,
    waiting: Annotated[int, typer.Option(help="Requests at work or waiting; others get 503.", min=1)] = 32,
    cors: Annotated[list[str] | None, typer.Option(help="Origin of a page that may ask.")] = None,
    log_questions: Annotated[bool, typer.Option("--log-questions", help="Log texts of questions.")] = False,
    feedback: Annotated[
        Path | None, typer.Option(help="Benchmark file that judgements on the page are added to.")
    ] = None,
    allow_host: AllowHost = None,
) -> None:
    """Answer over HTTP, and serve a page that asks.

    With CITEGRAIN_ADMIN_TOKEN it takes documents in, too.
    """
    from citegrain.flows.serving.start import run_api

    settings, usual = _settings_to_ask(overrides)
    with in_one_line(settings.artifacts_folder):
        names = allow_host or []
        run_api(settings, usual, (host, port), waiting, cors or [], log_questions, feedback, names, note)


def mcp(
    overrides: Overrides = None,
    http: Annotated[bool, typer.Option("--http", help="Over HTTP at /mcp, not standard input.")] = False,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = HOST,
    port: Annotated[int, typer.Option(help="Port.", min=1, max=65535)] = 8001,
    allow_host: AllowHost = None,
) -> None:
    """Serve tools to assistants (MCP): find, read and check provisions."""
    from citegrain.flows.serving.start import run_mcp

    settings, usual = _settings_to_ask(overrides)
    with in_one_line(settings.artifacts_folder):
        run_mcp(settings, usual, (host, port) if http else None, allow_host or [])


def _settings_to_ask(overrides: list[str] | None) -> tuple[Settings, str]:
    """The settings, and the name of the build that is asked where a request names none."""
    given = published(overrides)
    settings = settings_of(given, online=True)
    return settings, settings.corpus.name if is_named(given) else os.environ.get("CITEGRAIN_CORPUS", "")


_PORT = Annotated[int, typer.Option(help="Port of Prefect's server.", min=1, max=65535)]
_CRONTAB = Annotated[bool, typer.Option("--crontab", help="Print the same for cron and end.")]


def serve(overrides: Overrides = None, port: _PORT = 4200, crontab: _CRONTAB = False) -> None:
    """The same as schedule, which it will give way to."""
    note("citegrain: serve is now called schedule; the old name goes with the next release")
    schedule(overrides, port, crontab)


def schedule(overrides: Overrides = None, port: _PORT = 4200, crontab: _CRONTAB = False) -> None:
    """Re-index by schedule, with Prefect's server, until Ctrl-C."""
    from citegrain.flows.serving import serve as serving

    given = list(overrides or [])
    settings = settings_of(given)
    if settings.corpus.kind == "published":
        fail("a corpus given by its name alone has no sources: add corpus=folder or corpus=http", 2)
    name, artifacts = settings.corpus.name, settings.artifacts_folder
    with in_one_line(artifacts):
        if crontab:
            line(serving.crontab(settings.schedule, name, given, sys.executable, Path.cwd(), artifacts))
            return
        serving.serve(settings, given, port, line)


def ui(
    overrides: Overrides = None,
    mlflow_port: Annotated[int, typer.Option(help="Port of MLflow.")] = 5000,
    prefect_port: Annotated[int, typer.Option(help="Port of Prefect.")] = 4200,
) -> None:
    """Serve the pages of MLflow and Prefect, the newest study open."""
    from citegrain.flows.serving.ui import serve

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        serve(settings, mlflow_port, prefect_port, line)
