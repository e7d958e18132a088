"""From one page of a PDF to the segments of text on it, with their layout.

A *segment* is a run of text on one visual row without a wide gap; cells of a
table are segments of one row. Raised footnote marks are taken out of the text
and kept beside it with their offset, because ``12[124A. Sedition`` is section
124A with mark 12 and only size and position tell the two apart.

MuPDF joins cells that stand close into one line. Where a page prints the numbers
of the columns of a table above them (1, 2, 3 ... in the Schedules of the Codes),
their left edges follow from the numbers, and a line that runs over an edge is cut
there, at a character.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from citegrain.tasks.offline.document import scripts
from citegrain.tasks.offline.pages import PAINTED, REPEATED, RULES, SIDEWAYS, UNSEEN, Segment, n_printed
from citegrain.tasks.offline.parse.painting import (
    columns_of,
    level,
    painted_once,
    seen_lines,
    span_text,
    turned,
)

if TYPE_CHECKING:
    import pymupdf

_FEWEST = 4
_NEAR, _CENTRED, _WIDE, _LEVEL = 0.25, 0.5, 1.2, 0.3  # sizes of the type of the numbers of columns
_STACKED = 3
Line = dict[str, Any]

_SUPERSCRIPT, _ITALIC, _BOLD = 1, 2, 16
_WIDEST = 200  # spaces between two words of a row: of 51 Acts none has more than 131
_SAME_SIZE = 0.082  # of the larger
_SMALL_CAPITALS = 0.65  # of the size of the capitals beside them, at least
_GAP = re.compile(rf" {{{_WIDEST},}}")
_RULE_CHARS = frozenset("_-–—=─⎯―. ")
_MARK_CHARS = frozenset("0123456789*†‡§¶#@")


def _numbers(lines: list[Line]) -> list[Line]:
    """The lines that number the columns of a page, 1, 2, 3, 4 or more side by side, if there are any."""
    digits = [line for line in lines if (text := _text(line)).isdigit() and len(text) <= 2]
    for line in digits:
        level = [d for d in digits if abs(d["bbox"][1] - line["bbox"][1]) < _LEVEL * _size(line)]
        level.sort(key=lambda d: d["bbox"][0])
        if len(level) >= _FEWEST and [int(_text(d)) for d in level] == list(range(1, len(level) + 1)):
            return level
    return []


def split_lines(lines: list[Line]) -> list[tuple[Line, int]]:
    """(line, column) of each line of a page that numbers its columns; column 0 above the numbers.

    ``lines``: lines with characters, as MuPDF's raw dictionary has them.
    """
    joined_lines = [_joined_words(line, line["spans"]) for line in lines]
    level = _numbers([line for line in joined_lines if line["spans"]])
    if not level:
        return [(line, 0) for line in joined_lines if line["spans"]]
    middles, size = [_centre(number) for number in level], _size(level[0])
    bottom = max(number["bbox"][3] for number in level) - _LEVEL * size
    edges = _edges([line for line in joined_lines if line["bbox"][1] > bottom], middles, size)
    out: list[tuple[Line, int]] = []
    for line, joined in zip(lines, joined_lines, strict=True):
        if not edges or joined["bbox"][1] < bottom:
            out.append((joined, 0))
        else:
            out += [(piece, _column(piece, edges, middles, size)) for piece in _pieces(line, edges, size)]
    return [(line, column) for line, column in out if line["spans"]]


def _edges(lines: list[Line], middles: list[float], size: float) -> list[float]:
    """Left edge of each column, between its number and the one before; none if one cannot be determined.

    An edge is the leftmost place at which several lines begin; centred lines begin further right. Where
    all lines of a column are joined to those left of it, it is the place at which most words begin.
    """
    below = [line for line in lines if _text(line)]
    begins = Counter(round(line["bbox"][0]) for line in below)
    words = Counter(round(x) for line in below for x in _word_starts(line))
    if not begins:
        return []
    edges = [float(min(begins))]
    for left, right in pairwise(middles):
        centred = [
            line["bbox"][0]
            for line in below
            if left < line["bbox"][0] <= right and abs(_centre(line) - right) < _CENTRED * size
        ]
        if len(centred) >= _STACKED:
            edges.append(min(centred))
            continue
        stacked = [x for x, count in begins.items() if left < x <= right and count >= _STACKED]
        scattered = Counter({x: count for x, count in words.items() if left < x <= right})
        if not stacked and not scattered:
            return []
        edges.append(float(min(stacked) if stacked else scattered.most_common(1)[0][0]))
    return edges


def _word_starts(line: Line) -> Iterator[float]:
    previous = " "
    for span in line["spans"]:
        for char in span["chars"]:
            if previous.isspace() and not char["c"].isspace():
                yield char["bbox"][0]
            previous = char["c"]


def _column(line: Line, edges: list[float], middles: list[float], size: float) -> int:
    """Column of a piece: the last whose edge it has passed, or the one under whose number it is centred.

    A centred cell that is wider than the others of its column begins left of the column's edge.
    """
    begins = line["bbox"][0]
    column = max((k for k, e in enumerate(edges, 1) if begins >= e - _NEAR * size), default=1)
    if column < len(middles) and abs(begins - edges[column - 1]) > _NEAR * size:
        middle = _centre(line)
        if abs(middle - middles[column]) < _CENTRED * size:
            return column + 1
    return column


def _size(line: Line) -> float:
    return float(line["spans"][0]["size"])


def _centre(line: Line) -> float:
    return float(line["bbox"][0] + line["bbox"][2]) / 2


def _pieces(line: Line, edges: list[float], size: float) -> list[Line]:
    """A line cut before each character that begins at an edge behind white space, or behind a wide gap."""
    pieces: list[list[dict[str, Any]]] = [[]]
    previous = " "
    inked, ink_end = False, line["bbox"][0]
    for span in line["spans"]:
        chars: list[dict[str, Any]] = []
        for char in span["chars"]:
            gap = char["bbox"][0] - ink_end
            begins = gap > _WIDE * size or any(abs(char["bbox"][0] - e) < _NEAR * size for e in edges[1:])
            if begins and inked and previous.isspace() and not char["c"].isspace():
                if chars:
                    pieces[-1].append(span | {"chars": chars})
                pieces.append([])
                chars, inked = [], False
            chars.append(char)
            previous = char["c"]
            if not char["c"].isspace():
                inked, ink_end = True, char["bbox"][2]
        if chars:
            pieces[-1].append(span | {"chars": chars})
    return [_joined_words(line, spans) for spans in pieces if spans]


def _joined_words(line: Line, spans: list[dict[str, Any]]) -> Line:
    """A line of ``spans``, each with the text and the box of its characters."""
    filled = []
    for span in spans:
        if characters := span["chars"]:
            boxes = [c["bbox"] for c in characters if not c["c"].isspace()] or [c["bbox"] for c in characters]
            box = (min(b[0] for b in boxes), span["bbox"][1], max(b[2] for b in boxes), span["bbox"][3])
            filled.append(span | {"text": "".join(c["c"] for c in characters), "bbox": box})
    if not filled:
        return line | {"spans": []}
    filled = [s for s in filled if s["text"].strip()] or filled
    x0, x1 = min(s["bbox"][0] for s in filled), max(s["bbox"][2] for s in filled)
    return line | {"spans": filled, "bbox": (x0, line["bbox"][1], x1, line["bbox"][3])}


def _text(line: Line) -> str:
    return "".join(span["text"] for span in line["spans"]).strip()


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
    largest = max((s["size"] for s in spans if s["text"].strip()), default=0.0)
    for span in spans:
        small_capitals = span["text"].isupper() and span["size"] >= _SMALL_CAPITALS * largest
        size = largest if small_capitals else span["size"]
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
        text = _GAP.sub(" " * _WIDEST, span["text"].translate(PAINTED))
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


def _skew(lines: list[dict[str, Any]]) -> float:
    """Slope of the baselines left in the words of a scan (rise per point), 0 for born-digital text."""
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
            larger = max(left.size, segment.size)
            widest = 1.0 if abs(left.size - segment.size) < _SAME_SIZE * larger else 0.3
            if left.column == segment.column and gap < widest * max(larger, 1.0):
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


def _n_chars(lines: list[dict[str, Any]]) -> int:
    return len("".join("".join(span_text(s) for n in lines for s in n["spans"]).translate(PAINTED).split()))


def read_segments(
    textpage: pymupdf.TextPage, page: pymupdf.Page | None = None
) -> tuple[list[Segment], Counter[str]]:
    """(segments in reading order, ``row`` numbered from 0; characters of the layer left out, by reason).

    ``page``: for what is painted of a text layer, and how; None for text of OCR.
    """
    lines, left_out = _lines(textpage.extractDICT()), Counter[str]()
    if page is not None and turned(page, lines):
        textpage = text_page(page)
        lines = _lines(textpage.extractDICT())
    for script in scripts() if page is not None else ():
        if any(script.covers(span["text"]) for line in lines for span in line["spans"]):
            lines = script.in_order(_lines(textpage.extractRAWDICT()), page)
    numbered = bool(_numbers(lines))
    if numbered:
        lines = _lines(textpage.extractRAWDICT())
    printed = before = _n_chars(lines)
    once = painted_once(lines)
    seen = once if page is None else seen_lines(page, once)[0]
    for reason, fewer, more in ((REPEATED, once, lines), (UNSEEN, seen, once)):
        if fewer is not more:
            left_out[reason] = before - (before := _n_chars(fewer))
    lines = level(seen, page, lambda: _lines(textpage.extractRAWDICT()))
    placed = split_lines(lines) if numbered else [(line, 0) for line in lines]
    skew = _skew([line for line, _ in placed])
    segments = []
    for line, column in placed:
        segment = _line_segment(line, skew)
        if segment is None:
            left_out[SIDEWAYS] += _n_chars([line])
            continue
        segment.column = column
        if _is_rule(segment):
            segment.role = "rule"
        elif segment.blank:
            continue
        segments.append(segment)
    rows = in_rows(segments, columns_of(segments, page))
    left_out[RULES] = printed - left_out.total() - n_printed(rows)
    return rows, +left_out


def in_rows(segments: list[Segment], columns: Sequence[list[Segment]] = ()) -> list[Segment]:
    """Segments in reading order, neighbours joined, ``row`` numbered from 0.

    ``columns``: the segments in groups that are read one after the other, if there are several.
    """
    out: list[Segment] = []
    rows = (row for column in columns or [segments] for row in _rows(column))
    for number, row in enumerate(rows):
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
