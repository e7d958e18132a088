"""The pages of MLflow and Prefect, on loopback, with the newest study ready to compare."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citegrain.flows.serving.servers import (
    HOST,
    check_port,
    prefect_server,
    start,
    stopped_by_signals,
    wait_until_ready,
)
from citegrain.flows.shared.prefect_tasks import set_up_prefect
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study import tracking
from citegrain.flows.study.tracking import VIEW
from citegrain.tasks.evaluation.studies import study_folder

if TYPE_CHECKING:
    from fastapi import FastAPI

# MLflow keeps what its pages show in the browser, and what a link can carry comes with a warning. So its
# first page is given a few lines that put there what the newest study of an experiment keeps as a tag. What a
# user changes stays until another study is logged.
_STORE, _FILES = "_MLFLOW_SERVER_FILE_STORE", "_MLFLOW_SERVER_ARTIFACT_DESTINATION"
_SCRIPT = """
for (const [id, view] of Object.entries(%s)) {
  const key = `MLflowLocalStorage-1.1-ExperimentPage-["${id}"]-ReactComponentState`;
  const seen = `citegrain-view-${id}`;
  if (localStorage.getItem(seen) === JSON.stringify(view)) continue;
  const state = JSON.parse(localStorage.getItem(key) || "{}");
  const runsExpanded = {...state.runsExpanded, ...view.runsExpanded};
  localStorage.setItem(key, JSON.stringify({...state, ...view, runsExpanded}));
  localStorage.setItem(seen, JSON.stringify(view));
}
localStorage.setItem("mlflow.assistant.fab.autoOpenedOnFirstLoad_v1", "true");
"""


def _views(client: Any) -> dict[str, dict[str, Any]]:
    """The view of each experiment that has one, its studies unfolded, by the id of the experiment."""
    views = {}
    for experiment in client.search_experiments():
        if view := experiment.tags.get(VIEW):
            studies = client.search_runs([experiment.experiment_id], "tags.kind = 'study'")
            unfolded = {run.info.run_id: True for run in studies}
            views[experiment.experiment_id] = json.loads(view) | {"runsExpanded": unfolded}
    return views


def mlflow_pages() -> FastAPI:
    """MLflow's application, for uvicorn to make in its process."""
    from mlflow import MlflowClient
    from mlflow.server.fastapi_app import app as mlflow_app
    from starlette.responses import HTMLResponse

    client = MlflowClient(os.environ[_STORE])

    server: FastAPI = mlflow_app

    @server.middleware("http")
    async def with_views(request: Any, call_next: Any) -> Any:
        reply = await call_next(request)
        if request.url.path != "/" or reply.status_code != 200:
            return reply
        page = b"".join([part async for part in reply.body_iterator]).decode()
        views = _views(client)
        # in a script no text may end it
        script = _SCRIPT % json.dumps(views).replace("<", "\\u003c")
        stale = ("content-length", "etag", "last-modified")
        headers = {name: value for name, value in reply.headers.items() if name not in stale}
        headers["cache-control"] = "no-store"
        return HTMLResponse(page.replace("<head>", f"<head><script>{script}</script>", 1), headers=headers)

    return server


def mlflow_command(store: str, files: Path, host: str, port: int) -> tuple[list[str], dict[str, str]]:
    """What starts the server over the runs of ``store`` and the folder of their files, and its variables."""
    line = [sys.executable, "-m", "uvicorn", "--factory", f"{__name__}:mlflow_pages"]
    line += ["--host", host, "--port", str(port), "--log-level", "warning"]
    variables = {_STORE: store, _FILES: str(files), "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true"}
    return line, variables | {"_MLFLOW_SGI_NAME": "uvicorn"}


def serve(settings: Settings, mlflow_port: int, prefect_port: int, say: Callable[[str], None]) -> None:
    """Start both servers, print their addresses, open MLflow's page where there is a browser, and stay."""
    artifacts = settings.artifacts_folder
    set_up_prefect(artifacts, "WARNING")
    page = _study_page(settings)
    logs = artifacts / "prefect"
    say("starting MLflow and Prefect, which takes half a minute")
    with stopped_by_signals() as stopped, ExitStack() as stack:
        check_port(mlflow_port)
        check_port(prefect_port)
        mlflow = mlflow_command(tracking.uri(artifacts), artifacts / "mlruns", HOST, mlflow_port)
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
