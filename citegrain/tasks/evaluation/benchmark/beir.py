"""Folders as BEIR lays them out: ``queries.jsonl``, ``qrels/<split>.tsv``, perhaps ``corpus.jsonl``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from citegrain.tasks.evaluation.benchmark.errors import BenchmarkError, Problems, printable, shown
from citegrain.tasks.evaluation.benchmark.fields import STRICT, Citation
from citegrain.tasks.evaluation.benchmark.jsonl import FIELDS
from citegrain.tasks.evaluation.benchmark.lines import json_objects
from citegrain.tasks.evaluation.benchmark.qrels import (
    Graded,
    Layout,
    check_queries,
    citations_by_query,
    labelled_record,
    ranked,
    read_judgements,
)
from citegrain.tasks.evaluation.benchmark.records import Record
from citegrain.tasks.law.citations import TEXT_CORPUS

BEIR = Layout(("query-id", "corpus-id", "score"), "\t", True)
_LABELS = ("primary", "applicable")
_METADATA = tuple(name for name in FIELDS if name not in ("id", "text", *_LABELS))
"""Fields of the guide that only ``metadata`` of a query may give."""

_CITATION = TypeAdapter(Citation)


@dataclass(frozen=True, config=STRICT)
class _Labels:
    """Labels that ``metadata`` of a query repeats."""

    primary: Citation | None = None
    applicable: tuple[Citation, ...] | None = None


def read_beir(folder: Path, split: str) -> tuple[Record, ...]:
    """Records of one split, in the order of ``queries.jsonl``.

    The queries of all splits are in one file. A query belongs to a split if it is judged there. A query that
    is judged nowhere belongs to every split, and is out of scope.

    Raises
    ------
    BenchmarkError
        If a file is missing or a line of one cannot be read.
    """
    qrels = _qrels(folder, split)
    rows = read_judgements(qrels, BEIR)
    relevant = {row.document for row in rows if row.grade > 0}
    documents = _documents(folder / "corpus.jsonl", relevant)
    graded = citations_by_query(qrels, BEIR, rows, lambda name: documents.get(name) or Citation.parse(name))
    elsewhere = _judged_elsewhere(qrels) - {row.query for row in rows}
    problems = Problems(folder / "queries.jsonl")
    records: list[Record] = []
    for line, query in json_objects(folder / "queries.jsonl", problems):
        name = query.get("_id")
        if problems.is_new(line, "_id", name) and not (isinstance(name, str) and name in elsewhere):
            records += _record(line, query, graded, problems)
    problems.check()
    check_queries(qrels, BEIR, rows, problems.lines)
    return tuple(records)


def _qrels(folder: Path, split: str) -> Path:
    splits = sorted(path.stem for path in (folder / "qrels").glob("*.tsv"))
    if split not in splits:
        there = f"there is {', '.join(map(printable, splits))}" if splits else "there is no qrels/*.tsv"
        raise BenchmarkError(f"{printable(folder)}: no split {shown(split)}: {there}")
    return folder / "qrels" / f"{split}.tsv"


def _judged_elsewhere(qrels: Path) -> set[str]:
    others = [path for path in sorted(qrels.parent.glob("*.tsv")) if path != qrels]
    return {row.query for path in others for row in read_judgements(path, BEIR)}


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
        if not isinstance(name, str) or name not in names:
            continue
        if not problems.is_new(line, "_id", name):
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
    line: int, query: Mapping[str, Any], graded: Mapping[str, Graded], problems: Problems
) -> list[Record]:
    """The record of a query, if it is valid."""
    metadata = query.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        problems.add(line, "metadata", f"must be an object, not {shown(metadata)}")
        return []
    fields = _only(metadata or {}, _METADATA)
    names, records = {"id": "_id", "text": "text"}, []
    fields |= {name: query[key] for name, key in names.items() if key in query}
    relevant = graded.get(query["_id"], []) if isinstance(query.get("_id"), str) else []
    with problems.noted(line, lambda field: names.get(field, f"metadata.{field}")):
        labels = _Labels(**_only(metadata or {}, _LABELS))
        record = labelled_record(ranked(relevant, labels.primary), **fields)
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
