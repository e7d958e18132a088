"""The whole report: every published table with its outcomes, and what else was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from citegrain.tasks.evaluation.reproduce.measures import Measured
from citegrain.tasks.evaluation.reproduce.outcomes import (
    Given,
    Outcome,
    Stated,
    Status,
    judge,
    rows_of,
    work_out,
)
from citegrain.tasks.evaluation.reproduce.published import Document
from citegrain.tasks.evaluation.reproduce.studies import Study

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

    source: str
    title: str
    table: str
    note: str
    outcomes: list[Outcome]
    statements: list[Stated]

    @property
    def heading(self) -> str:
        """``Thesis, Table 4.1: corpus and index``."""
        name = {"thesis": "Thesis", "paper_qa": "Paper-QA"}.get(self.source, self.source)
        return f"{name}, Table {self.table}: {self.title}"

    def reasons(self) -> list[tuple[str, str]]:
        """(rows and status, why), one for all rows that share it."""
        held: dict[tuple[str, str], list[Outcome]] = {}
        for outcome in self.outcomes:
            if outcome.why:
                held.setdefault((outcome.why, outcome.status), []).append(outcome)
        return [(f"{_rows(same)} {status}", why) for (why, status), same in held.items()]


def _rows(outcomes: Sequence[Outcome]) -> str:
    columns = ", ".join(dict.fromkeys(o.published.column for o in outcomes if o.published.column))
    return f"{rows_of(o.published.row for o in outcomes)} {columns}".strip()


@dataclass(frozen=True)
class Report:
    """Published tables beside ours.

    Attributes
    ----------
    remarks
        What was measured: build, its chunks, the study.
    further
        (what, figure) of what stands in no published row.
    """

    remarks: list[str]
    sections: list[Section]
    further: list[tuple[str, str]] = field(default_factory=list)
    study: Study | None = None

    def counts(self) -> dict[str, int]:
        """Comparisons by status."""
        found = [o.status for s in self.sections for o in s.outcomes]
        return {str(status): found.count(status) for status in Status if status in found}

    @property
    def summary(self) -> str:
        """How many figures came to what, in one line."""
        told = ", ".join(f"{status} {n}" for status, n in self.counts().items())
        found = [s.verdict for section in self.sections for s in section.statements if s.verdict]
        return (
            f"of {sum(self.counts().values())} comparisons with published figures: {told}; of {len(found)} "
            f"results that the documents state, {found.count('contradicts')} contradict their own figures"
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"counts": self.counts(), **asdict(self)}


def make_report(
    documents: Sequence[Document], given: Given, remarks: list[str], study: Study | None
) -> Report:
    """Judge every row and work out every statement.

    Parameters
    ----------
    documents
        Of ``data/published``.
    given
        What their rows are held against.
    """
    sections = [
        Section(
            document.source,
            title,
            table,
            note,
            [judge(r, document.names, given) for r in document.rows if r.table == table],
            [work_out(s, document.names, given) for s in document.statements if s.table == table],
        )
        for document in documents
        for table, title, note in document.tables
    ]
    return Report(remarks, sections, _further(given.measures or {}), study)


def _further(measures: Mapping[str, Measured]) -> list[tuple[str, str]]:
    return [(label, measures[name].text) for name, label in FURTHER.items() if name in measures]
