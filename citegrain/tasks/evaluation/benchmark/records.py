"""A record of a benchmark: a complaint and the provisions that apply to it.

The fields are those of the annotation guide. Rules that hold in every format are checked here, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from dataclasses import dataclass as plain_dataclass
from functools import cached_property
from typing import Any

from pydantic import Field, StrictBool, StrictInt, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from citegrain.tasks.core.stage import digest
from citegrain.tasks.evaluation.benchmark.errors import BenchmarkError
from citegrain.tasks.evaluation.benchmark.fields import (
    STRICT,
    Applicable,
    Citation,
    Day,
    Domains,
    Identifier,
    NonBlank,
    Primary,
    Register,
    Text,
)

PRIMARY_GRADE, OTHER_GRADE = 2, 1
_LATER = ("kind", "elsewhere", "spans")


@plain_dataclass(frozen=True)
class Span:
    """Characters ``start`` to ``end``, exclusive, of a file, and what they say; empty if not quoted."""

    file: str
    start: int
    end: int
    answer: str = ""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Record:
    """A complaint with its labels. What a format does not contain is None or empty.

    Attributes
    ----------
    id, text
        Unique in its benchmark; the complaint in the words of who complains.
    incident_date
        Day of the acts complained of, where the text gives it.
    register, cites_statute, domain, cross_domain
        What results are broken down by.
    applicable, primary
        All provisions that apply, the primary first; none where the complaint is out of scope.
    grades
        Relevance of each of ``applicable``, positive, none above the one before it. If not given, 2 for the
        primary and 1 for the others.
    rationale, annotator
        Which fact meets which element; the labelling pass.
    kind
        Of a text to which nothing applies.
    elsewhere
        Title of the Act, or subject of State law, that governs it then.
    spans
        What answers a question, where gold is characters and not provisions.
    """

    id: Identifier
    text: NonBlank
    incident_date: Day = None
    register: Register | None = None
    cites_statute: StrictBool | None = None
    domain: Domains = ()
    cross_domain: StrictBool | None = None
    applicable: Applicable = ()
    # validated in this order; Pydantic's Field forgets that it is keyword only, which would bring it first
    primary: Primary = Field(default=None, validate_default=True, kw_only=True)
    grades: tuple[StrictInt, ...] = Field(default=(), validate_default=True, kw_only=True)
    rationale: Text = ""
    annotator: Text = ""
    kind: Text = ""
    elsewhere: Text = ""
    spans: tuple[Span, ...] = ()

    @property
    def in_scope(self) -> bool:
        """Whether any provision applies, or any span answers."""
        return bool(self.applicable or self.spans)

    @property
    def graded(self) -> list[tuple[Citation, int]]:
        """(citation, grade) of each of ``applicable``."""
        return list(zip(self.applicable, self.grades, strict=True))

    @property
    def dated(self) -> bool:
        """Whether the day of the acts is known."""
        return self.incident_date is not None

    @field_validator("grades")
    @classmethod
    def _falling(cls, grades: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        applicable = info.data.get("applicable")
        if applicable is None:
            return grades
        if applicable and not grades:
            return (PRIMARY_GRADE, *[OTHER_GRADE] * (len(applicable) - 1))
        if len(grades) != len(applicable):
            raise ValueError("must be one grade for each citation of applicable")
        if any(grade < 1 for grade in grades) or list(grades) != sorted(grades, reverse=True):
            raise ValueError("must be positive, the highest first")
        return grades


@plain_dataclass(frozen=True)
class Benchmark:
    """Records under a name; ``split`` says what they may be used for (``dev`` or ``test``)."""

    name: str
    split: str
    records: tuple[Record, ...]

    def __post_init__(self) -> None:
        if len({record.id for record in self.records}) != len(self.records):
            raise BenchmarkError(f"{self.name}: an id appears twice")

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    @cached_property
    def sha256(self) -> str:
        """Digest of the records in their order: never of name, split, path or format."""
        return digest([_digested(record) for record in self.records])


def _digested(record: Record) -> dict[str, Any]:
    """Fields of a record; two came later, and results are filed by the digest of benchmarks without them."""
    return {name: value for name, value in asdict(record).items() if value or name not in _LATER}


def groups(record: Record) -> list[tuple[str, str]]:
    """(dimension, group) of a record, for tables of results; what is not known is left out.

    A complaint of several domains belongs to the group of each.
    """
    out = [("register", str(record.register))] if record.register else []
    out += [("domain", domain) for domain in record.domain]
    out += [("kind", record.kind)] if record.kind else []
    for dimension, value in (
        ("cross_domain", record.cross_domain),
        ("cites_statute", record.cites_statute),
        ("dated", record.dated),
    ):
        if value is not None:
            out.append((dimension, "yes" if value else "no"))
    return out
