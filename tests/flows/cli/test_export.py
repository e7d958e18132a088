"""What ``citegrain export`` writes for other programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flows.conftest import Done
from tests.tasks.evaluation.benchmark.samples import write_lines

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]


@pytest.fixture
def about(indexed: Path, tmp_path: Path) -> tuple[str, ...]:
    """A build, and a benchmark of one question over it."""
    record = {
        "id": "a",
        "text": "My wages were not paid",
        "applicable": ["lantern-keepers-welfare-act-2011/3"],
    }
    questions = write_lines(tmp_path / "questions.jsonl", record)
    given = ("benchmark=file", f"benchmark.path='{questions}'", "benchmark.as_of=2026-01-01")
    return ("corpus.name=mine", f"artifacts='{indexed}'", *given)


def test_bench_writes_a_task_and_results_of_mteb(call: Callable[..., Done], about: tuple[str, ...]) -> None:
    done = call("bench", "--export", "mteb", *about, "retrieve=sparse", "fuse=rrf")
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.strip().splitlines()[-1])
    written = {f.name for f in folder.iterdir()}
    assert written == {"corpus.jsonl", "queries.jsonl", "qrels", "results", "task.py"}
    (results,) = (f for f in folder.rglob("results/*/*/*.json") if f.name != "model_meta.json")
    scores = json.loads(results.read_text(encoding="utf-8"))["scores"]["test"][0]
    assert scores["n"] == 1 and scores["main_score"] == scores["ndcg_at_10"] > 0
    compile((folder / "task.py").read_text(encoding="utf-8"), "task.py", "exec")
    refused = call("bench", "--export", "beir", *about)
    assert refused.returncode == 2 and "must be mteb" in refused.stderr


def test_provisions_amendments_and_a_benchmark_are_written(
    call: Callable[..., Done], about: tuple[str, ...], tmp_path: Path
) -> None:
    to = tmp_path / "out"
    done = call("export", "--jsonl", "--amendments", "--beir", *about, "--to", str(to))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (to / "provisions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"eli", "title", "provision_id"} <= set(rows[0])
    with (to / "instructions.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file))[:3] == ["instruction_id", "status", "amended_by"]
    assert (to / "amended.jsonl").read_text(encoding="utf-8") == ""  # neither of the two Acts amends
    judged = next((to / "qrels").glob("*.tsv")).read_text(encoding="utf-8").splitlines()
    assert judged[1].split("\t")[:2] == ["a", "lantern-keepers-welfare-act-2011/sec_3"]
