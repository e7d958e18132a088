"""From the bytes of an Office file, a web page or a text to pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from math import inf

from citegrain.tasks.core.faults import printable
from citegrain.tasks.kinds.office.blocks import BODY_SIZE, Block, lay_out
from citegrain.tasks.kinds.office.package import check_package, form_of
from citegrain.tasks.kinds.office.placed import is_placed, read_placed
from citegrain.tasks.kinds.office.plain import read_plain
from citegrain.tasks.kinds.office.sheets import read_sheets
from citegrain.tasks.kinds.office.slides import read_slides
from citegrain.tasks.kinds.office.web import parse_html, read_web
from citegrain.tasks.kinds.office.word import read_word
from citegrain.tasks.offline.pages import Document, RefusedError

_Read = tuple[Iterator[Block], date | None, list[str]]
_OFFICE: dict[str, Callable[[bytes], _Read]] = {"docx": read_word, "pptx": read_slides, "xlsx": read_sheets}
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
_ENDINGS = {"plain": ".txt"}


def check_ending(data: bytes, form: str) -> None:
    """Refuse a file whose content is of another kind than its ending says.

    Parameters
    ----------
    form
        What the ending says: ``pdf``, ``docx``, ``pptx``, ``xlsx``, ``html`` or ``plain``.

    Raises
    ------
    RefusedError
        With the reason.
    """
    if not data:
        raise RefusedError("the file is empty (0 bytes)")
    actual = form_of(data)
    if actual in ("", form) and (actual or form not in _OFFICE):
        return
    ending = _ENDINGS.get(form, f".{form}")
    if actual in ("", "zip"):
        what = _NAMES["zip"] if actual else "not a ZIP archive, as these are"
        raise RefusedError(f"not {_NAMES[form]}, though it is named {ending}: {what}")
    raise RefusedError(f"{_NAMES[actual]}, though it is named {ending}: rename it to .{actual}")


def read(data: bytes, form: str, max_pages: int) -> Document:
    """Read an Office file, a web page or a text; what is named a PDF and is none is refused.

    Raises
    ------
    RefusedError
        If it cannot be read.
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
    if form in _OFFICE:
        check_package(data)
        blocks, day, warnings = _OFFICE[form](data)
        chars = inf if form == "pptx" else _PAGE_CHARS  # a slide is a page
        return Document(list(lay_out(blocks, chars)), BODY_SIZE, day, warnings, form)
    if form == "plain":
        return Document(list(lay_out(read_plain(data), _PAGE_CHARS)), BODY_SIZE, None, [], form)
    root = parse_html(data)
    if is_placed(root):
        return read_placed(root)
    return Document(list(lay_out(read_web(root), _PAGE_CHARS)), BODY_SIZE, None, [], form)
