"""What ``citegrain index`` says of each file."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.flows.cli.index import _show_report


def test_a_name_of_a_file_commands_no_terminal_and_stays_on_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    red, lines = "\x1b[31mred.pdf", "two\nlines.pdf"
    row: dict[str, Any] = {
        "file": red,
        "verdict": "failed",
        "verdict_reason": "no section",
        "account": "",
        "warnings": ["old"],
    }
    row |= {"pages_not_read": [{"pages": "3", "reason": "blank"}], "same_bytes": [lines]}
    refused = {"file": "क्\u200dया.pdf", "reason": "cut off", "is_document": True}
    data = {"indexed": [row], "refused": [refused], "texts_untranslated": []}
    result: Any = SimpleNamespace(report=lambda: data, started_flow=False, build=None)
    settings: Any = SimpleNamespace(reports_folder=tmp_path, corpus=SimpleNamespace(name="mine"))
    assert _show_report(result, settings, 1.0) == 2
    said = capsys.readouterr().out
    assert said.splitlines() == [
        r"'\x1b[31mred.pdf': failed: no section",
        r"'\x1b[31mred.pdf': page 3: blank",
        r"'\x1b[31mred.pdf': old",
        r"'two\nlines.pdf': the same bytes as '\x1b[31mred.pdf'",
        "क्\u200dया.pdf: not indexed: cut off",
    ]
    assert red in (tmp_path / "index-mine.json").read_text(encoding="utf-8").replace("\\u001b", "\x1b")
