"""What became of an index run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citegrain.tasks.core.schemas import WITHOUT_PAGES
from citegrain.tasks.offline.document_plan import document_acts
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan


@dataclass
class IndexResult:
    """What became of a run.

    Attributes
    ----------
    line
        The plan as it was before the run.
    build
        The published build; None if there is none.
    computed
        Stage runs that were computed, by stage.
    long_texts
        How many of the texts embedded are longer than the encoder reads at once.
    """

    plan: IndexPlan
    setup: BuildSetup
    line: str
    build: Path | None = None
    started_flow: bool = False
    computed: dict[str, int] = field(default_factory=dict)
    long_texts: int = 0

    def report(self) -> dict[str, Any]:
        """What was indexed, what was not and why, as plain data."""
        indexed = [
            {
                "file": document.source.relative,
                "act_id": row["act_id"],
                "title": row["title"],
                "version_date": row["version_date"],
                "language": row["language"],
                "pages": _pages(document.row) if document.row else 0,
                "sections": row["n_sections"],
                "verdict": document.verdict()[0],
                "verdict_reason": document.verdict()[1],
                "warnings": document.warnings,
                "pages_not_read": [{"pages": p, "reason": r} for p, r in document.page_problems()],
                "same_bytes": [source.relative for source in document.files[1:]],
            }
            for document in self.plan.indexed
            for row in document_acts(document, self.setup.documents.registry)
        ]
        refused = [
            {"file": source.relative, "reason": document.refusal}
            for document in self.plan.documents
            if document.refusal
            for source in document.files
        ]
        return {
            "corpus": self.setup.name,
            "plan": self.line,
            "made": self.computed,
            "build": str(self.build) if self.build else None,
            "texts_longer_than_encoder": self.long_texts,
            "indexed": indexed,
            "refused": refused,
        }


def _pages(row: Mapping[str, Any]) -> int:
    """Pages of a document as a person counts them; 0 where it has none."""
    return 0 if row["layout"] in WITHOUT_PAGES else int(row["n_pages"])
