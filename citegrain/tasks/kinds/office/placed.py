"""Pages of pdf2htmlEX: a PDF as HTML, in which each line of a page is placed by its classes.

What a PDF has, these pages have: position and size of type. So they are read as a PDF's pages are. Widths and
bold type are in the embedded fonts; a width is estimated, and nothing is bold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citegrain.tasks.kinds.office.blocks import Inline
from citegrain.tasks.kinds.office.web import Properties, length, read_rules
from citegrain.tasks.offline.pages import Document, Page, PageStatus, Segment
from citegrain.tasks.offline.parse import assign_roles, in_rows, page_status

_LETTER = 0.45  # width of a letter, sizes of type
_POINTS = 0.75  # a pixel
_RAISED = 0.1  # sizes of type


def is_placed(root: Any) -> bool:
    """Whether pdf2htmlEX wrote a page."""
    return any("pdf2htmlex" in (meta.get("content") or "").lower() for meta in root.iter("meta"))


def read_placed(root: Any) -> Document:
    """The pages of a document that pdf2htmlEX wrote."""
    rules = read_rules(node.text or "" for node in root.iter("style"))
    sheets = [node for node in root.iter("div") if "pf" in _classes(node)]
    pages = [_page(number, sheet, rules) for number, sheet in enumerate(sheets, 1)]
    size = assign_roles([p.segments for p in pages], [(p.width, p.height) for p in pages])
    for page in pages:
        has_image = any(True for _ in sheets[page.number - 1].iter("img"))
        page.status = page_status(page.segments, has_image=has_image, by_ocr=False)
    return Document(pages, size, None, [], "pdf2htmlex")


def _classes(node: Any) -> list[str]:
    return (node.get("class") or "").split()[:20]


def _measure(node: Any, name: str, rules: Mapping[str, Properties]) -> float:
    """A length that the classes of an element set, points."""
    pixels = 0.0
    for each in _classes(node):
        if value := rules.get(f".{each}", {}).get(name):
            pixels = length(value)
    return pixels * _POINTS


def _page(number: int, sheet: Any, rules: Mapping[str, Properties]) -> Page:
    width, height = _measure(sheet, "width", rules), _measure(sheet, "height", rules)
    segments = []
    for node in sheet.iter("div"):
        if "t" in _classes(node):
            segment = _segment(node, sheet, height, rules)
            if segment is not None:
                segments.append(segment)
    return Page(number, width, height, in_rows(segments), PageStatus("text"))


def _segment(node: Any, sheet: Any, height: float, rules: Mapping[str, Properties]) -> Segment | None:
    """A line of a page; None if it is blank."""
    inline = Inline()
    size = _size(node, _scale(node, rules), rules)
    _add(node, inline, size, False, rules)
    block = inline.block()
    if block is None or not block.text:
        return None
    x0, bottom = _measure(node, "left", rules), _measure(node, "bottom", rules)
    for outer in node.iterancestors():
        if outer is sheet:
            break
        x0, bottom = x0 + _measure(outer, "left", rules), bottom + _measure(outer, "bottom", rules)
    x1, y1 = x0 + _LETTER * size * len(block.text), height - bottom
    return Segment(x0, y1 - size, x1, y1, y1, size, 0, False, block.text, block.marks)


def _scale(node: Any, rules: Mapping[str, Properties]) -> float:
    """By how much the type of a line is scaled: the first number of its matrix."""
    for name in _classes(node):
        matrix = rules.get(f".{name}", {}).get("transform", "")
        if matrix.startswith("matrix("):
            return length(matrix.removeprefix("matrix(").strip()) or 1.0
    return 1.0


def _size(node: Any, scale: float, rules: Mapping[str, Properties]) -> float:
    return _measure(node, "font-size", rules) * scale


def _add(node: Any, inline: Inline, size: float, raised: bool, rules: Mapping[str, Properties]) -> None:
    """Add the text of a line and of the spans in it, which are nested as deep as a page may be."""
    inline.add(node.text or "", raised=raised)
    for child in node:
        lifted = _measure(child, "vertical-align", rules)
        smaller = 0 < _size(child, _scale(node, rules), rules) < size
        _add(child, inline, size, raised or (lifted > _RAISED * size and smaller), rules)
        inline.add(child.tail or "", raised=raised)
