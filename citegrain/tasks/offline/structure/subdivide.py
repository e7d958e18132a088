"""Sub-sections, clauses, provisos, explanations and illustrations within a provision."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.core.words import ascii_digits, latin_letter
from citegrain.tasks.law.numbers import order_of, roman
from citegrain.tasks.offline.structure import hindi

_MARK = re.compile(
    r"^(?:\d{1,2}\s*(?=\[))?[\[“\"'‘*\s]*\((?P<mark>\d{1,3}[A-Z]{0,2}|[a-z]{1,6}|[A-Z]{1,4}|[अ-ह]{1,2})\)"
    # not what is cited, as in "clauses (a) and (b) of section 3", where a row begins there
    r"(?!\s*(?:[,;)]|(?:and|or|to)\s*\(|of\s+(?:sub-)?(?:section|clause|article|rule|regulation|paragraph)))"
)
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
_OPENS_LIST = re.compile(r"[:—–-]\s*[\"”]?$")
_INSERTS = re.compile(r"\b(?:inserted|substituted|added|namely)\W*$")
_LEFT_OUT = re.compile(r"\*\W*\*\W*$")  # its first items, maybe
_MISREAD = re.compile(r"^\W{0,3}\([/|Il]\)")  # (1), of a section that begins with it
_SAME_INDENT = 6.0  # points

Path = tuple[tuple[str, str], ...]
"""A chain of (name, number), outermost first."""


@dataclass(slots=True)
class Part:
    """A subdivision: offsets are into the text given; ``path`` is the chain of (name, number)."""

    kind: str
    name: str
    number: str  # empty: counted
    start: int
    text_start: int
    end: int
    parent: Part | None
    path: Path = ()


@dataclass(slots=True)
class _Level:
    style: str
    last: str
    part: Part
    indent: float


def _styles(mark: str) -> list[str]:
    """Ways to count that a mark can belong to, most likely first."""
    if mark[0].isdigit():
        return ["digit"]
    if mark.islower():
        styles = ["alpha"] if len(mark) <= 4 else []
        return [*styles, "roman"] if _numeral(mark)[0] else styles
    if mark.isupper():
        styles = ["Alpha"] if len(mark) == 1 or (len(mark) == 2 and not roman(mark)) else []
        return [*styles, "Roman"] if roman(mark) else styles
    return []


def _numeral(mark: str) -> tuple[int, str]:
    """A Roman numeral and the letter of one that was inserted behind it, as (va); 0: none."""
    return (roman(mark), "") if roman(mark) else (roman(mark[:-1]), mark[-1:])


_FIRST = {"digit": ("1", "1A"), "alpha": ("a",), "Alpha": ("A",), "roman": ("i",), "Roman": ("I",)}


def _succeeds(style: str, last: str, mark: str) -> int:
    """1 if ``mark`` comes next after ``last``, 2 if inserted there, 3 if later, 0 if it cannot."""
    low, high = last.lower(), mark.lower()
    if style in ("digit", "roman", "Roman"):
        read = order_of if style == "digit" else _numeral
        a, b = read(low.upper()), read(high.upper())
        if b <= a or b[0] > a[0] + 6:
            return 0
        return 3 if b[0] > a[0] + 1 else 2 if b[1] else 1
    if (low, high) == ("z", "aa") or (low[:-1] == high[:-1] and ord(high[-1]) == ord(low[-1]) + 1):
        return 1
    if len(high) == len(low) == 2 and low[0] == low[1] and high[0] == high[1]:  # aa, bb, cc after z
        return int(ord(high[0]) == ord(low[0]) + 1)
    if high <= low or len(high) > 2:
        return 2 * (low < high and low.startswith(high[:-1]))  # zfa after zf, zfc after zfa
    step = ord(high[0]) - ord(low[0])
    if len(high) > 1 or step == 0:  # b, ba, bb; da after c
        return 2 * (step <= 1)
    return 1 if step == 1 else 3 * (step <= 6)


_NAMES = {"digit": "subsec", "alpha": "para", "roman": "subpara", "Alpha": "item", "Roman": "item"}
_ARTICLE_NAMES = _NAMES | {"digit": "clause", "alpha": "subclause"}


def subdivide(
    rows: Sequence[tuple[int, int, str, float]],
    text_start: int,
    end: int,
    *,
    article: bool,
    opened: bool = False,
) -> list[Part]:
    """Subdivisions of a provision, in reading order.

    ``rows``: start, end, text and indent of each, offsets in the running text; the first is cut to begin at
    the text proper, from ``text_start`` to ``end``. ``article``: (1) is a clause then, no sub-section.
    ``opened``: its (1) stands before its heading, and so before ``text_start``.
    """
    reader = _Reader(text_start, end, article=article)
    if opened:
        reader.open("digit", "1", "subsection", reader.names["digit"], text_start, text_start)
    for at, (start, row_end, text, indent) in enumerate(rows):
        reader.take(start, row_end, text if at else _MISREAD.sub("(1)", text), indent)
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
        self.broken: list[_Level] = []  # off by the proviso or explanation that is open; they may go on
        self.previous = ""
        self.indent = 0.0
        self.last_end = text_start

    def take(self, start: int, end: int, text: str, indent: float) -> None:
        """Read the next row: a proviso or explanation, markers, or neither."""
        ended = not self.previous or bool(_ENDS.search(self.previous)) or indent > self.indent + _SAME_INDENT
        self.indent = indent
        word = _WORD.match(text)
        opened = word and (word["word"] or hindi.PARTS[word["hindi"]])
        if word and opened and (ended or opened == "Provided"):
            self._block(opened, ascii_digits(word["num"] or ""), start)
            behind = len(text) - len(text[word.end() :].lstrip(" .:—–-"))
            self._markers(start + behind, text[behind:], "")
        elif ended:
            self._markers(start, text, self.previous)
        self.previous = text
        self.last_end = end

    def finished(self) -> list[Part]:
        """All subdivisions that hold text, in reading order."""
        self._close(0, self.end)
        counts: Counter[tuple[Path, str]] = Counter()
        for part in self.parts:
            above = part.parent.path if part.parent else ()
            counts[above, part.name] += 1
            part.path = (*above, (part.name, part.number or str(counts[above, part.name])))
        return [p for p in self.parts if p.end > p.start]

    def _block(self, word: str, number: str, start: int) -> None:
        depth = self._block_depth()
        is_open = any(level.style == "block" for level in self.stack)
        self.broken = [*(self.broken if is_open else []), *self.stack[depth:]]
        self._close(depth, self.last_end)
        name = "proviso" if word == "Provided" else word.lower()
        self.open("block", word, _KINDS[word], name, start, start, number=number)

    def _markers(self, start: int, text: str, previous: str) -> None:
        """Open the part of each marker that a row begins with: ``(1)(a)`` opens two."""
        offset = 0
        mark = _MARK.match(text)
        number = _counted(mark)
        illustrated = any(level.last == "Illustration" for level in self.stack)
        while mark and not (illustrated and not number[0].isdigit()):
            place = self._place(number, previous)
            if place is None:
                break
            depth, style = place
            self._close(depth, self.last_end)
            kind = "subsection" if style == "digit" and not self.article and not self.stack else "clause"
            self.open(style, number, kind, self.names[style], start + offset, start + offset + mark.end())
            offset, previous = offset + mark.end(), ""
            mark = _SECOND.match(text[offset:])
            number = _counted(mark)

    def open(
        self,
        style: str,
        mark: str,
        kind: str,
        name: str,
        start: int,
        text_start: int,
        number: str | None = None,
    ) -> None:
        """Open a part within those that are open."""
        above = self.stack[-1].part if self.stack else None
        part = Part(kind, name, mark if number is None else number, start, text_start, self.end, above)
        self.parts.append(part)
        self.stack.append(_Level(style, mark, part, self.indent))

    def _close(self, depth: int, at: int) -> None:
        while len(self.stack) > depth:
            self.stack.pop().part.end = at

    def _block_depth(self) -> int:
        """Level that a proviso or an explanation belongs to: the nearest sub-section, else the whole."""
        for depth, level in enumerate(self.stack):
            if level.style == "block":
                return depth
        return next((d + 1 for d, level in enumerate(self.stack) if level.style == "digit"), 0)

    def _place(self, mark: str, previous: str) -> tuple[int, str] | None:
        """Depth at which ``mark`` opens and its way of counting; None if it is no marker here.

        A list that a proviso broke off goes on: the proviso is then one of the item before.
        """
        styles = _styles(mark)
        at = next((d for d, level in enumerate(self.stack) if level.style == "block"), len(self.stack))
        broken = self.broken if at < len(self.stack) else []
        levels = [*self.stack[:at], *broken, *self.stack[at:]]
        followed = [
            (rank, abs(level.indent - self.indent) > _SAME_INDENT, -depth)
            for depth, level in enumerate(levels)
            if level.style in styles and (rank := _succeeds(level.style, level.last, mark))
        ]
        opens = bool(_OPENS_LIST.search(previous))
        first = [s for s in styles if mark in _FIRST[s] or (not followed and _LEFT_OUT.search(previous))]
        starts = [s for s in first if all(level.style != s for level in self.stack)]
        if first and opens and self.stack and not starts:  # (a) within (i) within (a), or (a) to (c) twice
            top = self.stack[-1]
            again = top.style in first and 0 < self.indent <= top.indent + _SAME_INDENT
            return len(self.stack) - again, first[0]
        if starts and (not followed or min(followed)[0] == 3 or opens):
            return len(self.stack), starts[0]
        if styles and (min(followed)[0] == 3 and opens if followed else _INSERTS.search(previous)):
            return len(self.stack), min(styles, key=[level.style for level in self.stack].count)
        if not followed:
            return (0, "digit") if mark == "2" and all(level.style != "digit" for level in levels) else None
        depth = -min(followed)[2]
        style = levels[depth].style
        if at <= depth < at + len(broken):
            return self._resumed(at, depth), style
        return (depth if depth < at else depth - len(broken)), style

    def _resumed(self, at: int, depth: int) -> int:
        """The depth of a list that a proviso at depth ``at`` broke off, once it is open again."""
        above = self.stack[at].part.parent
        self._close(at, self.last_end)
        back = self.broken[: depth - at + 1]
        first = max((i for i, level in enumerate(back) if level.style == "block"), default=0)
        self.broken, self.stack = back[:first], self.stack + back[first:]
        item = self.stack[-1].part
        for part in self.parts[self.parts.index(item) + 1 :]:
            if part.parent is above:
                part.parent = item
        for level in back[first:]:
            level.part.end = self.end
        return len(self.stack) - 1
