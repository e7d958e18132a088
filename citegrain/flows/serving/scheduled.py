"""The process that runs what is scheduled: ``python -m citegrain.flows.serving.scheduled``."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any
from uuid import UUID

from prefect import Flow, flow
from prefect.client.orchestration import get_client
from prefect.client.schemas import filters
from prefect.client.schemas.objects import State, StateType
from prefect.exceptions import ObjectNotFound
from prefect.runner import Runner
from prefect.schedules import Cron, Interval, Schedule
from prefect.states import Completed

from citegrain.flows.shared.schedule import ScheduleConfig
from citegrain.flows.shared.settings import Settings, SettingsError, load_settings

BUSY = "Busy"
"""Name of the state of a run that found another re-index of its corpus at work."""


class Told(State[None]):
    """A failed state whose reason the run has told: its process ends without a word more."""

    def result(self, *_: Any, **__: Any) -> None:
        # Prefect asks for it last of all, and would raise the reason again, with a traceback
        return None


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
    """A function told as ``module:function`` as a flow whose expected errors are states."""
    module, _, name = scheduled.partition(":")
    return flow(name=name)(telling(getattr(importlib.import_module(module), name)))


def telling(work: Callable[[list[str]], Any]) -> Callable[[list[str]], Any]:
    """A function of overrides that ends in a state where its error says in one line what is wrong.

    Another re-index at work is no failure: the state is Completed, and named ``Busy``.
    """

    @wraps(work)
    def told(overrides: list[str]) -> Any:
        from citegrain.flows.shared.errors import TELLING
        from citegrain.tasks.core.store import ReindexBusy
        from citegrain.tasks.core.store.artefacts import explain

        try:
            return work(overrides)
        except ReindexBusy as error:
            return Completed(name=BUSY, message=str(error))
        except (*TELLING, SettingsError) as error:
            reason = str(error)
        except OSError as error:
            reason = explain(error, load_settings(overrides).artifacts_folder)
        sys.stderr.write(f"citegrain: {reason}\n")
        return Told(type=StateType.FAILED, name="Failed", message=reason)

    return told


async def forget_missed(deployment: UUID, before: datetime) -> None:
    """Delete the runs that came due before and were not begun: the next does what they would have done."""
    missed = filters.FlowRunFilter(
        deployment_id=filters.FlowRunFilterDeploymentId(any_=[deployment]),
        state=filters.FlowRunFilterState(type=filters.FlowRunFilterStateType(any_=[StateType.SCHEDULED])),
        expected_start_time=filters.FlowRunFilterExpectedStartTime.model_validate({"before_": before}),
    )
    async with get_client() as client:
        while runs := await client.read_flow_runs(flow_run_filter=missed):  # a page of them at a time
            for run in runs:
                with suppress(ObjectNotFound):
                    await client.delete_flow_run(run.id)


def run(scheduled: str, overrides: Sequence[str]) -> None:
    """Register the schedule and run what comes due, one run at a time, until the process is ended."""
    settings = load_settings(overrides)
    # Prefect ends on SIGTERM in the midst of its loop, which asyncio would tell as errors
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    asyncio.run(_run(scheduled, settings, overrides))


async def _run(scheduled: str, settings: Settings, overrides: Sequence[str]) -> None:
    # the runner's own limit: a limit of the server's could be held for ever by a run that was killed
    runner = Runner(name=f"citegrain-{settings.corpus.name}", limit=1)
    deployment = await runner.aadd_flow(
        load_flow(scheduled),
        name=settings.corpus.name,
        schedule=prefect_schedule(settings.schedule),
        parameters={"overrides": list(overrides)},
    )
    # registering forgets what the old schedule has in store, but not what came due while nothing ran
    await forget_missed(deployment, datetime.now(UTC))
    await runner.start()


if __name__ == "__main__":
    run(sys.argv[1], json.loads(sys.argv[2]))
