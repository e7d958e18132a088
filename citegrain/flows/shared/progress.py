"""How far a run is: bars and lines for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Protocol


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


_PROGRESS: ContextVar[Progress] = ContextVar("progress", default=Silent())  # noqa: B039 - it has no state


def current_progress() -> Progress:
    """Progress of the run that is at work here, for a task; a worker elsewhere has a silent one."""
    return _PROGRESS.get()


@contextmanager
def show_progress(progress: Progress) -> Iterator[None]:
    """What :func:`current_progress` gives while the body runs."""
    token = _PROGRESS.set(progress)
    try:
        yield
    finally:
        _PROGRESS.reset(token)
