"""``citegrain ui``: which page is opened, and where none is."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citegrain.flows.serving import ui
from citegrain.flows.study.tracking import VIEW
from tests.flows.conftest import Done


@contextmanager
def _stopped_at_once() -> Iterator[threading.Event]:
    stopped = threading.Event()
    stopped.wait = lambda timeout=None: True  # type: ignore[method-assign]
    yield stopped


@pytest.mark.parametrize(("display", "opened"), [("", []), (":0", ["http://127.0.0.1:5001/#/experiments/7"])])
def test_the_newest_study_is_opened_where_there_is_a_screen(
    monkeypatch: pytest.MonkeyPatch,
    call: Callable[..., Done],
    tmp_path: Path,
    display: str,
    opened: list[str],
) -> None:
    pages: list[str] = []
    started: list[dict[str, str]] = []
    for name, stand_in in {
        "start": lambda stack, command, log, variables: started.append(variables),
        "wait_until_ready": lambda *_: None,
        "stopped_by_signals": _stopped_at_once,
        "_study_page": lambda settings: "/#/experiments/7",
    }.items():
        monkeypatch.setattr(ui, name, stand_in)
    monkeypatch.setattr(ui.sys, "platform", "linux")
    monkeypatch.setattr(ui.webbrowser, "open", pages.append)
    monkeypatch.setattr(ui, "set_up_prefect", lambda *given: None)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    done = call("ui", "--mlflow-port", "5001", "--prefect-port", "4201", f"artifacts='{tmp_path}'")
    assert done.returncode == 0 and pages == opened, done.stderr
    assert done.stdout.startswith("starting MLflow and Prefect"), "nothing is waited for in silence"
    assert "mlflow   http://127.0.0.1:5001/#/experiments/7" in done.stdout
    addresses = [variables.get("PREFECT_UI_API_URL", "") for variables in started]
    assert addresses == ["", "http://127.0.0.1:4201/api"], "the pages ask the port on which they are served"


def test_a_port_that_another_program_has_is_one_clear_line(call: Callable[..., Done], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = call("ui", "--mlflow-port", port, f"artifacts='{tmp_path}'")
    assert done.returncode == 1 and f"port {port} cannot be used" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_first_page_of_mlflow_puts_the_view_of_each_experiment_into_the_browser(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from fastapi.testclient import TestClient
    from mlflow import MlflowClient
    from mlflow.server import constants

    store = f"sqlite:///{tmp_path / 'mlflow.db'}"
    _, variables = ui.mlflow_command(store, tmp_path / "files", "127.0.0.1", 1)
    assert set(variables) == {
        constants.BACKEND_STORE_URI_ENV_VAR,
        constants.ARTIFACTS_DESTINATION_ENV_VAR,
        constants.SERVE_ARTIFACTS_ENV_VAR,
        "_MLFLOW_SGI_NAME",
    }
    client = MlflowClient(store)
    plain, viewed = (client.create_experiment(name, artifact_location=tmp_path.as_uri()) for name in "ab")
    view = {"selectedColumns": ["metrics.`primary_accuracy`", "</script>"]}
    client.set_experiment_tag(viewed, VIEW, json.dumps(view))
    study = client.create_run(viewed, tags={"kind": "study"}).info.run_id
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with TestClient(ui.mlflow_pages(), base_url="http://127.0.0.1", raise_server_exceptions=False) as pages:
        reply = pages.get("/")
        assert reply.headers["cache-control"] == "no-store" and int(reply.headers["content-length"])
        script = reply.text.partition("<head><script>")[2].partition("</script>")[0]
        views = json.loads(script.partition("Object.entries(")[2].partition(")) {")[0])
        assert views == {viewed: view | {"runsExpanded": {study: True}}} and plain not in views
        assert "<script>" not in pages.get("/health").text
