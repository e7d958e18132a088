"""What a published row comes to: its status, derived by the rule it declares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citegrain.tasks.evaluation.compare import wilson
from citegrain.tasks.evaluation.reproduce.arithmetic import ArithmeticFault, evaluate, number, spelt
from citegrain.tasks.evaluation.reproduce.measures import Measured
from citegrain.tasks.evaluation.reproduce.published import Published, Statement
from citegrain.tasks.evaluation.reproduce.studies import Cell


class Status(StrEnum):
    """What became of a row."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NOT_REPRODUCIBLE = "not reproducible"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Given:
    """What published rows are held against.

    Attributes
    ----------
    measures
        Of a build, by name; None without one.
    config
        Values of the configuration of the thesis by dotted key.
    cells
        Of one configuration of a study, by metric.
    """

    measures: Mapping[str, Measured] | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    cells: Mapping[str, Cell] = field(default_factory=dict)

    def names(self) -> dict[str, float]:
        """Our figures by the names that arithmetic uses."""
        own = {name: m.value for name, m in (self.measures or {}).items()}
        return own | {name: cell.value for name, cell in self.cells.items()}


@dataclass(frozen=True)
class Outcome:
    """A published figure with ours beside it; ``why`` is empty where it is reproduced."""

    published: Published
    ours: str
    status: Status
    why: str = ""

    @property
    def told(self) -> str:
        """The status with what it rests on, where that is no measurement: ``reproduced (arithmetic)``."""
        basis = {"configured": "setting", "recomputed": "arithmetic", "interval": "arithmetic"}
        how = basis.get(self.published.rule)
        return f"{self.status} ({how})" if how else str(self.status)


@dataclass(frozen=True)
class Stated:
    """A statement worked out.

    Attributes
    ----------
    spelt
        The arithmetic with its figures.
    value, text
        What the published rows come to.
    ours
        What ours come to; empty if nothing of ours goes with it.
    verdict
        ``agrees`` or ``contradicts`` where the document states the result, else empty.
    """

    statement: Statement
    spelt: str
    value: float
    text: str
    ours: str = ""
    verdict: str = ""

    @property
    def line(self) -> str:
        """In one line: ``rows 2, 4: chunks a page: 20,836 / 3,500 = 5.95 chunks; ours 3.10 chunks``."""
        told = self.statement
        parts = [
            f"row{'s' * (len(told.rows) > 1)} {rows_of(told.rows)}: {told.label}: {self.spelt} = {self.text}"
        ]
        if told.stated is not None:
            parts.append(f"{told.says} {number(told.stated)}: {self.verdict}")
        if self.ours:
            parts.append(f"ours {self.ours}")
        return "; ".join(parts)


def judge(row: Published, names: Mapping[str, float], given: Given) -> Outcome:
    """Hold a published figure against ours.

    Parameters
    ----------
    names
        Figures and constants of the row's document.
    """
    match row.rule:
        case "measured":
            return _measured(row, given)
        case "configured":
            value = given.config[row.ours]
            return _decided(row, _told(value), value == (row.equals or row.value))
        case "recomputed":
            text = number(evaluate(row.expression, names), row.digits)
            unit = "%" if row.printed.endswith("%") else ""
            return _decided(row, text + unit, text == number(row.value, row.digits))
        case "interval":
            return _interval(row)
    cell = given.cells.get(row.ours)
    return Outcome(row, _with_n(row, cell) if cell else "-", Status.NOT_REPRODUCIBLE, row.why)


def _decided(row: Published, text: str, same: bool) -> Outcome:
    if same:
        return Outcome(row, text, Status.REPRODUCED)
    return Outcome(row, text, Status.DIFFERS, row.why or f"{row.ours or row.expression} gives another value")


def _told(value: Any) -> str:
    return number(float(value)) if isinstance(value, int | float) else str(value).rpartition("/")[2]


def _measured(row: Published, given: Given) -> Outcome:
    if given.measures is None:
        return Outcome(row, "-", Status.NOT_MEASURED, "no build is published yet")
    ours = given.measures[row.ours]
    # a part of something is compared as a share, so that size does not count
    return _decided(row, ours.text, math.isclose(ours.share, row.share, rel_tol=row.tolerance))


def _interval(row: Published) -> Outcome:
    bounds = wilson(int(row.value), row.n or 0)
    ours = [number(100 * b, row.digits) for b in (bounds.lo, bounds.hi)]
    printed = [number(b or 0.0, row.digits) for b in (row.low, row.high)]
    return _decided(row, f"[{ours[0]}%, {ours[1]}%]", ours == printed)


def _with_n(row: Published, cell: Cell) -> str:
    told = cell.text(100, 1) if row.unit == "complaints" else cell.text()
    return f"{told}, n={cell.n}"


def work_out(statement: Statement, names: Mapping[str, float], given: Given) -> Stated:
    """Work a statement out with the published figures, and with ours where there are such."""
    value = evaluate(statement.expression, names)
    text = number(value, statement.digits)
    verdict = ""
    if statement.stated is not None:
        verdict = "agrees" if text == number(statement.stated, statement.digits) else "contradicts"
    return Stated(
        statement,
        spelt(statement.expression, names),
        value,
        f"{text} {statement.unit}".strip(),
        _of_ours(statement, given),
        verdict,
    )


def _of_ours(statement: Statement, given: Given) -> str:
    try:
        value = evaluate(statement.ours or statement.expression, given.names())
    except ArithmeticFault:  # some figure of it is not ours to have
        return ""
    return f"{number(value, statement.digits)} {statement.ours_unit or statement.unit}".strip()


def rows_of(rows: Iterable[int]) -> str:
    """Numbers of rows, each once: ``2, 4, 5``, ``1 to 6``."""
    told = sorted(set(rows))
    if len(told) > 2 and told == list(range(told[0], told[-1] + 1)):
        return f"{told[0]} to {told[-1]}"
    return ", ".join(map(str, told))
