"""The whole report: every published table with its outcomes, and what else was measured.

What a published row comes to is derived by the rule it declares.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from citegrain.tasks.core.pages import Table
from citegrain.tasks.evaluation.compare import wilson
from citegrain.tasks.published.reproduce.documents import (
    Document,
    PublishedFigure,
    Statement,
    calculate,
    number,
)
from citegrain.tasks.published.reproduce.ours import METRICS, Accuracy, MeasuredFigure, Study

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


FURTHER: Mapping[str, str] = {
    "vectors": "chunks that are searched",
    "median_tokens": "median length of a chunk, tokens",
    "tokens": "tokens of all chunks",
    "numbered_with_section": "of chunks cut from numbered provisions, with their number",
    "searched_with_section": "of chunks that are searched, with a section number",
    "long_chunks": "chunks longer than all-mpnet-base-v2 reads (382 tokens)",
    "unread_tokens": "tokens behind what it reads",
    "references_resolved": "cross-references whose provision is in the build",
}
"""What is measured and stands in no published row, by name."""


@dataclass(frozen=True)
class Section:
    """One published table."""

    heading: str
    note: str
    outcomes: list[ComparedFigure]
    statements: list[StatementResult]

    @property
    def table(self) -> Table:
        """The published figures with ours beside them."""
        heads = ("row", "quantity", "published", "ours", "status")
        return Table.of_texts(self.heading, heads, [o.cells for o in self.outcomes], ("quantity", "status"))

    def reasons(self) -> list[tuple[str, str]]:
        """(rows and status, why), one for all rows that share it."""
        by_reason: dict[tuple[str, str], list[ComparedFigure]] = {}
        for outcome in self.outcomes:
            if outcome.why:
                by_reason.setdefault((outcome.why, outcome.status), []).append(outcome)
        return [(f"{_rows(same)} {status}", why) for (why, status), same in by_reason.items()]


def _rows(outcomes: Sequence[ComparedFigure]) -> str:
    columns = ", ".join(dict.fromkeys(o.published.column for o in outcomes if o.published.column))
    return f"{row_list(o.published.row for o in outcomes)} {columns}".strip()


@dataclass(frozen=True)
class Headline:
    """A figure of the one table of all documents: its system, what it comes to, the command behind ours.

    ``command`` is empty where nothing here could be measured.
    """

    system: str
    outcome: ComparedFigure
    command: str

    @property
    def cells(self) -> tuple[str, ...]:
        """System, figure, theirs, ours, status, and the first words of the command."""
        _, label, theirs, ours, status = self.outcome.cells
        first = " ".join(self.command.split()[:3]).partition(" corpus")[0] or "-"
        return self.system, f"{label} [{self.outcome.published.section}]", theirs, ours, status, first


@dataclass(frozen=True)
class Report:
    """Published tables beside ours.

    ``headlines`` stand in the one table; ``further``: (what, figure) of what stands in no published row.
    """

    remarks: list[str]
    sections: list[Section]
    headlines: list[Headline] = field(default_factory=list)
    further: list[tuple[str, str]] = field(default_factory=list)
    study: Study | None = None

    @property
    def headline_table(self) -> Table:
        """All systems in one table: their figure, ours, how they compare, and the command behind ours."""
        heads = ("system", "figure", "theirs", "ours", "status", "command")
        rows = [headline.cells for headline in self.headlines]
        return Table.of_texts("The five systems", heads, rows, heads[1:])

    def headline_reasons(self) -> list[str]:
        """Why figures of that table differ or cannot be reproduced; then the commands in full."""
        reasons = [f"{h.system}: {h.outcome.why}" for h in self.headlines if h.outcome.why]
        return list(dict.fromkeys([*reasons, *(h.command for h in self.headlines if h.command)]))

    @property
    def other_tables(self) -> list[Table]:
        """What stands below the published tables."""
        heads: tuple[str, ...] = ("quantity", "ours")
        out = [Table.of_texts("Measured besides", heads, self.further)] if self.further else []
        if self.study:
            heads = ("configuration", *(m.replace("_", " ") for m in METRICS))
            out.append(Table.of_texts(f"Ours: {self.study.line}", heads, self.study.rows()))
        return out

    def counts(self) -> dict[str, int]:
        """Comparisons by status."""
        statuses = [o.status for s in self.sections for o in s.outcomes]
        return {str(status): statuses.count(status) for status in Status if status in statuses}

    @property
    def summary(self) -> str:
        """How many figures have which status, in one line."""
        counts = ", ".join(f"{status} {n}" for status, n in self.counts().items())
        verdicts = [s.verdict for section in self.sections for s in section.statements if s.verdict]
        return (
            f"of {sum(self.counts().values())} comparisons with published figures: {counts}; of "
            f"{len(verdicts)} results that the documents state, {verdicts.count('contradicts')} contradict "
            "their own figures"
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"counts": self.counts(), **asdict(self)}


def make_report(
    documents: Sequence[Document],
    ours: Mapping[str, OurFigures],
    remarks: list[str],
    study: Study | None,
) -> Report:
    """Judge every row and work out every statement.

    ``ours``: what their rows are compared with, by the experiment of their document.
    """
    sections = [
        Section(
            f"{document.name}, {document.part} {table.table}: {table.title}",
            table.note,
            [judge(row, document.names, ours[document.experiment]) for row in table.rows],
            [
                work_out(statement, document.names, ours[document.experiment])
                for statement in table.statements
            ],
        )
        for document in documents
        for table in document.tables
    ]
    headlines = [
        Headline(
            document.name, judge(row, document.names, ours[document.experiment]), document.command_of(row)
        )
        for document in documents
        for row in document.rows
        if row.id in document.headlines
    ]
    measures: Mapping[str, MeasuredFigure] = next(iter(ours.values())).measures or {}
    further = [(label, measures[name].text) for name, label in FURTHER.items() if name in measures]
    return Report(remarks, sections, headlines, further, study)


def markdown(report: Report) -> str:
    """The report as a Markdown page, the same for the same report."""
    parts = ["# Published tables beside ours", "", *(f"- {_sentence(r)}" for r in report.remarks), ""]
    parts += ["## The five systems", "", *report.headline_table.markdown(), ""]
    parts += [*(f"- {reason}" for reason in report.headline_reasons()), ""]
    parts += [_sentence(report.summary), ""]
    for section in report.sections:
        parts += _markdown_section(section)
    for table in report.other_tables:
        parts += [f"## {table.caption}", "", *table.markdown(), ""]
    return "\n".join(parts).rstrip() + "\n"


def _markdown_section(section: Section) -> list[str]:
    out = [f"## {section.heading}", "", _sentence(section.note), "", *section.table.markdown(), ""]
    if reasons := section.reasons():
        out += [*(f"- {rows}: {_sentence(why)}" for rows, why in reasons), ""]
    if section.statements:
        lines = [f"- {_sentence(s.line)} {s.statement.note}".rstrip() for s in section.statements]
        out += ["Arithmetic:", "", *lines, ""]
    return out


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
