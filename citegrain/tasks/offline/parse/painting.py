"""A page's text as a reader sees it: painted, once, upright, under nothing, and column by column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from citegrain.tasks.offline.pages import Page, Segment

if TYPE_CHECKING:
    import pymupdf

Line = dict[str, Any]
Box = Sequence[float]

_FILLED, _STROKED = 16, 32  # of the flags of a character, as MuPDF has them
_WHITE = 0xF0  # least value of each colour that passes for the paper's
_OVERPRINTED = 0.12  # of the type size, between two paintings of a word
_CELL = 12.0  # points; a place is looked for among its neighbours, up to a type size of 100
_MOSTLY = 0.6  # share of the characters of a page that run one way
_TURNS = {(0, -1): 90, (-1, 0): 180, (0, 1): 270}
"""By the direction of its lines, by how much a page is turned to be read."""
_RECTANGLES, _RECTANGLE = re.compile(rb"\sre\b"), re.compile(rb"(-?[\d.]+) +(-?[\d.]+)\s+re$")
_OPERANDS = 64  # bytes
_TALL, _LONG = 6.0, 20.0  # of a filled rectangle that may cover a word

_UPRIGHT = 0.9  # cosine of the angle at which lines still run from left to right
_LONG_LINE, _FEWEST_SLOPES = 0.5, 3  # of the longest line; lines from whose slopes that of a page follows
_STRAIGHT = 0.004  # slope of a page that is not worth turning
_COVERED = 0.7  # of a page

_FEWEST = 6  # lines of a column
_GUTTER = 0.7  # sizes of type at least
_LINE = 0.7  # of a column's width, by its line of median length
_ALIKE = 0.75  # the narrower column, of the wider
_FULL, _SHARE = 0.85, 0.45  # of a column's width; share of its lines that are as long
_THIN = 3.0  # points, of a drawn line
_SHEETS = 0.3  # share of those with prose on both halves, where no line crosses the middle of any
_WORDS = 4  # of a line of median length: cells of a table have fewer
_EVEN, _REGULAR = 0.15, 0.65  # of the usual distance; share of the lines that have it or a paragraph's
_SHARED = 0.5  # of the shorter column, that stands beside the other
_ROWS, _FEW_ROWS = 0.8, 3  # of the gaps of the side of a table that has fewer
_STEP = 1.4  # leadings from which a gap parts two cells of a table


def span_text(span: dict[str, Any]) -> str:
    """Text of a span, of either of MuPDF's dictionaries."""
    return span["text"] if "text" in span else "".join(c["c"] for c in span["chars"])


def turned(page: pymupdf.Page, lines: Iterable[Line]) -> bool:
    """Turn a page whose text does not run as it is read; whether it was turned, and is to be read again."""
    ways: Counter[tuple[int, int]] = Counter()
    for line in lines:
        way = (round(line["dir"][0]), round(line["dir"][1]))
        ways[way] += sum(len(span_text(span).strip()) for span in line["spans"])
    (way, count), *_ = ways.most_common(1) or [((1, 0), 0)]
    if way not in _TURNS or count < _MOSTLY * ways.total():
        return False
    page.set_rotation(_TURNS[way])
    page.remove_rotation()
    return True


def is_scan(page: pymupdf.Page) -> bool:
    """Whether a picture covers most of a page: its text is a layer that some OCR laid over it."""
    if not page.get_images():
        return False
    area = page.rect.width * page.rect.height
    boxes = (image["bbox"] for image in page.get_image_info())
    return any((x1 - x0) * (y1 - y0) > _COVERED * area for x0, y0, x1, y1 in boxes)


def level(lines: list[Line], page: pymupdf.Page | None, characters: Callable[[], list[Line]]) -> list[Line]:
    """Lines of a page; of one that was scanned at an angle they are turned about the middle of the print.

    ``characters``: gives the lines with their characters. OCR may have set each word of a scan level.
    """
    turns = [line["dir"][1] / line["dir"][0] for line in lines if line["dir"][0] > _UPRIGHT]
    slope = median(turns) if turns else 0.0
    scanned = not slope and (page is None or is_scan(page))
    steps = sorted(_baselines(characters())) if scanned else []
    longest = [step for width, step in steps if width >= _LONG_LINE * steps[-1][0]]
    slope = median(longest) if len(longest) >= _FEWEST_SLOPES else slope
    if abs(slope) < _STRAIGHT:
        return lines
    cx, cy = (median((line["bbox"][k] + line["bbox"][k + 2]) / 2 for line in lines) for k in (0, 1))
    return [_turned_line(line, slope, cx, cy) for line in lines]


def _baselines(lines: Iterable[Line]) -> Iterator[tuple[float, float]]:
    """Width of each line and slope of its baseline, from the middle of its first word to that of its last."""
    for line in lines:
        chars = [char for span in line["spans"] for char in span["chars"]]
        words = [list(word) for blank, word in groupby(chars, key=lambda c: c["c"].isspace()) if not blank]
        if len(words) > 1:
            (xa, ya), (xb, yb) = (
                ((word[0]["bbox"][0] + word[-1]["bbox"][2]) / 2, word[0]["origin"][1])
                for word in (words[0], words[-1])
            )
            if xb > xa:
                yield xb - xa, (yb - ya) / (xb - xa)


def _turned_line(line: Line, slope: float, cx: float, cy: float) -> Line:
    spans = []
    for span in line["spans"]:
        x0, _, x1, _ = span["bbox"]
        baseline, up, down = span["origin"][1], *(span[k] * span["size"] for k in ("ascender", "descender"))
        word = len((span_text(span).split() or [" "])[0]) / max(1, len(span_text(span)))
        at = x0 if line["dir"][1] else x0 + word * (x1 - x0) / 2
        y = baseline - slope * (at - cx)
        near, far = (slope * (baseline + slope * (x - at) - cy) for x in (x0, x1))
        moved: Line = {"bbox": (x0 + near, y - up, x1 + far, y - down), "origin": (x0 + near, y)}
        if "chars" in span:
            boxes = ((c, c["bbox"]) for c in span["chars"])
            moved["chars"] = [c | {"bbox": (b[0] + near, b[1], b[2] + near, b[3])} for c, b in boxes]
        spans.append(span | moved)
    left, top, right, bottom = zip(*(span["bbox"] for span in spans), strict=True)
    return line | {"spans": spans, "bbox": (min(left), min(top), max(right), max(bottom))}


def painted_once(lines: list[Line]) -> list[Line]:
    """Lines without spans that are painted again at the same place, as some programs make type bold."""
    seen: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    again: set[int] = set()
    for line in lines:
        for span in line["spans"]:
            text = span_text(span).rstrip()
            if not text:
                continue
            x, y = span["origin"]
            reach = _OVERPRINTED * max(span["size"], 1.0)
            columns, rows = ({int((c + d) // _CELL) for d in (-reach, 0, reach)} for c in (x, y))
            near = ((text[:3], column, row) for column in columns for row in rows)
            for other in [other for cell in near for other in seen.get(cell, ())]:
                distances = (abs(a - b) for a, b in zip(span["origin"], other["origin"], strict=True))
                if id(other) not in again and max(distances) < reach:
                    before = span_text(other).rstrip()
                    if before.startswith(text):
                        again.add(id(span))
                    elif text.startswith(before):
                        again.add(id(other))
            if id(span) not in again:
                seen.setdefault((text[:3], int(x // _CELL), int(y // _CELL)), []).append(span)
    return _without(lines, again) if again else lines


def seen_lines(page: pymupdf.Page, lines: list[Line]) -> tuple[list[Line], int]:
    """Lines without what nobody sees, and the number of characters that are left out.

    Text is not seen that is neither filled nor stroked, is white on paper, or has an opaque rectangle painted
    over it. The text that OCR lays under a picture is kept: the picture shows it.
    """
    spans = [span for line in lines for span in line["spans"] if span_text(span).strip()]
    doubtful = [s for s in spans if not s.get("char_flags", _FILLED) & (_FILLED | _STROKED) or _is_white(s)]
    covers = _covers(page)
    if not doubtful and not covers:
        return lines, 0
    hidden = {id(span) for span in spans if any(_within(span["bbox"], cover) for cover in covers)}
    if doubtful:
        grounds = [image["bbox"] for image in page.get_image_info()]
        fills = ((d["rect"], d.get("fill")) for d in page.get_cdrawings())
        grounds += [rect for rect, fill in fills if fill is not None and min(fill) * 255 < _WHITE]
        hidden |= {id(s) for s in doubtful if not any(_within(s["bbox"], box) for box in grounds)}
    count = sum(len(span_text(span).strip()) for span in spans if id(span) in hidden)
    return (_without(lines, hidden) if hidden else lines), count


def _is_white(span: dict[str, Any]) -> bool:
    return all(span.get("color", 0) >> shift & 0xFF >= _WHITE for shift in (0, 8, 16))


def _covers(page: pymupdf.Page) -> list[Box]:
    """Boxes that are painted over text that was painted before; each hides what it holds."""
    if not any(abs(height) > _TALL and abs(width) > _LONG for width, height in _rectangles(page)):
        return []
    drawn = {d["seqno"]: d for d in page.get_cdrawings() if d.get("fill") and d.get("fill_opacity", 1) == 1}
    boxes = {n: d["rect"] for n, d in drawn.items() if all(item[0] in ("re", "qu") for item in d["items"])}
    wide = {n: b for n, b in boxes.items() if b[2] - b[0] > _LONG and b[3] - b[1] > _TALL}
    log = page.get_bboxlog() if wide else []  # which costs as much as the text itself
    texts = [(number, item[1]) for number, item in enumerate(log) if item[0].endswith("text")]
    return [b for n, b in wide.items() if any(_within(text, b) for at, text in texts if at < n)]


def _rectangles(page: pymupdf.Page) -> Iterator[tuple[float, float]]:
    """Width and height of the rectangles in the content of a page."""
    from citegrain.tasks.core.mupdf import FAULTS

    with suppress(*FAULTS):
        contents = page.read_contents()
        for match in _RECTANGLES.finditer(contents):
            if size := _RECTANGLE.search(contents, max(0, match.end() - _OPERANDS), match.end()):
                yield float(size[1]), float(size[2])


def _within(box: Box, other: Box) -> bool:
    """Whether the middle line of a box lies within another."""
    middle = (box[1] + box[3]) / 2
    return other[1] <= middle <= other[3] and other[0] - 1 <= box[0] and box[2] <= other[2] + 1


def _without(lines: list[Line], spans: set[int]) -> list[Line]:
    left = [line | {"spans": [s for s in line["spans"] if id(s) not in spans]} for line in lines]
    return [line for line in left if any(span_text(span).strip() for span in line["spans"])]


def two_up(pages: Sequence[Page]) -> bool:
    """Whether the sheets of a document show two pages of a book, side by side."""
    sheets = [page for page in pages if page.segments]
    prose = 0
    for page in sheets:
        middle = page.width / 2
        sides = [[s for s in page.segments if (s.x0 < middle) == left] for left in (True, False)]
        if page.width < page.height or any(s.x1 > middle for s in sides[0]):
            return False
        words = [[len(s.text.split()) for s in side if s.role != "rule"] for side in sides]
        prose += all(len(side) >= _FEWEST and median(side) >= _WORDS for side in words)
    return prose > _SHEETS * len(sheets)


def columns_of(lines: Sequence[Segment], page: pymupdf.Page | None) -> list[list[Segment]]:
    """Lines in groups that are read one after the other: what is above both columns, each, what is below.

    A page of one column, or a table, is one group. ``page``: for the rules that are drawn on it.
    """
    body = [line for line in lines if line.role != "rule" and line.text.strip()]
    for gutter in _gutters(body):
        levels = {round(line.baseline) for line in lines if line.x0 < gutter < line.x1}
        across = [line for line in lines if round(line.baseline) in levels]  # a head with its page number
        rest = [line for line in lines if round(line.baseline) not in levels]
        sides = [[s for s in rest if s.x1 <= gutter], [s for s in rest if s.x0 >= gutter]]
        left, right = ([s for s in side if s.role != "rule" and s.text.strip()] for side in sides)
        if not _are_columns(left, right):
            continue
        top = min(line.y0 for line in (*left, *right))
        bottom = max(line.y1 for line in (*left, *right))
        if any(top < (line.y0 + line.y1) / 2 < bottom for line in across):
            continue
        if page is not None and _is_ruled(page, gutter, top, bottom):
            continue
        above, below = ([line for line in across if (line.y1 <= top + 1) == side] for side in (True, False))
        return [group for group in (above, *sides, below) if group]
    return [list(lines)]


def _is_ruled(page: pymupdf.Page, gutter: float, top: float, bottom: float) -> bool:
    """Whether lines are drawn across the gutter between two columns, as between the rows of a table."""
    boxes = (drawing["rect"] for drawing in page.get_cdrawings())
    flat = (box for box in boxes if box[3] - box[1] < _THIN and box[0] < gutter < box[2])
    return any(top < box[1] < bottom for box in flat)


def _gutters(body: Sequence[Segment]) -> list[float]:
    """Places between lines that begin and lines that end, the most crowded first."""
    if len(body) < 2 * _FEWEST:
        return []
    left, right = min(line.x0 for line in body), max(line.x1 for line in body)
    starts = sorted({round(line.x0, 1) for line in body if left + 0.3 * (right - left) < line.x0})
    count = {x: sum(abs(line.x0 - x) < 1 for line in body) for x in starts}
    likely = sorted((x for x in starts if count[x] >= _FEWEST / 2), key=lambda x: -count[x])
    return [x - 1 for x in likely[:3]]


def _are_columns(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Whether lines on both sides of a gutter are prose that is read downwards."""
    if min(len(left), len(right)) < _FEWEST:
        return False
    widths, spans = [], []
    for side in (left, right):
        x0, x1 = min(line.x0 for line in side), max(line.x1 for line in side)
        if median(line.x1 - line.x0 for line in side) < _LINE * (x1 - x0):
            return False
        if sum(line.x1 - line.x0 >= _FULL * (x1 - x0) for line in side) < _SHARE * len(side):
            return False
        if median(len(line.text.split()) for line in side) < _WORDS:
            return False
        widths.append(x1 - x0)
        spans.append((min(line.y0 for line in side), max(line.y1 for line in side)))
    leadings = [_leading(side) for side in (left, right)]
    shared = min(spans[0][1], spans[1][1]) - max(spans[0][0], spans[1][0])
    distance = min(line.x0 for line in right) - max(line.x1 for line in left)
    return (
        distance >= _GUTTER * median(line.size for line in left)
        and min(widths) >= _ALIKE * max(widths)
        and shared >= _SHARED * min(b - a for a, b in spans)
        and 0 < max(leadings) <= (1 + _EVEN) * min(leadings)
        and not _is_table(left, right)
    )


def _is_table(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Whether gaps stand beside gaps: cells of a row begin together, paragraphs of two columns do not."""
    steps = sorted((_steps(side) for side in (left, right)), key=len)
    level = sum(any(abs(y - other) < 2 for other in steps[1]) for y in steps[0])
    return level >= _FEW_ROWS and level >= _ROWS * min(map(len, steps))


def _gaps(side: Sequence[Segment]) -> tuple[dict[float, float], float]:
    """(distance of each line to the one before, by its place; the usual distance within paragraphs)."""
    tops = sorted({round(line.baseline, 1) for line in side})
    gaps = {b: b - a for a, b in pairwise(tops) if b - a > 1}
    return gaps, sorted(gaps.values())[len(gaps) // 4] if gaps else 0.0


def _leading(side: Sequence[Segment]) -> float:
    """Usual distance of two lines; 0 where the lines of a column have none, as cells of a table."""
    gaps, usual = _gaps(side)
    alike = sum((1 - _EVEN) * usual < gap < _STEP * usual for gap in gaps.values())
    return usual if alike >= _REGULAR * len(gaps) else 0.0


def _steps(side: Sequence[Segment]) -> list[float]:
    """Where a line stands further below the one before than most do."""
    gaps, usual = _gaps(side)
    return [y for y, gap in gaps.items() if gap > _STEP * usual]
