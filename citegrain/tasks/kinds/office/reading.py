"""From the bytes of an Office file, a web page or a text to pages; what must be right before it is opened."""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import date
from io import BytesIO
from math import inf

from citegrain.tasks.core.errors import TOO_DEEP, printable
from citegrain.tasks.kinds.office.blocks import BODY_SIZE, Block, LeftOut, lay_out, mended
from citegrain.tasks.kinds.office.forms import read_plain, read_slides
from citegrain.tasks.kinds.office.web import is_placed, parse_html, read_placed, read_web
from citegrain.tasks.kinds.office.word import links_of, read_word
from citegrain.tasks.offline.pages import Document, RefusedError, form_of, open_archive

MAX_UNPACKED_MIB = 512
_MAX_PARTS = 20_000
_DTD = re.compile(rb"<\x00?!\x00?(?:D\x00?O\x00?C\x00?T\x00?Y|E\x00?N\x00?T\x00?I)")
_XML = (".xml", ".rels")
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
_READ = frozenset(("worksheet", "sharedStrings", "slide", "notesSlide"))  # of Word all are asked for
_DEEP = "Excessive depth"  # libxml2 says so of XML
_PAGE_CHARS = 3_000  # of a page where the file has none


def check_package(data: bytes) -> None:
    """Refuse an archive that is encrypted, unpacks to too much, has macros or declares XML entities.

    Raises RefusedError with the reason, KeyError where a part is missing that holds text.
    """
    archive = open_archive(data)
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
        for kind, path in links_of(archive, part.filename).values():
            if kind in _READ:
                archive.getinfo(path)


def _head(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """The beginning of a part: a document type may stand only before its first element."""
    with archive.open(part) as stream:
        return stream.read(65536)


def _transitional(data: bytes) -> bytes:
    """An Office file of Strict Open XML with the names of the usual form, all that the libraries know."""
    old = open_archive(data)
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
    archive = open_archive(data)
    name = "docProps/core.xml"
    days = dict(_CHANGED.findall(archive.read(name))) if name in archive.namelist() else {}
    try:
        return date.fromisoformat((days.get(b"modified") or days[b"created"]).decode())
    except (KeyError, ValueError):
        return None


def check_ending(data: bytes, form: str) -> None:
    """Raises RefusedError of a file whose content is of another kind than its ending says."""
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
    """Read an Office file, a web page or a text. Raises RefusedError; so of a .pdf that is none."""
    check_ending(data, form)
    if form == "pdf":
        raise RefusedError("not a PDF: the header %PDF- is missing")
    try:
        document = _document(data, form)
    except (RefusedError, MemoryError):
        raise
    except Exception as error:  # the libraries raise all kinds of errors on files that are damaged
        if isinstance(error, RecursionError) or str(error).startswith(_DEEP):
            raise RefusedError(TOO_DEEP) from error
        raise RefusedError(_fault(error, _NAMES[form])) from error
    if len(document.pages) > max_pages:
        raise RefusedError(f"more text than on parse.max_pages={max_pages} pages")
    return document


def _fault(error: Exception, name: str) -> str:
    """Why a file of a form cannot be read, in plain words where those of a library are known."""
    line = printable(" ".join(str(error).split())[:120])
    if "huge" in line.lower():
        return "one text in it is longer than 10 MB, more than is read: split it"
    why = ": its parts do not fit each other; save it again with the program that made it"
    if isinstance(error, zipfile.BadZipFile | zlib.error | EOFError | NotImplementedError):
        why = ": a part of it cannot be unpacked; get a whole copy"
    elif isinstance(error, StopIteration) or (isinstance(error, KeyError) and "in the archive" in line):
        why = ": a part of it is missing; get a whole copy"
    elif isinstance(error, SyntaxError):  # as all parsers of XML call it
        why = ": its XML is broken; save it again with the program that made it"
    return f"damaged: not {name} that can be read{why}"


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
