"""How far a run is, for whoever watches it: bars, lines, and the time of each step."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from citegrain.tasks.online.cascade import Cascade
    from citegrain.tasks.online.steps import Step

ENCODE = "encode"


class Progress(Protocol):
    """What a run needs of a terminal."""

    def step(self, name: str, total: int) -> AbstractContextManager[Callable[[int], None]]:
        """A bar named ``name``; call the result with the number of items done."""
        ...

    def say(self, line: str) -> None:
        """One line for the user."""
        ...


class Silent:
    """Progress of a run that nobody watches."""

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """No bar."""
        yield lambda n: None

    def say(self, line: str) -> None:
        """Nothing."""


def log_line(line: str) -> None:
    """Write a line to the log of a schedule, whose reader has no page of Prefect, behind the time."""
    sys.stderr.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} {line}\n")


PROGRESS: ContextVar[Progress] = ContextVar("progress", default=Silent())  # noqa: B039 - it has no state


def current_progress() -> Progress:
    """Progress of the run that is at work here, for a task; a worker elsewhere has a silent one."""
    return PROGRESS.get()


class StepTimes:
    """Seconds of each step of one run, and of ``encode``, from now on: pass it as ``on_step``.

    Queries are encoded right after the step ``query``, so that no channel pays for what all share.
    """

    def __init__(self, cascade: Cascade) -> None:
        self.seconds: dict[str, float] = {}
        self._cascade = cascade
        self._begun = time.perf_counter()

    def __call__(self, step: Step, table: pa.Table) -> None:
        self._stop(step.name)
        if step.name == "query":
            self._cascade.vectors(table)
            self._stop(ENCODE)

    def _stop(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self._begun = now - self._begun, now
