"""Judgements as TREC keeps them: read from a folder of qrels and topics, and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.evaluation.benchmark.errors import BenchmarkError, Problems, shown
from citegrain.tasks.evaluation.benchmark.fields import Citation
from citegrain.tasks.evaluation.benchmark.lines import numbered_lines
from citegrain.tasks.evaluation.benchmark.records import Benchmark, Record

_GRADE = re.compile(r"[+-]?[0-9]{1,9}")

Graded = list[tuple[Citation, int]]
"""Citations with their grades."""


@dataclass(frozen=True)
class Layout:
    """Columns of a file of judgements: the first names the query, the last two document and grade."""

    columns: tuple[str, ...]
    separator: str | None
    header: bool


TREC = Layout(("query", "iteration", "document", "grade"), None, False)


@dataclass(frozen=True)
class Judgement:
    """One row: a document judged for a query."""

    line: int
    query: str
    document: str
    grade: int


def read_judgements(path: Path, layout: Layout) -> list[Judgement]:
    """Rows of a file of judgements, in its order.

    Raises
    ------
    BenchmarkError
        If the file cannot be read, a row has other columns, a grade is not a whole number, or a document
        is judged twice for a query.
    """
    problems = Problems(path)
    rows: list[Judgement] = []
    lines: dict[tuple[str, str], int] = {}
    headed = not layout.header
    for number, line in numbered_lines(path, problems):
        cells = line.split(layout.separator)
        if not headed:
            headed = True
            if tuple(cells) != layout.columns:
                names = " ".join(layout.columns)
                problems.add(number, "record", f"must be the header {names}, separated by tabs")
        elif _is_row(number, cells, layout, problems):
            row = Judgement(number, cells[0], cells[-2], int(cells[-1]))
            if (first := lines.setdefault((row.query, row.document), number)) != number:
                wrong = f"{shown(row.document)} is already judged for this query on line {first}"
                problems.add(number, layout.columns[-2], wrong)
            rows.append(row)
    problems.check()
    return rows


def _is_row(number: int, cells: list[str], layout: Layout, problems: Problems) -> bool:
    expected = len(layout.columns)
    if len(cells) != expected:
        names = " ".join(layout.columns)
        problems.add(number, "record", f"must have {expected} columns ({names}), not {len(cells)}")
        return False
    if not _GRADE.fullmatch(cells[-1]):
        problems.add(number, layout.columns[-1], f"must be a whole number, not {shown(cells[-1])}")
        return False
    return True


def check_queries(path: Path, layout: Layout, rows: Iterable[Judgement], known: Iterable[str]) -> None:
    """Refuse judgements of queries that have no text.

    Raises
    ------
    BenchmarkError
        If there are any.
    """
    problems = Problems(path)
    have = set(known)
    for row in rows:
        if row.query not in have:
            problems.add(row.line, layout.columns[0], f"no query has the id {shown(row.query)}")
    problems.check()


def citations_by_query(
    path: Path, layout: Layout, rows: Iterable[Judgement], read: Callable[[str], Citation]
) -> dict[str, Graded]:
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
    problems = Problems(path)
    out: dict[str, Graded] = {}
    for row in rows:
        if row.grade > 0:
            try:
                out.setdefault(row.query, []).append((read(row.document), row.grade))
            except ValueError as error:
                problems.add(row.line, layout.columns[-2], str(error))
    problems.check()
    return out


def ranked(graded: Graded, primary: Citation | None = None) -> Graded:
    """Each citation once at its highest grade, highest first.

    Ties stay in the order of the file, but for ``primary``, which comes before others of its grade.
    """
    best: dict[Citation, int] = {}
    for citation, grade in graded:
        best[citation] = max(grade, best.get(citation, grade))
    return sorted(best.items(), key=lambda item: (-item[1], item[0] != primary))


def read_trec(folder: Path) -> tuple[Record, ...]:
    """Records of ``topics.tsv`` in its order, judged by ``qrels.txt``.

    Raises
    ------
    BenchmarkError
        If a file is missing or a line of one cannot be read.
    """
    rows = read_judgements(folder / "qrels.txt", TREC)
    graded = citations_by_query(folder / "qrels.txt", TREC, rows, Citation.parse)
    problems = Problems(folder / "topics.tsv")
    records: list[Record] = []
    for number, line in numbered_lines(folder / "topics.tsv", problems):
        query, tab, text = line.partition("\t")
        if not tab:
            problems.add(number, "record", "must be a query and its text, separated by a tab")
        elif problems.is_new(number, "query", query):
            with problems.noted(number, lambda field: "query" if field == "id" else field):
                records.append(labelled_record(ranked(graded.get(query, [])), id=query, text=text))
    problems.check()
    check_queries(folder / "qrels.txt", TREC, rows, problems.lines)
    return tuple(records)


def labelled_record(graded: Graded, **fields: object) -> Record:
    """A record with ``graded`` as its labels, the first the primary.

    Raises
    ------
    pydantic.ValidationError
        If a field is wrong.
    """
    labels = {
        "applicable": tuple(citation for citation, _ in graded),
        "primary": graded[0][0] if graded else None,
        "grades": tuple(grade for _, grade in graded),
    }
    return Record(**{**fields, **labels})  # type: ignore[arg-type]


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
