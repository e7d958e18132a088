"""Paragraphs, headings and rows of tables, as styles and tags set them, and their layout on pages.

The stages behind read type and position. So each block is a row of its own whose position says what its
style says: a heading is centred, a list is indented, cells stand apart, and one blank row parts two blocks.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from citegrain.tasks.offline.pages import Page, PageStatus, Segment
from citegrain.tasks.offline.parse import page_status, readable

BODY_SIZE, NOTE_SIZE = 11.0, 9.0
_WIDTH, _LEFT, _RIGHT = 595.0, 72.0, 523.0
_LETTER = 5.0  # how wide a letter counts, points
_PITCH = 14.0
_INDENT, _DEEPEST = 12.0, 3  # a level of a list; more than 36 points could be taken for centred
_GAP = 36.0  # between cells: structure takes more than 30 points for a table
_ROW_CHARS = 2_000  # of a row: what is longer goes on below
_MARK = re.compile(r"[\[(]?([0-9]{1,3}|[*†‡§¶#]{1,3})[\])]?")
_MEASURE = re.compile(r"\d\s*(?:[kcdm]?m|ft|in)$")  # before a raised 2 or 3
_OUTLINE = re.compile(r"^\W*(?:\d|\([a-z0-9]{1,4}\))", re.IGNORECASE)
_LABEL = re.compile(r"\(?[0-9A-Za-z]{1,5}[.)]{0,2}\]?")
# controls of C1; UTF-8 read as Windows-1252, once or twice; quotes of old Macs read so
_MISREAD = re.compile("[\x80-\x9f\ufffd]|â€|Ã[\xa0-\xbf]|(?<=[a-z])Õ(?=[a-z])|Ò(?=\\w)|(?<=[\\w.,])Ó(?!\\w)")
_SPACES = re.compile(r"\s+")
_QUOTED, _PLACES = 60, 3  # of a warning: characters of a text, places of a reason
STRUCK = "deleted or struck out, so not law"
HIDDEN = "hidden, so not read"
GLOSS = "ruby above words, not read"


@dataclass(slots=True)
class Block:
    """A paragraph, a heading or a row of a table."""

    text: str
    level: int = 0  # of a heading, 1 the highest
    centred: bool = False
    bold: int = 0  # leading characters that are
    italic: bool = False
    indent: int = 0  # levels of lists around it
    marks: list[tuple[int, str]] = field(default_factory=list)  # raised: offset in the text, label
    cells: tuple[str, ...] = ()  # of a row of a table, whose text is then empty
    notes: list[str] = field(default_factory=list)  # to which its marks point
    opens_page: bool = False  # whether the file begins a page here
    role: str = "body"

    def numbered(self, number: str) -> Block:
        """The block with its number before it, as bold as its first word."""
        lead = len(number) + 1
        marks = [(lead + at, label) for at, label in self.marks]
        text, bold = f"{number} {self.text}", self.bold and lead + self.bold
        return replace(self, text=text, bold=bold, marks=marks)


class LeftOut:
    """What of a document is not read: places, or the first words, by reason."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, reason: str, place: str) -> None:
        """Add a place, as a heading or a page names it."""
        self._places.setdefault(reason, []).append(place)

    def words(self, reason: str, text: str, place: str = "") -> None:
        """Add a text, by its first words."""
        text = _SPACES.sub(" ", readable(text)).strip()
        if text:
            self.add(reason, f"{place} “{textwrap.shorten(text, _QUOTED, placeholder=' ...')}”".strip())

    def sentences(self) -> list[str]:
        """One a reason, with the first of its places."""
        return [
            f"{reason}: {', '.join(places[:_PLACES])}"
            + (f" and {len(places) - _PLACES} more" if len(places) > _PLACES else "")
            for reason, places in self._places.items()
        ]


def from_windows(text: str) -> str:
    """Characters U+0080 to U+00FF as the bytes of Windows-1252; what that lacks stays."""
    return "".join(c.encode("latin-1").decode("cp1252", "ignore") or c for c in text)


def mended(blocks: Iterable[Block], left_out: LeftOut) -> Iterator[Block]:
    """Blocks without control characters of C1: a sign of a wrong encoding, they are read as Windows-1252."""

    def mend(text: str) -> str:
        right = _MISREAD.sub(lambda m: from_windows(m[0]) if m[0][0] < "\xa0" else m[0], text)
        for sign in _MISREAD.finditer(text):
            around = _MISREAD.sub("\ufffd", right[max(0, sign.start() - 20) : sign.end() + 20])
            left_out.words("signs of a wrong encoding, check the words", around, f"U+{ord(sign[0][0]):04X}")
        return right

    for block in blocks:
        block.text, block.cells = mend(block.text), tuple(map(mend, block.cells))
        block.notes = list(map(mend, block.notes))
        yield block


class Inline:
    """The text of a block under construction, white space folded."""

    def __init__(self, left_out: LeftOut | None = None) -> None:
        self._left_out = left_out or LeftOut()
        self._lost: dict[tuple[int, str], str] = {}  # by offset and reason
        self._parts: list[str] = []
        self.length = 0
        self._bold = 0
        self._bold_open = True
        self._italic = 0
        self._ends_blank = True
        self.marks: list[tuple[int, str]] = []

    def add(
        self, text: str, *, bold: bool = False, italic: bool = False, raised: bool = False, left_out: str = ""
    ) -> None:
        """Add a run of text; a raised number or star is a footnote mark.

        ``left_out``: why it is no text of the document, as STRUCK; it is then reported instead.
        """
        if left_out:
            at = self.length, left_out
            self._lost[at] = self._lost.get(at, "") + text
            return
        text = _SPACES.sub(" ", readable(text))
        mark = _MARK.fullmatch(text.strip()) if raised else None
        if mark and not (mark[1] in ("2", "3") and _MEASURE.search("".join(self._parts[-2:]))):
            self.marks.append((self.length, mark[1]))
            return
        if text[:1] in ("/", "⁄") and self.marks and self.marks[-1][0] == self.length:
            text = self.marks.pop()[1] + text  # a fraction
        if text == " " and self._lost:
            self._lost = {
                at: lost + text if at[0] == self.length else lost for at, lost in self._lost.items()
            }
        if self._ends_blank:
            text = text.lstrip()
        if not text:
            return
        self._ends_blank = text.endswith(" ")
        if self._bold_open and text.strip():
            if bold:
                self._bold = self.length + len(text.rstrip())
            elif any(c.isalnum() for c in text):
                self._bold_open = False
        self._italic += len(text) if italic else 0
        self._parts.append(text)
        self.length += len(text)

    def block(self) -> Block | None:
        """The block; None if it has neither text nor mark."""
        for (_, reason), lost in self._lost.items():
            self._left_out.words(reason, lost)
        text = "".join(self._parts).rstrip()
        if not text and not self.marks:
            return None
        n = len(text)
        marks = [(min(at, n), label) for at, label in self.marks]
        return Block(text, bold=min(self._bold, n), italic=2 * self._italic > n, marks=marks)


def row_blocks(cells: Sequence[Sequence[Block]]) -> Iterator[Block]:
    """A row of a table, from the blocks of its cells.

    Tables that only place text are undone: a cell alone in its row, a number beside its paragraph, and cells
    of several paragraphs give these paragraphs.
    """
    filled = [list(cell) for cell in cells if cell]
    texts = [" ".join(_text(block) for block in cell) for cell in filled]
    numbered = len(filled) == 2 and _LABEL.fullmatch(texts[0]) and any(len(_text(b)) > 60 for b in filled[1])
    if numbered and not filled[1][0].cells:
        number, (first, *more) = filled[0][0], filled[1]
        joined = first.numbered(texts[0])
        bold = len(texts[0]) + 1 + first.bold if number.bold else 0
        yield replace(joined, bold=bold, marks=number.marks + joined.marks)
        yield from more
    elif len(filled) == 1 or any(len(cell) > 1 and len(_text(cell[0])) > 60 for cell in filled):
        for cell in filled:
            yield from cell
    elif filled:
        notes = [note for cell in filled for block in cell for note in block.notes]
        yield Block("", cells=tuple(" ".join(_text(b) for b in cell) for cell in cells), notes=notes)


def _text(block: Block) -> str:
    return " ".join(filter(None, block.cells)) if block.cells else block.text


class _Sheet:
    """A page that is being filled."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.segments: list[Segment] = []
        self.notes: list[str] = []
        self.chars = 0
        self._row = 0
        self._y = 72.0

    def add(self, block: Block) -> None:
        """Set a block below the others, a blank row above it."""
        self.notes += block.notes
        self._y += _PITCH
        if block.cells:
            self._set(list(_placed_cells(block.cells)))
            return
        x0, x1 = _edges(block)
        bold = len(block.text) if block.level else block.bold
        size = BODY_SIZE + max(0, 4 - block.level) * bool(block.level)
        at = 0
        for piece in _pieces(block.text):
            marks = [(o - at, label) for o, label in block.marks if at <= o < at + len(piece) + 1]
            part = max(0, min(bold - at, len(piece)))
            segment = Segment(x0, 0, x1, 0, 0, size, part, block.italic, piece, marks, role=block.role)
            self._set([segment])
            at += len(piece) + 1

    def _set(self, segments: list[Segment]) -> None:
        """Set a row of segments."""
        for segment in segments:
            segment.y0, segment.y1, segment.baseline = self._y, self._y + segment.size, self._y + segment.size
            segment.row = self._row
            self.chars += len(segment.text)
        self.segments += segments
        self._row += 1
        self._y += _PITCH

    def page(self) -> Page:
        """The page, its footnotes below."""
        for note in self.notes:
            self._y += _PITCH
            self._set([Segment(_LEFT, 0, _RIGHT, 0, 0, NOTE_SIZE, 0, False, note, role="footnote")])
        status = page_status(self.segments, has_image=False, by_ocr=False)
        status = status if self.segments else PageStatus("blank", "no text")
        return Page(self.number, _WIDTH, self._y + 72.0, self.segments, status)


def _edges(block: Block) -> tuple[float, float]:
    """Left and right edge of a block, points."""
    wide = _LETTER * len(block.text)
    if block.centred or (block.level and not _OUTLINE.match(block.text)):
        half, middle = min(wide, 0.7 * (_RIGHT - _LEFT)) / 2, (_LEFT + _RIGHT) / 2
        return middle - half, middle + half
    left = _LEFT + _INDENT * min(block.indent, _DEEPEST)
    return left, _RIGHT if len(block.text) > 40 else min(_RIGHT, left + wide)


def _placed_cells(cells: Sequence[str]) -> Iterator[Segment]:
    """Cells side by side, each in its column; empty ones leave a gap."""
    column = (_RIGHT - _LEFT + _GAP) / len(cells)
    for at, text in enumerate(cells):
        if text:
            x0 = _LEFT + column * at
            x1 = min(x0 + _LETTER * len(text), max(x0 + 1.0, x0 + column - _GAP))
            yield Segment(x0, 0, x1, 0, 0, BODY_SIZE, 0, False, text)


def _pieces(text: str) -> Iterator[str]:
    """A text cut at blanks into pieces that are not too long to be one row."""
    while len(text) > _ROW_CHARS:
        cut = text.rfind(" ", 1, _ROW_CHARS + 1)
        cut = cut if cut > 0 else _ROW_CHARS
        yield text[:cut]
        text = text[cut:].removeprefix(" ")
    yield text


def lay_out(blocks: Iterable[Block], chars: float) -> Iterator[Page]:
    """Blocks on pages: where the file begins one, before a heading of level 1, after ``chars`` characters."""
    sheet = _Sheet(1)
    for at, block in enumerate(blocks):
        full = sheet.segments and (block.level == 1 or sheet.chars >= chars)
        if full or (block.opens_page and at):
            yield sheet.page()
            sheet = _Sheet(sheet.number + 1)
        if block.text or block.cells or block.marks:
            sheet.add(block)
    yield sheet.page()
