"""From the ``lines`` table to visual rows, the unit the structure is read from, and to a running text."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from citegrain.tasks.core.tables import grouped
from citegrain.tasks.law.numbers import roman
from citegrain.tasks.offline.structure import hindi

_SPACES = re.compile(r"\s+")

MARKER = re.compile(
    r"^[\[(“\"'‘*\s]*(?:\((?:\d{1,3}[A-Z]{0,2}|[a-z]{1,5}|[A-Z]{1,4})\)|"
    r"\([अ-ह]{1,2}\)|(?:Provided|Explanations?|Exceptions?|Illustrations?)\b|\*\W*\*|STATE AMEND)"
    rf"|^{hindi.PART_WORD}"
)
"""How a row opens a sub-section, a clause, a proviso or an explanation."""
_ENDS_PARAGRAPH = re.compile(hindi.ENDS + r"|[.:;?!—–\])”\"-]\s*$|\b(?:and|or)\s*$|\*\s*$")
_OPEN_END = re.compile(r"[,;]$|\b(?:and|or|the|of|to|in|by|a|shall|which|such)$")
FULL = 1.82  # sizes of type from the right edge to where a row ends that fills the column
_TAB, _FIRST_LINE, _SHORT = 2.73, 0.73, 5.45  # sizes of type between cells, of an indent, of a last line
_SHIFTED = 0.087  # of the width of the column: further a page is not shifted
_LAST_WORD = re.compile(r"(?<![A-Za-z])([A-Za-z]+)-$")
_FIRST_WORD = re.compile(r"^([a-z]+)")
_BLANK_ROW = 1.6  # sizes of type from row to row; without a blank row they are 1.3 apart
_WORDS = re.compile(r"[A-Za-z][A-Za-z-]*[A-Za-z]")


@dataclass(slots=True)
class Row:
    """One visual row of running text.

    ``bold`` counts the leading characters of ``text`` that are bold; ``marks`` are
    footnote marks as (offset in text, label); ``cells`` are left edge, right edge and
    text of its segments where there are several. Coordinates in points. ``printed``: page and row
    of ``lines`` that it was read from; a record of a table has several.
    """

    page: int
    x0: float
    x1: float
    y0: float
    size: float
    bold: int
    italic: bool
    text: str
    marks: list[tuple[int, str]] = field(default_factory=list)
    cells: tuple[tuple[float, float, str], ...] = ()
    centred: bool = False
    indent: float = 0.0
    printed: tuple[tuple[int, int], ...] = ()

    @property
    def tabular(self) -> bool:
        """Whether its cells stand far apart, not only spread by justification."""
        return any(b[0] - a[1] > _TAB * self.size for a, b in pairwise(self.cells))

    @property
    def alone(self) -> bool:
        """Whether it is no row of a paragraph."""
        return self.centred or self.tabular


@dataclass(slots=True)
class MarginLine:
    """A line of a marginal note: page, top edge, which margin, text."""

    page: int
    y0: float
    left: bool
    text: str


@dataclass(slots=True)
class PageText:
    """Everything the structure is read from: running rows, footnote rows, lines of marginal notes.

    ``paragraphs``: a blank row parts two paragraphs, and nothing else does.
    """

    rows: list[Row]
    footnotes: list[Row]
    margins: list[MarginLine]
    body_size: float
    left: float
    right: float
    paragraphs: bool = False


class _Segment(NamedTuple):
    x0: float
    x1: float
    y0: float
    size: float
    bold: int
    italic: bool
    text: str
    marks: list[dict[str, Any]]


def _folded(segment: _Segment) -> tuple[str, int, list[tuple[int, str]]]:
    """Text of a segment with white space folded; its bold prefix and its marks moved along."""
    raw = segment.text
    text = _SPACES.sub(" ", raw)
    if text == raw:
        return text, segment.bold, [(m["offset"], m["label"]) for m in segment.marks]

    def moved(offset: int) -> int:
        return min(len(_SPACES.sub(" ", raw[:offset])), len(text))

    return text, moved(segment.bold), [(moved(m["offset"]), m["label"]) for m in segment.marks]


def _merge(printed: tuple[int, int], segments: list[_Segment]) -> Row:
    parts: list[str] = []
    marks: list[tuple[int, str]] = []
    bold, bold_open, length = 0, True, 0
    for segment in segments:
        text, segment_bold, segment_marks = _folded(segment)
        if parts:
            length += 1
        marks += [(length + offset, label) for offset, label in segment_marks]
        if bold_open and segment_bold:
            bold = length + segment_bold
        if segment_bold < len(text.rstrip()):
            bold_open = False
        parts.append(text)
        length += len(text)
    longest = max(segments, key=lambda s: len(s.text))
    cells = tuple((s.x0, s.x1, text) for s, text in zip(segments, parts, strict=True))
    return Row(
        printed[0],
        segments[0].x0,
        max(s.x1 for s in segments),
        segments[0].y0,
        longest.size,
        bold,
        longest.italic,
        " ".join(parts),
        marks,
        cells if len(cells) > 1 else (),
        printed=(printed,),
    )


_CITED = re.compile(r"^\W*\d{1,3} of \d{4}\W*$")
_NEAR = 1.2  # of the size of running text, from one line of a note to the next
_LEGIBLE = 0.55  # of the size of running text; what is smaller is the small print of a digital signature


def _margin_lines(rows: list[Row], middle: float, body_size: float) -> list[MarginLine]:
    """Lines of the margin with headings; the numbers of cited Acts (``45 of 1860.``) are left out.

    On each page the notes stand on one side; the other side is for the numbers of cited Acts. A heading may
    end with one: ``Amendment of Act 25 of 1946.``
    """
    lines = [
        MarginLine(r.page, r.y0, x0 < middle, text)
        for r in rows
        if r.size >= _LEGIBLE * body_size
        for x0, _, text in (r.cells or ((r.x0, r.x1, r.text),))
        if text
    ]
    lines = [
        line for above, line in pairwise([None, *lines]) if line and not _is_cited(line, above, body_size)
    ]
    sides: Counter[tuple[int, bool]] = Counter((line.page, line.left) for line in lines)
    return [line for line in lines if sides[line.page, line.left] >= sides[line.page, not line.left]]


def _is_cited(line: MarginLine, above: MarginLine | None, body_size: float) -> bool:
    """Whether a line of the margin is the number of a cited Act, and no end of a heading above it."""
    goes_on = above is not None and above.left == line.left and above.text.endswith(("Act", "Acts"))
    near = above is not None and above.page == line.page and line.y0 - above.y0 < _NEAR * body_size
    return bool(_CITED.match(line.text)) and not (goes_on and near)


_STARRED = re.compile(r"(?<![\d*])(\d{1,2})\*(?=\s?[\[*A-Za-z(“\"])")


def _take_star_marks(rows: list[Row]) -> None:
    """Plain-text editions write marks as ``1*[India]``: take them out as raised marks are."""
    if sum(bool(_STARRED.search(r.text)) for r in rows) < 5:
        return
    for row in rows:
        removed = 0
        for match in _STARRED.finditer(row.text):
            row.marks.append((match.start() - removed, match[1]))
            removed += len(match[0])
        if removed:
            row.text = _STARRED.sub("", row.text)


def read_rows(
    lines: pa.Table, body_size: float, first_page: int, last_page: int, paragraphs: bool = False
) -> PageText:
    """Rows of the pages ``first_page`` to ``last_page`` of one document.

    ``body_size``: type size of its running text, points. ``paragraphs``: as :class:`PageText` has it.
    """
    columns = lines.select(["page", "row", "role", *_Segment._fields]).to_pydict()
    roles = ("body", "footnote", "margin_note")
    segments: dict[str, dict[tuple[int, int], list[_Segment]]] = {role: {} for role in roles}
    for page, row, role, *values in zip(*columns.values(), strict=True):
        if role in segments and first_page <= page <= last_page:
            segments[role].setdefault((page, row), []).append(_Segment(*values))
    rows = {role: [_merge(printed, s) for printed, s in by_row.items()] for role, by_row in segments.items()}
    body = [r for r in rows["body"] if r.text or r.marks]
    left, right = _margins(body)
    _place(body, left, right)
    _take_star_marks(body)
    _take_names(body, paragraphs)
    lines = _margin_lines(rows["margin_note"], (left + right) / 2, body_size)
    return PageText(body, rows["footnote"], lines, body_size, left, right, paragraphs)


_WITH_UNIT = re.compile(
    r"^\W{0,3}(?:(?:Section|SECTION|Sec|SEC|Article|ARTICLE|Art|ART)\b\.?|S\.)\s*(?P<number>\d{1,3}|[IVXLC]+)"
    r"(?P<letters>-?[A-Z]{0,2})(?![A-Za-z])(?=\s*[.:—–-]|\s*$|\s+[A-Z])"
)
_ROMAN = re.compile(r"^\W{0,3}(?P<number>[IVXLC]+)(?P<letters>-?[A-H]?)(?=\.(?:\s*[—–-]|\s+[“\"‘(\[]?[A-Z]))")
_PLAIN = re.compile(r"^\W{0,3}(\d{1,3})[A-Z]{0,2}\s?\.(?!\d)")
_FEWEST_UNITS, _MOST_UNITS = 3, 0.6  # numbers that run; their share of all that rows begin with


def _take_names(rows: list[Row], paragraphs: bool) -> None:
    """Numbers such as ``Section 3.``, ``S. 3.``, ``Article III``, ``XII.``: leave them as ``3.``.

    ``paragraphs``: where lines are paragraphs, a heading in bold type is enough; else the numbers must run.
    """
    matches = [(row, match) for row in rows if (match := _WITH_UNIT.match(row.text))]
    numbers = [_number(match) for _, match in matches]
    plain = [int(match[1]) for row in rows if (match := _PLAIN.match(row.text))]
    runs = _run(numbers) >= max(_FEWEST_UNITS, _MOST_UNITS * len(set(numbers)), 1 + _run(plain))
    if not runs:  # Roman numbers alone head lists, Chapters and forms, too
        bare = [(row, match) for row in rows if (match := _ROMAN.match(row.text))]
        run = _run([_number(match) for _, match in bare])
        if run >= max(2 * _FEWEST_UNITS, _MOST_UNITS * len(bare), 2 * len(set(plain))):
            matches, runs, paragraphs = bare, True, False
    for row, match in matches:
        if runs or (paragraphs and row.bold >= len(row.text) - 1):
            number = f"{_number(match)}{match['letters']}"
            removed = match.end() - len(number)
            row.text, row.bold = number + row.text[match.end() :], max(0, row.bold - removed)
            row.marks = [(max(0, offset - removed), label) for offset, label in row.marks]


def _run(numbers: Sequence[int]) -> int:
    """How far numbers count from 1, whatever stands between."""
    last = 0
    for number in numbers:
        last += number == last + 1
    return last


def _number(match: re.Match[str]) -> int:
    number = match["number"]
    return int(number) if number.isdecimal() else roman(number)


def _margins(rows: list[Row]) -> tuple[float, float]:
    """Usual left and right edge of the column of text, points."""
    if not rows:
        return 72.0, 540.0
    rights = Counter(round(r.x1) for r in rows if len(r.text) > 40)
    right = float(rights.most_common(1)[0][0]) if rights else max(r.x1 for r in rows)
    lefts = Counter(round(r.x0) for r in rows if len(r.text) > 40)
    common = lefts.most_common(4)
    left = float(min(x for x, n in common if n >= 0.15 * common[0][1])) if common else min(r.x0 for r in rows)
    return left, right


def _place(rows: list[Row], left: float, right: float) -> None:
    """Set ``centred`` and ``indent``, page by page (facing pages may be shifted)."""
    width = max(right - left, 1.0)
    for page in grouped((row.page, row) for row in rows).values():
        full = [r for r in page if r.x1 - r.x0 > 0.8 * width and len(r.text) > 40]
        edge = min((r.x0 for r in full), default=left)
        far = max((r.x1 for r in full), default=right)
        edge = edge if abs(edge - left) < _SHIFTED * width else left
        far = far if abs(far - right) < _SHIFTED * width else right
        middle = (edge + far) / 2
        for row in page:
            row.indent = row.x0 - edge
            row.centred = abs((row.x0 + row.x1) / 2 - middle) < 0.06 * width and row.indent > 0.1 * width


@dataclass(slots=True)
class RunningText:
    """Text of an Act with the span of each row: ``starts[i]`` to ``ends[i]``, characters."""

    text: str
    starts: list[int]
    ends: list[int]
    pages: list[tuple[int, int]]

    def page_at(self, offset: int) -> int:
        """1-based page on which the character at ``offset`` stands."""
        at = bisect_right(self.pages, offset, key=lambda page: page[1]) - 1
        return self.pages[max(0, at)][0] if self.pages else 1


def join_rows(rows: Sequence[Row], breaks: set[int], right: float, paragraphs: bool = False) -> RunningText:
    """Join rows into running text.

    Rows of one paragraph are joined by a space, or without their hyphen where the
    document has the word unbroken elsewhere. Paragraphs are parted by one line break,
    provisions (``breaks``: rows that begin one) by a blank line. ``paragraphs``: a blank row parts them.
    """
    vocabulary = _vocabulary(rows)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    pages: list[tuple[int, int]] = []
    length = 0
    previous: Row | None = None
    for i, row in enumerate(rows):
        if previous is not None:
            is_parted = row.page != previous.page or row.y0 - previous.y0 > _BLANK_ROW * row.size
            if i in breaks:
                joint = "\n\n"
            elif is_parted if paragraphs else _new_paragraph(previous, row, right):
                joint = "\n"
            else:
                joint, dropped = _joint(previous.text, row.text, vocabulary)
                if dropped:
                    pieces[-1] = pieces[-1][:-1]
                    length -= 1
                    ends[-1] = length
            pieces.append(joint)
            length += len(joint)
        if not pages or pages[-1][0] != row.page:
            pages.append((row.page, length))
        starts.append(length)
        pieces.append(row.text)
        length += len(row.text)
        ends.append(length)
        previous = row
    return RunningText("".join(pieces), starts, ends, pages)


def _vocabulary(rows: Sequence[Row]) -> set[str]:
    """Words of the document, less those at line ends (they may be broken)."""
    words: set[str] = set()
    for row in rows:
        complete = _WORDS.findall(row.text)[: -1 if row.text.endswith("-") else None]
        words.update(word.lower() for word in complete)
    return words


def _joint(a: str, b: str, vocabulary: set[str]) -> tuple[str, bool]:
    """What stands between two rows of a paragraph, and whether the hyphen of ``a`` goes."""
    left = _LAST_WORD.search(a)
    right = _FIRST_WORD.match(b) if left else None
    if not left or not right:
        return ("", False) if a.endswith("-") and b[:1].isalnum() and a[-2:-1].isalnum() else (" ", False)
    word = (left[1] + right[1]).lower()
    hyphened = f"{left[1]}-{right[1]}".lower()
    return "", word in vocabulary and hyphened not in vocabulary


def breaks_off(row: Row) -> bool:
    """Whether a row ends before its sentence does."""
    return not _ENDS_PARAGRAPH.search(row.text)


def ends_open(row: Row, right: float) -> bool:
    """Whether the last row of a text says that more must follow: it fills the column, or lists, or joins."""
    text = row.text.rstrip(" ])”’\"'")
    full = row.x1 > right - FULL * row.size and row.text[-1:].islower()
    return bool(_OPEN_END.search(text)) or (full and not row.centred and not row.cells)


def _new_paragraph(previous: Row, row: Row, right: float) -> bool:
    if row.alone or previous.alone:
        return True
    ended = bool(_ENDS_PARAGRAPH.search(previous.text))
    if MARKER.match(row.text):
        return ended or row.text.startswith(
            ("Provided", "Explanation", "Illustration", "Exception", *hindi.PARTS)
        )
    indented = row.page == previous.page and row.indent > previous.indent + _FIRST_LINE * row.size
    short = previous.x1 < right - _SHORT * previous.size
    return ended and (indented or short)
