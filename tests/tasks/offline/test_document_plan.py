"""What a user should know of one document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.offline.corpus import Source
from citegrain.tasks.offline.document import CorpusDocument
from citegrain.tasks.offline.document_plan import DocumentPlan


@dataclass(frozen=True)
class Tables:
    """An artefact whose tables are at hand."""

    rows: dict[str, list[dict[str, Any]]]

    def table(self, schema: TableSchema, columns: list[str]) -> pa.Table:
        return pa.Table.from_pylist(self.rows[schema.name]).select(columns)


@pytest.mark.parametrize(
    ("layout", "kind", "words"),
    [
        ("other", "paragraph", "cited by paragraph and page"),
        ("docx", "paragraph", "cited by paragraph"),
        ("plain", "paragraph", "cited by paragraph"),
        ("pptx", "paragraph", "cited by paragraph and page"),
        ("docx", "section", ""),
    ],
)
def test_the_warning_names_pages_only_where_there_are_any(layout: str, kind: str, words: str) -> None:
    path = Path("circular")
    plan = DocumentPlan(Source(path, "circular", "d"), [], CorpusDocument("d", path))
    plan.row = {"layout": layout, "warnings": ["first"]}
    rows = {
        "provisions": [{"kind": kind}],
        "reports": [{"model_note": note} for note in ("", "asked about 2")],
    }
    plan.done["structure"] = Tables(rows)  # type: ignore[assignment]
    first, *more, last = plan.warnings
    assert (first, last) == ("first", "asked about 2")
    assert [line.partition(": ")[2] for line in more] == ([words] if words else [])
