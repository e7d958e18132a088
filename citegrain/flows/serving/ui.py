"""The pages of MLflow and Prefect, on loopback, with the newest study ready to compare."""

import os
import sys
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack

from citegrain.flows.serving import mlflow_pages
from citegrain.flows.serving.servers import (
    HOST,
    check_port,
    prefect_server,
    start,
    stopped_by_signals,
    wait_until_ready,
)
from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study import tracking
from citegrain.tasks.evaluation.studies import study_folder


def serve(settings: Settings, mlflow_port: int, prefect_port: int, say: Callable[[str], None]) -> None:
    """Start both servers, print their addresses, open MLflow's page where there is a browser, and stay."""
    artifacts = settings.artifacts_folder
    prefect_environment.apply(artifacts, "WARNING")
    page = _study_page(settings)
    logs = artifacts / "prefect"
    say("starting MLflow and Prefect, which takes half a minute")
    with stopped_by_signals() as stopped, ExitStack() as stack:
        check_port(mlflow_port)
        check_port(prefect_port)
        mlflow = mlflow_pages.command(tracking.uri(artifacts), artifacts / "mlruns", HOST, mlflow_port)
        for name, (command, variables), address in (
            ("mlflow", mlflow, f"http://{HOST}:{mlflow_port}"),
            ("prefect", prefect_server(prefect_port), f"http://{HOST}:{prefect_port}"),
        ):
            log = logs / f"{name}-server.log"
            health = f"{address}/{'health' if name == 'mlflow' else 'api/health'}"
            wait_until_ready(name, start(stack, command, log, variables), health, log, stopped)
            if stopped.is_set():
                return
            say(f"{name:<8} {address}{page if name == 'mlflow' else ''}")
        say("Ctrl-C ends both")
        if has_browser():
            webbrowser.open(f"http://{HOST}:{mlflow_port}{page}")
        stopped.wait()


def has_browser() -> bool:
    """Whether there is a screen to show pages on: a browser of the terminal would take it over."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _study_page(settings: Settings) -> str:
    """Path of the page that compares the configurations of the newest study; logs that study if need be."""
    try:
        folder = study_folder(settings.reports_folder)
    except FileNotFoundError:
        return ""
    experiment, parent = tracking.log_study(folder, settings.artifacts_folder)
    return tracking.study_page(experiment, parent)
