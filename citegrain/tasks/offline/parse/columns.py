"""Whether a page is set in two columns of prose, and in which order its lines are read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from citegrain.tasks.offline.pages import Segment

if TYPE_CHECKING:
    import pymupdf

_FEWEST = 6  # lines of a column
_GUTTER = 8.0  # points at least
_FILLED = 0.7  # of a column's width, by its line of median length
_ALIKE = 0.75  # the narrower column, of the wider
_FULL, _SHARE = 0.85, 0.45  # of a column's width; share of its lines that are as long
_THIN = 3.0  # points, of a drawn line
_WORDS = 4  # of a line of median length: cells of a table have fewer
_EVEN, _REGULAR = 0.15, 0.65  # of the usual distance of two lines; share of the lines that have it
_SHARED = 0.5  # of the shorter column, that stands beside the other
_ROWS, _FEW_ROWS = 0.8, 3  # of the gaps of the side of a table that has fewer
_STEP = 1.4  # leadings from which a gap parts two cells of a table


def columns_of(lines: Sequence[Segment], page: pymupdf.Page | None) -> list[list[Segment]]:
    """Lines in groups that are read one after the other: what is above both columns, each, what is below.

    A page of one column, or a table, is one group. ``page``: for the rules that are drawn on it.
    """
    body = [line for line in lines if line.role != "rule" and line.text.strip()]
    for gutter in _gutters(body):
        left = [line for line in body if line.x1 <= gutter]
        right = [line for line in body if line.x0 >= gutter]
        if not _are_columns(left, right):
            continue
        top = min(line.y0 for line in (*left, *right))
        bottom = max(line.y1 for line in (*left, *right))
        across = [line for line in lines if line.x0 < gutter < line.x1]
        if any(top < (line.y0 + line.y1) / 2 < bottom for line in across):
            continue
        if page is not None and _is_ruled(page, gutter, top, bottom):
            continue
        above, below = ([line for line in across if (line.y1 <= top + 1) == side] for side in (True, False))
        sides = [[s for s in lines if s.x1 <= gutter], [s for s in lines if s.x0 >= gutter]]
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
    return [x - _GUTTER / 2 for x in likely[:3]]


def _are_columns(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Whether lines on both sides of a gutter are prose that is read downwards."""
    if min(len(left), len(right)) < _FEWEST:
        return False
    widths, spans = [], []
    for side in (left, right):
        x0, x1 = min(line.x0 for line in side), max(line.x1 for line in side)
        if median(line.x1 - line.x0 for line in side) < _FILLED * (x1 - x0):
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
        distance >= _GUTTER
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


def _leading(side: Sequence[Segment]) -> float:
    """Usual distance of two lines; 0 where the lines of a column have none, as cells of a table."""
    tops = sorted({round(line.baseline, 1) for line in side})
    gaps = [b - a for a, b in pairwise(tops) if b - a > 1]
    usual = median(gaps) if gaps else 0.0
    alike = sum(abs(gap - usual) < _EVEN * usual for gap in gaps)
    return usual if gaps and alike >= _REGULAR * len(gaps) else 0.0


def _steps(side: Sequence[Segment]) -> list[float]:
    """Where a line stands further below the one before than most do."""
    tops = sorted({round(line.baseline, 1) for line in side})
    gaps = [b - a for a, b in pairwise(tops) if b - a > 1]
    usual = median(gaps) if gaps else 0.0
    return [b for a, b in pairwise(tops) if b - a > _STEP * usual]
