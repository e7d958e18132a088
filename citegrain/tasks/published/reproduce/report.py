"""The whole report: every published table with its outcomes, and what else was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from citegrain.tasks.core.pages import Table
from citegrain.tasks.published.reproduce.documents import Document
from citegrain.tasks.published.reproduce.ours import METRICS, MeasuredFigure, Study
from citegrain.tasks.published.reproduce.outcomes import (
    ComparedFigure,
    OurFigures,
    StatementResult,
    Status,
    judge,
    row_list,
    work_out,
)

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
