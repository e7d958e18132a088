"""Sub-sections, clauses, provisos, explanations and illustrations within a provision."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.core.script import ascii_digits, latin_letter
from citegrain.tasks.law.numbers import order_of, roman
from citegrain.tasks.offline.structure import hindi

_MARK = re.compile(r"^[\[“\"'‘*\s]*\((?P<mark>\d{1,3}[A-Z]{0,2}|[a-z]{1,6}|[A-Z]{1,4}|[अ-ह]{1,2})\)")
_SECOND = re.compile(r"^[\s\[]*\((?P<mark>[a-z]{1,4}|[ivx]{1,4}|[अ-ह]{1,2})\)")
_WORD = re.compile(
    r"^[\[“\"'‘*\s]*(?:(?P<word>Provided|Explanation|Exception|Illustration)s?\b"
    rf"|(?P<hindi>{hindi.PART_WORD}))"
    r"(?:\s*(?P<num>[IVX]{1,4}|\d{1,2}[A-Z]?)\b)?",
)
_ENDS = re.compile(r"[.:;,?!—–\])”\"*-]\s*$|\b(?:and|or|namely|that|means|by|is)\s*$|" + hindi.ENDS)
_KINDS = {
    "Provided": "proviso",
    "Explanation": "explanation",
    "Exception": "proviso",
    "Illustration": "illustration",
}

Path = tuple[tuple[str, str], ...]
"""A chain of (name, number), outermost first."""


@dataclass(slots=True)
class Part:
    """A subdivision: offsets are into the text given; ``path`` is the chain of (name, number)."""

    kind: str
    path: Path
    start: int
    text_start: int
    end: int


@dataclass(slots=True)
class _Level:
    style: str
    last: str
    part: Part


def _styles(mark: str) -> list[str]:
    """Ways to count that a mark can belong to, most likely first."""
    if mark[0].isdigit():
        return ["digit"]
    if mark.islower():
        numeral = roman(mark)
        single = len(mark) == 1
        doubled = len(mark) <= 3 and (len(set(mark)) == 1 or len(mark) == 2)
        styles = ["alpha"] if single or doubled else []
        if numeral:
            styles.append("roman")
        return styles
    if mark.isupper():
        if len(mark) > 1 and roman(mark):
            return ["Roman"]
        return ["Alpha"] if len(mark) <= 2 else []
    return []


_FIRST = {"digit": ("1", "1A"), "alpha": ("a",), "Alpha": ("A",), "roman": ("i",), "Roman": ("I",)}


def _succeeds(style: str, last: str, mark: str) -> int:
    """0 if ``mark`` cannot come after ``last``; else 1 for the very next, 2 for a later one."""
    if style == "digit":
        a, b = order_of(last), order_of(mark)
        if b <= a or b[0] > a[0] + 6:
            return 0
        return 1 if b[0] <= a[0] + 1 else 2
    if style.lower() == "roman":
        a_, b_ = roman(last), roman(mark)
        return 0 if b_ <= a_ or b_ > a_ + 6 else (1 if b_ == a_ + 1 else 2)
    low, high = last.lower(), mark.lower()
    if len(high) == len(low) == 2 and low[0] == low[1] and high[0] == high[1]:  # aa, bb, cc after z
        return 1 if ord(high[0]) == ord(low[0]) + 1 else 0
    if low == "z" and high == "aa":
        return 1
    if high <= low:
        return 0
    if high.startswith(low) or high[0] == low[0]:  # b, ba, bb
        return 1
    step = ord(high[0]) - ord(low[0])
    if len(high) > 1:  # d after ca; da without d
        return 1 if step <= 1 else 0
    return 1 if step == 1 else (2 if step <= 6 else 0)


_NAMES = {"digit": "subsec", "alpha": "para", "roman": "subpara", "Alpha": "item", "Roman": "item"}
_ARTICLE_NAMES = _NAMES | {"digit": "clause", "alpha": "subclause"}


def subdivide(
    rows: Sequence[tuple[int, int, str]], text_start: int, end: int, *, article: bool, opened: bool = False
) -> list[Part]:
    """Subdivisions of a provision, in reading order.

    Parameters
    ----------
    rows
        (start, end, text) of each row of the provision, offsets in the running text; the first
        row is cut to begin at the text proper.
    text_start, end
        Span of the text proper.
    article
        Whether the provision is an Article, whose (1) is a clause, not a sub-section.
    opened
        Whether its mark (1) stands before its heading, and so before ``text_start``.
    """
    reader = _Reader(text_start, end, article=article)
    if opened:
        reader.open("digit", "1", "subsection", (reader.names["digit"], "1"), text_start, text_start)
    for start, row_end, text in rows:
        reader.take(start, row_end, text)
    return reader.finished()


def _counted(mark: re.Match[str] | None) -> str:
    """A mark as an English edition has it: (a) of (क), (1) of (१)."""
    return latin_letter(ascii_digits(mark["mark"])) if mark else ""


class _Reader:
    """Subdivisions read so far, and those still open, outermost first."""

    def __init__(self, text_start: int, end: int, *, article: bool) -> None:
        self.end = end
        self.article = article
        self.names = _ARTICLE_NAMES if article else _NAMES
        self.parts: list[Part] = []
        self.stack: list[_Level] = []
        self.counts: Counter[tuple[Path, str]] = Counter()
        self.previous = ""
        self.last_end = text_start

    def take(self, start: int, end: int, text: str) -> None:
        """Read the next row: a proviso or explanation, markers, or neither."""
        ended = not self.previous or bool(_ENDS.search(self.previous))
        word = _WORD.match(text)
        opened = word and (word["word"] or hindi.PARTS[word["hindi"]])
        if word and opened and (ended or opened == "Provided"):
            self._block(opened, ascii_digits(word["num"] or ""), start)
        elif ended:
            self._markers(start, text)
        self.previous = text
        self.last_end = end

    def finished(self) -> list[Part]:
        """All subdivisions that hold text, in reading order."""
        self._close(0, self.end)
        return [p for p in self.parts if p.end > p.start]

    def _block(self, word: str, number: str, start: int) -> None:
        self._close(_block_depth(self.stack), self.last_end)
        self.counts[self._path(), word] += 1
        count = self.counts[self._path(), word]
        name = "proviso" if word == "Provided" else word.lower()
        self.open("block", word, _KINDS[word], (name, number or str(count)), start, start)

    def _markers(self, start: int, text: str) -> None:
        """Open the part of each marker that a row begins with: ``(1)(a)`` opens two."""
        offset = 0
        mark = _MARK.match(text)
        number = _counted(mark)
        illustrated = any(level.last == "Illustration" for level in self.stack)
        while mark and not (illustrated and not number[0].isdigit()):
            place = _place(self.stack, number)
            if place is None:
                break
            depth, style = place
            self._close(depth, self.last_end)
            kind = "subsection" if style == "digit" and not self.article and not self.stack else "clause"
            step = (self.names[style], number)
            self.open(style, number, kind, step, start + offset, start + offset + mark.end())
            offset += mark.end()
            mark = _SECOND.match(text[offset:])
            number = _counted(mark)

    def _path(self) -> Path:
        return self.stack[-1].part.path if self.stack else ()

    def open(
        self, style: str, mark: str, kind: str, step: tuple[str, str], start: int, text_start: int
    ) -> None:
        """Open a part within those that are open; ``step``: its name and number."""
        part = Part(kind, (*self._path(), step), start, text_start, self.end)
        self.parts.append(part)
        self.stack.append(_Level(style, mark, part))

    def _close(self, depth: int, at: int) -> None:
        while len(self.stack) > depth:
            self.stack.pop().part.end = at


def _block_depth(stack: list[_Level]) -> int:
    """Level that a proviso or an explanation belongs to: the nearest sub-section, else the whole."""
    for depth, level in enumerate(stack):
        if level.style == "block":
            return depth
    return next((d + 1 for d, level in enumerate(stack) if level.style == "digit"), 0)


def _place(stack: list[_Level], mark: str) -> tuple[int, str] | None:
    """Depth at which ``mark`` opens and its way of counting; None if it is no marker here."""
    styles = _styles(mark)
    best: tuple[int, int, str] | None = None
    for depth in range(len(stack) - 1, -1, -1):
        level = stack[depth]
        if level.style in styles:
            rank = _succeeds(level.style, level.last, mark)
            if rank and (best is None or rank < best[0]):
                best = (rank, depth, level.style)
    starts = [s for s in styles if mark in _FIRST[s] and all(level.style != s for level in stack)]
    if best and (best[0] == 1 or not starts):
        return best[1], best[2]
    return (len(stack), starts[0]) if starts else None
