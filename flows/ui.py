"""The pages of MLflow and Prefect, on loopback, with the newest study ready to compare."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import httpx

from flows import prefect_environment, tracking
from flows.settings import Settings
from tasks.studies import study_folder

HOST = "127.0.0.1"
_DEADLINE = 120.0


class UiError(RuntimeError):
    """A server did not start; the message says which and where its log is."""


def serve(settings: Settings, mlflow_port: int, prefect_port: int, say: Callable[[str], None]) -> None:
    """Start both servers, tell their addresses, and stay until interrupted.

    Raises
    ------
    UiError
        If one of them does not start.
    """
    artifacts = settings.artifacts_folder
    prefect_environment.apply(artifacts)
    page = _study_page(settings)
    logs = artifacts / "prefect"
    with ExitStack() as stack:
        for name, command, address in (
            ("mlflow", _mlflow(artifacts, mlflow_port), f"http://{HOST}:{mlflow_port}"),
            ("prefect", _prefect(prefect_port), f"http://{HOST}:{prefect_port}"),
        ):
            started = _start(stack, name, command, logs / f"{name}-server.log")
            _wait(name, started, f"{address}/{'health' if name == 'mlflow' else 'api/health'}", logs)
            say(f"{name:<8} {address}{page if name == 'mlflow' else ''}")
        say("Ctrl-C ends both")
        while True:
            time.sleep(3600)


def _study_page(settings: Settings) -> str:
    """Path of the page that compares the configurations of the newest study; logs it where it is not."""
    try:
        folder = study_folder(settings.reports_folder)
    except FileNotFoundError:
        return ""
    experiment, parent = tracking.log_study(folder, settings.artifacts_folder)
    return tracking.study_page(experiment, parent)


def _mlflow(artifacts: Path, port: int) -> list[str]:
    return [
        sys.executable, "-m", "mlflow", "server", "--backend-store-uri", tracking.uri(artifacts),
        "--artifacts-destination", str(artifacts / "mlruns"), "--host", HOST, "--port", str(port),
        "--workers", "1",
    ]  # fmt: skip


def _prefect(port: int) -> list[str]:
    return [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(port)]


def _start(stack: ExitStack, name: str, command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "1"}
    log.parent.mkdir(parents=True, exist_ok=True)
    output = stack.enter_context(log.open("wb"))
    process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    stack.callback(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait(name: str, process: subprocess.Popen[bytes], address: str, logs: Path) -> None:
    until = time.monotonic() + _DEADLINE
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            if httpx.get(address, timeout=2.0).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.3)
    raise UiError(f"{name} did not start: see {logs / f'{name}-server.log'}; is its port taken?")
