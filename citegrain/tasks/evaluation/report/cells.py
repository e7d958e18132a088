"""What tables are made of, as plain values that the template lays out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from citegrain.tasks.evaluation.compare import MEAN
from citegrain.tasks.evaluation.report.wording import DASH, interval, known, milliseconds, number
from citegrain.tasks.evaluation.score import KINDS
from citegrain.tasks.evaluation.studies import Row, StudyFolder


@dataclass(frozen=True)
class Cell:
    """A cell: what it says, what stands smaller behind it, by what a column of it is sorted."""

    text: str
    small: str = ""
    sort: float | str | None = None
    strong: bool = False


@dataclass(frozen=True)
class Column:
    """A column: its heading, what stands smaller below it, the heading it shares with its neighbours."""

    heading: str
    small: str = ""
    group: str = ""
    told: bool = False  # text, not numbers


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row names it."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    named: str = "Configuration"
    classes: str = ""
    groups: Sequence[tuple[str, int]] = field(default_factory=tuple)

    @property
    def wide(self) -> bool:
        """Whether names are so long that they need a wide column."""
        return any(len(row[0].text) > 22 for row in self.rows)


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Cell]],
    named: str = "Configuration",
    classes: str = "",
) -> Table:
    """A table whose neighbouring columns of one group stand below one heading."""
    groups: list[tuple[str, int]] = []
    for column in columns:
        if groups and groups[-1][0] == column.group:
            groups[-1] = (column.group, groups[-1][1] + 1)
        else:
            groups.append((column.group, 1))
    held = groups if any(name for name, _ in groups) else []
    return Table(caption, columns, list(rows), named, classes, held)


def name_cell(study: StudyFolder, configuration: str) -> Cell:
    """The name of a configuration, and what marks it out."""
    marks = ["baseline"] if configuration == study.baseline else []
    if study.facts["configurations"].get(configuration, {}).get("failure"):
        marks.append("failed")
    return Cell(configuration, ", ".join(marks), configuration)


def measured_cell(cell: Row | None, metric: str, shared: int) -> Cell:
    """A value with its interval; with n where the column does not tell it."""
    if cell is None or not known(cell["value"]):
        return Cell(DASH)
    bounds = interval(metric, cell["lo"], cell["hi"])
    if KINDS.get(metric) == MEAN and cell["lo"] == cell["hi"]:
        bounds = "all alike"  # every resample is the same; it is not certainty
    own = "" if shared else f"n = {cell['n']}"
    return Cell(number(metric, cell["value"]), " ".join(filter(None, (bounds, own))), cell["value"])


def time_cell(value: float | None) -> Cell:
    """A time in milliseconds."""
    return Cell(milliseconds(value), sort=value)
