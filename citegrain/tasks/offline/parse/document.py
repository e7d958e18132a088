"""Open a PDF that may be broken or hostile, read its pages, and judge whether each was read."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from citegrain.tasks.core.errors import TOO_DEEP
from citegrain.tasks.offline.document import scripts
from citegrain.tasks.offline.pages import (
    IN_HINDI,
    UNSEEN,
    Document,
    Page,
    PageStatus,
    RefusedError,
    Segment,
    n_printed,
)
from citegrain.tasks.offline.parse.layout import in_rows, read_segments, text_page
from citegrain.tasks.offline.parse.painting import is_scan, two_up
from citegrain.tasks.offline.parse.roles import assign_roles

if TYPE_CHECKING:
    import pymupdf

# The commonest words of English statutes. Half the words of a section are among them; of Hindi in a
# legacy font or of failed OCR hardly any are.
_COMMON_WORDS = """
the of and in to or be shall any a by for as is such this that under section which on may act with it
not an from has been person other where are if who at his he no government made order court sub time
provided central state
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = re.compile(r"[A-Za-z]{2,}|a\b|A\b")
_PUNCTUATION = ".,;:()[]\"'“”‘’—–-"
_MIN_WORDS = 25
_MIN_SHARE = 0.10
# A list of villages or chemicals has no common words either, but it has few tiny ones; garbage has many.
_TINY_SHARE = 0.18

# Pairs of letters that are one in ten thousand or more of English: the first, then those behind it.
_FOLLOWERS = """
abcdfgiklmnprstuvwxy baeijlorstuy cacehiklortuy dadegijmorsuvy eabcdefghilmnopqrstuvwxy faefiortuy
gaehilmnorsu haeimorstu iabcdefgiklmnoprstvxz jaeou kaeinrs ladefilostuvy mabeimnopsu nacdefgijklmnoqstuvy
oabcdefgiklmnoprstuvwxy paehiloprstuy qu rabcdefgiklmnoprstuvwy sacdefhilopstu taceghilmnorstuwy
uabcdefgilmnprst vaeio waefhinors xaceipt yaeimrst zae
"""
_PAIRS = frozenset(word[0] + behind for word in _FOLLOWERS.split() for behind in word[1:])
_ODD_SHARE, _MIN_PAIRS = 1 / 3, 60  # of pairs; a list of chemicals has up to a quarter of odd ones
_NO_CHARACTER = re.compile('[\ufffd\ue000-\uf8ff\x80-\x9f#!$%@~^|\\\\<>=+`{}"&]')  # signs that print little
_NONE_SHARE, _SIGNS_SHARE = 0.05, 0.2  # of a text: where it has no English, and where its head has

_DEEP = re.compile("stack overflow|too many nested")  # in what MuPDF says
_PDF_DATE = re.compile(r"D?:?(\d{4})(\d{2})(\d{2})")

_READ, _FURNITURE = ("text", "ocr"), ("header", "footer", "page_number")
_BILINGUAL = 2  # with more pages in Hindi to one in English a document is in Hindi


def _tiny_share(text: str) -> float:
    """Share of words of one or two letters."""
    words = [w for w in text.split() if any(c.isalpha() for c in w)]
    return sum(len(w.strip(_PUNCTUATION)) <= 2 for w in words) / max(1, len(words))


def _garbled(text: str) -> bool:
    """Whether the letters of a text follow each other as those of no English word, name or formula do."""
    words = re.findall(r"[a-z]{2,}", text.lower())
    pairs = [word[i : i + 2] for word in words for i in range(len(word) - 1)]
    odd = sum(pair not in _PAIRS for pair in pairs)
    none = len(_NO_CHARACTER.findall(text))
    return (len(pairs) >= _MIN_PAIRS and odd > _ODD_SHARE * len(pairs)) or none > _NONE_SHARE * len(text)


def page_status(segments: list[Segment], *, has_image: bool, by_ocr: bool) -> PageStatus:
    """Status of a page from its text and whether it shows an image or a drawing.

    ``has_image``: whether a picture or a drawing is on the page. ``by_ocr``: whether the text was read by OCR
    in this run.
    """
    inked = [s for s in segments if s.role != "rule"]
    text = " ".join(s.text for s in inked)
    if all(s.role in _FURNITURE for s in inked):
        if has_image:
            return PageStatus("image_only", "no text layer: the page is an image")
        return PageStatus("blank", "" if inked else "no text and no image")
    words = _WORD.findall(text)
    n_words, share = len(words), sum(word.lower() in _COMMON for word in words) / max(1, len(words))
    status = "ocr" if by_ocr else "text"
    signs = len(_NO_CHARACTER.findall(text)) / max(1, len(text))
    if share >= _MIN_SHARE and n_words >= _MIN_WORDS and signs <= _SIGNS_SHARE:
        return PageStatus(status)
    for script in scripts():
        if verdict := script.status(text, status):
            return verdict
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    if foreign > 60 and 2 * foreign > len(text.replace(" ", "")):
        return PageStatus("unreadable", "the text is not in English or Hindi")
    if (n_words >= _MIN_WORDS and _tiny_share(text) >= _TINY_SHARE) or _garbled(text):
        return PageStatus(
            "unreadable",
            f"the text layer does not read as English ({share:.0%} common words of {n_words}): "
            "a legacy font or failed OCR",
        )
    return PageStatus(status)


@functools.cache
def tesseract_version() -> str | None:
    """First line of ``tesseract --version``; None where Tesseract or its English data is missing."""
    program = shutil.which("tesseract")
    if program is None or _tessdata() is None:
        return None
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False)
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if lines else "tesseract"


@functools.cache
def _tessdata() -> str | None:
    from citegrain.tasks.core.mupdf import pymupdf  # as in document

    try:
        return str(pymupdf.get_tessdata()) or None
    except (RuntimeError, OSError, ValueError):
        return None


def ocr_page(page: pymupdf.Page, dpi: int) -> list[Segment]:
    """Text of a page read by OCR as segments; empty where Tesseract is not installed.

    Raises nothing: a page on which OCR fails is reported as an image without text.
    """
    from citegrain.tasks.core.mupdf import FAULTS

    if tesseract_version() is None:
        return []
    try:
        with _silence():
            textpage = page.get_textpage_ocr(language="eng", dpi=dpi, full=True, tessdata=_tessdata())
    except FAULTS:
        return []
    return read_segments(textpage)[0]


@contextmanager
def _silence() -> Iterator[None]:
    """Keeps what Tesseract says of specks and rules ("Image too small to scale!!") off standard error."""
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)


@dataclass(frozen=True)
class ParseConfig:
    """What decides the result of parsing.

    ``ocr``: ``auto`` reads image-only pages by Tesseract where it is installed, ``redo`` also scanned pages
    that have a text layer; ``off`` never does. ``ocr_dpi``: resolution at which pages are drawn for OCR, dots
    per inch. ``max_pages``: a PDF with more pages is refused. ``max_glyphs``: a page with more glyphs is
    passed over as unreadable.
    """

    ocr: str = "auto"
    ocr_dpi: int = 300
    max_pages: int = 10_000
    max_glyphs: int = 100_000

    def __post_init__(self) -> None:
        if self.ocr not in ("auto", "redo", "off"):
            raise ValueError(f"parse.ocr={self.ocr}: auto, redo or off")
        for name in ("ocr_dpi", "max_pages", "max_glyphs"):
            if getattr(self, name) < 1:
                raise ValueError(f"parse.{name} must be positive")


def is_pdf(data: bytes) -> bool:
    """Whether a file has the header of one."""
    return b"%PDF-" in data[:1024]


def _open(data: bytes, config: ParseConfig) -> pymupdf.Document:
    if not data:
        raise RefusedError("the file is empty (0 bytes)")
    if not is_pdf(data):
        raise RefusedError("not a PDF: the header %PDF- is missing")
    from citegrain.tasks.core.mupdf import FAULTS, pymupdf  # loads slowly: only who opens a PDF needs it

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.TOOLS.reset_mupdf_warnings()
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except FAULTS as error:
        raise RefusedError(_fault("damaged PDF", error)) from error
    if document.needs_pass:
        raise RefusedError("encrypted: a password is needed to open it")
    if document.is_repaired and b"%%EOF" not in data[-2048:]:
        raise RefusedError(
            f"truncated: the end of the file is missing ({_page_count(document)} pages "
            "could be recovered); get a whole copy"
        )
    pages = _page_count(document)
    if pages < 1:
        raise RefusedError(TOO_DEEP if _too_deep() else "the PDF has 0 pages")
    if pages > config.max_pages:
        raise RefusedError(f"{pages} pages, more than parse.max_pages={config.max_pages}")
    return document


def _page_count(document: pymupdf.Document) -> int:
    from citegrain.tasks.core.mupdf import FAULTS

    with suppress(*FAULTS):
        return int(document.page_count)
    return 0


def _fault(what: str, error: BaseException) -> str:
    line = (str(error).splitlines() or [type(error).__name__])[0][:200]
    return TOO_DEEP if _DEEP.search(line) else f"{what}: {line}"


def _too_deep() -> bool:
    """Whether MuPDF gave something up as too deep since this was asked last."""
    from citegrain.tasks.core.mupdf import pymupdf

    return _DEEP.search(pymupdf.TOOLS.mupdf_warnings()) is not None


def _pdf_date(document: pymupdf.Document) -> date | None:
    """Creation date, or the date of the last change where no creation date is given."""
    for key in ("creationDate", "modDate"):
        match = _PDF_DATE.match((document.metadata or {}).get(key) or "")
        with suppress(ValueError):
            if match:
                return date(*(int(part) for part in match.groups()))
    return None


def _has_image(page: pymupdf.Page) -> bool:
    from citegrain.tasks.core.mupdf import FAULTS

    with suppress(*FAULTS):
        return bool(page.get_images()) or bool(page.get_cdrawings())
    return True  # that cannot be read


def _read_page(document: pymupdf.Document, number: int, config: ParseConfig) -> Page:
    """Page ``number`` (from 1). Its status is final where it is ``unreadable``."""
    from citegrain.tasks.core.mupdf import FAULTS

    try:
        return _read_whole_page(document, number, config)
    except FAULTS as error:
        return Page(number, 0.0, 0.0, [], PageStatus("unreadable", _fault("damaged page", error)))


def _read_whole_page(document: pymupdf.Document, number: int, config: ParseConfig) -> Page:
    page = document[number - 1]
    if page.rotation:
        page.remove_rotation()  # its text is placed as a viewer shows it
    segments, left_out = read_segments(text_page(page), page)
    read = Page(number, page.rect.width, page.rect.height, segments, PageStatus("text"), left_out=left_out)
    glyphs = sum(len(s.text) for s in segments)
    if glyphs > config.max_glyphs:
        reason = f"{glyphs} glyphs, more than parse.max_glyphs={config.max_glyphs}"
        read.segments, read.status = [], PageStatus("unreadable", reason)
        read.left_out[reason] = n_printed(segments)
    elif all(s.role == "rule" for s in segments):
        read.has_image = _has_image(page)
        if read.has_image and config.ocr != "off":
            read.segments = ocr_page(page, config.ocr_dpi)
            read.by_ocr = bool(read.segments)
    elif config.ocr == "redo" and is_scan(page):
        read.scanned = True
        if again := ocr_page(page, config.ocr_dpi):
            read.segments, read.by_ocr = again, True
    return read


def _assign_roles(pages: Sequence[Page]) -> float:
    """Set the role of every segment; the body size of the document, points.

    Two pages of a book on one sheet are read as if the right one stood below the left.
    """
    if not two_up(pages):
        return assign_roles([p.segments for p in pages], [(p.width, p.height) for p in pages])
    leaves = []
    for page in pages:
        middle = page.width / 2
        left, right = ([s for s in page.segments if (s.x0 < middle) == side] for side in (True, False))
        for segment in right:
            segment.x0, segment.x1 = segment.x0 - middle, segment.x1 - middle
        leaves += [in_rows(left), in_rows(right)]
    size = assign_roles(leaves, [(p.width / 2, p.height) for p in pages for _ in range(2)])
    for page, left, right in zip(pages, leaves[::2], leaves[1::2], strict=True):
        below = left[-1].row + 1 if left else 0
        for segment in right:
            segment.row += below
            segment.y0, segment.y1 = segment.y0 + page.height, segment.y1 + page.height
            segment.baseline += page.height
        page.segments = left + right
    return size


def read_document(data: bytes, config: ParseConfig) -> Document:
    """Read every page of a PDF.

    Raises RefusedError if the file as a whole cannot be read: empty, not a PDF, encrypted, truncated, no
    pages, too many pages.
    """
    document = _open(data, config)
    warnings = ["damaged cross-reference table, repaired while reading"] if document.is_repaired else []
    pages, deep = list[Page](), list[Page]()
    for number in range(1, document.page_count + 1):
        pages.append(_read_page(document, number, config))
        deep += pages[-1:] if _too_deep() else []
    for page in (page for page in deep if not n_printed(page.segments)):
        page.status = PageStatus("unreadable", TOO_DEEP)
    if deep:
        warnings.append(f"{len(deep)} pages with something {TOO_DEEP}, first page {deep[0].number}")
    size = _assign_roles(pages)
    for page in pages:
        if page.status.status == "unreadable":
            continue
        if page.segments and not page.has_image:
            furniture = all(s.role in (*_FURNITURE, "rule") for s in page.segments)
            page.has_image = furniture and _has_image(document[page.number - 1])
        page.status = page_status(page.segments, has_image=page.has_image, by_ocr=page.by_ocr)
    if hidden := [page for page in pages if page.left_out[UNSEEN]]:
        where = ", ".join(str(page.number) for page in hidden[:5]) + (", ..." if len(hidden) > 5 else "")
        characters = sum(page.left_out[UNSEEN] for page in hidden)
        warnings.append(f"{characters} characters that no reader sees are left out: page {where}")
    if by_ocr := sum(page.by_ocr for page in pages):
        warnings.append(f"{by_ocr} pages read by OCR")
    if unread := sum(page.scanned and not page.by_ocr for page in pages):
        reason = "Tesseract read nothing on them" if tesseract_version() else "Tesseract is not installed"
        warnings.append(f"parse.ocr=redo: the text layers of {unread} scanned pages are kept: {reason}")
    return Document(pages, size, _pdf_date(document), warnings)


def settle_language(document: Document) -> None:
    """Set its language. Of a bilingual document the pages in Hindi are left out: they repeat its numbers."""
    hindi = [page for page in document.pages if page.status.language == "hi"]
    english = sum(page.status.language == "en" and page.status.status in _READ for page in document.pages)
    if len(hindi) > _BILINGUAL * english:
        document.language = "hi"
        if doubtful := [page.number for page in hindi if page.status.doubtful]:
            pages_at = f"{len(doubtful)} pages, first {doubtful[0]}"
            document.warnings.append(f"doubtful: words of the Hindi text layer are broken on {pages_at}")
    elif hindi:
        for page in hindi:
            page.status = replace(page.status, status="unreadable", reason=IN_HINDI)
        document.warnings.append(f"{len(hindi)} pages in Hindi left out: the document is read in English")
