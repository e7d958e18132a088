"""What became of an index run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citegrain.tasks.core.errors import printable
from citegrain.tasks.core.schemas import WITHOUT_PAGES
from citegrain.tasks.offline.document_plan import DocumentPlan, document_acts
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan


@dataclass(frozen=True)
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
    untranslated
        Why texts that were to be translated are not, one line each.
    """

    plan: IndexPlan
    setup: BuildSetup
    line: str
    build: Path | None = None
    started_flow: bool = False
    computed: Mapping[str, int] = field(default_factory=dict)
    long_texts: int = 0
    untranslated: Sequence[str] = ()
    lost_workers: Sequence[str] = ()

    def report(self) -> dict[str, Any]:
        """What was indexed, what was not and why, as plain data."""
        indexed = [
            facts
            | {name: row[name] for name in ("act_id", "title", "version_date", "language")}
            | {"sections": row["n_sections"]}
            for document in self.plan.indexed
            for facts in [_facts(document)]
            for row in document_acts(document, self.setup.documents.registry)
        ]
        refused = [
            {
                "file": source.relative,
                "reason": f"the same bytes as {printable(first.relative)}: " * (source != first) + why,
                "is_document": source.is_document,
            }
            for document in self.plan.documents
            for why in filter(None, [document.refusal])
            for first in document.files[:1]
            for source in document.files
        ]
        config = self.setup.index
        return {
            "corpus": self.setup.name,
            "plan": self.line,
            "made": dict(self.computed),
            "build": str(self.build) if self.build else None,
            "texts_longer_than_encoder": self.long_texts,
            "texts_translated": len(self.plan.translations),
            "texts_untranslated": list(self.untranslated),
            **({"index": config.reason(self.plan.searched)} if config.dense == "auto" and self.build else {}),
            "workers_lost": list(self.lost_workers),
            "indexed": indexed,
            "refused": refused,
        }


def _facts(document: DocumentPlan) -> dict[str, Any]:
    """What is reported of a document, whichever of its Acts it is."""
    (verdict, reason), row = document.verdict(), document.row
    return {
        "file": document.source.relative,
        # as a person counts them
        "pages": row["n_pages"] if row and row["layout"] not in WITHOUT_PAGES else 0,
        "verdict": verdict,
        "verdict_reason": reason,
        "account": document.account,
        "warnings": document.warnings,
        "pages_not_read": [{"pages": p, "reason": r} for p, r in document.page_problems()],
        "same_bytes": [source.relative for source in document.files[1:]],
    }
