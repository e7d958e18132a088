"""Where a run tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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
