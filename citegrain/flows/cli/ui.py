"""The command that opens the pages of MLflow and Prefect: ``citegrain ui``."""

from __future__ import annotations

from typing import Annotated

import typer

from citegrain.flows.cli.terminal import Overrides, in_one_line, line, settings_of


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
