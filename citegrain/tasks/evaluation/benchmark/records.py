"""A record of a benchmark: a complaint and the provisions that apply to it.

The fields are those of the annotation guide. Rules that hold in every format are checked here, once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from dataclasses import dataclass as plain_dataclass
from datetime import date
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.dataclasses import dataclass

from citegrain.tasks.core.stage import digest
from citegrain.tasks.evaluation.benchmark.lines import BenchmarkError, faults, shown
from citegrain.tasks.law.citations import JUDGMENT, TEXT_CORPUS
from citegrain.tasks.law.numbers import normal

Register = Literal["formal", "informal"]
Domain = Literal[
    "criminal",
    "family",
    "civil",
    "commercial",
    "consumer",
    "property",
    "labour",
    "environment",
    "constitutional",
    "information",
    "transport",
    "tax",
    "health",
]

_ACT = re.compile(r"[a-z0-9-]+")
_SECTION = re.compile(rf"[0-9]+[A-Z]*|Art[0-9]+[A-Z]*|O[0-9]+[A-Z]*R[0-9]+[A-Z]*|{JUDGMENT}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
STRICT = ConfigDict(extra="forbid")


def iso_day(text: str) -> date:
    """The day of a text ``YYYY-MM-DD``; no other notation is accepted.

    Raises ValueError if ``text`` is written otherwise or names no day of the calendar.
    """
    if not _DAY.fullmatch(text):  # date.fromisoformat also takes 20240701 and 2024-W27-1
        raise ValueError(f"must be a day as YYYY-MM-DD, not {shown(text)}")
    return date.fromisoformat(text)


def _day(value: Any) -> Any:
    return iso_day(value) if isinstance(value, str) else value


def _act(act: str) -> str:
    if not _ACT.fullmatch(act):
        raise ValueError(f"must be in lower case with hyphens (limitation-act-1963), not {shown(act)}")
    return act


def _section(section: str, info: ValidationInfo) -> str:
    if info.data.get("act") == TEXT_CORPUS:  # the id of a text, whatever it looks like
        return _identifier(section)
    if _SECTION.fullmatch(section):
        return section
    number = section.partition("(")[0].strip()
    if _SECTION.fullmatch(number):
        raise ValueError(f"a label names a whole section: write {number}, not {shown(section)}")
    meant = normal(section).upper()
    hint = f"; did you mean {meant}?" if _SECTION.fullmatch(meant) else ""
    raise ValueError(f"must be a number such as 303, 66C, Art65, O39R1, not {shown(section)}{hint}")


def _writable(text: str) -> str:
    """Text that every format can carry."""
    if "\0" in text:
        raise ValueError("contains a NUL character")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


def _identifier(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError(f"has white space at an end, or an unprintable character: {shown(text)}")
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from error
    return text


ActId = Annotated[StrictStr, AfterValidator(_act)]
Section = Annotated[StrictStr, AfterValidator(_section)]
Text = Annotated[StrictStr, AfterValidator(_writable)]
NonBlank = Annotated[Text, AfterValidator(_not_blank)]
Identifier = Annotated[NonBlank, AfterValidator(_identifier)]
Pattern = Annotated[Text, AfterValidator(_pattern)]
Day = Annotated[Annotated[date, Strict()] | None, BeforeValidator(_day)]
Editions = tuple[Annotated[Annotated[date, Strict()], BeforeValidator(_day)], ...]


@dataclass(frozen=True, order=True, config=STRICT)
class Citation:
    """A provision as the guide labels it: an Act in lower case with hyphens, a number without sub-section.

    ``judgment`` in place of a number is any paragraph of a judgment.
    """

    act: ActId
    section: Section

    @property
    def label(self) -> str:
        """``act/section``: the document id of TREC and BEIR files."""
        return f"{self.act}/{self.section}"

    @classmethod
    def parse(cls, label: str) -> Citation:
        """The citation of a label.

        Raises ValueError if it is not of the form ``act/section``; the message is one line.
        """
        act, slash, section = label.partition("/")
        if not slash:
            raise ValueError(f"must be act/section, not {shown(label)}")
        try:
            return cls(act=act, section=section)
        except ValidationError as error:
            raise ValueError("; ".join(f"{field}: {wrong}" for field, wrong in faults(error))) from error


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    for value, count in Counter(values).items():
        if count > 1:
            raise ValueError(f"{value.label if isinstance(value, Citation) else value} appears twice")
    return values


def _first(primary: Citation | None, info: ValidationInfo) -> Citation | None:
    applicable = info.data.get("applicable")
    if applicable is None:  # itself at fault
        return primary
    if primary is not None and not applicable:
        raise ValueError(f"must be null where nothing is applicable, not {primary.label}")
    if applicable and primary != applicable[0]:
        instead = primary.label if primary else "null"
        raise ValueError(f"must be {applicable[0].label}, the first of applicable, not {instead}")
    return primary


def _page_each(pages: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
    if len(pages) != len(info.data.get("source", pages)):
        raise ValueError("must be one page for each file of source")
    return pages


Sources = tuple[NonBlank, ...]
Pages = Annotated[tuple[Annotated[StrictInt, Field(gt=0)], ...], AfterValidator(_page_each)]
"""A page of each file of a field ``source`` that stands before it."""


def _parsed(value: Any) -> Any:
    return Citation.parse(value) if isinstance(value, str) and "/" in value else value


Domains = Annotated[tuple[Domain, ...], AfterValidator(_each_once)]
Applicable = Annotated[tuple[Annotated[Citation, BeforeValidator(_parsed)], ...], AfterValidator(_each_once)]
Primary = Annotated[Citation | None, AfterValidator(_first)]
"""The first of a field ``applicable`` that stands before it; None where that is empty."""


PRIMARY_GRADE, OTHER_GRADE = 2, 1
_LATER = (
    "kind", "elsewhere", "spans", "answer", "source", "page", "category", "must", "must_not", "editions",
    "instead",
)  # fmt: skip


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
    answer
        What a question should be answered with, in words; of one out of scope that it is not answered.
    source, page
        The files in which that stands, and the page in each; none where nothing answers.
    category
        Of such a question, as ``in_scope``.
    must, must_not
        Where the answer depends on the day: what the text of the primary must say, and must not.
    editions
        Versions of the Act in which the primary reads so; none where the answer does not depend on the day.
    instead
        Provisions that stand in the primary's place in the law of other days.
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
    answer: Text = ""
    source: Sources = ()
    page: Pages = ()
    category: Text = ""
    must: Pattern = ""
    must_not: Pattern = ""
    editions: Editions = ()
    instead: Applicable = ()

    @property
    def in_scope(self) -> bool:
        """Whether any provision applies, or any span or page answers."""
        return bool(self.applicable or self.spans or self.source)

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

    @property
    def unknown(self) -> list[str]:
        """What results could be broken down by, and no record says."""
        names = ("register", "cites_statute", "domain", "cross_domain")
        return [name for name in names if not any(getattr(r, name) not in (None, ()) for r in self.records)]

    @cached_property
    def sha256(self) -> str:
        """Digest of the records in their order: never of name, split, path or format."""
        # some fields came later, and results are filed by the digest of benchmarks without them
        rows = [asdict(record).items() for record in self.records]
        return digest([{name: v for name, v in row if v or name not in _LATER} for row in rows])


def groups(record: Record) -> list[tuple[str, str]]:
    """(dimension, group) of a record, for tables of results; what is not known is left out.

    A complaint of several domains belongs to the group of each.
    """
    out = [("register", str(record.register))] if record.register else []
    out += [("domain", domain) for domain in record.domain]
    out += [("kind", record.kind)] if record.kind else []
    out += [("category", record.category)] if record.category else []
    for dimension, value in (
        ("cross_domain", record.cross_domain),
        ("cites_statute", record.cites_statute),
        ("dated", record.dated),
    ):
        if value is not None:
            out.append((dimension, "yes" if value else "no"))
    return out
