"""MLflow's own server, whose list of runs opens on the columns that matter.

MLflow keeps what its pages show in the browser, and what a link can carry comes with a warning. So its first
page is given a few lines that put there what the newest study of an experiment keeps as a tag. What a user
changes stays until another study is logged.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citegrain.flows.study.tracking import VIEW

if TYPE_CHECKING:
    from fastapi import FastAPI

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


def app() -> FastAPI:
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


def command(store: str, files: Path, host: str, port: int) -> tuple[list[str], dict[str, str]]:
    """What starts the server over the runs of ``store`` and the folder of their files, and its variables."""
    line = [sys.executable, "-m", "uvicorn", "--factory", f"{__name__}:app"]
    line += ["--host", host, "--port", str(port), "--log-level", "warning"]
    variables = {_STORE: store, _FILES: str(files), "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true"}
    return line, variables | {"_MLFLOW_SGI_NAME": "uvicorn"}
