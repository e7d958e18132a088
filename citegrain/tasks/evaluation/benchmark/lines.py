"""Lines of text files and the JSON objects on them; what is wrong with them, by file, line and field."""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from citegrain.tasks.core.errors import Expected, cut, faults, printable, shown

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


_LONGEST_PATH = 200
LONGEST_LINE = 8 << 20
"""Bytes; the text of a whole Act fits, and a file that is one line is not read into memory."""


def numbered_lines(path: Path, problems: Problems) -> Iterator[tuple[int, str]]:
    """(number from 1, line without its end) of the lines that are not blank.

    UTF-8 with or without a mark of byte order; lines end in LF or CR LF and nothing else, since U+2028
    may stand in a text. Lines that cannot be read go to ``problems``.

    Raises
    ------
    BenchmarkError
        If there is no such file, or it is a folder or the like.
    OSError
        If it may not be read.
    """
    if not path.is_file():
        raise BenchmarkError(f"{printable(path)}: {'not a file' if path.exists() else 'no such file'}")
    with path.open("rb") as file:
        for number, raw in _raw_lines(file):
            line = _decoded(number, raw, problems)
            if line.strip():
                yield number, line


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Report a file or folder that the system refuses to read as a fault of the benchmark.

    Raises
    ------
    BenchmarkError
        In place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise BenchmarkError(f"{printable(error.filename or path)}: {error.strerror}") from error


def _raw_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        yield number, raw
        while len(raw) > LONGEST_LINE and not raw.endswith(b"\n"):  # the rest of a line too long
            raw = file.readline(LONGEST_LINE + 1)
            if not raw:
                break


def _decoded(number: int, raw: bytes, problems: Problems) -> str:
    """The text of a line; empty, and noted, if it cannot be had."""
    if len(raw) > LONGEST_LINE:
        problems.add(number, "record", f"a line is longer than {LONGEST_LINE >> 20} MiB")
        return ""
    if number == 1:
        raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        problems.add(number, "record", f"not UTF-8: 0x{raw[error.start]:02x} at byte {error.start + 1}")
        return ""


def json_objects(path: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of a file of JSON lines; lines without one go to ``problems``.

    A key that appears twice in an object is a fault: readers differ in which value they keep.

    Raises
    ------
    BenchmarkError
        As :func:`numbered_lines`.
    """
    for number, line in numbered_lines(path, problems):
        try:
            value = _parsed(line)
        except ValueError as error:
            problems.add(number, "record", str(error))
            continue
        twice = list(_twice(value))
        for field in twice:
            problems.add(number, field, "appears twice in its object")
        if not twice:
            yield number, value


def _parsed(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line, object_pairs_hook=_Object)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")
        raise ValueError(f"not JSON: {what} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise ValueError("not read: nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise ValueError("not read: a number is too long") from error
    if not isinstance(value, dict):
        raise ValueError(f"must be a JSON object, not {shown(value)}")
    return value


class _Object(dict[str, Any]):
    """A JSON object that remembers the keys that stood in it more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.twice = [key for key, count in counts.items() if count > 1]


def _twice(value: Any) -> Iterator[str]:
    """Paths of the keys that appear twice; a stack and no recursion, since the file may be nested deeply."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        prefix, inner = stack.pop()
        if isinstance(inner, _Object):
            yield from (f"{prefix}{key}" for key in inner.twice)
            items: Iterable[tuple[Any, Any]] = inner.items()
        else:
            items = enumerate(inner)
        for name, item in items:
            if isinstance(item, dict | list):
                stack.append((f"{prefix}{name}."[:_LONGEST_PATH], item))
