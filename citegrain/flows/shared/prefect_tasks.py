"""What the flows share of Prefect."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Failed

from citegrain.tasks.core.store import StoreError


def run_as_task(stage: str, name: str, work: Callable[[], State[None]]) -> None:
    """Run ``work`` as one Prefect task; what is cached is decided by our own store.

    A state of failure that ``work`` returns is drawn and ends nothing; an exception that it raises
    is drawn, and leaves as it was raised. What Prefect itself fails at is raised as Prefect tells it.
    """
    raised: list[Exception] = []
    ended = False

    def caught() -> State[None]:
        nonlocal ended
        try:
            return work()
        except Exception as error:
            raised.append(error)
            return Failed(message=f"{type(error).__name__}: {error}")
        finally:
            ended = True

    made = task(name=stage, task_run_name=name, cache_policy=NO_CACHE, persist_result=False)(caught)
    state = made(return_state=True)
    if raised:
        raise raised[0]
    if not ended or state.is_crashed():
        state.result()


@contextmanager
def drawn(artifacts: Path) -> Iterator[None]:
    """Around a flow: quiet logs, and one line where Prefect's own server fails.

    Raises
    ------
    StoreError
        If the server did not start or was lost.
    """
    logging.getLogger("httpx").setLevel(logging.WARNING)
    for name in ("prefect", "prefect.flow_runs", "prefect.task_runs"):
        # an error leaves the flow and is told in one line; Prefect would print its traceback first
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    except (httpx.TransportError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "Prefect" not in str(error):
            raise
        raise StoreError(
            f"Prefect's own server did not start or was lost ({error}); it keeps its database in "
            f"{artifacts / 'prefect'}: is there space left on that device?"
        ) from error
