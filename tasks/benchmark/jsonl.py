"""The annotation guide's own format: one JSON object a line, every field told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from tasks.benchmark.errors import Problems, faults, shown
from tasks.benchmark.lines import json_objects
from tasks.benchmark.records import Record

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
        If anything is not as the guide has it; all faults up to ten are told.
    """
    problems = Problems(path)
    records: list[Record] = []
    lines: dict[str, int] = {}
    for line, value in json_objects(path, problems):
        record = checked(Record, line, value, FIELDS, problems)
        if note_id(line, "id", value.get("id"), lines, problems) and record is not None:
            records.append(record)
    problems.check()
    return tuple(records)


def note_id(line: int, field: str, identifier: Any, lines: dict[str, int], problems: Problems) -> bool:
    """Whether an id is new; if not, both lines are named. ``lines`` keeps where each id stood first."""
    if not isinstance(identifier, str):  # told elsewhere
        return True
    if identifier in lines:
        problems.add(line, field, f"{shown(identifier)} stands on line {lines[identifier]} already")
        return False
    lines[identifier] = line
    return True


def checked(
    make: Callable[..., T],
    line: int,
    value: dict[str, Any],
    fields: Sequence[str],
    problems: Problems,
    optional: Sequence[str] = (),
) -> T | None:
    """What ``make`` makes of an object; None, and each fault noted, where it is not as the guide has it."""
    wrong = {name: "unknown field" for name in value if name not in (*fields, *optional)}
    for name in (*fields, *optional):
        if name not in value:
            wrong |= {name: "is missing"} if name in fields else {}
        elif value[name] is None and name not in _MAY_BE_NULL:
            wrong[name] = "null is not allowed"
    sound = {name: item for name, item in value.items() if name not in wrong}
    if "applicable" in wrong:  # whether the primary is its first cannot be told
        sound.pop("primary", None)
    out = None
    try:
        out = make(**sound)
    except ValidationError as error:
        wrong |= {field: what for field, what in faults(error) if field not in wrong}
    for field, what in wrong.items():
        problems.add(line, field, what)
    return None if wrong else out
