"""Pages as they are read from a file, and what their words say of the document: the terms of every kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import groupby
from typing import NamedTuple


class RefusedError(ValueError):
    """The file cannot be read at all; the message is the reason, for the report."""


@dataclass(slots=True)
class Segment:
    """A run of text on one visual row. Coordinates in points from the top left."""

    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    bold: int
    italic: bool
    text: str
    marks: list[tuple[int, str]] = field(default_factory=list)
    row: int = 0
    column: int = 0
    role: str = "body"

    @property
    def blank(self) -> bool:
        """Nothing but white space, and no mark."""
        return not self.marks and not self.text.strip()


@dataclass(frozen=True, slots=True)
class PageStatus:
    """Status of a page: ``text``, ``ocr``, ``image_only``, ``blank`` or ``unreadable``.

    ``language`` is ``hi`` where most letters are Devanagari, else ``en``. ``doubtful`` says that some words
    of a page that was read cannot be whole.
    """

    status: str
    reason: str = ""
    language: str = "en"
    doubtful: bool = False


@dataclass(slots=True)
class Page:
    """One page as read. Sizes in points, ``number`` from 1; ``unseen`` characters are left out."""

    number: int
    width: float
    height: float
    segments: list[Segment]
    status: PageStatus
    has_image: bool = False
    by_ocr: bool = False
    scanned: bool = False
    unseen: int = 0


@dataclass(slots=True)
class Document:
    """A document as read; ``form`` is ``pdf`` or what else it is, as ``documents.layout`` has it.

    ``language`` is ``en`` or ``hi``.
    """

    pages: list[Page]
    body_size: float
    pdf_date: date | None
    warnings: list[str]
    form: str = "pdf"
    language: str = "en"


@dataclass(frozen=True, slots=True)
class TitledAct:
    """An Act or a set of rules as its first pages name it. ``kind`` is act, bill, ordinance or rules.

    ``jurisdiction``, ``gazette_number`` and ``effective_date`` are read of rules.
    """

    title: str
    number: str
    kind: str
    page_start: int
    as_on: date | None = None
    published: date | None = None
    jurisdiction: str = ""
    gazette_number: str = ""
    effective_date: date | None = None


class TextRow(NamedTuple):
    """A visual row of a page: 1-based page, words, type size in points."""

    page: int
    text: str
    size: float


@dataclass
class DocumentText:
    """What a document is recognised by: the segments of each page, and its language, ``en`` or ``hi``."""

    pages: Sequence[Sequence[Segment]]
    language: str = "en"

    @cached_property
    def rows(self) -> list[TextRow]:
        """The rows of its pages, without notes, page numbers and rules."""
        rows: list[TextRow] = []
        for number, segments in enumerate(self.pages, 1):
            for _, group in groupby(segments, key=lambda s: s.row):
                row = list(group)
                texts = [s.text for s in row if s.role in ("body", "header") and s.text]
                if texts:
                    rows.append(TextRow(number, " ".join(texts), row[0].size))
        return rows
