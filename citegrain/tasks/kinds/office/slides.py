"""Presentations: each slide a page, its title a heading, its notes below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from io import BytesIO
from typing import Any

from citegrain.tasks.kinds.office.blocks import Block, Inline, row_blocks

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DEEPEST = 20  # groups within groups


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
