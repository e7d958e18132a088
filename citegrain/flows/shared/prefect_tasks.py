"""What the flows share of Prefect: its settings, tasks with their edges, one line for its failures.

It is imported by who draws a flow, and not before: what is done already needs none of it, and its settings
must be made first.
"""

from __future__ import annotations

import importlib.metadata
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from citegrain.flows.shared.progress import PROGRESS, Progress
from citegrain.tasks.core.paths import PACKAGE
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.store.files import check_writable, temporary_name

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

_DATABASE = 16 << 20  # bytes; Prefect's database and its journal take 6 MB in a run
T = TypeVar("T")


class Local(Generic[T]):
    """An object of this process, given to a flow: Prefect neither copies nor shows what is in it."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value


def set_up_prefect(artifacts: Path, server_log: str = "CRITICAL") -> None:
    """Keep Prefect's files below ``artifacts``, its telemetry off and its log quiet.

    What the environment sets already stands. Raises StoreError if there is no room for its files: its server
    would try for two minutes. ``server_log``: the level of what that writes to the run's terminal.
    """
    home = artifacts / "prefect"
    check_writable(home, _DATABASE)
    for name, value in {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_API_HOST": "127.0.0.1",
        # a busy machine takes longer than the 20 s that are allowed
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        # of the forms of settings that Prefect brings no flow of ours has any; a lasting server has them all
        "PREFECT_API_BLOCKS_REGISTER_ON_START": str(server_log != "CRITICAL").lower(),
        # where the server was lost, each event would be a line, and each call would wait for a minute
        "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_CLIENT_MAX_RETRIES": "3",
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_LOGGING_TO_API_ENABLED": "true",
        "PREFECT_SERVER_LOGGING_LEVEL": server_log,
        "DO_NOT_TRACK": "1",
    }.items():
        os.environ.setdefault(name, value)
    with suppress(OSError, sqlite3.Error):  # Prefect makes its tables itself, e.g. where no links can be made
        begin_database(home / "prefect.db")


def template() -> Path:
    """The tables of the installed Prefect as SQL; of most versions there is none."""
    return PACKAGE / f"data/prefect/{importlib.metadata.version('prefect')}.sql"


def begin_database(path: Path) -> None:
    """Make Prefect's tables if there are none: its migrations, from its first version on, take seconds."""
    if path.exists() or not template().is_file():
        return
    part = path.with_name(temporary_name(".prefect-"))
    try:
        with closing(sqlite3.connect(part)) as database:
            database.executescript(template().read_text(encoding="utf-8"))
        with suppress(FileExistsError):  # a server has begun meanwhile: its file stays
            path.hardlink_to(part)
    finally:
        part.unlink(missing_ok=True)


def as_flow(work: Callable[..., Any], name: str, run_name: str) -> Callable[..., Any]:
    """A function as a flow; ``run_name``: of its runs, with its parameters in braces."""
    from prefect import flow

    drawn_flow: Callable[..., Any] = flow(work, name=name, flow_run_name=run_name, validate_parameters=False)
    return drawn_flow


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

    from prefect import allow_failure, task
    from prefect.cache_policies import NO_CACHE
    from prefect.exceptions import FailedRun
    from prefect.utilities.annotations import quote

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
    from prefect import get_run_logger
    from prefect.states import Completed

    get_run_logger().info(message)
    return Completed(name="Cached" if cached else "Completed", message=message, data=Local(result))


def failed(what: str, reason: str) -> State[Any]:
    """The state of a task that failed, with a line in Prefect's log."""
    from prefect import get_run_logger
    from prefect.states import Failed

    get_run_logger().error("%s: %s", what, reason)
    return Failed(message=reason)


def show_table(key: str, rows: Sequence[Mapping[str, Any]], description: str) -> None:
    """A table on Prefect's page of the flow."""
    from prefect.artifacts import create_table_artifact

    create_table_artifact(key=key, table=list(map(dict, rows)), description=description)


def show_report(key: str, markdown: str, description: str) -> None:
    """A page beside that of the flow."""
    from prefect.artifacts import create_markdown_artifact

    create_markdown_artifact(key=key, markdown=markdown, description=description)


@contextmanager
def drawn(artifacts: Path, progress: Progress) -> Iterator[None]:
    """Around a flow: its log goes to Prefect's pages, errors take one line. Raises StoreError."""
    set_up_prefect(artifacts)
    import httpx
    from prefect.exceptions import PrefectHTTPStatusError

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
