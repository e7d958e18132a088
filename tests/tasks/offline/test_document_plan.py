"""What a user should know of one document."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.offline.corpus import Source
from citegrain.tasks.offline.document import CorpusDocument
from citegrain.tasks.offline.document_plan import DocumentPlan

SETUP: Any = None  # nothing here asks for it
JUDGMENT: Any = SimpleNamespace(kind="judgment")


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
    rows = {
        "provisions": [{"act_id": "a", "kind": kind}],
        "reports": [{"verdict": "", "reason": "", "model_note": note} for note in ("", "asked about 2")],
    }
    done: Any = {"structure": Tables(rows)}
    row = {"layout": layout, "warnings": ["first"]}
    plan = DocumentPlan(Source(path, "circular", "d"), (), CorpusDocument("d", path), SETUP, done, row=row)
    first, *more, last = plan.warnings
    assert (first, last) == ("first", "asked about 2")
    assert [line.partition(": ")[2] for line in more] == ([words] if words else [])


@pytest.mark.parametrize(("contents", "said"), [(101, ["101 characters"]), (100, [])])
def test_a_judgment_says_what_of_its_opinions_is_not_searched(contents: int, said: list[str]) -> None:
    """The front, a table of contents in no paragraph, and two paragraphs, one of them inside the other."""
    path = Path("judgment")
    text = "front\n" + "c" * contents + "\n 1. one 2. two"
    at = text.index("1.")
    spans = [
        ("front", 0, 5),
        ("opinion", 6, len(text)),
        ("paragraph", at, len(text)),
        ("paragraph", at, at + 6),
    ]
    rows: dict[str, list[dict[str, Any]]] = {
        "provisions": [
            {"act_id": "a", "kind": kind, "char_start": start, "char_end": end} for kind, start, end in spans
        ],
        "texts": [{"text": text}],
        "reports": [{"verdict": "", "reason": "", "model_note": ""}],
    }
    done: Any = {"structure": Tables(rows)}
    plan = DocumentPlan(
        Source(path, "judgment", "d"), (), CorpusDocument("d", path, (JUDGMENT,)), SETUP, done
    )
    assert [line.partition(" of its opinions")[0] for line in plan.warnings] == said
