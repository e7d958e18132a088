"""Complaints of a benchmark in other languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citegrain.tasks.core.script import devanagari_share
from citegrain.tasks.evaluation.benchmark import BenchmarkConfig, BenchmarkError, open_benchmark

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
    record = {"id": "a", "text": "x", "primary": {"act": "b", "section": "1"}}
    (tmp_path / "q.jsonl").write_text(json.dumps(record | {"applicable": [record["primary"]]}))
    config = BenchmarkConfig(path=str(tmp_path / "q.jsonl"), language="hindi")
    with pytest.raises(BenchmarkError, match=r"languages\.jsonl"):
        open_benchmark(config)
    (tmp_path / "languages.jsonl").write_text('{"id": "a", "hinglish": "y"}\n')
    with pytest.raises(BenchmarkError, match="line 1: no id with a text in hindi"):
        open_benchmark(config)
