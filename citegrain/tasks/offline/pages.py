"""Pages as they are read from a file, what it is by its content, and the words of every kind of document."""

import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from citegrain.tasks.offline.corpus import FORMS

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


_PARTS = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = re.compile(
    rb"^(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|\s)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\f\r\x1b"))
_BINARY = 0.01  # share of bytes that no text has


def ending_of(data: bytes) -> str:
    """The ending that a file should have by its content, one of those of ``FORMS``.

    Raises RefusedError if it is of no form that is read.
    """
    if not data:
        raise RefusedError("the document is empty")
    form = form_of(data) or ("plain" if _is_text(data) else "")
    ending = next((ending for ending, read in FORMS.items() if read == form), "")
    if not ending:
        raise RefusedError("neither PDF, Word, PowerPoint, Excel, web page nor text")
    return ending


def _is_text(data: bytes) -> bool:
    """Whether bytes may be a text: in UTF-16 by their mark, else hardly any that no text has."""
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return marked or len(data) - len(data.translate(None, _CONTROL)) <= _BINARY * len(data)


def is_scan(path: Path) -> bool:
    """Whether more pages of a PDF are images without text than have text: it needs OCR to be read."""
    from citegrain.tasks.core.mupdf import pymupdf  # takes a third of a second

    try:
        with pymupdf.open(path) as pdf:
            texts = [bool(page.get_text().strip()) for page in pdf]
            images = [not text and bool(page.get_images()) for text, page in zip(texts, pdf, strict=True)]
    except (RuntimeError, ValueError):  # damaged: whoever parses it says so
        return False
    return sum(images) > sum(texts)


def form_of(data: bytes) -> str:
    """What a file is by its content: ``pdf``, ``docx``, ``pptx``, ``xlsx``, ``html``; empty if unknown.

    Raises RefusedError if it is an Office file that cannot be read: encrypted, or of the formats before 2007.
    """
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        if data[30:38] == b"mimetype":  # as the rules of these formats have it
            what = "an EPUB" if b"epub" in data[:90] else "an OpenDocument file"
            raise RefusedError(f"{what}: save it as .docx, .xlsx, .pptx or .pdf")
        names = open_archive(data).namelist()
        parts = names if "[Content_Types].xml" in names else []
        return next((form for at, form in _PARTS.items() if any(n.startswith(at) for n in parts)), "zip")
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise RefusedError("encrypted: a password is needed to open it")
        raise RefusedError(
            "an Office file of the format before 2007: save it as .docx, .pptx or .xlsx, or as PDF"
        )
    if data.startswith(b"{\\rtf"):
        raise RefusedError("an RTF file: save it as .docx or as PDF")
    if data[:4096].lstrip().startswith((b"From: ", b"MIME-Version:")) and b"multipart/" in data[:4096]:
        raise RefusedError("a web archive (MHTML): save it as .html or as PDF")
    return "html" if _MARKUP.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) else ""


def open_archive(data: bytes) -> zipfile.ZipFile:
    """An Office file as the archive that it is.

    Raises RefusedError if it is damaged.
    """
    try:
        return zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise RefusedError(
            "damaged or truncated: its ZIP archive cannot be opened; get a whole copy"
        ) from error
