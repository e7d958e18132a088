"""From one page of a PDF to the segments of text on it, with their layout.

A *segment* is a run of text on one visual row without a wide gap; cells of a
table are segments of one row. Raised footnote marks are taken out of the text
and kept beside it with their offset, because ``12[124A. Sedition`` is section
124A with mark 12 and only size and position tell the two apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING, Any

from citegrain.tasks.offline.kinds import scripts
from citegrain.tasks.offline.pages import Segment
from citegrain.tasks.offline.parse.columns import has_numbered_columns, split_lines

if TYPE_CHECKING:
    import pymupdf

_SUPERSCRIPT, _ITALIC, _BOLD = 1, 2, 16
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_TRANSLATE = str.maketrans(
    _LIGATURES
    | {"\u00a0": " ", "\u2009": " ", "\u200a": " ", "\u202f": " ", "\t": " "}
    # invisible characters: soft hyphen, zero width space and joiners, byte order mark
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\ufeff", "")
)
_WIDEST = 200  # spaces between two words of a row: of 51 Acts none has more than 131
_GAP = re.compile(rf" {{{_WIDEST},}}")
_RULE_CHARS = frozenset("_-–—=─⎯―. ")
_MARK_CHARS = frozenset("0123456789*†‡§¶#@")


def _is_mark(span: dict[str, Any], text: str, line_size: float, baseline: float) -> bool:
    """Whether a span is a raised footnote mark rather than text in small type."""
    if not 0 < len(text) <= 4:
        return False
    if not all(c in _MARK_CHARS or unicodedata.category(c) == "Co" for c in text):
        return False
    if span["size"] > 0.82 * line_size:
        return False
    raised: bool = span["origin"][1] < baseline - 0.12 * line_size
    return raised or bool(span["flags"] & _SUPERSCRIPT)


def _line_segment(line: dict[str, Any], skew: float) -> Segment | None:
    """One MuPDF line as a segment; None for text that does not run horizontally."""
    if line["dir"][0] < 0.9:
        return None
    spans = line["spans"]
    weights: dict[float, int] = {}
    for span in spans:
        size = span["size"]
        weights[size] = weights.get(size, 0) + len(span["text"].strip())
    size = max(weights, key=lambda s: (weights[s], s)) if weights else 0.0
    top = max(weights, default=0.0)
    anchor = next((s for s in reversed(spans) if s["size"] == size), spans[0])
    baseline = anchor["origin"][1]

    parts: list[str] = []
    marks: list[tuple[int, str]] = []
    length, bold, italic_chars, bold_open = 0, 0, 0, True
    gap = 0
    for span in spans:
        text = _GAP.sub(" " * _WIDEST, span["text"].translate(_TRANSLATE))
        stripped = text.strip()
        gap = 0 if stripped else gap + len(text)
        if gap > _WIDEST:
            continue
        if stripped and top and _is_mark(span, stripped, top, baseline):
            marks.append((length, stripped))
            continue
        flags = span["flags"]
        if bold_open and stripped:
            if flags & _BOLD:
                bold = length + len(text.rstrip())
            elif any(c.isalnum() for c in stripped):
                bold_open = False
        if flags & _ITALIC:
            italic_chars += len(stripped)
        parts.append(text)
        length += len(text)
    x0, y0, x1, y1 = line["bbox"]
    text = "".join(parts)
    inked = len(text.replace(" ", ""))
    italic = inked > 0 and italic_chars * 2 > inked
    return Segment(x0, y0, x1, y1, baseline - skew * _middle(anchor), size, bold, italic, text, marks)


def _middle(span: dict[str, Any]) -> float:
    """Where the baseline of an OCR word group is true: its middle (each is set level)."""
    x0, _, x1, _ = span["bbox"]
    return float(x0 + x1) / 2


def _is_rule(segment: Segment) -> bool:
    """A separator: underscores, dashes, or underlined blanks as Word draws above footnotes."""
    text = segment.text
    if segment.marks or not set(text) <= _RULE_CHARS:
        return False
    if not text.strip():
        return segment.x1 - segment.x0 > 100 and len(text) >= 20
    drawn = text.replace(".", "").strip()
    return len(drawn) >= 8 or (len(drawn) >= 4 and set(drawn) == {"_"})


def _trim(segment: Segment) -> Segment:
    """Strip outer white space, moving the offsets of marks along."""
    lead = len(segment.text) - len(segment.text.lstrip())
    segment.text = segment.text.strip()
    n = len(segment.text)
    segment.marks = [(min(max(at - lead, 0), n), label) for at, label in segment.marks]
    segment.bold = min(max(segment.bold - lead, 0), n)
    return segment


def readable(text: str) -> str:
    """Text with ligatures taken apart, plain blanks and no invisible characters."""
    return text.translate(_TRANSLATE)


def _skew(lines: list[dict[str, Any]]) -> float:
    """Slope of the baselines of a scanned page (rise per point), 0 for born-digital text."""
    slopes = []
    for line in lines:
        spans = line["spans"]
        if len(spans) < 2:
            continue
        xa, ya = _middle(spans[0]), spans[0]["origin"][1]
        xb, yb = _middle(spans[-1]), spans[-1]["origin"][1]
        if xb - xa > 40 and abs(yb - ya) < 0.06 * (xb - xa):
            slopes.append((yb - ya) / (xb - xa))
    return median(slopes) if len(slopes) >= 3 else 0.0


def _rows(segments: list[Segment]) -> Iterator[list[Segment]]:
    """Group segments into visual rows, top to bottom, each left to right."""
    row: list[Segment] = []
    for segment in sorted(segments, key=lambda s: (s.baseline, s.x0)):
        if row:
            limit = 0.4 * min(segment.size or 8.0, row[0].size or 8.0)
            if segment.baseline - row[0].baseline > limit:
                yield sorted(row, key=lambda s: s.x0)
                row = []
        row.append(segment)
    if row:
        yield sorted(row, key=lambda s: s.x0)


def _joined(row: list[Segment]) -> list[Segment]:
    """Join neighbours that no wide gap parts; a change of type size parts them sooner."""
    out: list[Segment] = []
    for segment in row:
        if out:
            left = out[-1]
            gap = segment.x0 - left.x1
            alike = abs(left.size - segment.size) < 0.9
            if left.column == segment.column and gap < (1.0 if alike else 0.3) * max(
                left.size, segment.size, 1.0
            ):
                space = "" if gap < 0.12 * segment.size or left.text.endswith(" ") else " "
                at = len(left.text) + len(space)
                if left.bold >= len(left.text.rstrip()):
                    left.bold = at + segment.bold if segment.bold else left.bold
                left.marks += [(at + o, label) for o, label in segment.marks]
                left.italic = segment.italic if len(segment.text) > at else left.italic
                if len(segment.text) > at:
                    left.size = segment.size
                left.text += space + segment.text
                left.x1, left.y0 = max(left.x1, segment.x1), min(left.y0, segment.y0)
                left.y1 = max(left.y1, segment.y1)
                continue
        out.append(segment)
    return out


def _lines(page: dict[str, Any]) -> list[dict[str, Any]]:
    return [line for block in page["blocks"] for line in block.get("lines", ()) if line["spans"]]


def read_segments(textpage: pymupdf.TextPage, page: pymupdf.Page | None = None) -> list[Segment]:
    """All text of a page as segments in reading order, ``row`` numbered from 0.

    Parameters
    ----------
    page
        For the glyphs of a text layer, where letters may stand out of order; None for text of OCR.
    """
    lines = _lines(textpage.extractDICT())
    for script in scripts() if page is not None else ():
        if any(script.covers(span["text"]) for line in lines for span in line["spans"]):
            lines = script.in_order(_lines(textpage.extractRAWDICT()), page)
    skew = _skew(lines)
    placed = [(line, 0) for line in lines]
    if has_numbered_columns(lines):
        placed = split_lines(_lines(textpage.extractRAWDICT()))
    segments = []
    for line, column in placed:
        segment = _line_segment(line, skew)
        if segment is None:
            continue
        segment.column = column
        if _is_rule(segment):
            segment.role = "rule"
        elif segment.blank:
            continue
        segments.append(segment)
    return in_rows(segments)


def in_rows(segments: list[Segment]) -> list[Segment]:
    """Segments in reading order, neighbours joined, ``row`` numbered from 0."""
    out: list[Segment] = []
    for number, row in enumerate(_rows(segments)):
        ruled = [s for s in row if s.role == "rule"]
        inked = [s for s in row if s.role != "rule"]
        for segment in ruled[:1] if not inked else _joined(inked):
            segment.row = number
            out.append(_trim(segment))
    return out


def text_page(page: pymupdf.Page) -> pymupdf.TextPage:
    """The page's text layer with the flags this module relies on (images left out)."""
    from citegrain.tasks.core.mupdf import pymupdf  # as in document

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_MEDIABOX_CLIP
    return page.get_textpage(flags=flags)
