"""Formats of JSON: the annotation guide's records and labelling passes, texts out of scope, spans."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, StrictBool, StrictInt, StrictStr, TypeAdapter
from pydantic.dataclasses import dataclass

from citegrain.tasks.evaluation.benchmark.lines import (
    BenchmarkError,
    Problems,
    printable,
    read_objects,
    readable,
    shown,
    valid_objects,
)
from citegrain.tasks.evaluation.benchmark.records import (
    STRICT,
    Applicable,
    Day,
    Domains,
    Editions,
    Identifier,
    NonBlank,
    Pages,
    Pattern,
    Primary,
    Record,
    Register,
    Sources,
    Span,
    Text,
)

_LEFT_OUT: Any = None  # a default is not validated: null is refused where it is written


@dataclass(frozen=True, kw_only=True, config=STRICT)
class _Labelled:
    """A record as the guide writes it. What no record of a file says may be left out."""

    id: Identifier
    text: NonBlank
    incident_date: Day = None
    register: Register = _LEFT_OUT
    cites_statute: StrictBool = _LEFT_OUT
    domain: Domains = ()
    cross_domain: StrictBool = _LEFT_OUT
    applicable: Applicable
    primary: Primary = _LEFT_OUT
    rationale: Text = ""
    annotator: Text = ""
    category: Text = ""
    must: Pattern = ""
    must_not: Pattern = ""
    editions: Editions = ()
    instead: Applicable = ()


FIELDS = tuple(field.name for field in fields(_Labelled))


def read_jsonl(path: Path) -> tuple[Record, ...]:
    """Records of a file in the guide's format, in its order; ``id``, ``text`` and ``applicable`` are enough.

    Raises BenchmarkError if anything is wrong, or a record lacks what another has.
    """
    problems = Problems(path)
    with readable(path):
        return _records(list(valid_objects(path, _Labelled, problems)), problems)


def read_csv(path: Path) -> tuple[Record, ...]:
    """Records of a file with the columns ``id``, ``text`` and ``applicable``: ``act/section; act/section``.

    Raises BenchmarkError as :func:`read_jsonl` does.
    """
    problems, adapter = Problems(path), TypeAdapter(_Labelled)
    rows: list[tuple[int, dict[str, Any], _Labelled]] = []
    try:
        with readable(path), path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, strict=True, restval="", restkey="")
            if absent := {"id", "text", "applicable"} - set(table.fieldnames or ()):
                raise BenchmarkError(f"{printable(path)}: has no column {', '.join(sorted(absent))}")
            for row in table:
                labels = [label.strip() for label in row["applicable"].split(";") if label.strip()]
                with problems.noted(table.line_num):
                    value: dict[str, Any] = {"id": row["id"], "text": row["text"], "applicable": labels}
                    labelled = adapter.validate_python(value)
                    if problems.is_new(table.line_num, "id", labelled.id):
                        rows.append((table.line_num, value, labelled))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BenchmarkError(f"{printable(path)}: not CSV in UTF-8: {error}") from error
    return _records(rows, problems)


def _records(
    rows: Sequence[tuple[int, Mapping[str, Any], _Labelled]], problems: Problems
) -> tuple[Record, ...]:
    """Records, each with its primary: the first that applies. A field that some have, all must have."""
    given = [field for field in FIELDS if any(field in value for _, value, _ in rows)]
    for line, value, _ in rows:
        for field in given:
            if field not in value:
                problems.add(line, field, "is missing")
    problems.check()
    return tuple(
        Record(**vars(labelled) | {"primary": labelled.applicable[0] if labelled.applicable else None})
        for _, _, labelled in rows
    )


@dataclass(frozen=True, kw_only=True, config=STRICT)
class _OutOfScope:
    """A text to which nothing applies, its kind, and the Act or State subject that governs it."""

    id: Identifier
    text: NonBlank
    kind: NonBlank
    act: Text


def read_out_of_scope(path: Path) -> tuple[Record, ...]:
    """Records of a file of texts to which nothing applies, in its order."""
    return tuple(
        Record(id=o.id, text=o.text, kind=o.kind, elsewhere=o.act) for o in read_objects(path, _OutOfScope)
    )


@dataclass(frozen=True, kw_only=True, config=STRICT)
class _Question:
    """A question on documents, its answer, and the file and page of each place where that stands."""

    id: Identifier
    text: NonBlank
    category: NonBlank
    answer: NonBlank
    source: Sources
    page: Pages


def read_questions(path: Path) -> tuple[Record, ...]:
    """Records of a file of questions with expected answers, in its order."""
    return tuple(Record(**vars(question)) for question in read_objects(path, _Question))


RECORDS = "records"
"""Name of the pass that is the labels of the records themselves."""

NEITHER = "neither"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Labels:
    """What one pass says of a complaint.

    ``incident_date``: day of the acts as the pass read it. ``reason``: which words of the law it relies on.
    """

    id: Identifier
    applicable: Applicable
    primary: Primary
    incident_date: Day = None
    reason: Text

    def same(self, other: Labels) -> bool:
        """Whether the primary and the set are the same; the order of the others does not count."""
        return self.primary == other.primary and set(self.applicable) == set(other.applicable)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settled(Labels):
    """The labels of a further reading, for a complaint on which passes differ.

    ``follows``: the pass whose labels it takes, or ``neither``.
    """

    follows: Identifier


@plain_dataclass(frozen=True)
class Pass:
    """One labelling of the complaints of a benchmark, of all its splits.

    ``name``: ``pass-2`` of ``pass-2.jsonl``. ``labels``: by id of the complaint. ``dates``: whether it has
    the day of the acts of every complaint.
    """

    name: str
    labels: Mapping[str, Labels]
    dates: bool


def read_passes(folder: Path) -> list[Pass]:
    """Every ``pass-*.jsonl`` of a folder, by name.

    Raises BenchmarkError if a line of one is wrong; up to ten faults of the first such file are listed.
    """
    with readable(folder):
        return [_read_pass(path) for path in sorted(folder.glob("pass-*.jsonl"))]


def _read_pass(path: Path) -> Pass:
    problems = Problems(path)
    labels: dict[str, Labels] = {}
    dates = True
    for _, value, labelled in valid_objects(path, Labels, problems):
        labels[labelled.id] = labelled
        dates &= "incident_date" in value
    problems.check()
    if not labels:
        raise BenchmarkError(f"{printable(path)}: contains no labels")
    return Pass(printable(path.stem), labels, dates)


def pass_of(records: Sequence[Record]) -> Pass:
    """The labels of records, as a pass named ``records``."""
    return Pass(
        RECORDS,
        {
            record.id: Labels(
                id=record.id,
                applicable=record.applicable,
                primary=record.primary,
                incident_date=record.incident_date,
                reason=record.rationale,
            )
            for record in records
        },
        dates=True,
    )


def read_settled(folder: Path, passes: Sequence[Pass]) -> dict[str, Settled]:
    """``settled.jsonl`` of a folder by id; empty where there is none.

    Raises BenchmarkError if a line is wrong, or its labels are not those of the pass that it follows.
    """
    path = folder / "settled.jsonl"
    if not path.exists():
        return {}
    problems = Problems(path)
    by_name = {labelled.name: labelled for labelled in passes}
    out: dict[str, Settled] = {}
    with readable(folder):
        for line, _, settled in valid_objects(path, Settled, problems):
            if wrong := _does_not_follow(settled, by_name):
                problems.add(line, "follows", wrong)
            out[settled.id] = settled
    problems.check()
    return out


def _does_not_follow(settled: Settled, passes: Mapping[str, Pass]) -> str:
    """What is wrong with the pass named; empty where nothing is."""
    if settled.follows == NEITHER:
        return ""
    if settled.follows not in passes:
        return f"must be one of {', '.join([NEITHER, *passes])}, not {shown(settled.follows)}"
    labels = passes[settled.follows].labels.get(settled.id)
    if labels is None:
        return f"{settled.follows} does not label {printable(settled.id)}"
    return "" if labels.same(settled) else f"the labels are not those of {settled.follows}"


def _ascending(span: tuple[int, int]) -> tuple[int, int]:
    if not 0 <= span[0] < span[1]:
        raise ValueError(f"must be [start, end) with 0 <= start < end, not {list(span)}")
    return span


class _Snippet(BaseModel):
    """A stretch of a file that answers; what else is in the object is not read."""

    file_path: NonBlank
    span: Annotated[tuple[StrictInt, StrictInt], AfterValidator(_ascending)]
    answer: StrictStr = ""


class _Test(BaseModel):
    """A question and its snippets."""

    query: NonBlank
    snippets: tuple[_Snippet, ...]


class _File(BaseModel):
    tests: tuple[_Test, ...]


def read_spans(path: Path) -> tuple[Record, ...]:
    """Records of a file in the form of LegalBench-RAG, in its order; they are called by their number.

    Raises BenchmarkError if it is not of this form; up to ten faults are listed, each with its place in the
    file.
    """
    problems = Problems(path)
    with problems.noted(0):
        file = _File.model_validate_json(path.read_bytes())
    problems.check()
    if not file.tests:
        raise BenchmarkError(f"{printable(path)}: contains no record")
    digits = len(str(len(file.tests)))
    return tuple(
        Record(
            id=str(number).zfill(digits),
            text=test.query,
            spans=tuple(Span(s.file_path, *s.span, s.answer) for s in test.snippets),
        )
        for number, test in enumerate(file.tests, 1)
    )
