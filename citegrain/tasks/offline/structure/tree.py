"""The tree of provisions under construction, over an Act's running text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import NamedTuple, Protocol

from citegrain.tasks.law.instruments import PREFIXES
from citegrain.tasks.offline.structure.body import expand_range
from citegrain.tasks.offline.structure.candidates import Candidate, split_heading
from citegrain.tasks.offline.structure.rows import Row, RunningText
from citegrain.tasks.offline.structure.subdivide import subdivide

# "[Heading.] Rep. by", "[Omitted by", "Heading.—Omitted"; a bracket must close before the word or stop just
# before it, else the bracket of an amendment would lend the word to a whole section
_OPENING = r"^\W*(?:\[[^\]]{0,400}(?:\]|[.—–-])\W*)?"
_CLOSED = r"^\W*\[[^\]]{0,400}\]\W*"


def _gone(*words: str) -> str:
    """Pattern of a provision that only says that it was omitted or repealed, in these words."""
    capital = "|".join(f"{w}|{w.upper()}" for w in words)
    full = words[0].lower()
    return rf"{_OPENING}\b(?:{capital})\b(?!\s+(?:or|and)\b)|{_CLOSED}{full}\s+by\b"


_GONE = (
    ("repealed", re.compile(_gone("Repealed", "Rep") + rf"|{_OPENING}निरसित")),
    (
        "omitted",
        re.compile(
            _gone("Omitted", "Om") + r"|^(?=[^*]*\*[^*]*\*)\W*$" + rf"|{_OPENING}(?:लोपित|लोप\s+किया\s+गया)"
        ),
    ),
)


class Line(NamedTuple):
    """A row of a provision, from where its number ends: ``start`` in the running text, and how it is set."""

    start: int
    text: str
    bold: int
    short: bool

    @property
    def all_bold(self) -> bool:
        """Whether all of it is bold."""
        return 0 < len(self.text.strip()) <= self.bold + 2

    @property
    def end(self) -> int:
        """Offset behind it in the running text."""
        return self.start + len(self.text)


class HeadingSplit(NamedTuple):
    """Heading, offset at which the text begins, and whether ``(1)`` stood before the heading."""

    heading: str
    text_start: int
    opened: bool = False


class SplitHeading(Protocol):
    """Where the heading of a provision ends in its first rows."""

    def __call__(self, lines: Sequence[Line], *, listed: str, margin: str) -> HeadingSplit:
        """Its heading; ``listed`` is that of the table of contents, ``margin`` that beside or above it."""


@dataclass(slots=True)
class Node:
    """A provision under construction; offsets are into the running text. ``annexed``: no law of this Act."""

    kind: str
    number: str
    eid: str
    heading: str
    start: int
    text_start: int
    end: int
    parent: Node | None = None
    status: str = "in_force"
    text: str | None = None
    depth: int = 1
    annexed: bool = False


class Tree:
    """Nodes added so far, the rows they are read from and the text they point into."""

    def __init__(
        self,
        rows: Sequence[Row],
        running: RunningText,
        unit: str,
        split_heading: SplitHeading | None = None,
    ) -> None:
        self.rows = rows
        self.running = running
        self.unit = unit
        self.split_heading = split_heading
        self.nodes: list[Node] = []

    @property
    def short(self) -> str:
        """How ids name a numbered provision: ``sec``, ``art``, ``rule`` or ``reg``."""
        return PREFIXES[self.unit]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Offsets of the text of a run of rows."""
        return self.running.starts[first], self.running.ends[last]

    def add(self, node: Node) -> Node:
        """Add a node; its depth follows from its parent."""
        node.depth = node.parent.depth + 1 if node.parent else 1
        self.nodes.append(node)
        return node

    def add_numbered(
        self,
        c: Candidate,
        rows: tuple[int, int],
        name: tuple[str, str, str],
        parent: Node | None,
        *,
        listed: Mapping[str, str],
        margin: str = "",
        inline: bool = True,
        title_end: tuple[int, int] | None = None,
        model_heading: str = "",
    ) -> None:
        """Add a section or rule with its subdivisions; of a range (161 to 165A) a node for each number.

        ``c``: its number, and where the number ends. ``name``: kind, and what stands before the number in the
        citation and in the id. ``listed``, ``margin``, ``inline``, ``model_heading``: as for
        :func:`split_heading`; ``listed`` by number. ``title_end``: row and offset where a heading ends that
        is set off by its rows or its type; None: none is.
        """
        (first, last), (kind, cited, eid) = rows, name
        start, end = self.span(first, last)
        after_number = self.running.starts[first] + c.rest
        behind_number = self.running.text[after_number:end]
        bold = self._bold_until(first, last) - after_number
        opened = False
        if self.split_heading:
            lines = self._lines(first, last, after_number)
            split = self.split_heading(lines, listed=listed.get(c.number, ""), margin=margin)
            heading, text_start, opened = split.heading, min(split.text_start, end), split.opened
        else:
            heading, offset = split_heading(
                behind_number,
                bold=bold,
                listed=listed.get(c.number, ""),
                margin=margin,
                inline=inline,
                title=self._offset(title_end) - after_number if title_end else 0,
                model_heading=model_heading,
            )
            text_start = min(after_number + offset, end)
        status = status_of(behind_number, self.running.text[text_start:end])
        for number in [c.number, *expand_range(c.number, c.last)]:
            title = heading if number == c.number else listed.get(number) or heading
            place = start, text_start, end
            node = self.add(Node(kind, f"{cited}{number}", f"{eid}_{number}", title, *place, parent, status))
            if number == c.number:
                self._subdivide(node, first, last, opened=opened)

    def _lines(self, first: int, last: int, after_number: int) -> list[Line]:
        """The first rows of a provision, from where its number ends."""
        out = []
        for i in range(first, min(last, first + 5) + 1):
            row, start = self.rows[i], max(self.running.starts[i], after_number)
            cut = start - self.running.starts[i]
            text = self.running.text[start : self.running.ends[i]]
            out.append(Line(start, text, max(0, row.bold - cut), row.x1 < self.edge))
        return out

    @cached_property
    def edge(self) -> float:
        """Where a row ends that is clearly shorter than the column, points."""
        long = [row for row in self.rows if len(row.text) > 60] or self.rows
        right, left = median(row.x1 for row in long), median(row.x0 for row in long)
        return right - 0.2 * (right - left)

    def _offset(self, place: tuple[int, int]) -> int:
        row, offset = place
        return min(self.running.starts[row] + offset, self.running.ends[row])

    def _bold_until(self, first: int, last: int) -> int:
        """Offset at which the bold type that opens a section ends."""
        at = self.running.starts[first]
        for i in range(first, min(last, first + 5) + 1):
            row = self.rows[i]
            at = self.running.starts[i] + row.bold
            if row.bold < len(row.text.rstrip()) - 1:
                break
        return at

    def _subdivide(self, node: Node, first: int, last: int, *, opened: bool = False) -> None:
        """Add sub-sections, clauses, provisos and the like of a provision; ``opened``: in its (1)."""
        rows = []
        for i in range(first, last + 1):
            start, end = self.running.starts[i], self.running.ends[i]
            if end <= node.text_start:
                continue
            start = max(start, node.text_start)
            text = self.running.text[start:end]
            lead = len(text) - len(text.lstrip())
            rows.append((start + lead, end, text[lead:], self.rows[i].indent))
        by_path: dict[tuple[tuple[str, str], ...], Node] = {}
        for part in subdivide(rows, node.text_start, node.end, article=self.unit == "article", opened=opened):
            eid = node.eid + "".join(f"__{name}_{number}" for name, number in part.path)
            number = node.number + "".join(_cited(name, n) for name, n in part.path)
            parent = by_path.get(part.path[:-1], node)
            child = Node(part.kind, number, eid, "", part.start, part.text_start, part.end, parent)
            by_path[part.path] = self.add(child)

    def finished(self) -> list[Node]:
        """Nodes in reading order, parents before children, ids made unique."""
        seen: dict[str, int] = {}
        for node in self.nodes:
            seen[node.eid] = seen.get(node.eid, 0) + 1
            if seen[node.eid] > 1:
                node.eid = f"{node.eid}~{seen[node.eid]}"
            while node.text_start < node.end and self.running.text[node.text_start].isspace():
                node.text_start += 1
        return sorted(self.nodes, key=lambda n: (n.start, -n.end, n.depth))


def _cited(name: str, number: str) -> str:
    if name in ("proviso", "explanation", "exception", "illustration"):
        return f" {name} {number}"
    return f"({number})"


def status_of(behind_number: str, text: str) -> str:
    """``in_force``, ``omitted`` or ``repealed``, from what stands behind a number or a heading."""
    for status, pattern in _GONE:
        if pattern.match(behind_number[:500]) or pattern.match(text[:500]):
            return status
    return "in_force"
