"""TREC folders, and our qrels as others read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from citegrain.tasks.evaluation.benchmark import Benchmark, Citation, Record, write_qrels
from citegrain.tasks.evaluation.report import trec_lines
from citegrain.tasks.law.citations import TEXT_CORPUS
from tests.tasks.evaluation.benchmark.samples import IPC, NIA, benchmarks, load, refusal, write_folder

TOPICS = "q1\tA bounced cheque.\nq2\tWhat is\tthe weather?\n"
QRELS = f"q1 0 {IPC}/420 1\nq1\tQ0\t{NIA}/138  2\nq1 0 d9 0\nq1 0 d8 -1\n"


def make(folder: Path, topics: str = TOPICS, qrels: str = QRELS) -> Path:
    return write_folder(folder, {"topics.tsv": topics, "qrels.txt": qrels})


def test_a_folder(tmp_path: Path) -> None:
    first, second = load(make(tmp_path)).records
    assert [c.label for c in first.applicable] == [f"{NIA}/138", f"{IPC}/420"] and first.grades == (2, 1)
    assert (second.text, second.in_scope) == ("What is\tthe weather?", False)
    windows = make(tmp_path / "w", TOPICS.replace("\n", "\r\n"), "\ufeff" + QRELS.replace("\n", "\r\n"))
    assert load(windows).records == (first, second)


@pytest.mark.parametrize(
    ("topics", "qrels", "expected"),
    [
        (TOPICS, "q1 0 x\n", "qrels.txt:1: record: must have 4 columns (query iteration document grade), not 3"),
        (TOPICS, f"q1 0 {IPC}/1 high\n", "qrels.txt:1: grade: must be a whole number, not 'high'"),
        (TOPICS, "q1 0 d9 1\n", "qrels.txt:1: document: must be act/section, not 'd9'"),
        (TOPICS, "q1 0 a/1 1\nq1 0 a/1 0\n",
         "qrels.txt:2: document: 'a/1' is already judged for this query on line 1"),
        (TOPICS, "q3 0 a/1 1\n", "qrels.txt:1: query: no query has the id 'q3'"),
        ("q1 no tab\n", QRELS, "topics.tsv:1: record: must be a query and its text, separated by a tab"),
        ("q1\tx\nq1\ty\n", QRELS, "topics.tsv:2: _id: 'q1' is already on line 1"),
        ("q1\t \n", QRELS, "topics.tsv:1: text: is blank"),
        ("\tx\n", QRELS, "topics.tsv:1: _id: is blank"),
        ("q1\ta\0b\n", QRELS, "topics.tsv:1: text: contains a NUL character"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, topics: str, qrels: str, expected: str) -> None:
    assert refusal(load, make(tmp_path, topics, qrels)) == f"{tmp_path}/{expected}"


def test_files_that_are_missing(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "topics.tsv").unlink()
    assert refusal(load, tmp_path) == f"{tmp_path}/topics.tsv: no such file"
    (tmp_path / "topics.tsv").mkdir()
    assert refusal(load, tmp_path) == f"{tmp_path}/topics.tsv: not a file"
    (tmp_path / "topics.tsv").rmdir()
    assert refusal(load, make(tmp_path, "", "")) == f"{tmp_path}: contains no record"


def test_what_is_written(tmp_path: Path) -> None:
    one, two = Citation(NIA, "138"), Citation(IPC, "420")
    record, out = Record(id="q1", text="x", primary=one, applicable=(one, two)), Record(id="q2", text="out")
    write_qrels(Benchmark("b", "dev", (record, out)), tmp_path / "deep" / "qrels.txt")
    written = (tmp_path / "deep" / "qrels.txt").read_text(encoding="utf-8")
    assert written == f"q1 0 {NIA}/138 2\nq1 0 {IPC}/420 1\n"


def test_an_id_with_a_space_is_one_column(tmp_path: Path) -> None:
    text = Citation(TEXT_CORPUS, "5% of a file")
    spaced = Benchmark("b", "dev", (Record(id="q 1", text="x", primary=text, applicable=(text,)),))
    write_qrels(spaced, tmp_path / "qrels.txt")
    assert (tmp_path / "qrels.txt").read_text() == "q%201 0 text-corpus/5%25%20of%20a%20file 2\n"
    assert list(trec_lines({"q 1": ["a b", "5%"]}, "t")) == [
        "q%201 Q0 a%20b 1 1.000000 t", "q%201 Q0 5% 2 0.500000 t"
    ]  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(benchmarks(graded=True))
def test_columns_hold_the_grades_and_labels_come_back(tmp_path: Path, benchmark: Benchmark) -> None:
    write_qrels(benchmark, tmp_path / "qrels.txt")
    rows = [line.split() for line in (tmp_path / "qrels.txt").read_text(encoding="utf-8").splitlines()]
    assert rows == [
        [r.id, "0", citation.label, str(grade)] for r in benchmark for citation, grade in r.graded
    ]
    write_folder(tmp_path, {"topics.tsv": "".join(f"{record.id}\tx\n" for record in benchmark)})
    for record, again in zip(benchmark, load(tmp_path), strict=True):
        assert (again.id, again.primary, again.graded) == (record.id, record.primary, record.graded)


@pytest.mark.slow
@pytest.mark.xdist_group("ranx")  # numba compiles for seconds, once a process
def test_ranx_reads_the_same_grades(tmp_path: Path) -> None:
    from ranx import Qrels

    applicable = tuple(Citation(IPC, str(n)) for n in range(1, 5))
    records = [
        Record(
            id=f"q{n}",
            text="x",
            primary=applicable[n],
            applicable=applicable[n:],
            grades=tuple(range(4 - n, 0, -1)),
        )
        for n in range(4)
    ]
    write_qrels(Benchmark("b", "dev", (*records, Record(id="out", text="x"))), tmp_path / "qrels.txt")
    read = Qrels.from_file(str(tmp_path / "qrels.txt"), kind="trec")
    assert {query: dict(grades) for query, grades in read.qrels.items()} == {
        record.id: {citation.label: grade for citation, grade in record.graded} for record in records
    }
