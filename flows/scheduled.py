"""The process that runs what is scheduled, ``python -m flows.scheduled``; :mod:`flows.serving` starts it."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from prefect import Flow, flow
from prefect.runner import Runner
from prefect.schedules import Cron, Interval, Schedule

from flows.schedule import ScheduleConfig
from flows.settings import load_settings


def prefect_schedule(config: ScheduleConfig) -> Schedule:
    """The schedule as Prefect knows it.

    Raises
    ------
    ValueError
        If Prefect does not know the cron expression.
    """
    if config.interval:
        return Interval(timedelta(seconds=config.interval), timezone=config.timezone)
    return Cron(config.cron, timezone=config.timezone)


def load_flow(scheduled: str) -> Flow[Any, Any]:
    """A function told as ``module:function`` as a flow, if it is not one already."""
    module, _, name = scheduled.partition(":")
    found = getattr(importlib.import_module(module), name)
    return found if isinstance(found, Flow) else flow(name=name)(found)


def run(scheduled: str, overrides: Sequence[str]) -> None:
    """Register the schedule and run what comes due, one run at a time, until the process is ended."""
    settings = load_settings(overrides)
    # Prefect ends on SIGTERM in the midst of its loop, which asyncio would tell as errors
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    # the runner's own limit: a limit of the server's could be held for ever by a run that was killed
    runner = Runner(name=f"citegrain-{settings.corpus.name}", limit=1)
    runner.add_flow(
        load_flow(scheduled),
        name=settings.corpus.name,
        schedule=prefect_schedule(settings.schedule),
        parameters={"overrides": list(overrides)},
    )
    asyncio.run(runner.start())


if __name__ == "__main__":
    run(sys.argv[1], json.loads(sys.argv[2]))
