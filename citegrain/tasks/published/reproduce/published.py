"""Published figures, read from ``data/published/*.yaml``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published figure.

    Attributes
    ----------
    id
        Its name in sums, unique in its document.
    row, column
        Where in its table it is printed; ``column`` only where a table has several.
    label
        What it is, in our words.
    printed, value, unit, n
        As printed, as a number, its unit, and of how many it is a part.
    section, line
        Where in the document, and in its text copy.
    rule
        How its status is derived; it is reproduced in these cases. ``measured``: our measurement of
        the same ``id`` is within ``tolerance`` of it. ``configured``: our configuration has ``value``, or
        ``equals``, at the key ``ours``. ``recomputed``: ``sum``, rounded as printed, is it, or comes within
        ``tolerance`` where the figures that go into it are rounded.
        ``interval``: the Wilson interval of ``value`` of ``n`` is, rounded as printed, ``low`` to ``high``.
        ``unpublished``: never, since the data behind it are not public.
    ours
        Configuration key, or metric that stands beside it.
    equals
        Value that the key must have, where it is not ``value``.
    tolerance
        Relative difference within which ours reproduces it.
    sum, of
        Name of a sum, and the figures that go into it.
    why
        Why it differs, or cannot be reproduced.
    """

    id: str
    row: int
    label: str
    printed: str
    value: float
    unit: str
    section: str
    line: int
    rule: str
    column: str = ""
    n: int | None = None
    ours: str = ""
    equals: str = ""
    tolerance: float = 0.0
    sum: str = ""
    of: list[str] = field(default_factory=list)
    low: float = 0.0
    high: float = 0.0
    why: str = ""

    @property
    def digits(self) -> int:
        """Decimals of the figure as printed."""
        first = re.search(r"\d[\d,]*\.?(\d*)", self.printed)
        return len(first[1]) if first else 0

    @property
    def share(self) -> float:
        """The share where it is a part of ``n`` pages or chunks, else the figure itself."""
        return self.value / self.n if self.n else self.value


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What follows from published rows when they are put together.

    Attributes
    ----------
    rows
        Rows of the table that it concerns.
    sum, of
        Name of a sum, and the ids and constants that go into it.
    ours_of
        The figures of ours for the same sum, where their names differ.
    ours, ours_unit
        One figure of ours that stands beside it, and its unit where it differs.
    digits
        Decimals to which it is given and compared with ``stated``.
    stated, line
        What the document says the result is, and where.
    says
        Words before it.
    note
        Our reading of it.
    """

    rows: list[int]
    label: str
    sum: str
    of: list[str]
    unit: str
    ours_of: list[str] = field(default_factory=list)
    ours: str = ""
    ours_unit: str = ""
    digits: int = 0
    stated: float | None = None
    says: str = "the document has"
    line: int | None = None
    note: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """One table of a document: its number, its title, a note, its figures and what follows from them."""

    table: str
    title: str
    note: str
    rows: tuple[Published, ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Document:
    """The figures of one document.

    Attributes
    ----------
    names
        Figures and constants by the names that sums use.
    experiment
        Configuration that stands for its system here.
    part
        What its tables are called: ``Table``, or ``Section`` where figures stand in the text.
    """

    name: str
    names: Mapping[str, float]
    tables: tuple[PublishedTable, ...]
    experiment: str = "thesis"
    part: str = "Table"

    @property
    def rows(self) -> list[Published]:
        """The figures of all tables."""
        return [row for table in self.tables for row in table.rows]


def load_document(path: Path) -> Document:
    """Read the published figures of one document."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    tables = tuple(
        PublishedTable(
            t["table"],
            t["title"],
            t["note"],
            tuple(Published(**row) for row in t["rows"]),
            tuple(Statement(**statement) for statement in t["statements"]),
        )
        for t in content["tables"]
    )
    figures = {row.id: row.value for table in tables for row in table.rows}
    more = {key: content[key] for key in ("experiment", "part") if key in content}
    return Document(content["name"], content["constants"] | figures, tables, **more)
