"""Plain texts, presentations and workbooks as blocks."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from io import BytesIO
from typing import Any

from citegrain.tasks.kinds.office.blocks import Block, Inline, row_blocks
from citegrain.tasks.offline.pages import RefusedError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\ufffd]")
_BINARY = 0.01  # share of characters that no text has
_MARKER = re.compile(r"^[\[“\"]*(?:\(\w{1,5}\)|\d{1,3}[A-Z]{0,2}[.)]|[*•–-])\s*")
_HEADING = re.compile(r"^[^a-z]*[A-Z][^a-z]*$")
_WIDEST_WRAPPED = 120

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DEEPEST = 20  # groups within groups

_MAX_COLUMNS = 256
_MAX_ROWS = 1_048_576  # of Excel


def decode(data: bytes, declared: str = "") -> str:
    """Bytes as text: by their byte order mark, as declared, as UTF-8, else as Windows-1252.

    Raises RefusedError if they are no text.
    """
    text = _decoded(data, declared).removeprefix("\ufeff")
    if len(_CONTROL.findall(text)) > _BINARY * len(text):
        raise RefusedError("not a text: most likely the file is binary or damaged")
    return _CONTROL.sub("", text)


def _decoded(data: bytes, declared: str) -> str:
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), declared)
    for name in filter(None, (encoding, "utf-8", "cp1252")):
        try:
            return data.decode(name)
        except (UnicodeDecodeError, LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def verbatim(data: bytes) -> str:
    """A text character by character, so that an offset into it is one into the file as Python reads it.

    As there a line end is one character, whatever bytes it is; what no text has is a blank.
    """
    text = _decoded(data, "").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(" ", text.replace("\ufeff", " "))


def read_plain(data: bytes) -> Iterator[Block]:
    """The paragraphs of a text; a form feed begins a page.

    Lines of a text that is wrapped are joined: up to a blank line, a line that is set further in, or one that
    begins with a marker such as ``(a)``. In any other text each line is a paragraph.
    """
    text = decode(data)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    wrapped = _is_wrapped(lines)
    paragraph: list[str] = []
    opens = False
    for line in [*lines, ""]:
        if paragraph and (not wrapped or _begins(line, paragraph)):
            yield from _block(paragraph, opens, wrapped)
            paragraph, opens = [], False
        opens = opens or line.startswith("\f")
        if line.strip():
            paragraph.append(line.lstrip("\f"))


def _is_wrapped(lines: list[str]) -> bool:
    """Whether paragraphs go on over several lines: many lines begin with a small letter."""
    filled = [line.strip() for line in lines if line.strip()]
    small = sum(line[0].islower() for line in filled)
    widest = max(map(len, filled), default=0)
    return small >= 0.15 * len(filled) > 0 and widest <= 2 * _WIDEST_WRAPPED


def _begins(line: str, paragraph: list[str]) -> bool:
    bare = line.strip()
    if not bare or line.startswith("\f") or _MARKER.match(bare) or _HEADING.match(bare):
        return True
    last = paragraph[-1]
    return _HEADING.match(last.strip()) is not None or (_lead(line) > _lead(last) + 2 and len(paragraph) > 1)


def _lead(line: str) -> int:
    line = line.expandtabs(8)
    return len(line) - len(line.lstrip())


def _block(paragraph: list[str], opens: bool, wrapped: bool) -> Iterator[Block]:
    inline = Inline()
    inline.add(" ".join(paragraph))
    block = inline.block()
    if block:
        short = len(paragraph) == 1 and len(block.text) < 100
        block.centred = short and (_lead(paragraph[0]) >= 12 or bool(_HEADING.match(block.text)))
        block.indent = 0 if block.centred else min(_lead(paragraph[0]) // 4, 3)
        block.opens_page = opens
        yield block


def read_slides(data: bytes) -> tuple[Iterator[Block], date | None, list[str]]:
    """The paragraphs of all slides, the date of the last change, and what was left out."""
    import pptx  # as in sheets

    show = pptx.Presentation(BytesIO(data))
    changed = show.core_properties.modified or show.core_properties.created
    return _slides(show.slides), changed.date() if changed else None, []


def _slides(slides: Iterable[Any]) -> Iterator[Block]:
    for slide in slides:
        blocks = list(_shapes(slide.shapes, slide.shapes.title))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            blocks += _paragraphs(slide.notes_slide.notes_text_frame, 0)
        first, *rest = blocks or [Block("")]
        first.opens_page = True
        yield first
        yield from rest


def _shapes(shapes: Iterable[Any], title: Any, depth: int = 0) -> Iterator[Block]:
    """Blocks of shapes, the title first, the others in the order of the file."""
    top = title.shape_id if title is not None else None
    for shape in sorted(shapes, key=lambda s: s.shape_id != top):
        if hasattr(shape, "shapes"):
            if depth < _DEEPEST:
                yield from _shapes(shape.shapes, None, depth + 1)
        elif shape.has_text_frame:
            yield from _paragraphs(shape.text_frame, 2 if shape.shape_id == top else 0)
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                yield from row_blocks([list(_paragraphs(cell.text_frame, 0)) for cell in row.cells])


def _is_on(properties: Any, name: str) -> bool:
    return properties is not None and properties.get(name) in ("1", "true")


def _paragraphs(frame: Any, level: int) -> Iterator[Block]:
    for paragraph in frame.paragraphs:
        inline = Inline()
        for piece in paragraph._p:  # the library's own list of runs leaves out line breaks and fields
            if piece.get("type") == "slidenum":
                continue
            properties = piece.find(_A + "rPr")
            bold, italic = (_is_on(properties, name) for name in "bi")
            text = " " if piece.tag == _A + "br" else piece.findtext(_A + "t") or ""
            inline.add(text, bold=bold, italic=italic)
        block = inline.block()
        if block:
            block.level, block.indent = level, paragraph.level
            yield block


def read_sheets(data: bytes) -> tuple[Iterator[Block], date | None, list[str]]:
    """The rows of all visible sheets, the date of the last change, and what was left out."""
    import openpyxl  # who opens no spreadsheet does not need it

    with warnings.catch_warnings(action="ignore"):  # of styles, which are not read
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
    sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    hidden = len(book.worksheets) - len(sheets)
    left_out = [f"{hidden} hidden sheets were not read"] if hidden else []
    changed = book.properties.modified or book.properties.created
    return _rows(sheets, left_out), changed.date() if isinstance(changed, datetime) else None, left_out


def _rows(sheets: list[Any], left_out: list[str]) -> Iterator[Block]:
    for sheet in sheets:
        wider = False
        sheet.reset_dimensions()  # what the file says of its size may be wrong
        yield Block(sheet.title, role="header", opens_page=True)
        for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
            if number > _MAX_ROWS:  # the library counts up to whatever number a row claims
                raise ValueError(f"a row beyond row {_MAX_ROWS}, the last that a sheet can have")
            texts = [_shown(value) for value in values[:_MAX_COLUMNS]]
            wider = wider or any(map(_shown, values[_MAX_COLUMNS:]))
            while texts and not texts[-1]:
                texts.pop()
            yield from row_blocks([[Block(text)] if text else [] for text in texts])
        if wider:
            left_out.append(f"sheet {sheet.title}: what stands behind column {_MAX_COLUMNS} was not read")


def _shown(value: Any) -> str:
    """A cell as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        value = value.date() if value.time() == value.time().min else value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return " ".join(str(value).split())
