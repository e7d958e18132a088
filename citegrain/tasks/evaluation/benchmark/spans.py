"""Gold as spans of characters: the form of LegalBench-RAG, one JSON object with ``tests``.

A span counts the characters of a file as Python reads it: UTF-8, each line end one character.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, StrictInt, StrictStr, ValidationError

from citegrain.tasks.evaluation.benchmark.errors import BenchmarkError, Problems, printable
from citegrain.tasks.evaluation.benchmark.fields import NonBlank
from citegrain.tasks.evaluation.benchmark.records import Record, Span


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

    Raises
    ------
    BenchmarkError
        If it is not of this form; up to ten faults are listed, each at its test.
    """
    problems = Problems(path)
    try:
        file = _File.model_validate_json(path.read_bytes())
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            at = fault["loc"]
            line = at[1] + 1 if len(at) > 1 and isinstance(at[1], int) else 1
            problems.add(line, ".".join(map(str, at)) or "record", fault["msg"])
        problems.check()
        raise
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
