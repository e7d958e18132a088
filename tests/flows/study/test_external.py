"""Benchmarks of others: a BEIR folder with texts of its own, indexed and measured by the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from ir_measures import RR, nDCG

from citegrain.tasks.core.schemas import CHUNKS, PROVISIONS
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.evaluation.studies import read_study
from tests.flows.conftest import Done
from tests.tasks.evaluation.benchmark.samples import write_folder, write_lines

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]

TEXTS: list[dict[str, Any]] = [
    {"_id": "S1", "title": "Theft", "text": "Whoever takes a lantern from its keeper is punished."},
    {"_id": "S2", "title": "", "text": "A bell ringer is paid his wages\neach month.", "metadata": {"n": 1}},
    {"_id": "s2", "title": "Oil", "text": "Oil of the lantern is supplied by the board."},
    {"_id": "ipc/302", "text": "Murder is punished with death, or imprisonment for life."},
    {"_id": "S10", "title": "Keepers", "text": "Keepers are paid by the board. " * 80},
]
QUERIES = [
    {"_id": "1", "text": "my lantern was taken by a thief"},
    {"_id": "2", "text": "who pays the wages of a ringer and of a keeper"},
    {"_id": "3", "text": "he killed my brother"},
    {"_id": "4", "text": "what will the weather be"},
]
QRELS = "query-id\tcorpus-id\tscore\n1\tS1\t1\n1\tS2\t0\n2\tS10\t1\n2\tS2\t2\n3\tipc/302\t1\n"


@pytest.fixture
def citegrain(tmp_path: Path, tiny_model: Path, call: Callable[..., Done]) -> Callable[..., Done]:
    """A command on a folder whose ``corpus.jsonl`` it may be given."""
    files = {"queries.jsonl": QUERIES, "qrels/test.tsv": QRELS, "corpus.jsonl": TEXTS}
    write_folder(tmp_path / "pool", files)

    def run(command: str, *overrides: str) -> Done:
        settings = (f"artifacts='{tmp_path / 'artifacts'}'", "embed=hub", f"embed.model='{tiny_model}'")
        return call(command, "corpus.name=pool", *settings, "runner.workers=1", *overrides)

    return run


def current(tmp_path: Path) -> Path:
    builds = tmp_path / "artifacts" / "builds" / "pool"
    return builds / (builds / "current").read_text(encoding="utf-8").strip()


@pytest.mark.slow
def test_texts_are_indexed_and_measured(citegrain: Callable[..., Done], tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    done = citegrain("index", "corpus=texts", f"corpus.path='{folder / 'corpus.jsonl'}'")
    assert done.returncode == 0, done.stderr
    provisions = read_table(current(tmp_path) / PROVISIONS.file, PROVISIONS).to_pylist()
    assert [p["provision_id"] for p in provisions] == [f"text-corpus/{text['_id']}" for text in TEXTS]
    assert {p["page_start"]: p["text"] for p in provisions}[2] == TEXTS[1]["text"]
    chunks = read_table(current(tmp_path) / CHUNKS.file, CHUNKS).to_pylist()
    # a text is searched by its title and its words alone, and a long one in several chunks
    first, second = ((c["header"], c["text"]) for c in chunks[:2])
    assert first == ("Theft", TEXTS[0]["text"]) and second == ("", TEXTS[1]["text"])
    assert len(chunks) > len(TEXTS) and {c["citation"] for c in chunks[4:]} == {"text-corpus/S10"}

    measured = citegrain(
        "bench", "benchmark=file", f"benchmark.path='{folder}'", "benchmark.as_of=1950-01-01",
        "bench.mlflow=false", "bench.latency=0", "bench.report=false", "bench.name=pool", "rerank=none",
    )  # fmt: skip
    assert measured.returncode == 0, measured.stderr
    study = tmp_path / "artifacts" / "reports" / "pool"
    read = read_study(study)
    assert read.facts["benchmark"]["in_scope"] == 3 and not read.facts["warnings"]
    (name,) = read.scored
    qrels = list(ir_measures.read_trec_qrels(str(study / "qrels.txt")))
    assert {(q.query_id, q.doc_id, q.relevance) for q in qrels} == {
        ("1", "text-corpus/S1", 1), ("2", "text-corpus/S2", 2), ("2", "text-corpus/S10", 1),
        ("3", "ipc/302", 1),
    }  # fmt: skip
    run = list(ir_measures.read_trec_run(str(study / "runs" / f"{name}.run")))
    theirs = ir_measures.calc_aggregate([nDCG @ 10, RR], qrels, run)
    for metric, measure in (("ndcg_10", nDCG @ 10), ("mrr", RR)):
        assert read.cells[name, metric]["value"] == pytest.approx(theirs[measure], abs=1e-6)
    assert 0.3 < theirs[nDCG @ 10] <= 1


def test_a_file_with_a_bad_line_is_refused(citegrain: Callable[..., Done], tmp_path: Path) -> None:
    path = tmp_path / "pool" / "corpus.jsonl"
    write_lines(path, *TEXTS, TEXTS[0])
    done = citegrain("index", "corpus=texts", f"corpus.path='{path}'")
    assert done.returncode == 1 and done.stderr.endswith("nothing was published\n")
    assert done.stdout == "corpus.jsonl: not indexed: line 6: _id: 'S1' is already on line 1\n"


def test_what_is_no_file_of_texts_is_refused(citegrain: Callable[..., Done], tmp_path: Path) -> None:
    for path in (tmp_path / "pool", tmp_path / "none.jsonl"):
        done = citegrain("index", "corpus=texts", f"corpus.path='{path}'")
        assert done.returncode == 2
        assert done.stderr.strip() == f"citegrain: {path}: must be a file of texts, as FOLDER/corpus.jsonl"
