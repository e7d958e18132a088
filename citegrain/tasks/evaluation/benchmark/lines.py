"""Lines of text files and the JSON objects on them; what is wrong with them, by file, line and field."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import TypeAdapter, ValidationError

from citegrain.tasks.core.errors import UsageFault, cut, faults, printable, shown
from citegrain.tasks.core.store.files import UTF_16

T = TypeVar("T")

_MOST_SHOWN = 10
_OBJECT = TypeAdapter(dict[str, Any])


class BenchmarkError(ValueError, UsageFault):
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
        """Note a fault; ``field`` is a path such as ``primary.section``, or ``record`` for a whole line.

        Line 0 is the file.
        """
        self.count += 1
        if len(self._shown) < _MOST_SHOWN:
            place = f"{printable(self.path)}:{line}" if line else printable(self.path)
            self._shown.append(f"{place}: {cut(printable(field))}: {wrong}")

    @contextmanager
    def noted(self, line: int, name: Callable[[str], str] = str) -> Iterator[None]:
        """Note what Pydantic finds wrong within; ``name`` says how the file names a field."""
        try:
            yield
        except ValidationError as error:
            for field, wrong in faults(error):
                self.add(line, name(field) or "record", wrong)

    def is_new(self, line: int, field: str, identifier: str) -> bool:
        """Whether an id is new in the file; if not, both lines are named."""
        if (first := self.lines.setdefault(identifier, line)) != line:
            self.add(line, field, f"{shown(identifier)} is already on line {first}")
        return first == line

    def check(self) -> None:
        """Raise what was noted.

        Raises BenchmarkError if there is a fault.
        """
        if self.count:
            more = self.count - len(self._shown)
            raise BenchmarkError("\n".join([*self._shown, *([f"... and {more} more"] if more else [])]))


def numbered_lines(path: Path, problems: Problems) -> Iterator[tuple[int, str]]:
    """(number from 1, line without its end) of the lines that are not blank.

    UTF-8 with or without a mark of byte order, or UTF-16 with one; lines end in LF or CR LF and nothing
    else, since U+2028 may stand in a text. Lines that cannot be read go to ``problems``.

    Raises BenchmarkError if there is no such file, or it is a folder or the like; OSError if it may not be
    read.
    """
    if not path.is_file():
        raise BenchmarkError(f"{printable(path)}: {'not a file' if path.exists() else 'no such file'}")
    with path.open("rb") as file:
        is_wide = file.peek(2).startswith(UTF_16)
        for number, raw in enumerate(_wide_lines(file, problems) if is_wide else file, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                wrong = f"not UTF-8: 0x{error.object[error.start]:02x} at byte {error.start + 1}"
                problems.add(number, "record", wrong)
                continue
            if line.strip():
                yield number, line


def _wide_lines(file: BinaryIO, problems: Problems) -> Iterator[bytes]:
    """The lines of a file in UTF-16, as a file gives those of UTF-8."""
    text = TextIOWrapper(file, encoding="utf-16", newline="\n")
    try:
        for line in text:
            yield line.encode()
    except UnicodeDecodeError:
        problems.add(0, "record", "not UTF-16, though it begins so")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Report a file or folder that the system refuses to read as a fault of the benchmark.

    Raises BenchmarkError in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise BenchmarkError(f"{printable(error.filename or path)}: {error.strerror}") from error


def json_objects(path: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, object) of a file of JSON lines; lines without one go to ``problems``.

    A key that appears twice in an object is a fault: readers differ in which value they keep.
    """
    for number, line in numbered_lines(path, problems):
        with problems.noted(number):
            value = _OBJECT.validate_json(line)
            repeated = _repeated_keys(line)
            for key in repeated:
                problems.add(number, key, "appears twice in its object")
            if not repeated:
                yield number, value


def _repeated_keys(line: str) -> list[str]:
    out: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        out.extend(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)

    json.loads(line, object_pairs_hook=note)
    return out


def valid_objects(
    path: Path, kind: type[T], problems: Problems, key: Sequence[str] = ("id",)
) -> Iterator[tuple[int, dict[str, Any], T]]:
    """(line, object, the same as a ``kind``) of each valid object whose key is new.

    Faults go to ``problems``; the rest is as in :func:`read_objects`.
    """
    adapter = TypeAdapter(kind)
    for line, value in json_objects(path, problems):
        with problems.noted(line):
            item = adapter.validate_python(value)
            if problems.is_new(line, key[-1], "/".join(getattr(item, name) for name in key)):
                yield line, value, item


def read_objects(path: Path, kind: type[T], key: Sequence[str] = ("id",)) -> tuple[T, ...]:
    """The objects of a file of JSON lines, in its order.

    ``key``: fields, all strings, that no two objects have in common.

    Raises BenchmarkError if the file cannot be read, contains no object, or anything in it is wrong; up to
    ten faults are listed.
    """
    problems = Problems(path)
    with readable(path):
        out = tuple(item for _, _, item in valid_objects(path, kind, problems, key))
    problems.check()
    if not out:
        raise BenchmarkError(f"{printable(path)}: contains no record")
    return out
