"""What a published row comes to: its status, derived by the rule it declares."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citegrain.tasks.evaluation.compare import wilson
from citegrain.tasks.published.reproduce.documents import PublishedFigure, Statement, calculate, number
from citegrain.tasks.published.reproduce.ours import Accuracy, MeasuredFigure

_COUNTED = ("complaints", "cases", "per cent")
"""Units of what is a share of questions here."""


class Status(StrEnum):
    """The verdict on a row."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NOT_REPRODUCIBLE = "not reproducible"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class OurFigures:
    """What published rows are compared with.

    ``measures``: of a build, by name; None without one. ``config``: values of the document's configuration by
    dotted key. ``accuracies``: of one configuration of a study, by metric.
    """

    measures: Mapping[str, MeasuredFigure] | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    accuracies: Mapping[str, Accuracy] = field(default_factory=dict)

    def values(self) -> dict[str, float]:
        """Measures and accuracies by the names that sums use."""
        measures = {name: m.value for name, m in (self.measures or {}).items()}
        return measures | {name: a.value for name, a in self.accuracies.items()}


@dataclass(frozen=True)
class ComparedFigure:
    """A published figure with ours beside it; ``why`` is empty where it is reproduced."""

    published: PublishedFigure
    ours: str
    status: Status
    why: str = ""

    @property
    def status_text(self) -> str:
        """The status, and its basis where that is no measurement: ``reproduced (arithmetic)``."""
        basis = {"configured": "setting", "recomputed": "arithmetic", "interval": "arithmetic"}
        how = basis.get(self.published.rule)
        return f"{self.status} ({how})" if how else str(self.status)

    @property
    def cells(self) -> tuple[str, ...]:
        """Row, quantity, published, ours and status, as every rendering shows them."""
        row = self.published
        return (str(row.row), row.label, row.printed, self.ours, self.status_text)


@dataclass(frozen=True)
class StatementResult:
    """The result of a statement.

    ``ours``: the result for ours; empty where a figure of ours is missing. ``verdict``: ``agrees`` or
    ``contradicts`` where the document states the result, else empty.
    """

    statement: Statement
    sum_text: str
    value: float
    text: str
    ours: str = ""
    verdict: str = ""

    @property
    def line(self) -> str:
        """In one line: ``rows 2, 4: chunks a page: 20,836 / 3,500 = 5.95 chunks; ours 3.10 chunks``."""
        s = self.statement
        parts = [f"row{'s' * (len(s.rows) > 1)} {row_list(s.rows)}: {s.label}: {self.sum_text} = {self.text}"]
        if s.stated is not None:
            parts.append(f"{s.says} {number(s.stated)}: {self.verdict}")
        if self.ours:
            parts.append(f"ours {self.ours}")
        return "; ".join(parts)


def judge(row: PublishedFigure, names: Mapping[str, float], ours: OurFigures) -> ComparedFigure:
    """Compare a published figure with ours.

    ``names``: figures and constants of the row's document.
    """
    match row.rule:
        case "measured":
            return _measured(row, ours)
        case "configured":
            value = ours.config.get(row.ours, "-")
            return _decided(row, _setting(value), value == (row.equals or row.value))
        case "recomputed":
            value = calculate(row.sum, names, row.terms).value
            text, unit = number(value, row.digits), "%" if row.printed.endswith("%") else ""
            near = math.isclose(value, row.value, rel_tol=row.tolerance)
            return _decided(row, text + unit, near or text == number(row.value, row.digits))
        case "interval":
            return _interval(row)
        case "studied":
            return _studied(row, ours)
    accuracy = ours.accuracies.get(row.ours)
    return ComparedFigure(row, _with_n(row, accuracy) if accuracy else "-", Status.NOT_REPRODUCIBLE, row.why)


def _decided(row: PublishedFigure, text: str, same: bool) -> ComparedFigure:
    if same:
        return ComparedFigure(row, text, Status.REPRODUCED)
    return ComparedFigure(row, text, Status.DIFFERS, row.why or f"{row.ours or row.sum} gives another value")


def _setting(value: Any) -> str:
    return number(float(value)) if isinstance(value, int | float) else str(value).rpartition("/")[2]


def _measured(row: PublishedFigure, ours: OurFigures) -> ComparedFigure:
    if ours.measures is None:
        return ComparedFigure(row, "-", Status.NOT_MEASURED, "no build is published yet")
    measured = ours.measures[row.id]
    # a part of something is compared as a share, so that size does not count
    return _decided(row, measured.text, math.isclose(measured.share, row.share, rel_tol=row.tolerance))


def _studied(row: PublishedFigure, ours: OurFigures) -> ComparedFigure:
    accuracy = ours.accuracies.get(row.ours)
    if accuracy is None:
        return ComparedFigure(row, "-", Status.NOT_MEASURED, "there is no study of it yet")
    value = accuracy.value * (100 if row.unit == "per cent" else 1)
    return _decided(row, _with_n(row, accuracy), math.isclose(value, row.share, rel_tol=row.tolerance))


def _interval(row: PublishedFigure) -> ComparedFigure:
    bounds = wilson(int(row.value), row.n or 0)
    ours = [number(100 * b, row.digits) for b in (bounds.lo, bounds.hi)]
    printed = [number(b, row.digits) for b in (row.low, row.high)]
    return _decided(row, f"[{ours[0]}%, {ours[1]}%]", ours == printed)


def _with_n(row: PublishedFigure, accuracy: Accuracy) -> str:
    text = accuracy.text(100, 1) if row.unit in _COUNTED else accuracy.text()
    return f"{text}, n={accuracy.n}"


def work_out(statement: Statement, names: Mapping[str, float], ours: OurFigures) -> StatementResult:
    """The result of a statement for the published figures, and for ours where there are such."""
    value, sum_text = calculate(statement.sum, names, statement.terms)
    text = number(value, statement.digits)
    verdict = ""
    if statement.stated is not None:
        verdict = "agrees" if text == number(statement.stated, statement.digits) else "contradicts"
    with_unit = f"{text} {statement.unit}".strip()
    return StatementResult(statement, sum_text, value, with_unit, _for_ours(statement, ours), verdict)


def _for_ours(statement: Statement, ours: OurFigures) -> str:
    values = ours.values()
    try:
        if statement.ours:
            value = values[statement.ours]
        else:
            value = calculate(statement.sum, values, statement.our_terms or statement.terms).value
    except (KeyError, ZeroDivisionError):  # a figure of ours is missing, or nothing was indexed
        return ""
    text = f"{number(value, statement.digits)} {statement.ours_unit or statement.unit}".strip()
    return "" if math.isnan(value) else text


def row_list(rows: Iterable[int]) -> str:
    """Numbers of rows, each once: ``2, 4, 5``, ``1 to 6``."""
    numbers = sorted(set(rows))
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))
