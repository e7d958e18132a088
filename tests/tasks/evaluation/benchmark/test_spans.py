"""LegalBench-RAG's own JSON as a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.evaluation.benchmark import Span
from tests.tasks.evaluation.benchmark.samples import load, refusal

SNIPPET = {"file_path": "part/nda.txt", "span": [3, 9], "answer": "secret"}
TEST = {"query": "Is it secret?", "snippets": [SNIPPET], "tags": ["part"]}


def written(folder: Path, value: Any) -> Path:
    path = folder / "part.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_each_test_is_a_record_with_its_spans(tmp_path: Path) -> None:
    path = written(tmp_path, {"tests": [TEST] * 9 + [{"query": "And?", "snippets": []}]})
    benchmark = load(path)
    assert [r.id for r in benchmark] == [f"{n:02d}" for n in range(1, 11)]
    first, last = benchmark.records[0], benchmark.records[-1]
    assert first.spans == (Span("part/nda.txt", 3, 9, "secret"),) and first.in_scope and not first.applicable
    assert not last.in_scope


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("{", "part.json: record: not JSON"),
        ({"tests": []}, "part.json: contains no record"),
        ([TEST], "part.json: record: must be an object"),
        ({"tests": [TEST, {"query": "q"}]}, "part.json: tests.1.snippets: is missing"),
        ({"tests": [{**TEST, "snippets": [{**SNIPPET, "span": [9, 9]}]}]}, "must be [start, end)"),
        ({"tests": [{**TEST, "snippets": [{**SNIPPET, "span": ["3", 9]}]}]}, "tests.0.snippets.0.span.0"),
        ({"tests": [{**TEST, "query": " "}]}, "tests.0.query: is blank"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, value: Any, why: str) -> None:
    assert why in refusal(load, written(tmp_path, value), "test", "spans")
