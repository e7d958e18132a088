"""What the flows share of Prefect: tasks with their edges, logs for its pages, one line for its failures."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import httpx
from prefect import allow_failure, get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.exceptions import FailedRun, PrefectHTTPStatusError
from prefect.states import Completed
from prefect.utilities.annotations import quote

from citegrain.tasks.core.store import StoreError

T = TypeVar("T")

stage_task = task(cache_policy=NO_CACHE, persist_result=False)
"""Makes a function a task; what is cached is decided by our own store."""


class Local(Generic[T]):
    """An object of this process, given to a flow: Prefect neither copies nor shows what is in it."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value


def run_task(function: Any, name: str, *args: Any, after: Iterable[State[Any]] = ()) -> State[Any]:
    """Run a task under a name that a person reads, with an edge from each task that it reads from.

    A failure that the task returns as a state is drawn and ends nothing; what it raises is drawn and
    raised as it was.

    ``after``: states of the tasks before it. One that failed does not keep this one from running.
    """
    before = [allow_failure(state) for state in after]
    given = map(quote, args)  # else Prefect looks for edges in every document of a plan, a second each
    state = function.with_options(task_run_name=name)(*given, return_state=True, wait_for=before)
    with suppress(FailedRun):  # returned, not raised
        state.result()
    return state


def completed(message: str, result: Any, cached: bool = False) -> State[Any]:
    """The state of a task that is done, and its line in the log of Prefect's page.

    Results of two tasks must not share an object, such as a schema: Prefect would draw an edge between what
    reads the one and the task of the other. A result in a ``Local`` shares nothing that Prefect sees.
    """
    get_run_logger().info(message)
    return Completed(name="Cached" if cached else "Completed", message=message, data=result)


@contextmanager
def drawn(artifacts: Path) -> Iterator[None]:
    """Around a flow: its log goes to Prefect's pages and not to the terminal, and errors take one line.

    Raises StoreError if Prefect's server did not start or was lost.
    """
    logging.getLogger("httpx").setLevel(logging.WARNING)
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.propagate = False  # to the terminal, where an error takes one line and no traceback
    logging.getLogger("prefect").setLevel(logging.CRITICAL)
    logging.raiseExceptions = False  # a line that the server does not take is none on the terminal
    try:
        yield
    except (httpx.TransportError, PrefectHTTPStatusError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "Prefect" not in str(error):
            raise
        why = str(error).splitlines()[0].partition(" for url")[0]
        raise StoreError(
            f"Prefect's own server did not start or was lost ({why}); it keeps its database in "
            f"{artifacts / 'prefect'}: is there space left on that device, or is the machine too busy? "
            "What was finished is kept, and the next run continues from there"
        ) from error
