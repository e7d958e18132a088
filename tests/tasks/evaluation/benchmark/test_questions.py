"""Questions with expected answers: as they are read, as they ship, and what is wrong with a file of them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.mupdf import pymupdf
from citegrain.tasks.core.paths import DATA
from citegrain.tasks.evaluation.benchmark import groups, open_benchmark
from tests.tasks.evaluation.benchmark.samples import load, refusal, write_lines

IN_SCOPE = {"category": "in_scope", "answer": "So.", "source": ["a.pdf"], "page": [2]}


def written(folder: Path, **changes: Any) -> Path:
    return write_lines(folder / "questions.jsonl", {"id": "q", "text": "How?"} | IN_SCOPE | changes)


def test_a_question_is_a_record(tmp_path: Path) -> None:
    (record,) = load(written(tmp_path), form="questions")
    assert (record.answer, record.source, record.page) == ("So.", ("a.pdf",), (2,)) and record.in_scope
    assert ("category", "in_scope") in groups(record)
    (record,) = load(written(tmp_path, source=[], page=[]), form="questions")
    assert not record.in_scope


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"page": [2, 3]}, "page: must be one page for each file of source"),
        ({"page": [0]}, "page.0"),
        ({"page": ["2"]}, "page.0"),
        ({"answer": " "}, "answer: is blank"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    assert why in refusal(load, written(tmp_path, **changes), "test", "questions")


def test_the_papers_say_what_is_expected_on_the_page_that_is_named() -> None:
    benchmark = open_benchmark(load_settings(["benchmark=papers"]).benchmark)
    count = Counter(record.category for record in benchmark)
    assert count == {"in_scope": 13, "out_of_scope": 6, "multi_document": 5}
    texts: dict[tuple[str, int], str] = {}
    for path in (DATA / "papers").glob("*.pdf"):
        with pymupdf.open(path) as document:
            texts |= {(path.name, page.number + 1): page.get_text() for page in document}
    assert len(texts) == 24
    for record in benchmark:
        assert bool(record.source) == (record.category != "out_of_scope")
        assert (len(record.source) > 1) == (record.category == "multi_document")
        pages = " ".join(texts[place] for place in zip(record.source, record.page, strict=True))
        numbers = re.findall(r"\d[\d,.]*\d|\d", record.answer)
        others = [n for n in numbers if n not in pages]
        papers = " ".join(text for (file, _), text in texts.items() if file in record.source)
        assert all(n in papers for n in others), (record.id, others)  # on another page of the same paper
