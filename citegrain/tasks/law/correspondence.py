"""A table of which sections took the place of which: the user's own file."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.store.files import decoded
from citegrain.tasks.law.numbers import normal

FIELDS = ("old_act", "old_section", "new_act", "new_section")


class CorrespondenceError(ValueError, Expected):
    """A table cannot be read; the message names file, line and field."""


@dataclass(frozen=True)
class Correspondence:
    """Which sections took the place of which, as a table has it.

    ``rows``: old Act, its section, new Act, its section; the Acts as they are named, the last section empty
    where none took its place.
    """

    rows: tuple[tuple[str, str, str, str], ...]
    sha256: str = ""

    @classmethod
    def load(cls, path: Path) -> Correspondence:
        """A table from JSON lines or from CSV with a header (by the file's ending, ``.csv``).

        Each row has ``old_act``, ``old_section``, ``new_act``, ``new_section``; other fields are left alone.
        Acts are named by id, title or alias; a section that was split or merged has several rows; an
        empty ``new_section`` says that none took its place. Raises CorrespondenceError if it is missing or a
        row is wrong.
        """
        try:
            data = path.read_bytes()
            text = decoded(data)
        except (OSError, UnicodeDecodeError) as error:
            raise CorrespondenceError(f"corpus.counterparts={path}: {error}") from error
        read = _csv_rows if path.suffix.lower() == ".csv" else _json_rows
        rows = tuple(_checked(path, line, row) for line, row in read(path, text))
        if not rows:
            raise CorrespondenceError(f"corpus.counterparts={path}: the file has no rows")
        return cls(rows, hashlib.sha256(data).hexdigest())

    def between(self, old: Sequence[str], new: Sequence[str]) -> dict[str, list[str]]:
        """Sections of the new Act by section of the old, each Act by any of its names; numbers in capitals.

        A section of which the table says that it has no successor has an empty list.
        """
        olds, news = ({plain_name(name) for name in names} for names in (old, new))
        out: dict[str, list[str]] = {}
        for old_act, old_section, new_act, new_section in self.rows:
            if plain_name(old_act) in olds and plain_name(new_act) in news:
                successors = out.setdefault(old_section, [])
                if new_section and new_section not in successors:
                    successors.append(new_section)
        return out


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):  # U+2028 may stand in a text
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise CorrespondenceError(f"{path} line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise CorrespondenceError(f"{path} line {number}: must be an object")
        yield number, row


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = [name for name in FIELDS if name not in (reader.fieldnames or ())]
    if missing:
        raise CorrespondenceError(f"{path} line 1: the header has no {', '.join(missing)}")
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise CorrespondenceError(f"{path} line {reader.line_num}: {error}") from error


def _checked(path: Path, line: int, row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """The four fields of a row; a number in JSON is taken for its digits."""
    fields = []
    for name in FIELDS:
        value = row.get(name)
        if name not in row:
            raise CorrespondenceError(f"{path} line {line}: {name} is missing")
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is None and name == "new_section":
            value = ""
        if not isinstance(value, str):
            raise CorrespondenceError(f"{path} line {line}: {name}: must be a text, not {value!r}")
        value = normal(value).upper() if name.endswith("section") else value.strip()
        if not value and name != "new_section":
            raise CorrespondenceError(f"{path} line {line}: {name} is empty")
        if name.endswith("section") and value and not value.isalnum():
            raise CorrespondenceError(
                f"{path} line {line}: {name}: must be a section without sub-section, not {row[name]!r}"
            )
        fields.append(value)
    return fields[0], fields[1], fields[2], fields[3]


def plain_name(act: str) -> str:
    """A name of an Act without dots, commas, ``The`` and capitals."""
    plain = act.lower().replace(".", "").replace(",", " ").split()
    return " ".join(plain[1:] if plain[:1] == ["the"] else plain)
