"""The broken files of the shared corpus, each with its status and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from citegrain.tasks.core.errors import TOO_DEEP
from citegrain.tasks.offline.corpus import FORMS, Refusal, Registry, identify
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from tests.flows.serving.hostile import deep_files


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("stem", "words"),
    [
        ("bharatiya_nyaya_sanhita_bill_2023__arrangement_of_clauses", "a Bill, not an Act"),
        ("consumer_protection_act_2019__blank_pages", "39 pages are blank"),
        ("criminal_law_amendment_act_2013__scanned_gazette", "needs OCR"),
        ("protection_of_women_from_domestic_violence_act_2005__scanned", "needs OCR"),
        ("right_to_information_act_2005__hindi_bad_ocr", "does not read as English"),
    ],
)
def test_hard_files(shared: Path, stem: str, words: str) -> None:
    path = shared / "corpus" / "hard" / f"{stem}.pdf"
    row = parse_document(path.read_bytes(), "x", ParseConfig(ocr="off"))["documents"].to_pylist()[0]
    refusal = identify(row, Registry(), path.name)
    assert isinstance(refusal, Refusal)
    assert words in refusal.reason and "\n" not in refusal.reason


def test_what_is_nested_too_deeply_is_refused_in_these_words() -> None:
    for name, data in deep_files():
        tables = parse_document(data, "x", ParseConfig(), FORMS[Path(name).suffix])
        (row,) = tables["documents"].to_pylist()
        assert row["status"] in ("refused", "unreadable") and row["reason"].endswith(TOO_DEEP), (name, row)
