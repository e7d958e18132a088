"""The annotation guide's format, and others like it: one JSON object a line, with every field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import StrictBool
from pydantic.dataclasses import dataclass

from citegrain.tasks.evaluation.benchmark.errors import BenchmarkError, Problems, printable
from citegrain.tasks.evaluation.benchmark.fields import (
    STRICT,
    Applicable,
    Day,
    Domains,
    Identifier,
    NonBlank,
    Primary,
    Register,
    Text,
)
from citegrain.tasks.evaluation.benchmark.lines import json_objects, readable
from citegrain.tasks.evaluation.benchmark.records import Record

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class _Labelled:
    """A record as the guide writes it: nothing may be left out."""

    id: Identifier
    text: NonBlank
    incident_date: Day
    register: Register
    cites_statute: StrictBool
    domain: Domains
    cross_domain: StrictBool
    applicable: Applicable
    primary: Primary
    rationale: Text
    annotator: Text


FIELDS = tuple(field.name for field in fields(_Labelled))


def read_jsonl(path: Path) -> tuple[Record, ...]:
    """Records of a file in the guide's format, in its order.

    Raises
    ------
    BenchmarkError
        As :func:`read_objects`.
    """
    return tuple(Record(**vars(labelled)) for labelled in read_objects(path, _Labelled))


@dataclass(frozen=True, kw_only=True, config=STRICT)
class _OutOfScope:
    """A text to which nothing applies, its kind, and the Act or State subject that governs it."""

    id: Identifier
    text: NonBlank
    kind: NonBlank
    act: Text


def read_out_of_scope(path: Path) -> tuple[Record, ...]:
    """Records of a file of texts to which nothing applies, in its order.

    Raises
    ------
    BenchmarkError
        As :func:`read_objects`.
    """
    return tuple(
        Record(id=o.id, text=o.text, kind=o.kind, elsewhere=o.act) for o in read_objects(path, _OutOfScope)
    )


def read_objects(path: Path, make: Callable[..., T], key: Sequence[str] = ("id",)) -> tuple[T, ...]:
    """What ``make`` makes of each object of a file of JSON lines, in its order.

    Parameters
    ----------
    path
        The file.
    make
        A Pydantic dataclass; it is given the fields of an object by name.
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
        out = tuple(item for _, _, item in valid_objects(path, make, problems, key))
    problems.check()
    if not out:
        raise BenchmarkError(f"{printable(path)}: contains no record")
    return out


def valid_objects(
    path: Path, make: Callable[..., T], problems: Problems, key: Sequence[str] = ("id",)
) -> Iterator[tuple[int, dict[str, Any], T]]:
    """(line, object, what ``make`` makes of it) of each valid object whose key is new.

    Faults go to ``problems``; the rest is as in :func:`read_objects`.
    """
    for line, value in json_objects(path, problems):
        item = None
        with problems.noted(line):  # of a key that is not UTF-8 Pydantic could not say that it is unknown
            item = make(**{printable(name): inner for name, inner in value.items()})
        if problems.is_new(line, key[-1], _joined(value, key)) and item is not None:
            yield line, value, item


def _joined(value: dict[str, Any], key: Sequence[str]) -> str | None:
    parts = [value.get(name) for name in key]
    return "/".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else None
