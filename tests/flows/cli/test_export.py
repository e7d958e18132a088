"""What ``citegrain export`` writes for other programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flows.conftest import Done

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]


def test_provisions_amendments_and_a_benchmark_are_written(
    call: Callable[..., Done], indexed: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.jsonl"
    record = {
        "id": "a",
        "text": "My wages were not paid",
        "applicable": [{"act": "lantern-keepers-welfare-act-2011", "section": "3"}],
        "primary": {"act": "lantern-keepers-welfare-act-2011", "section": "3"},
    }
    questions.write_text(json.dumps(record) + "\n", encoding="utf-8")
    about = ("benchmark=file", f"benchmark.path='{questions}'", "benchmark.as_of=2026-01-01")
    to = tmp_path / "out"
    where = ("corpus.name=mine", f"artifacts='{indexed}'", *about, "--to", str(to))
    done = call("export", "--jsonl", "--amendments", "--beir", *where)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (to / "provisions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"eli", "title", "provision_id"} <= set(rows[0])
    with (to / "instructions.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file))[:3] == ["instruction_id", "status", "amended_by"]
    assert (to / "amended.jsonl").read_text(encoding="utf-8") == ""  # neither of the two Acts amends
    judged = next((to / "qrels").glob("*.tsv")).read_text(encoding="utf-8").splitlines()
    assert judged[1].split("\t")[:2] == ["a", "lantern-keepers-welfare-act-2011/sec_3"]
