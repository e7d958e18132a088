"""The process that runs what is scheduled: ``python -m citegrain.flows.serving.scheduled``."""

import asyncio
import importlib
import json
import logging
import sys
import warnings
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

from citegrain.flows.shared.configs import ScheduleConfig
from citegrain.flows.shared.progress import log_line
from citegrain.flows.shared.settings import Settings, load_settings

BUSY = "Busy"
"""Name of the state of a run that found another re-index of its corpus at work."""


class Reported(State[None]):
    """A failed state whose reason is in the log: its process ends without another message."""

    def result(self, *_: Any, **__: Any) -> None:
        # Prefect asks for it last of all, and would raise the reason again, with a traceback
        return None


def prefect_schedule(config: ScheduleConfig) -> Schedule:
    """The schedule as Prefect knows it. Raises ValueError if Prefect does not know the cron expression."""
    if config.interval:
        return Interval(timedelta(seconds=config.interval), timezone=config.timezone)
    return Cron(config.cron, timezone=config.timezone)


def load_flow(scheduled: str) -> Flow[Any, Any]:
    """The function ``module:function`` as a flow whose expected errors are states."""
    module, _, name = scheduled.partition(":")
    return flow(name=name)(with_states(getattr(importlib.import_module(module), name)))


def with_states(work: Callable[[list[str]], Any]) -> Callable[[list[str]], Any]:
    """A function of overrides that ends in a state, not in an exception, where its error is an expected one.

    Another re-index at work is no failure: the state is Completed, and named ``Busy``.
    """

    @wraps(work)
    def run_to_state(overrides: list[str]) -> Any:
        from citegrain.tasks.core.errors import Expected
        from citegrain.tasks.core.store import ReindexBusy
        from citegrain.tasks.core.store.files import explain

        try:
            done = work(overrides)
        except ReindexBusy as error:
            done = Completed(name=BUSY, message=str(error))
        except Expected as error:
            done = Reported(type=StateType.FAILED, name="Failed", message=str(error))
        except OSError as error:
            reason = explain(error, load_settings(overrides).artifacts_folder)
            done = Reported(type=StateType.FAILED, name="Failed", message=reason)
        if isinstance(done, State):
            log_line(f"{done.name}: {done.message}")
        return done

    return run_to_state


async def forget_missed(deployment: UUID, before: datetime) -> None:
    """Delete the runs that came due before and never began: the next run does their work."""
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
    # Prefect ends on SIGTERM in the middle of its loop, which asyncio would log as errors
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", "coroutine 'Runner.astop'", RuntimeWarning)
    asyncio.run(_run(scheduled, settings, overrides))


async def _run(scheduled: str, settings: Settings, overrides: Sequence[str]) -> None:
    # the runner's own limit: a limit of the server's would stay taken for ever by a run that was killed
    runner = Runner(name=f"citegrain-{settings.corpus.name}", limit=1)
    deployment = await runner.aadd_flow(
        load_flow(scheduled),
        name=settings.corpus.name,
        schedule=prefect_schedule(settings.schedule),
        parameters={"overrides": list(overrides)},
    )
    # registering deletes the future runs of the old schedule, but not those that came due while nothing ran
    await forget_missed(deployment, datetime.now(UTC))
    await runner.start()


if __name__ == "__main__":
    run(sys.argv[1], json.loads(sys.argv[2]))
