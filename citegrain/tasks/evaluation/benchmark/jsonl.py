"""The annotation guide's format, and others like it: one JSON object a line, with every field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from citegrain.tasks.evaluation.benchmark.errors import BenchmarkError, Problems, faults, printable, shown
from citegrain.tasks.evaluation.benchmark.lines import json_objects, readable
from citegrain.tasks.evaluation.benchmark.records import Record

FIELDS = (
    "id",
    "text",
    "incident_date",
    "register",
    "cites_statute",
    "domain",
    "cross_domain",
    "primary",
    "applicable",
    "rationale",
    "annotator",
)
_MAY_BE_NULL = ("incident_date", "primary")
T = TypeVar("T")


def read_jsonl(path: Path) -> tuple[Record, ...]:
    """Records of a file in the guide's format, in its order.

    Raises
    ------
    BenchmarkError
        As :func:`read_objects`.
    """
    return read_objects(path, Record, FIELDS)


def read_objects(
    path: Path, make: Callable[..., T], fields: Sequence[str], key: Sequence[str] = ("id",)
) -> tuple[T, ...]:
    """What ``make`` makes of each object of a file of JSON lines, in its order.

    Parameters
    ----------
    path
        The file.
    make
        A Pydantic dataclass; it is given the fields of an object by name.
    fields
        Names an object must have; it may have no others.
    key
        Fields, all strings, that no two objects have in common.

    Raises
    ------
    BenchmarkError
        If the file cannot be read, contains no object, or anything in it is wrong; up to ten faults are
        listed.
    """
    problems = Problems(path)
    with readable(path):
        out = tuple(item for _, _, item in valid_objects(path, make, fields, problems, key))
    problems.check()
    if not out:
        raise BenchmarkError(f"{printable(path)}: contains no record")
    return out


def valid_objects(
    path: Path,
    make: Callable[..., T],
    fields: Sequence[str],
    problems: Problems,
    key: Sequence[str] = ("id",),
    optional: Sequence[str] = (),
) -> Iterator[tuple[int, dict[str, Any], T]]:
    """(line, object, what ``make`` makes of it) of each valid object whose key is new.

    Faults go to ``problems``; the rest is as in :func:`read_objects`.
    """
    lines: dict[str, int] = {}
    for line, value in json_objects(path, problems):
        item = _validated(make, line, value, fields, problems, optional)
        if is_new_id(line, key[-1], _joined(value, key), lines, problems) and item is not None:
            yield line, value, item


def _joined(value: dict[str, Any], key: Sequence[str]) -> str | None:
    parts = [value.get(name) for name in key]
    return "/".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else None


def is_new_id(line: int, field: str, identifier: Any, lines: dict[str, int], problems: Problems) -> bool:
    """Whether an id is new; if not, both lines are named. ``lines`` keeps where each id stood first."""
    if not isinstance(identifier, str):  # reported as a wrong type
        return True
    if identifier in lines:
        problems.add(line, field, f"{shown(identifier)} is already on line {lines[identifier]}")
        return False
    lines[identifier] = line
    return True


def _validated(
    make: Callable[..., T],
    line: int,
    value: dict[str, Any],
    fields: Sequence[str],
    problems: Problems,
    optional: Sequence[str],
) -> T | None:
    """What ``make`` makes of an object; None, and each fault noted, where it is not valid."""
    wrong = {name: "unknown field" for name in value if name not in (*fields, *optional)}
    for name in (*fields, *optional):
        if name not in value:
            wrong |= {name: "is missing"} if name in fields else {}
        elif value[name] is None and name not in _MAY_BE_NULL:
            wrong[name] = "null is not allowed"
    sound = {name: item for name, item in value.items() if name not in wrong}
    if "applicable" in wrong:  # whether the primary is its first is unknown then
        sound.pop("primary", None)
    out = None
    try:
        out = make(**sound)
    except ValidationError as error:
        wrong |= {field: what for field, what in faults(error) if field not in wrong}
    for field, what in wrong.items():
        problems.add(line, field, what)
    return None if wrong else out
