"""Complaints of a benchmark in other languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from citegrain.tasks.core.words import devanagari_share
from citegrain.tasks.evaluation.benchmark import BenchmarkConfig, open_benchmark
from tests.tasks.evaluation.benchmark.samples import refusal, write_lines

_DEV = "data:benchmarks/complaints/dev.jsonl"


def test_the_complaints_of_a_language_have_the_labels_of_the_english_ones() -> None:
    by_language = {
        name: open_benchmark(BenchmarkConfig("complaints", _DEV, "dev", language=name))
        for name in ("english", "hindi", "hinglish")
    }
    english = by_language["english"]
    assert len(english) == 60 and by_language["hindi"].name == "complaints_hindi"
    for other in by_language.values():
        assert [(r.id, r.primary, r.applicable) for r in other] == [
            (r.id, r.primary, r.applicable) for r in english
        ]
    assert all(devanagari_share(record.text) > 0.7 for record in by_language["hindi"])
    assert all(record.text.isascii() or "’" in record.text for record in by_language["hinglish"])


def test_a_wrong_file_ends_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"benchmark\.language=tamil"):
        BenchmarkConfig(language="tamil")
    path = write_lines(tmp_path / "q.jsonl", {"id": "a", "text": "x", "applicable": ["b/1"]})
    config = BenchmarkConfig(path=str(path), language="hindi")
    assert "languages.jsonl" in refusal(open_benchmark, config)
    write_lines(tmp_path / "languages.jsonl", {"id": "a", "hinglish": "y"})
    assert "line 1: no id with a text in hindi" in refusal(open_benchmark, config)
