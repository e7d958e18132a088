"""``citegrain ui``: which page is opened, and where none is."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citegrain.flows.serving import ui
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
    for name, stand_in in {
        "start": lambda *_: None,
        "wait_until_ready": lambda *_: None,
        "stopped_by_signals": _stopped_at_once,
        "_study_page": lambda settings: "/#/experiments/7",
    }.items():
        monkeypatch.setattr(ui, name, stand_in)
    monkeypatch.setattr(ui.sys, "platform", "linux")
    monkeypatch.setattr(ui.webbrowser, "open", pages.append)
    monkeypatch.setattr(ui.prefect_environment, "apply", lambda *given: None)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    done = call("ui", "--mlflow-port", "5001", f"artifacts='{tmp_path}'")
    assert done.returncode == 0 and pages == opened, done.stderr
    assert done.stdout.startswith("starting MLflow and Prefect"), "nothing is waited for in silence"
    assert "mlflow   http://127.0.0.1:5001/#/experiments/7" in done.stdout


def test_a_port_that_another_program_has_is_one_clear_line(call: Callable[..., Done], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = call("ui", "--mlflow-port", port, f"artifacts='{tmp_path}'")
    assert done.returncode == 1 and f"port {port} cannot be used" in done.stderr
    assert len(done.stderr.splitlines()) == 1
