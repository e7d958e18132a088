"""Folders of judgements: those of TREC (``qrels.txt``, ``topics.tsv``), and those as BEIR lays them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.evaluation.benchmark.jsonl import FIELDS
from citegrain.tasks.evaluation.benchmark.lines import (
    BenchmarkError,
    Problems,
    json_objects,
    numbered_lines,
    printable,
    shown,
)
from citegrain.tasks.evaluation.benchmark.records import STRICT, Benchmark, Citation, Record
from citegrain.tasks.law.citations import TEXT_CORPUS

_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
_TREC = ("query", "iteration", "document", "grade")
_BEIR = ("query-id", "corpus-id", "score")
_LABELS = ("primary", "applicable")
_METADATA = tuple(name for name in FIELDS if name not in ("id", "text", *_LABELS))
"""Fields of the guide that only ``metadata`` of a query may give."""

_CITATION = TypeAdapter(Citation)

Graded = list[tuple[Citation, int]]
"""Citations with their grades."""


@dataclass(frozen=True, config=STRICT)
class _Labels:
    """Labels that ``metadata`` of a query repeats."""

    primary: Citation | None = None
    applicable: tuple[Citation, ...] | None = None


class _Judgement(NamedTuple):
    line: int
    query: str
    document: str
    grade: int


class _Judgements:
    """A file of judgements, its ``rows`` in its order.

    Parameters
    ----------
    columns
        The first names the query, the last two document and grade.
    separator
        Of the columns in a file with a header; white space in one without.

    Raises
    ------
    BenchmarkError
        If the file cannot be read, a row has other columns, a grade is not a whole number, or a document
        is judged twice for a query.
    """

    def __init__(self, path: Path, columns: tuple[str, ...], separator: str | None = None) -> None:
        self.path, self.columns, self._separator = path, columns, separator
        problems = Problems(path)
        self.rows = list(self._read(problems))
        problems.check()

    def _read(self, problems: Problems) -> Iterator[_Judgement]:
        names, size = " ".join(self.columns), len(self.columns)
        judged: dict[tuple[str, str], int] = {}
        has_header = self._separator is not None
        for number, line in numbered_lines(self.path, problems):
            cells = line.split(self._separator)
            if has_header:
                has_header = False
                if tuple(cells) != self.columns:
                    problems.add(number, "record", f"must be the header {names}, separated by tabs")
            elif len(cells) != size:
                problems.add(number, "record", f"must have {size} columns ({names}), not {len(cells)}")
            elif not _GRADE.fullmatch(cells[-1]):
                problems.add(number, self.columns[-1], f"must be a whole number, not {shown(cells[-1])}")
            elif (first := judged.setdefault((cells[0], cells[-2]), number)) != number:
                wrong = f"{shown(cells[-2])} is already judged for this query on line {first}"
                problems.add(number, self.columns[-2], wrong)
            else:
                yield _Judgement(number, cells[0], cells[-2], int(cells[-1]))

    def relevant(self, read: Callable[[str], Citation]) -> dict[str, Graded]:
        """Relevant citations of each query, in the order of the file. A grade of 0 or less is left out.

        Parameters
        ----------
        read
            Gives the citation of a document id, or raises ValueError.

        Raises
        ------
        BenchmarkError
            If a document id cannot be read.
        """
        problems = Problems(self.path)
        out: dict[str, Graded] = {}
        for row in self.rows:
            if row.grade > 0:
                try:
                    out.setdefault(row.query, []).append((read(row.document), row.grade))
                except ValueError as error:
                    problems.add(row.line, self.columns[-2], str(error))
        problems.check()
        return out

    def check(self, queries: Collection[str]) -> None:
        """Refuse judgements of queries that have no text.

        Raises
        ------
        BenchmarkError
            If there are any.
        """
        problems = Problems(self.path)
        for row in self.rows:
            if row.query not in queries:
                problems.add(row.line, self.columns[0], f"no query has the id {shown(row.query)}")
        problems.check()


def _labelled(graded: Graded, primary: Citation | None = None, **fields: object) -> Record:
    """A record whose labels are each citation once at its highest grade, the highest first.

    Ties stay in the order of the file, but for ``primary``, which comes before others of its grade.

    Raises
    ------
    pydantic.ValidationError
        If a field is wrong.
    """
    best: dict[Citation, int] = {}
    for citation, grade in graded:
        best[citation] = max(grade, best.get(citation, grade))
    order = sorted(best, key=lambda citation: (-best[citation], citation != primary))
    labels = {
        "applicable": tuple(order),
        "primary": next(iter(order), None),
        "grades": tuple(best[citation] for citation in order),
    }
    return Record(**{**fields, **labels})  # type: ignore[arg-type]


def read_trec(folder: Path) -> tuple[Record, ...]:
    """Records of ``topics.tsv`` in its order, judged by ``qrels.txt``.

    Raises
    ------
    BenchmarkError
        If a file is missing or a line of one cannot be read.
    """
    qrels = _Judgements(folder / "qrels.txt", _TREC)
    relevant = qrels.relevant(Citation.parse)
    problems = Problems(folder / "topics.tsv")
    records: list[Record] = []
    for number, line in numbered_lines(folder / "topics.tsv", problems):
        query, tab, text = line.partition("\t")
        if not tab:
            problems.add(number, "record", "must be a query and its text, separated by a tab")
        elif problems.is_new(number, "query", query):
            with problems.noted(number, lambda field: "query" if field == "id" else field):
                records.append(_labelled(relevant.get(query, []), id=query, text=text))
    problems.check()
    qrels.check(problems.lines)
    return tuple(records)


def read_beir(folder: Path, split: str) -> tuple[Record, ...]:
    """Records of one split, in the order of ``queries.jsonl``.

    The queries of all splits are in one file. A query belongs to a split if it is judged there. A query that
    is judged nowhere belongs to every split, and is out of scope.

    Raises
    ------
    BenchmarkError
        If a file is missing or a line of one cannot be read.
    """
    qrels = _Judgements(_qrels(folder, split), _BEIR, "\t")
    documents = _documents(folder / "corpus.jsonl", {row.document for row in qrels.rows if row.grade > 0})
    relevant = qrels.relevant(lambda name: documents.get(name) or Citation.parse(name))
    of_other_splits = _judged_in_others(qrels.path) - {row.query for row in qrels.rows}
    problems = Problems(folder / "queries.jsonl")
    records: list[Record] = []
    for line, query in json_objects(folder / "queries.jsonl", problems):
        name = query.get("_id")
        if problems.is_new(line, "_id", name) and not (isinstance(name, str) and name in of_other_splits):
            records += _record(line, query, relevant, problems)
    problems.check()
    qrels.check(problems.lines)
    return tuple(records)


def _qrels(folder: Path, split: str) -> Path:
    splits = sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))
    if split not in splits:
        there = f"there is {', '.join(map(printable, splits))}" if splits else "there is no qrels/*.tsv"
        raise BenchmarkError(f"{printable(folder)}: no split {shown(split)}: {there}")
    return folder / "qrels" / f"{split}.tsv"


def _judged_in_others(qrels: Path) -> set[str]:
    others = [path for path in sorted(qrels.parent.glob("*.tsv")) if path != qrels]
    return {row.query for path in others for row in _Judgements(path, _BEIR, "\t").rows}


def _documents(path: Path, names: Collection[str]) -> dict[str, Citation]:
    """Citations of the documents so named, from ``corpus.jsonl``; empty where there is no such file.

    A document that is no label, and whose metadata have none, is a text: it is cited by its id.
    """
    if not path.exists():
        return {}
    problems = Problems(path)
    out: dict[str, Citation] = {}
    for line, document in json_objects(path, problems):
        name, metadata = document.get("_id"), document.get("metadata")
        if not isinstance(name, str) or name not in names or not problems.is_new(line, "_id", name):
            continue
        if isinstance(metadata, dict) and metadata.keys() & {"act", "section"}:
            with problems.noted(line, "metadata.{}".format):
                out[name] = _CITATION.validate_python(_only(metadata, ("act", "section")))
        elif not _is_label(name):
            with problems.noted(line, lambda _: "_id"):
                out[name] = Citation(act=TEXT_CORPUS, section=name)
    problems.check()
    return out


def _is_label(name: str) -> bool:
    try:
        Citation.parse(name)
    except ValueError:
        return False
    return True


def _record(
    line: int, query: Mapping[str, Any], judged: Mapping[str, Graded], problems: Problems
) -> list[Record]:
    """The record of a query, if it is valid."""
    metadata = query.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        problems.add(line, "metadata", f"must be an object, not {shown(metadata)}")
        return []
    fields = _only(metadata or {}, _METADATA)
    names, records = {"id": "_id", "text": "text"}, []
    fields |= {name: query[key] for name, key in names.items() if key in query}
    relevant = judged.get(query["_id"], []) if isinstance(query.get("_id"), str) else []
    with problems.noted(line, lambda field: names.get(field, f"metadata.{field}")):
        labels = _Labels(**_only(metadata or {}, _LABELS))
        record = _labelled(relevant, labels.primary, **fields)
        for field in _disagreements(labels, record):
            problems.add(line, f"metadata.{field}", "does not agree with the qrels")
        records.append(record)
    return records


def _disagreements(labels: _Labels, record: Record) -> list[str]:
    out = ["primary"] if labels.primary is not None and labels.primary != record.primary else []
    if labels.applicable is not None and set(labels.applicable) != set(record.applicable):
        out.append("applicable")
    return out


def _only(metadata: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The entries so named; null counts as missing."""
    return {name: metadata[name] for name in names if metadata.get(name) is not None}


def write_qrels(benchmark: Benchmark, path: Path) -> None:
    """Write TREC qrels, documents named ``act/section``; complaints out of scope have no line in it.

    Raises
    ------
    BenchmarkError
        If an id contains a space, which separates the columns.
    OSError
        If the file cannot be written.
    """
    for record in benchmark:
        if " " in record.id:
            raise BenchmarkError(f"{record.id!r}: an id with a space cannot be written to qrels")
    rows = [
        f"{record.id} 0 {citation.label} {grade}\n"
        for record in benchmark
        for citation, grade in record.graded
    ]
    write_atomically(path, "".join(rows))
