"""A schedule as a line of a crontab."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from citegrain.flows.shared.configs import ScheduleConfig


def crontab(
    config: ScheduleConfig, name: str, overrides: Sequence[str], python: str, root: Path, artifacts: Path
) -> str:
    """Lines for ``crontab -e`` that do what ``citegrain serve`` does, without a server.

    Parameters
    ----------
    name
        Of the corpus.
    python, root, artifacts
        The interpreter, the working directory, the folder of everything produced.

    Raises
    ------
    ValueError
        If the schedule is an interval, or an override holds a line break.
    """
    if config.interval:
        raise ValueError("schedule.interval cannot be written in a crontab: set schedule.cron")
    if any("\n" in override for override in overrides):
        raise ValueError("an override has a line break, which a crontab cannot hold")
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
