"""Re-index by schedule: Prefect's server and the schedule's runner, each a process that ends with us.

For a machine without either, the same as a line of a crontab.
"""

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from citegrain.flows.serving.servers import (
    HOST,
    ServerError,
    check_port,
    prefect_server,
    start,
    stopped_by_signals,
    wait_until_ready,
)
from citegrain.flows.shared.configs import ScheduleConfig
from citegrain.flows.shared.prefect_tasks import set_up_prefect
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.errors import UsageFault

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

    ``scheduled``: ``module:function``. Raises ServerError if one does not start, or ends by itself.
    """
    artifacts = settings.artifacts_folder
    set_up_prefect(artifacts, "WARNING")
    log = artifacts / "prefect" / "prefect-server.log"
    address = f"http://{HOST}:{port}"
    command, variables = prefect_server(port)
    with stopped_by_signals() as stopped, ExitStack() as stack:
        check_port(port)
        server = start(stack, command, log, variables)
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


def crontab(
    config: ScheduleConfig, name: str, overrides: Sequence[str], python: str, root: Path, artifacts: Path
) -> str:
    """Lines for ``crontab -e`` that do what ``citegrain schedule`` does, without a server.

    ``root``: working directory. Raises UsageFault if a crontab cannot hold the schedule or an override.
    """
    if config.interval:
        raise UsageFault("schedule.interval cannot be written in a crontab: set schedule.cron")
    if any("\n" in override for override in overrides):
        raise UsageFault("an override has a line break, which a crontab cannot hold")
    given = [override for override in overrides if not override.startswith("schedule.")]
    log = artifacts / f"reindex-{name}.log"
    command = (
        f"cd {shlex.quote(str(root))} && {shlex.quote(python)} -m citegrain reindex {shlex.join(given)} "
        f">> {shlex.quote(str(log))} 2>&1"
    )
    # cron turns a bare % into a line break
    line = f"{config.cron} {command}".replace("%", r"\%")
    return (
        "# if corpus.http.auth_env names a variable, set it here too\n"
        "# cronie reads CRON_TZ; another cron may read the fields on the machine's clock\n"
        f"CRON_TZ={config.timezone}\n{line}"
    )


def _runner(scheduled: str, overrides: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "citegrain.flows.serving.scheduled", scheduled, json.dumps(list(overrides))]
