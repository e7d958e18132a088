"""Running heads, running feet and marginal print: what a page prints because the page before did.

A row at the edge of a page is *running* where its words, or its page number, go on over pages at the same
height. What they say does not count: a Part's name changes from Part to Part, left and right pages differ.
Body text does not run: where it begins on most pages, a row that happens to repeat (the head of a table,
``STATE AMENDMENT``) stays text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from statistics import median

from rapidfuzz import fuzz

from citegrain.tasks.offline.pages import Segment, outer_numbers

PAGE_NUMBER = re.compile(r"^[\s\-–—\[(|]*(?:\d{1,4}|[ivxlc]{1,7})[\s\-–—\])|]*$", re.IGNORECASE)
_WORDY = re.compile(r"(?:[^\W\d_][\W\d_]*){4}|^\W*[A-Za-z]{1,3}\.\s?\d")
_MASKED = str.maketrans("0123456789_", "########## ")
_LONG_PIECE = 4  # words
_ROWS = 4  # at an edge of a page that may run
_DEEP = 0.16  # of the height of what is printed in which they stand
_MARGIN = 0.12  # of the height of the block of the text, above and below it on a usual sheet
_OUTERMOST = 0.1  # share of the pages that may begin further out
_NEIGHBOURS = 3  # pages before a row on which its like is looked for
_ALIKE = 88  # similarity of rows that say the same, in percent: OCR reads a head in several ways
_LONG = 15  # characters
_FEWEST = 3  # pages
_PURE = 0.75  # share of the rows in a place that must run for others there to count as running
_MIXED = 0.5  # the same for those that are known to run
_INSIDE = 0.4  # of its type size: what is no further out than that belongs to the text
_COMMON = 0.25  # share of the pages on which a row runs at whatever height
_OUTSIDE = 0.05  # share of the pages that may begin their text further out
_LEVEL = 4.0  # points by which the height of a running row may differ from page to page
_FAR_IN = 0.3  # of the width of the column: further in than a paragraph begins
_SHORT = 0.15  # further from its end than a line of a paragraph that is not justified
_SLIGHT = 0.05
_LOOSE = 1.5  # of its type size: baselines further apart than those of a paragraph

Column = tuple[float, float]
"""Left and right edge of the running text, points."""


@dataclass(frozen=True, slots=True)
class PageRows:
    """The segments of a page grouped by visual row, top to bottom."""

    rows: list[list[Segment]]
    height: float

    @property
    def body(self) -> list[list[Segment]]:
        """Its rows of running text, without what else stands on them."""
        rows = ([s for s in row if s.role == "body"] for row in self.rows)
        return [row for row in rows if row]


def row_text(row: list[Segment]) -> str:
    """The text of a row."""
    return " ".join(s.text for s in row)


def _shape(text: str) -> str:
    """A text with digits masked: what repeats from page to page."""
    masked = text.lower().translate(_MASKED)
    while "##" in masked:
        masked = masked.replace("##", "#")
    return " ".join(masked.split())


@dataclass(slots=True)
class _Row:
    """A row near an edge: ``away`` is how far its baseline is from where print begins, ``place`` its rank."""

    page: int
    place: int
    segments: list[Segment]
    away: float
    text: str
    shape: str
    shapes: set[str]
    runs: bool = False

    @property
    def wordy(self) -> bool:
        """Whether it has words, not numbers alone."""
        return bool(_WORDY.search(self.text))


class _Places:
    """On which pages a text stands, by height."""

    def __init__(self, rows: Iterable[_Row]) -> None:
        self.pages: dict[tuple[str, int], set[int]] = defaultdict(set)
        for row in rows:
            for shape in row.shapes:
                self.pages[shape, round(row.away / _LEVEL)].add(row.page)

    def like(self, row: _Row) -> set[int]:
        """Pages on which it, or a long piece of it, stands at about the same height."""
        at = round(row.away / _LEVEL)
        near = (self.pages.get((s, at + d), set()) for s in row.shapes for d in (-1, 0, 1))
        return set().union(*near)


class _Slots:
    """At which heights rows run, on whatever pages any stand there."""

    def __init__(self, rows: Iterable[_Row]) -> None:
        by_height = sorted(rows, key=lambda r: r.away)
        self.heights = [r.away for r in by_height]
        self.running = [0, *accumulate(r.runs for r in by_height)]

    def run(self, row: _Row, share: float) -> bool:
        """Whether at least ``share`` of the rows at the height of this one run."""
        first = bisect_left(self.heights, row.away - _LEVEL)
        last = bisect_right(self.heights, row.away + _LEVEL)
        running = self.running[last] - self.running[first]
        return running >= _FEWEST and running >= share * (last - first)


class _Edge:
    """The rows at one edge of all pages, outermost first."""

    def __init__(self, pages: Sequence[PageRows], top: bool, spared: Callable[[str], object]) -> None:
        origin, deep = _printed(pages, top)
        self.pages = [list(_near_edge(number, page, top, origin, deep)) for number, page in enumerate(pages)]
        worded = [r for page in self.pages for r in page if r.wordy and not spared(r.text)]
        worded = _not_inside(worded, pages)
        self.common = self._common(worded)
        self._level_pages()
        self._mark_repeated(worded)
        self._mark_numbered(worded)
        self.slots = _Slots(worded)
        self.ranges = [self._range(place) for place in range(_ROWS)]
        self.frame = self._frame()

    def _frame(self) -> float:
        """How far from the edge text begins: below their heads where most pages have some."""
        headed = [page for page in self.pages if page and self._expected(page[0])]
        pages = headed if len(headed) >= _MIXED * len(self.pages) else self.pages
        firsts = sorted(next((r.away for r in page if not self._expected(r)), inf) for page in pages)
        return firsts[int(_OUTSIDE * len(firsts))] if firsts else 0.0

    def _level_pages(self) -> None:
        """Shift pages to the same height, as the first row of their heads has it: scans are cut anyhow."""
        firsts = [page for page in self.pages if page and self._is_known(page[0])]
        usual = median(page[0].away for page in firsts) if firsts else 0.0
        self.shifted = 0.0
        for page in firsts:
            shift = usual - page[0].away
            self.shifted = max(self.shifted, abs(shift))
            for row in page:
                row.away += shift

    def _is_known(self, row: _Row) -> bool:
        return bool(PAGE_NUMBER.match(row.text) or row.shapes & self.common)

    def _common(self, worded: Sequence[_Row]) -> set[str]:
        """Shapes that stand at this edge on many pages, at whatever height."""
        counts = Counter(s for r in worded if r.place < _ROWS - 1 for s in r.shapes)
        least = max(_FEWEST, _COMMON * len(self.pages))
        return {shape for shape, n in counts.items() if n >= least}

    def _mark_repeated(self, worded: Sequence[_Row]) -> None:
        """Rows whose words stand in the same place on a page close by, or at the same height on several."""
        places, latest = _Places(worded), deque[_Row]()
        for row in worded:
            while latest and latest[0].page < row.page - _NEIGHBOURS:
                latest.popleft()
            for other in latest:
                placed = other.place == row.place or abs(other.away - row.away) <= _LEVEL
                if placed and other.page < row.page and _alike(row.shape, other.shape):
                    row.runs = other.runs = True
            latest.append(row)
        for row in worded:
            row.runs |= len(places.like(row)) >= _FEWEST

    def _mark_numbered(self, worded: Sequence[_Row]) -> None:
        """Rows that begin or end with the page's number: it grows as the pages do."""
        numbers = [(row, n - row.page) for row in worded for n in outer_numbers(row.text)]
        offsets = Counter(offset for _, offset in numbers)
        for row, offset in numbers:
            row.runs |= offsets[offset] >= 2 * _FEWEST

    def _range(self, place: int) -> tuple[float, float]:
        """Heights between which the rows of a place run, if nearly all do: scans are shifted.

        Half of them are enough where nearly all stand apart from the text: scans are misread, too.
        """
        pages = [page[place:] for page in self.pages if len(page) > place]
        running = sorted(row.away for row, *_ in pages if row.runs)
        loose = sum(not inner or _is_loose(row, inner[0]) for row, *inner in pages) >= _PURE * len(pages)
        if len(running) < max(_FEWEST, (_MIXED if loose else _PURE) * len(pages)):
            return 0.0, 0.0
        spare, spread = len(running) // 20, _LEVEL + self.shifted * loose  # what is misread was not shifted
        return running[spare] - spread, running[-1 - spare] + spread

    def _in_range(self, row: _Row) -> bool:
        first, last = self.ranges[row.place]
        return first <= row.away <= last

    def _expected(self, row: _Row) -> bool:
        """Whether what stands where a row does runs, whatever it says."""
        return self._is_known(row) or self._in_range(row) or self.slots.run(row, _PURE)

    def rows(self, page: int, column: Column | None) -> Iterator[tuple[_Row, bool]]:
        """The running rows of a page from the outermost inwards, and whether each is a page number alone."""
        before = False
        rows = self.pages[page]
        for row, inner in zip(rows, [*rows[1:], None][: len(rows)], strict=True):
            # a lone V, C or (4) inside the text is the number of a form, of a Part, of a sub-section
            inside = (row.text.isalpha() or row.text[0] == "(") and row.away >= self.frame
            number = bool(PAGE_NUMBER.match(row.text)) and not inside
            outside = row.away < self.frame - _INSIDE * row.segments[0].size
            loose = inner is None or _is_loose(row, inner)
            is_apart = _set_apart(row.segments, column)
            pure, mixed = self.slots.run(row, _PURE), self.slots.run(row, _MIXED)
            if row.runs:
                slot = (is_apart or loose) and (self._in_range(row) or (mixed and (outside or before)))
            else:
                below = before and (outside or mixed)
                slot = is_apart and loose and (self._in_range(row) or (outside and pure) or below)
            if not (number or slot or row.shapes & self.common):
                return
            yield row, number
            before = True


def _is_loose(row: _Row, inner: _Row) -> bool:
    """Whether a row is further from the next than those of a paragraph are from each other."""
    return inner.away - row.away > _LOOSE * row.segments[0].size


def _set_apart(row: list[Segment], column: Column | None) -> bool:
    """Whether a row does not fill the column, as the lines of a paragraph do but for the last."""
    if column is None or len(row) > 1:
        return True
    width = column[1] - column[0]
    before, behind = (row[0].x0 - column[0]) / width, (column[1] - row[0].x1) / width
    centred = before > _SLIGHT and abs(before - behind) < _SLIGHT
    return before > _FAR_IN or behind > _SHORT or centred


def _alike(a: str, b: str) -> bool:
    """Whether two texts say the same; short ones, as ``part i`` and ``part ii``, only letter by letter."""
    return a == b or (min(len(a), len(b)) >= _LONG and fuzz.ratio(a, b) >= _ALIKE)


def _not_inside(rows: Sequence[_Row], pages: Sequence[PageRows]) -> list[_Row]:
    """Rows without those whose words stand inside pages as well, and not once or twice alone."""
    counts = Counter(r.shape for r in rows)
    again = [r.text for r in rows if counts[r.shape] > 1]
    # most rows inside begin and end otherwise, and need no more than a look
    begins, ends = {text[:4] for text in again}, {text[-4:] for text in again}
    inside = Counter(
        _shape(row_text(row))
        for page in pages
        for row in page.rows[_ROWS:-_ROWS]
        if row[0].text[:4] in begins or row[-1].text[-4:] in ends
    )
    return [r for r in rows if inside[r.shape] < max(_FEWEST, _PURE * counts[r.shape])]


def _printed(pages: Sequence[PageRows], top: bool) -> tuple[float, float]:
    """Where a sheet would end that the block of the text fills, and how far in from there a row may run.

    In points from the edge of the sheet: the block may stand anywhere on it.
    """
    rows = [(p.height, [r[0].baseline for r in p.body]) for p in pages]
    tops = sorted(baselines[0] for _, baselines in rows if baselines)
    feet = sorted(height - baselines[-1] for height, baselines in rows if baselines)
    if not tops:
        return 0.0, 0.0
    height = median(height for height, baselines in rows if baselines)
    first, last = (edge[int(_OUTERMOST * len(edge))] for edge in (tops, feet))
    margin = _MARGIN * (height - first - last)
    first, last = max(0.0, first - margin), max(0.0, last - margin)
    return (first if top else last), _DEEP * (height - first - last)


def _near_edge(number: int, page: PageRows, top: bool, origin: float, deep: float) -> Iterator[_Row]:
    rows = page.body
    for place, segments in enumerate(rows[:_ROWS] if top else reversed(rows[-_ROWS:])):
        away = (segments[0].baseline if top else page.height - segments[0].baseline) - origin
        if away < deep:
            text = row_text(segments).strip()
            # the ends of a running head may differ: its longer pieces count like the whole
            pieces = {p for s in segments if len((p := _shape(s.text)).split()) >= _LONG_PIECE}
            yield _Row(number, place, segments, away, text, _shape(text), {_shape(text)} | pieces)


def mark_edges(
    pages: Sequence[PageRows], columns: Sequence[Column | None], spared: Callable[[str], object]
) -> None:
    """Give running heads and feet and page numbers their role.

    ``columns``: left and right edge of the running text of each page, where they are known. ``spared``: says
    of a text that it never runs: footnotes repeat each other.
    """
    for top, role in ((True, "header"), (False, "footer")):
        edge = _Edge(pages, top, spared)
        for number, column in enumerate(columns):
            for row, is_number in edge.rows(number, column):
                for segment in row.segments:
                    segment.role = "page_number" if is_number else role


def mark_line_numbers(pages: Sequence[PageRows], columns: Sequence[Column | None]) -> None:
    """Give the numbers of lines beside the text the role of a foot: down a page they grow by one step."""
    widest = _widest(columns)
    on_pages = [[s for s in beside_text(page, widest) if s.text.strip().isdecimal()] for page in pages]
    steps = {int(numbers[0].text) for numbers in on_pages if len(numbers) >= _FEWEST and _count(numbers)}
    for numbers in on_pages:
        if numbers and int(numbers[0].text) in steps and _count(numbers):
            for segment in numbers:
                segment.role = "footer"


def _count(numbers: Sequence[Segment]) -> bool:
    """Whether numbers are 5, 10, 15, or grow by another step from itself on."""
    values = [int(s.text) for s in numbers]
    return values == [values[0] * n for n in range(1, len(values) + 1)]


def _widest(columns: Sequence[Column | None]) -> Column | None:
    """Left and right edge of the running text of any page; None: no page has any."""
    settled = [column for column in columns if column]
    few = len(settled) // 50
    lefts, rights = sorted(c[0] for c in settled), sorted(c[1] for c in settled)
    return (lefts[few], rights[-1 - few]) if settled else None


def mark_margins(pages: Sequence[PageRows], columns: Sequence[Column | None]) -> None:
    """Give what is printed beside the text of page after page, at the same height, the role of a foot.

    Marginal notes differ from page to page; labels of Parts and numbers of lines do not.
    """
    widest = _widest(columns)
    printed = [
        _Row(number, 0, [s], s.baseline, s.text, s.text, {s.text.strip().lower()})
        for number, page in enumerate(pages)
        for s in beside_text(page, widest)
    ]
    places = _Places(printed)
    for row in printed:
        row.runs = row.wordy and any(0 < abs(n - row.page) < _NEIGHBOURS for n in places.like(row))
    slots, least = _Slots(printed), max(_FEWEST, _COMMON * len(pages))
    for row in printed:
        if slots.run(row, _MIXED) or len(places.like(row)) >= least:
            row.segments[0].role = "footer"


def beside_text(page: PageRows, column: Column | None) -> Iterator[Segment]:
    """Segments that stand wholly left or right of the running text of a page."""
    if column:
        left, right = column[0] + 1, column[1] - 1
        body = (s for row in page.rows for s in row if s.role == "body")
        yield from (s for s in body if s.x1 <= left or s.x0 >= right)
