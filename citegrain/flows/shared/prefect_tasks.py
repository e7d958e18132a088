"""What the flows share of Prefect: tasks with their edges, logs for its pages, one line for its failures."""

import logging
from collections.abc import Callable, Iterable, Iterator
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

from citegrain.flows.shared.progress import PROGRESS, Progress
from citegrain.tasks.core.store import StoreError

T = TypeVar("T")


class Local(Generic[T]):
    """An object of this process, given to a flow: Prefect neither copies nor shows what is in it."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value


def run_task(
    function: Callable[..., Any],
    name: str,
    *args: Any,
    after: Iterable[State[Any]] = (),
    says: Callable[[Any], str] | None = None,
) -> State[Any]:
    """Run a function as a task under a name that a person reads, with an edge from each that it reads from.

    A failure that it returns as a state is drawn and ends nothing; what it raises is drawn and raised as it
    was. What is cached our own store decides.

    ``after``: states of the tasks before it. One that failed does not keep this one from running. ``says``:
    the line for a result of a function that returns no state, as :func:`completed` has it.
    """

    def work(*given: Any) -> Any:
        result = function(*given)
        return completed(says(result), result) if says else result

    before = [allow_failure(state) for state in after]
    given = map(quote, args)  # else Prefect looks for edges in every document of a plan, a second each
    drawn_task = task(work, task_run_name=name, cache_policy=NO_CACHE, persist_result=False)
    state = drawn_task(*given, return_state=True, wait_for=before)
    with suppress(FailedRun):  # returned, not raised
        state.result()
    return state


def completed(message: str, result: Any, cached: bool = False) -> State[Any]:
    """The state of a task that is done, with its result in a ``Local``, and its line in Prefect's log.

    Prefect would draw an edge between tasks whose results share an object, such as a schema.
    """
    get_run_logger().info(message)
    return Completed(name="Cached" if cached else "Completed", message=message, data=Local(result))


@contextmanager
def drawn(artifacts: Path, progress: Progress) -> Iterator[None]:
    """Around a flow: its log goes to Prefect's pages, errors take one line. Raises StoreError."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.propagate = False  # to the terminal, where an error takes one line and no traceback
    for name in ("prefect", "EventsWorker", "APILogWorker"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.raiseExceptions = False  # a line that the server does not take is none on the terminal
    token = PROGRESS.set(progress)
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
    finally:
        PROGRESS.reset(token)
