"""Re-index by schedule: Prefect's server and the schedule's runner, each a process that ends with us."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from citegrain.flows.serving.servers import (
    HOST,
    ServerError,
    check_port,
    prefect_server,
    start,
    stopped_by_signals,
    wait_until_ready,
)
from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.settings import Settings

REINDEX = "citegrain.flows.reindex.run:reindex"
"""What is scheduled: a function of overrides, which the runner imports when it starts."""


def serve(
    settings: Settings,
    overrides: Sequence[str],
    port: int,
    say: Callable[[str], None],
    scheduled: str = REINDEX,
) -> None:
    """Start server and schedule, stay until Ctrl-C, SIGTERM or the end of the terminal, then stop both.

    Parameters
    ----------
    overrides
        Of each run.
    port
        Of Prefect's server, on loopback.
    scheduled
        ``module:function``.

    Raises
    ------
    ServerError
        If the server does not start, or one of the two ends by itself.
    """
    artifacts = settings.artifacts_folder
    prefect_environment.apply(artifacts)
    log = artifacts / "prefect" / "prefect-server.log"
    address = f"http://{HOST}:{port}"
    with stopped_by_signals() as stopped, ExitStack() as stack:
        check_port(port)
        server = start(stack, prefect_server(port), log)
        wait_until_ready("prefect", server, f"{address}/api/health", log, stopped)
        if stopped.is_set():
            return
        runner = start(stack, _runner(scheduled, overrides), None, {"PREFECT_API_URL": f"{address}/api"})
        say(f"{settings.corpus.name}: re-index {settings.schedule.words}; runs are shown on {address}")
        say("Ctrl-C ends the schedule and its server")
        while not stopped.wait(0.5):
            if server.poll() is not None:
                raise ServerError(f"Prefect's server ended: see {log}")
            if runner.poll() is not None:
                raise ServerError("the schedule ended by itself: see above")


def _runner(scheduled: str, overrides: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "citegrain.flows.serving.scheduled", scheduled, json.dumps(list(overrides))]
