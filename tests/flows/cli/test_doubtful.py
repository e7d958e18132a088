"""What ``index`` says of documents whose sections may not have been read."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from citegrain.flows.cli.builds import documents
from citegrain.flows.cli.index import _show_report
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core import tables
from citegrain.tasks.core.schemas import DOCUMENTS, TableSchema
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.offline.corpus import find_sources


def row(file: str, verdict: str, reason: str) -> dict[str, Any]:
    return {
        "file": file, "act_id": file, "title": f"The {file} Act", "version_date": None, "pages": 4, "sections": 9,
        "verdict": verdict, "verdict_reason": reason, "account": "", "warnings": [], "pages_not_read": [], "same_bytes": [],
    }  # fmt: skip


def test_a_doubtful_document_is_named_with_its_reason_and_counts_for_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEGRAIN_ARTIFACTS", str(tmp_path))
    settings = load_settings(["corpus=folder", "corpus.path=.", "corpus.name=mine"])
    rows = [row("whole", "sound", ""), row("scan", "doubtful", "3 of 25 sections of its contents were read")]
    rows += [row("lamps", "incomplete", "section 7 cites the Schedule, which is not in this document")]
    for name in ("act.pdf", "LICENSE", "rates.csv", "SCAN.JPG", "old.doc"):
        (tmp_path / name).write_bytes(b"x")
    sources = find_sources(tmp_path)
    faulty = [s for s in sources if s.error]
    refused = [{"file": s.relative, "reason": s.error, "is_document": s.is_document} for s in faulty]
    result: Any = SimpleNamespace(
        report=lambda: {"indexed": rows, "refused": refused, "build": None, "texts_untranslated": []},
        started_flow=True, computed={}, long_texts=0, build=tmp_path,
    )  # fmt: skip
    # of the refused, only a document of a format to be changed
    assert _show_report(result, settings, 1.0) == 3
    printed = capsys.readouterr().out
    assert all(f"{row['file']}: not indexed: " in printed for row in refused) and len(refused) == 4
    assert "scan: doubtful: 3 of 25 sections of its contents were read" in printed
    assert "lamps: incomplete: section 7 cites the Schedule, which is not in this document" in printed
    assert "sound" in printed and "whole: " not in printed


@pytest.mark.prefect
@pytest.mark.xdist_group("commands")
def test_the_account_of_documents_says_why_one_is_doubtful(
    indexed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubted(path: Path, schema: TableSchema, columns: Any = None) -> pa.Table:
        rows = read_table(path, schema, columns).to_pylist()
        more = {"verdict": "doubtful", "verdict_reason": "pages lack"} if schema is DOCUMENTS else {}
        return pa.Table.from_pylist([row | more for row in rows])

    monkeypatch.setattr(tables, "read_table", doubted)
    documents("corpus.name=mine", [f"artifacts='{indexed}'"])
    assert "lantern.pdf: doubtful: pages lack\n" in capsys.readouterr().out
