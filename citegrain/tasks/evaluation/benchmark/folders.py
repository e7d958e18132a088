"""Folders of judgements: those of TREC (``qrels.txt``, ``topics.tsv``), and those as BEIR lays them out."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, StrictBool, TypeAdapter
from pydantic.dataclasses import dataclass

from citegrain.tasks.core.runs import trec_column
from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.evaluation.benchmark.lines import (
    BenchmarkError,
    Problems,
    json_objects,
    numbered_lines,
    printable,
    shown,
)
from citegrain.tasks.evaluation.benchmark.records import (
    Benchmark,
    Citation,
    Day,
    Domains,
    Identifier,
    NonBlank,
    Record,
    Register,
    Text,
)
from citegrain.tasks.law.citations import TEXT_CORPUS

_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
_TREC = ("query", "iteration", "document", "grade")
_BEIR = ("query-id", "corpus-id", "score")

Graded = list[tuple[Citation, int]]
"""Citations with their grades."""


class _Judgement(NamedTuple):
    line: int
    query: str
    document: str
    grade: int


class _Judgements:
    """A file of judgements.

    ``columns``: the first names the query, the last two document and grade. ``separator``: of the columns in
    a file with a header; white space in one without.

    Raises BenchmarkError if the file cannot be read, a row has other columns, a grade is not a whole number,
    or a document is judged twice for a query.
    """

    def __init__(self, path: Path, columns: tuple[str, ...], separator: str | None = None) -> None:
        self.path, self.columns = path, columns
        self.rows: list[_Judgement] = []
        names, size, problems = " ".join(columns), len(columns), Problems(path)
        lines = numbered_lines(path, problems)
        if separator:
            number, header = next(lines, (1, separator.join(columns)))
            if tuple(header.split(separator)) != columns:
                problems.add(number, "record", f"must be the header {names}, separated by tabs")
        for number, line in lines:
            cells = line.split(separator)
            if len(cells) != size:
                problems.add(number, "record", f"must have {size} columns ({names}), not {len(cells)}")
            elif not _GRADE.fullmatch(cells[-1]):
                problems.add(number, columns[-1], f"must be a whole number, not {shown(cells[-1])}")
            elif (first := problems.lines.setdefault(f"{cells[0]}\t{cells[-2]}", number)) != number:
                wrong = f"{shown(cells[-2])} is already judged for this query on line {first}"
                problems.add(number, columns[-2], wrong)
            else:
                self.rows.append(_Judgement(number, cells[0], cells[-2], int(cells[-1])))
        problems.check()

    def relevant(self, queries: Collection[str], read: Callable[[str], Citation]) -> Mapping[str, Graded]:
        """Relevant citations of each query, in the order of the file. A grade of 0 or less is left out.

        ``queries``: ids of the queries that have a text. ``read``: gives the citation of a document id, or
        raises ValueError.

        Raises BenchmarkError if a document id cannot be read, or a query has no text.
        """
        problems = Problems(self.path)
        out: dict[str, Graded] = defaultdict(list)
        for row in self.rows:
            if row.query not in queries:
                problems.add(row.line, self.columns[0], f"no query has the id {shown(row.query)}")
            elif row.grade > 0:
                try:
                    out[row.query].append((read(row.document), row.grade))
                except ValueError as error:
                    problems.add(row.line, self.columns[-2], str(error))
        problems.check()
        return out


def _labelled(graded: Graded, primary: Citation | None = None, **fields: Any) -> Record:
    """A record whose labels are each citation once at its highest grade, the highest first.

    Ties stay in the order of the file, but for ``primary``, which comes before others of its grade.
    """
    best: dict[Citation, int] = {}
    for citation, grade in graded:
        best[citation] = max(grade, best.get(citation, grade))
    order = sorted(best, key=lambda citation: (-best[citation], citation != primary))
    return Record(
        applicable=tuple(order),
        primary=next(iter(order), None),
        grades=tuple(best[citation] for citation in order),
        **fields,
    )


@dataclass(frozen=True, kw_only=True)
class _Metadata:
    """What ``metadata`` of a query may say of the guide's fields; null counts as missing."""

    incident_date: Day = None
    register: Register | None = None
    cites_statute: StrictBool | None = None
    domain: Domains | None = None
    cross_domain: StrictBool | None = None
    rationale: Text | None = None
    annotator: Text | None = None
    primary: Citation | None = None
    applicable: tuple[Citation, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class _Query:
    """An object of ``queries.jsonl``."""

    id: Identifier = Field(alias="_id")
    text: NonBlank
    metadata: _Metadata | None = None


def read_trec(folder: Path) -> tuple[Record, ...]:
    """Records of ``topics.tsv`` in its order, judged by ``qrels.txt``.

    Raises BenchmarkError if a file is missing or a line of one cannot be read.
    """
    qrels = _Judgements(folder / "qrels.txt", _TREC)
    problems = Problems(folder / "topics.tsv")
    return _records(_topics(problems), problems, qrels, Citation.parse)


def _topics(problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in numbered_lines(problems.path, problems):
        query, tab, text = line.partition("\t")
        if tab:
            yield number, {"_id": query, "text": text}
        else:
            problems.add(number, "record", "must be a query and its text, separated by a tab")


def read_beir(folder: Path, split: str) -> tuple[Record, ...]:
    """Records of one split, in the order of ``queries.jsonl``.

    The queries of all splits are in one file. A query belongs to a split if it is judged there. A query that
    is judged nowhere belongs to every split, and is out of scope.

    Raises BenchmarkError if a file is missing or a line of one cannot be read.
    """
    qrels = _Judgements(_qrels(folder, split), _BEIR, "\t")
    documents = _documents(folder / "corpus.jsonl", {row.document for row in qrels.rows if row.grade > 0})
    others = [path for path in sorted(qrels.path.parent.glob("*.tsv")) if path != qrels.path]
    judged_there = {row.query for path in others for row in _Judgements(path, _BEIR, "\t").rows}
    of_other_splits = judged_there - {row.query for row in qrels.rows}
    problems = Problems(folder / "queries.jsonl")
    queries = (
        (line, value)
        for line, value in json_objects(problems.path, problems)
        if str(value.get("_id")) not in of_other_splits
    )
    return _records(queries, problems, qrels, lambda name: documents.get(name) or Citation.parse(name))


def _records(
    objects: Iterable[tuple[int, Mapping[str, Any]]],
    problems: Problems,
    qrels: _Judgements,
    read: Callable[[str], Citation],
) -> tuple[Record, ...]:
    """Records of queries in the form of BEIR, by line; ``read`` gives the citation of a document id."""
    adapter = TypeAdapter(_Query)
    queries: list[tuple[int, _Query]] = []
    for line, value in objects:
        with problems.noted(line):
            query = adapter.validate_python(value)
            if problems.is_new(line, "_id", query.id):
                queries.append((line, query))
    problems.check()
    relevant = qrels.relevant(problems.lines, read)
    records = tuple(_record(line, query, relevant.get(query.id, []), problems) for line, query in queries)
    problems.check()
    return records


def _qrels(folder: Path, split: str) -> Path:
    splits = {path.stem: path for path in sorted((folder / "qrels").glob("*.tsv"))}
    if split not in splits:
        there = f"there is {', '.join(map(printable, splits)) or 'no qrels/*.tsv'}"
        raise BenchmarkError(f"{printable(folder)}: no split {shown(split)}: {there}")
    return splits[split]


def _documents(path: Path, names: Collection[str]) -> dict[str, Citation]:
    """Citations of the documents so named, from ``corpus.jsonl``; empty where there is no such file.

    A document that is no label, and whose metadata have none, is a text: it is cited by its id.
    """
    if not path.exists():
        return {}
    problems = Problems(path)
    adapter = TypeAdapter(Citation)
    out: dict[str, Citation] = {}
    for line, document in json_objects(path, problems):
        name, metadata = document.get("_id"), document.get("metadata")
        if not isinstance(name, str) or name not in names or not problems.is_new(line, "_id", name):
            continue
        if isinstance(metadata, dict) and metadata.keys() & {"act", "section"}:
            label = {key: metadata[key] for key in ("act", "section") if key in metadata}
            with problems.noted(line, "metadata.{}".format):
                out[name] = adapter.validate_python(label)
            continue
        try:
            Citation.parse(name)
        except ValueError:
            with problems.noted(line, lambda _: "_id"):
                out[name] = Citation(act=TEXT_CORPUS, section=name)
    problems.check()
    return out


def _record(line: int, query: _Query, judged: Graded, problems: Problems) -> Record:
    """The record of a query; labels in its metadata that are not those of the qrels go to ``problems``."""
    metadata = query.metadata or _Metadata()
    fields = {name: value for name, value in vars(metadata).items() if value is not None}
    primary, applicable = fields.pop("primary", None), fields.pop("applicable", None)
    record = _labelled(judged, primary, id=query.id, text=query.text, **fields)
    agreeing = {
        "primary": primary in (None, record.primary),
        "applicable": applicable is None or set(applicable) == set(record.applicable),
    }
    for field, agrees in agreeing.items():
        if not agrees:
            problems.add(line, f"metadata.{field}", "does not agree with the qrels")
    return record


def write_beir(
    benchmark: Benchmark,
    documents: Iterable[Mapping[str, Any]],
    judged: Mapping[str, Mapping[str, int]],
    folder: Path,
) -> None:
    """Write a benchmark as a folder of BEIR: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/<split>.tsv``.

    ``documents``: objects with ``_id``, ``title``, ``text`` and ``metadata``. ``judged``: grades by id of
    document, by id of query; of a query out of scope none.

    Raises OSError if a file cannot be written.
    """
    fields = ("register", "cites_statute", "domain", "cross_domain", "rationale", "annotator")
    queries = []
    for record in benchmark:
        metadata = {name: value for name in fields if (value := getattr(record, name)) not in (None, (), "")}
        if record.incident_date:
            metadata["incident_date"] = record.incident_date.isoformat()
        queries.append({"_id": record.id, "text": record.text, "metadata": metadata})
    for name, rows in (("corpus", documents), ("queries", queries)):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        write_atomically(folder / f"{name}.jsonl", "".join(lines))
    judgements = [_BEIR]
    judgements += [
        (q, document, str(grade)) for q, grades in judged.items() for document, grade in grades.items()
    ]
    text = "".join("\t".join(cells) + "\n" for cells in judgements)
    write_atomically(folder / "qrels" / f"{benchmark.split}.tsv", text)


def write_qrels(benchmark: Benchmark, path: Path) -> None:
    """Write TREC qrels, documents named ``act/section``; complaints out of scope have no line in it.

    Raises OSError if the file cannot be written.
    """
    rows = [
        f"{trec_column(record.id)} 0 {trec_column(citation.label)} {grade}\n"
        for record in benchmark
        for citation, grade in record.graded
    ]
    write_atomically(path, "".join(rows))
