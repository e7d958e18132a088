"""What is wrong with a benchmark: one line a fault, with file, line and field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.faults import cut, faults, printable, shown

_MOST_SHOWN = 10


class BenchmarkError(ValueError, Expected):
    """A benchmark cannot be used; one line a fault, ``FILE:LINE: FIELD: what is wrong``."""


class Problems:
    """Faults of one file, collected so that all can be mended at once.

    Only the first few are kept: a file of another kind has a fault on each of its lines. ``lines`` says
    where each id stood first.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[str, int] = {}
        self.count = 0
        self._shown: list[str] = []

    def add(self, line: int, field: str, wrong: str) -> None:
        """Note a fault; ``field`` is a path such as ``primary.section``, or ``record`` for a whole line."""
        self.count += 1
        if len(self._shown) < _MOST_SHOWN:
            self._shown.append(f"{printable(self.path)}:{line}: {cut(printable(field))}: {wrong}")

    @contextmanager
    def noted(self, line: int, name: Callable[[str], str] = str) -> Iterator[None]:
        """Note what Pydantic finds wrong within; ``name`` says how the file names a field."""
        try:
            yield
        except ValidationError as error:
            for field, wrong in faults(error):
                self.add(line, name(field), wrong)

    def is_new(self, line: int, field: str, identifier: Any) -> bool:
        """Whether an id is new in the file; if not, both lines are named. No string is reported elsewhere."""
        if not isinstance(identifier, str):
            return True
        if (first := self.lines.setdefault(identifier, line)) != line:
            self.add(line, field, f"{shown(identifier)} is already on line {first}")
        return first == line

    def check(self) -> None:
        """Raise what was noted.

        Raises
        ------
        BenchmarkError
            If there is a fault.
        """
        if self.count:
            more = self.count - len(self._shown)
            raise BenchmarkError("\n".join([*self._shown, *([f"... and {more} more"] if more else [])]))
