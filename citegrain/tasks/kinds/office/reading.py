"""From the bytes of an Office file, a web page or a text to pages; what must be right before it is opened."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from io import BytesIO
from math import inf

from citegrain.tasks.core.errors import printable
from citegrain.tasks.kinds.office.blocks import BODY_SIZE, Block, LeftOut, lay_out, mended
from citegrain.tasks.kinds.office.forms import read_plain, read_slides
from citegrain.tasks.kinds.office.web import is_placed, parse_html, read_placed, read_web
from citegrain.tasks.kinds.office.word import read_word
from citegrain.tasks.offline.pages import Document, RefusedError

MAX_UNPACKED_MIB = 512
_MAX_PARTS = 20_000
_PARTS = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_DTD = re.compile(rb"<\x00?!\x00?(?:D\x00?O\x00?C\x00?T\x00?Y|E\x00?N\x00?T\x00?I)")
_XML = (".xml", ".rels")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = re.compile(
    rb"^(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|\s)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_CHANGED = re.compile(rb"<(?:\w+:)?(modified|created)\b[^>]*>\s*(\d{4}-\d\d-\d\d)")


def _read_sheets(data: bytes, left_out: LeftOut) -> Iterator[Block]:
    # who opens no workbook does not need its library
    from citegrain.tasks.kinds.office.sheets import read_sheets

    return read_sheets(data, left_out)


_OFFICE: dict[str, Callable[[bytes, LeftOut], Iterator[Block]]] = {
    "docx": read_word,
    "pptx": read_slides,
    "xlsx": _read_sheets,
}
_NAMES = {
    "pdf": "a PDF",
    "docx": "a Word document",
    "pptx": "a PowerPoint presentation",
    "xlsx": "an Excel workbook",
    "html": "a web page",
    "plain": "a text",
    "zip": "a ZIP archive",
}
_PAGE_CHARS = 3_000  # of a page where the file has none


def form_of(data: bytes) -> str:
    """What a file is by its content: ``pdf``, ``docx``, ``pptx``, ``xlsx``, ``html``; empty if unknown.

    Raises RefusedError if it is an Office file that cannot be read: encrypted, or of the formats before 2007.
    """
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return _office_form(data)
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise RefusedError("encrypted: a password is needed to open it")
        raise RefusedError(
            "an Office file of the format before 2007: save it as .docx, .pptx or .xlsx, or as PDF"
        )
    if data.startswith(b"{\\rtf"):
        raise RefusedError("an RTF file: save it as .docx or as PDF")
    return "html" if _MARKUP.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) else ""


def _office_form(data: bytes) -> str:
    names = _archive(data).namelist()
    if "[Content_Types].xml" not in names:
        return "zip"
    return next((form for folder, form in _PARTS.items() if any(n.startswith(folder) for n in names)), "zip")


def _archive(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise RefusedError(
            "damaged or truncated: its ZIP archive cannot be opened; get a whole copy"
        ) from error


def check_package(data: bytes) -> None:
    """Refuse an archive that is encrypted, unpacks to too much, has macros or declares XML entities.

    Raises RefusedError with the reason.
    """
    archive = _archive(data)
    parts = archive.infolist()
    if len(parts) > _MAX_PARTS:
        raise RefusedError(f"{len(parts)} parts in its archive, more than {_MAX_PARTS}")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED_MIB * 2**20:
        raise RefusedError(
            f"unpacks to {unpacked / 2**20:.0f} MiB, more than {MAX_UNPACKED_MIB}: a ZIP bomb?"
        )
    if any(part.flag_bits & 1 for part in parts):
        raise RefusedError("encrypted: a password is needed to open it")
    if any(part.filename.lower().endswith("vbaproject.bin") for part in parts):
        raise RefusedError("contains macros: save it without them, as .docx, .pptx or .xlsx")
    for part in parts:
        if part.filename.lower().endswith(_XML) and _DTD.search(_head(archive, part)):
            raise RefusedError(f"declares XML entities, as no Office program does ({part.filename[:60]!a})")


def _head(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """The beginning of a part: a document type may stand only before its first element."""
    with archive.open(part) as stream:
        return stream.read(65536)


def _transitional(data: bytes) -> bytes:
    """An Office file of Strict Open XML with the names of the usual form, all that the libraries know."""
    old = _archive(data)
    if not any(_STRICT.search(_head(old, part)) for part in old.infolist() if part.filename.endswith(_XML)):
        return data
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for part in old.infolist():
            content = old.read(part)
            if part.filename.endswith(_XML):
                content = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", content)
            new.writestr(part.filename, content)
    return out.getvalue()


def _last_change(data: bytes) -> date | None:
    """The day of the last change that an Office file states."""
    archive = _archive(data)
    name = "docProps/core.xml"
    days = dict(_CHANGED.findall(archive.read(name))) if name in archive.namelist() else {}
    try:
        return date.fromisoformat((days.get(b"modified") or days[b"created"]).decode())
    except (KeyError, ValueError):
        return None


def check_ending(data: bytes, form: str) -> None:
    """Refuse a file whose content is of another kind than its ending says.

    ``form``: what the ending says: ``pdf``, ``docx``, ``pptx``, ``xlsx``, ``html`` or ``plain``. Raises
    RefusedError with the reason.
    """
    if not data:
        raise RefusedError("the file is empty (0 bytes)")
    actual = form_of(data)
    if actual in ("", form) and (actual or form not in _OFFICE):
        return
    ending = ".txt" if form == "plain" else f".{form}"
    if actual in ("", "zip"):
        what = _NAMES["zip"] if actual else "not a ZIP archive, as these are"
        raise RefusedError(f"not {_NAMES[form]}, though it is named {ending}: {what}")
    raise RefusedError(f"{_NAMES[actual]}, though it is named {ending}: rename it to .{actual}")


def read(data: bytes, form: str, max_pages: int) -> Document:
    """Read an Office file, a web page or a text; what is named a PDF and is none is refused.

    Raises RefusedError if it cannot be read.
    """
    check_ending(data, form)
    if form == "pdf":
        raise RefusedError("not a PDF: the header %PDF- is missing")
    try:
        document = _document(data, form)
    except (RefusedError, MemoryError):
        raise
    except Exception as error:  # the libraries raise all kinds of errors on files that are damaged
        line = printable(" ".join(str(error).split())[:120])
        reason = f"damaged: not {_NAMES[form]} that can be read ({type(error).__name__}: {line})"
        raise RefusedError(reason) from error
    if len(document.pages) > max_pages:
        raise RefusedError(f"more text than on parse.max_pages={max_pages} pages")
    return document


def _document(data: bytes, form: str) -> Document:
    left_out, day, chars = LeftOut(), None, float(_PAGE_CHARS)
    if form in _OFFICE:
        check_package(data)
        day = _last_change(data)
        blocks = _OFFICE[form](_transitional(data), left_out)
        chars = inf if form == "pptx" else chars  # a slide is a page
    elif form == "plain":
        blocks = read_plain(data)
    else:
        root = parse_html(data)
        if is_placed(root):
            return read_placed(root)
        blocks = read_web(root, left_out)
    pages = list(lay_out(mended(blocks, left_out), chars))  # before what was left out is complete
    return Document(pages, BODY_SIZE, day, left_out.sentences(), form)
