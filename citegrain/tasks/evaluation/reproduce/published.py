"""Published figures, read from ``data/published/*.yaml`` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from citegrain.tasks.evaluation.reproduce.arithmetic import ArithmeticFault, evaluate

RULES = {
    "measured": "ours, measured on a build, is within `tolerance` of it",
    "configured": "our configuration has the value printed, or the one of `equals`",
    "recomputed": "`expression`, rounded as printed, is it",
    "interval": "the Wilson interval of `value` of `n` is, rounded as printed, `low` to `high`",
    "unpublished": "what it was measured on cannot be had: not reproducible",
}


class PublishedError(ValueError):
    """A file of published figures is wrong; the message names file and row."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published figure.

    Attributes
    ----------
    id
        Its name in arithmetic, unique in its document.
    table, row, column
        Where it is printed; ``column`` only where a table has several.
    label
        What it is, in our words.
    printed, value, unit, n
        As printed, as a number, its unit, and of how many it is a part.
    section, line
        Where in the document, and in its text copy.
    rule
        How its status is derived, one of ``RULES``.
    ours
        Name of our measurement, configuration key or metric.
    equals
        Value that the key has to have, where it is not ``value``.
    tolerance
        Relative difference within which ours reproduces it.
    expression, low, high
        What ``recomputed`` and ``interval`` read.
    why
        Why it differs, or cannot be reproduced.
    """

    id: str
    table: str
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
    expression: str = ""
    low: float | None = None
    high: float | None = None
    why: str = ""

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule {self.rule}: one of {', '.join(RULES)}")
        wanted = {
            "measured": self.ours and self.why,
            "configured": self.ours,
            "recomputed": self.expression,
            "interval": self.n and self.low is not None and self.high is not None,
            "unpublished": self.why,
        }
        if not wanted[self.rule]:
            raise ValueError(f"the rule {self.rule} lacks what it reads")

    @property
    def digits(self) -> int:
        """Decimals of the figure as printed."""
        first = self.printed.lstrip("≈[ ").split()[0].rstrip("%,]")
        return len(first.partition(".")[2])

    @property
    def share(self) -> float:
        """The share where it is a part of ``n`` pages or chunks, else the figure itself."""
        return self.value / self.n if self.n else self.value


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What published rows come to when they are put together.

    Attributes
    ----------
    rows
        Rows of ``table`` that it concerns.
    expression
        Arithmetic over ids of figures and constants.
    ours, ours_unit
        The same for a build or study, where names or unit differ.
    digits
        Decimals to which it is given and held against ``stated``.
    stated, line
        What the document has it be, and where.
    says
        Words before it.
    note
        What we read in it.
    """

    table: str
    rows: list[int]
    label: str
    expression: str
    unit: str
    ours: str = ""
    ours_unit: str = ""
    digits: int = 0
    stated: float | None = None
    says: str = "the document has"
    line: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Document:
    """The figures of one document.

    Attributes
    ----------
    source, title
        Short name, and what it is.
    tables
        (table, title, note) of each table, in order.
    names
        Figures and constants by the names that arithmetic uses.
    """

    source: str
    title: str
    tables: tuple[tuple[str, str, str], ...]
    names: Mapping[str, float]
    rows: tuple[Published, ...]
    statements: tuple[Statement, ...]


def load_document(path: Path) -> Document:
    """Read the published figures of one document.

    Raises
    ------
    PublishedError
        If the file cannot be read, a row lacks what its rule reads, or arithmetic has no value.
    """
    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows = tuple(_made(Published, r) for r in told["rows"])
        statements = tuple(_made(Statement, s) for s in told["statements"])
        tables = tuple((t["table"], t["title"], t["note"]) for t in told["tables"])
        names = {k: float(v) for k, v in told["constants"].items()} | {r.id: r.value for r in rows}
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise PublishedError(f"{path.name}: {error}") from error
    if len({r.id for r in rows}) < len(rows) or set(told["constants"]) & {r.id for r in rows}:
        raise PublishedError(f"{path.name}: an id stands twice")
    try:
        for expression in [s.expression for s in statements] + [r.expression for r in rows if r.expression]:
            evaluate(expression, names)
    except ArithmeticFault as error:
        raise PublishedError(f"{path.name}: {error}") from error
    return Document(told["source"], told["title"], tables, names, rows, statements)


def _made(kind: type[Any], told: dict[str, Any]) -> Any:
    try:
        return kind(**told)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{told.get('id') or told.get('label')}: {error}") from error
