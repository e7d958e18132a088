"""A schedule as a line of cron's."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from citegrain.flows.shared.schedule import ScheduleConfig


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
        raise ValueError("schedule.interval has no line in a crontab: tell schedule.cron")
    if any("\n" in override for override in overrides):
        raise ValueError("a line of a crontab holds no line break")
    own = [override for override in overrides if not override.startswith("schedule.")]
    log = artifacts / f"reindex-{name}.log"
    command = (
        f"cd {shlex.quote(str(root))} && {shlex.quote(python)} -m citegrain reindex {shlex.join(own)} "
        f">> {shlex.quote(str(log))} 2>&1"
    )
    # cron turns a bare % into a line break
    line = f"{config.cron} {command}".replace("%", r"\%")
    return (
        "# the variable of corpus.http.auth_env, where there is one, has to be set here too\n"
        "# cronie reads CRON_TZ; where cron does not, the fields are on the machine's own clock\n"
        f"CRON_TZ={config.timezone}\n{line}"
    )
