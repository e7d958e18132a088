"""BEIR folders: what is read of them, what is refused, and that ours come back as they were."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from citegrain.tasks.evaluation.benchmark import Benchmark, Citation, write_beir
from tests.tasks.evaluation.benchmark.samples import (
    IPC,
    NIA,
    benchmarks,
    guide_record,
    load,
    refusal,
    write_folder,
    write_lines,
)

HEADER = "query-id\tcorpus-id\tscore\n"
QUERIES = [{"_id": "q1", "text": "A bounced cheque."}, {"_id": "q2", "text": "What is the weather?"}]
QRELS = f"{HEADER}q1\t{IPC}/420\t1\nq1\t{NIA}/138\t2\nq1\t{IPC}/1\t0\n"


def written(benchmark: Benchmark, folder: Path) -> Path:
    """The benchmark as the product writes it, without texts of documents."""
    judged = {record.id: {citation.label: grade for citation, grade in record.graded} for record in benchmark}
    write_beir(benchmark, (), judged, folder)
    return folder


def make(folder: Path, *, qrels: str = QRELS, queries: Any = None, **files: Any) -> Path:
    contents = {name.replace("__", "/").replace("_", "."): content for name, content in files.items()}
    return write_folder(folder, {"queries.jsonl": queries or QUERIES, "qrels/test.tsv": qrels} | contents)


def test_a_folder(tmp_path: Path) -> None:
    first, second = load(make(tmp_path)).records
    assert first.primary == Citation(NIA, "138") and first.grades == (2, 1)
    assert [c.label for c in first.applicable] == [f"{NIA}/138", f"{IPC}/420"]  # 0 is not relevant
    assert (first.register, first.domain, first.incident_date, first.annotator) == (None, (), None, "")
    assert (second.id, second.in_scope, second.primary) == ("q2", False, None)


def test_ties_stay_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = "".join(f"q1\t{IPC}/{n}\t{grade}\n" for n, grade in ((9, 1), (3, 4), (5, 4), (1, 1)))
    record = load(make(tmp_path, qrels=HEADER + rows)).records[0]
    assert [c.section for c in record.applicable] == ["3", "5", "9", "1"] and record.grades == (4, 4, 1, 1)


def test_the_corpus_tells_what_a_document_is(tmp_path: Path) -> None:
    corpus = [
        {"_id": "d1", "text": "x", "metadata": {"act": IPC, "section": "420", "page": 3}},
        {"_id": "d2", "text": "x", "metadata": {"act": IPC, "section": "420"}},
        {"_id": "d3", "text": "x", "metadata": {"act": 5}},
        {"_id": f"{NIA}/138", "text": "x", "metadata": {}},
    ]
    rows = f"q1\td1\t1\nq1\t{NIA}/138\t2\nq1\td2\t3\nq1\td3\t0\nq1\t{IPC}/7\t1\n"
    record = load(make(tmp_path, qrels=HEADER + rows, corpus_jsonl=corpus)).records[0]
    # two passages of one section are one provision, at the higher grade; d3 is not relevant, so never read
    assert [c.label for c in record.applicable] == [f"{IPC}/420", f"{NIA}/138", f"{IPC}/7"]
    assert record.grades == (3, 2, 1)


def test_a_document_of_the_corpus_that_is_no_label_is_a_text(tmp_path: Path) -> None:
    corpus = [{"_id": "S1", "text": "x"}, {"_id": "302", "text": "x", "metadata": {}}, {"_id": f"{IPC}/1"}]
    rows = f"q1\tS1\t1\nq1\t302\t2\nq1\t{IPC}/1\t1\n"
    make(tmp_path, qrels=HEADER + rows, corpus_jsonl=corpus)
    record = load(tmp_path).records[0]
    assert [c.label for c in record.applicable] == ["text-corpus/302", "text-corpus/S1", f"{IPC}/1"]
    assert load(written(Benchmark("b", "test", (record,)), tmp_path / "again")).records == (record,)
    make(tmp_path, qrels=f"{HEADER}q1\tS 2\t1\n", corpus_jsonl=[{"_id": "S 2", "text": "x"}])
    assert [c.label for c in load(tmp_path).records[0].applicable] == ["text-corpus/S 2"]
    make(tmp_path, qrels=f"{HEADER}q1\tS \t1\n", corpus_jsonl=[{"_id": "S ", "text": "x"}])
    assert "corpus.jsonl:1: _id: has white space at an end" in refusal(load, tmp_path)


def test_queries_of_other_splits_are_not_out_of_scope(tmp_path: Path) -> None:
    queries = [{"_id": name, "text": "x"} for name in ("a", "b", "both", "none", "zero")]
    dev = f"{HEADER}a\t{IPC}/1\t1\nboth\t{IPC}/1\t1\n"
    test = f"{HEADER}b\t{IPC}/2\t1\nboth\t{IPC}/2\t1\nzero\t{IPC}/2\t0\n"
    make(tmp_path, qrels=test, queries=queries, qrels__dev_tsv=dev)
    scopes = {r.id: r.in_scope for r in load(tmp_path)}
    assert scopes == {"b": True, "both": True, "none": False, "zero": False}
    assert [r.id for r in load(tmp_path, "dev") if r.in_scope] == ["a", "both"]


def test_metadata_may_tell_the_guides_fields(tmp_path: Path) -> None:
    metadata = guide_record(id="other", text="other", grades=[9], url="http://x", rationale=None)
    queries = [{"_id": "q1", "text": "A bounced cheque.", "title": "x", "metadata": metadata}]
    (record,) = load(make(tmp_path, queries=queries)).records
    assert (record.id, record.text, record.rationale) == ("q1", "A bounced cheque.", "")
    assert record.incident_date == date(2024, 3, 5) and record.register == "informal"
    assert record.domain == ("commercial", "criminal") and record.grades == (2, 1)


def test_metadata_may_tell_which_of_equal_grades_is_the_primary(tmp_path: Path) -> None:
    rows = f"q1\t{IPC}/1\t1\nq1\t{IPC}/2\t1\nq1\t{IPC}/3\t1\n"
    queries = [{"_id": "q1", "text": "x", "metadata": {"primary": {"act": IPC, "section": "3"}}}]
    (record,) = load(make(tmp_path, qrels=HEADER + rows, queries=queries)).records
    assert [c.section for c in record.applicable] == ["3", "1", "2"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (b"{", "record: not JSON: EOF while parsing an object at character 1"),
        ({"text": "x"}, "_id: is missing"),
        ({"_id": 1, "text": "x"}, "_id: must be a string, not 1"),
        ({"_id": "", "text": "x"}, "_id: is blank"),
        ({"_id": "q2"}, "text: is missing"),
        ({"_id": "q2", "text": " "}, "text: is blank"),
        ({"_id": "q1", "text": "x"}, "_id: 'q1' is already on line 1"),
        ({"_id": "q2", "text": "x", "metadata": []}, "metadata: must be an object, not a list"),
        ({"_id": "q2", "text": "x", "metadata": {"incident_date": "2024"}},
         "metadata.incident_date: must be a day as YYYY-MM-DD, not '2024'"),
        ({"_id": "q2", "text": "x", "metadata": {"register": "loud"}},
         "metadata.register: must be one of formal, informal, not 'loud'"),
        ({"_id": "q2", "text": "x", "metadata": {"primary": {"act": IPC, "section": 3}}},
         "metadata.primary.section: must be a string, not 3"),
        ({"_id": "q2", "text": "x", "metadata": {"primary": {"act": IPC, "section": "3"}}},
         "metadata.primary: does not agree with the qrels"),
        ({"_id": "q2", "text": "x", "metadata": {"applicable": [{"act": IPC, "section": "3"}]}},
         "metadata.applicable: does not agree with the qrels"),
    ],
)  # fmt: skip
def test_queries_that_are_refused(tmp_path: Path, query: Any, expected: str) -> None:
    make(tmp_path, queries=[QUERIES[0], query])
    assert refusal(load, tmp_path) == f"{tmp_path}/queries.jsonl:2: {expected}"


@pytest.mark.parametrize(
    ("rows", "line", "expected"),
    [
        (f"q1\t{IPC}/1\t1\n", 1, "record: must be the header query-id corpus-id score, separated by tabs"),
        ("query-id corpus-id score\n", 1, "record: must be the header query-id corpus-id score, separated by tabs"),
        (f"{HEADER}q1\t{IPC}/1\n", 2, "record: must have 3 columns (query-id corpus-id score), not 2"),
        (f"{HEADER}q1\t{IPC}/1\t1.5\n", 2, "score: must be a whole number, not '1.5'"),
        (f"{HEADER}q1\t{IPC}/1\t{'9' * 5000}\n", 2, f"score: must be a whole number, not '{'9' * 59}..."),
        (f"{HEADER}q1\t{IPC}/1\t1\n\nq1\t{IPC}/1\t2\n", 4,
         f"corpus-id: '{IPC}/1' is already judged for this query on line 2"),
        (f"{HEADER}q1\td1\t1\n", 2, "corpus-id: must be act/section, not 'd1'"),
        (f"{HEADER}q1\t{IPC}/302(1)\t1\n", 2,
         "corpus-id: section: a label names a whole section: write 302, not '302(1)'"),
        (f"{HEADER}q1\tIPC/302\t1\n", 2,
         "corpus-id: act: must be in lower case with hyphens (limitation-act-1963), not 'IPC'"),
        (f"{HEADER}q9\t{IPC}/1\t0\n", 2, "query-id: no query has the id 'q9'"),
    ],
)  # fmt: skip
def test_judgements_that_are_refused(tmp_path: Path, rows: str, line: int, expected: str) -> None:
    make(tmp_path, qrels=rows)
    assert refusal(load, tmp_path) == f"{tmp_path}/qrels/test.tsv:{line}: {expected}"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"_id": "d", "metadata": {"act": IPC}}, "metadata.section: is missing"),
        ({"_id": "d", "metadata": {"act": IPC, "section": 420}}, "metadata.section: must be a string, not 420"),
        ({"_id": "d", "metadata": {"act": "Code", "section": "420"}},
         "metadata.act: must be in lower case with hyphens (limitation-act-1963), not 'Code'"),
        (b"[]", "record: must be an object, not a list"),
    ],
)  # fmt: skip
def test_a_corpus_that_is_refused(tmp_path: Path, document: Any, expected: str) -> None:
    make(tmp_path, qrels=f"{HEADER}q1\td\t1\n", corpus_jsonl=[{"_id": "other"}, document])
    assert refusal(load, tmp_path) == f"{tmp_path}/corpus.jsonl:2: {expected}"


def test_a_document_that_stands_twice(tmp_path: Path) -> None:
    document = {"_id": "d", "metadata": {"act": IPC, "section": "420"}}
    make(tmp_path, qrels=f"{HEADER}q1\td\t1\n", corpus_jsonl=[document, document])
    assert refusal(load, tmp_path) == f"{tmp_path}/corpus.jsonl:2: _id: 'd' is already on line 1"


def test_folders_that_are_none(tmp_path: Path) -> None:
    assert "must be .jsonl, .csv or .json, or a folder" in refusal(load, tmp_path)
    make(tmp_path, qrels__dev_tsv=HEADER)
    assert refusal(load, tmp_path, "train") == f"{tmp_path}: no split 'train': there is dev, test"
    assert refusal(load, tmp_path, "../test") == f"{tmp_path}: no split '../test': there is dev, test"
    (tmp_path / "qrels.txt").touch()
    assert refusal(load, tmp_path) == f"{tmp_path}: contains two formats; name one with benchmark.format"
    assert len(load(tmp_path, form="beir")) == 2
    assert refusal(load, tmp_path / "no", "test", "beir").endswith(": no such folder")
    assert refusal(load, tmp_path / "qrels.txt", "test", "beir").endswith(": not a folder")
    (tmp_path / "queries.jsonl").unlink()
    assert refusal(load, tmp_path, "test", "beir").endswith("queries.jsonl: no such file")


def test_no_qrels_at_all(tmp_path: Path) -> None:
    write_lines(tmp_path / "queries.jsonl", *QUERIES)
    assert refusal(load, tmp_path) == f"{tmp_path}: no split 'test': there is no qrels/*.tsv"


def test_windows_files_are_read(tmp_path: Path) -> None:
    plain = load(make(tmp_path / "a"))
    other = make(tmp_path / "b", qrels="\ufeff" + QRELS.replace("\n", "\r\n"))
    assert load(other) == plain


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(benchmarks(graded=True))
def test_round_trip(tmp_path: Path, benchmark: Benchmark) -> None:
    again = load(written(benchmark, tmp_path), "dev")
    assert again == benchmark and again.sha256 == benchmark.sha256
