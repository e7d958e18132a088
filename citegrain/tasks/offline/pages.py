"""Pages as they are read from a file, and what their words say of the document: the terms of every kind."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_READABLE = (
    _LIGATURES
    | {"\u00a0": " ", "\u2009": " ", "\u200a": " ", "\u202f": " ", "\t": " "}
    # invisible characters: soft hyphen, zero width space and joiners, byte order mark
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\ufeff", "")
)
_TRANSLATE = str.maketrans(_READABLE)
_OUTER_NUMBER = re.compile(r"^\W*(?:page\s+)?(\d{1,4})(?=\s|\W*$)|(?:^|\s)(\d{1,4})\W*$", re.IGNORECASE)
PAINTED = str.maketrans(_READABLE | dict.fromkeys("\u00ad\u2010\u2011", "-"))
"""Of a page a soft hyphen is painted like any other: some fonts give no other code for theirs."""
REPEATED, UNSEEN = "painted again at the same place", "no reader sees them"
SIDEWAYS, RULES = "they do not run as the page is read", "lines drawn with characters"
"""Why characters of a text layer are no text of the page."""


def readable(text: str) -> str:
    """Text with ligatures taken apart, plain blanks and no invisible characters."""
    return text.translate(_TRANSLATE)


def n_inked(text: str) -> int:
    """Characters of a text that are not white space."""
    return len("".join(text.split()))


def outer_numbers(text: str) -> list[int]:
    """Numbers with which a running head begins or ends, as those of pages do: ``Page 3 of 9``."""
    return [int(n) for match in _OUTER_NUMBER.finditer(text) for n in match.groups() if n]


IN_HINDI = "in Hindi; the document is read in English"
"""Why a page of a bilingual document is not read: its English says the same."""


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


def n_printed(segments: Sequence[Segment]) -> int:
    """Characters of the texts and marks of segments that are not white space."""
    marks = (label for segment in segments for _, label in segment.marks)
    return n_inked("".join([*(segment.text for segment in segments), *marks]))


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
    """One page as read. Sizes in points, ``number`` from 1; ``left_out``: characters by reason."""

    number: int
    width: float
    height: float
    segments: list[Segment]
    status: PageStatus
    has_image: bool = False
    by_ocr: bool = False
    scanned: bool = False
    left_out: Counter[str] = field(default_factory=Counter)


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
                if texts := [s.text for s in row if s.role in ("body", "header") and s.text]:
                    rows.append(TextRow(number, " ".join(texts), row[0].size))
        return rows
