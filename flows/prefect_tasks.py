"""What the flows share of Prefect."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State

from tasks.store import StoreError


def run_as_task(stage: str, name: str, work: Callable[[], State[None]], failing: bool = False) -> None:
    """Run ``work`` as one Prefect task; what is cached is decided by our own store.

    With ``failing``, a state of failure that ``work`` returns is drawn and ends nothing.
    """
    made = task(name=stage, task_run_name=name, cache_policy=NO_CACHE, persist_result=False)(work)
    state = made(return_state=True)
    if not (failing and state.is_failed() and not _raised(state)):
        state.result()


def _raised(state: State[Any]) -> bool:
    """Whether a task ended by an exception and not by a state it returned."""
    return isinstance(state.data, BaseException) or state.message is None or "exception" in state.message


@contextmanager
def drawn(artifacts: Path) -> Iterator[None]:
    """Around a flow: quiet logs, and one line where Prefect's own server fails.

    Raises
    ------
    StoreError
        If the server did not start or was lost.
    """
    for name in ("httpx", "bm25s"):
        logging.getLogger(name).setLevel(logging.WARNING)
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
