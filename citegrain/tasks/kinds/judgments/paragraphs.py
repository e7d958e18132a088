"""Numbered paragraphs of an opinion: the sequence of numbers that runs through its rows.

Quotations number their paragraphs too, and so do lists. The paragraphs of the opinion are the longest
sequence that counts on by one, begun at the usual left edge, outside of quotation marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.offline.structure import Row

_OPENS = re.compile(
    r"^(?P<quote>[“\"‘'\[(]*)\s*(?P<n>\d{1,3})(?P<end>\.(?:(?!\d)|(?=1\s))\)?|\)|\](?=\s)|(?=\s+[A-Z“\"‘]))\s*"
)
_WITHIN = re.compile(
    r"(?P<stop>[.:;?!”\"’)\]…]\d{0,3}|\b[A-Za-z]+)\s+(?P<n>\d{1,3})(?P<dot>\.1|\.?)\s+(?=[A-Z“][a-z]*\s)"
)
_REFERS = re.compile(
    r"(?:\b(?:[Ss]ections?|[Aa]rticles?|[Aa]rts?|[Rr]ules?|[Cc]lauses?|[Nn]os?|[Pp]aras?|[Pp]aragraphs?|[Pp]ages?|pp?|[Ss]s?|[Cc]hapters?|"
    r"[Pp]art|[Ee]ntry|[Oo]rder|[Vv]ol|Bench|SCC|SCR|AIR|SC|January|February|March|April|May|June|July|August|September|"
    r"October|November|December|Nadu|Schedule)\b\.?)$"
)
_BEFORE = 24  # characters before a number, in which the longest word of these stands whole
_GAP, _REACH = 0.6, 6  # what a number left out costs; how many may be
_EDGE = 6.0  # points within which rows begin at one edge
_FEWEST, _LONGEST = 3, 100  # paragraphs of an opinion; rows of a paragraph, on average


@dataclass(frozen=True, slots=True)
class Start:
    """Where a paragraph may begin: row, offset of its number in the row, and how much speaks for it."""

    row: int
    offset: int
    number: int
    weight: float


def numbered_starts(rows: Sequence[Row], first: int, last: int) -> list[Start]:
    """The paragraphs of the rows ``first`` to ``last`` (exclusive) that are numbered; empty if they are not.

    Where the first number is 2, what stands before it is paragraph 1.
    """
    candidates = _candidates(rows, first, last)
    best = _longest(candidates)
    if not best or len(best) < max(
        _FEWEST, (last - first) / _LONGEST, 0.5 * (best[-1].number - best[0].number + 1)
    ):
        return []
    if best[0].number == 2 and first < best[0].row:
        best = [Start(first, 0, 1, 0.0), *best]
    return best


def _candidates(rows: Sequence[Row], first: int, last: int) -> list[Start]:
    opening = {i: m for i in range(first, last) if (m := _OPENS.match(rows[i].text))}
    edges = Counter(round(rows[i].indent / _EDGE) for i, m in opening.items() if not m["quote"])
    edge = edges.most_common(1)[0][0] if edges else 0
    out = []
    for i in range(first, last):
        match = opening.get(i)
        if match:
            weight = 1.0 if match["end"] else 0.5
            weight -= 0.5 * bool(match["quote"]) + 0.3 * (abs(round(rows[i].indent / _EDGE) - edge) > 1)
            out.append(Start(i, 0, int(match["n"]), max(weight, 0.1)))
        for inner in _WITHIN.finditer(rows[i].text):
            at = inner.start("n")
            before = rows[i].text[max(0, at - _BEFORE) : at].rstrip()
            if _REFERS.search(before) or _REFERS.search(inner["stop"]):
                continue
            weight = 0.25 + 0.25 * bool(inner["dot"]) + 0.2 * (not inner["stop"].isalpha())
            out.append(Start(i, at, int(inner["n"]), weight))
    return out


def _longest(candidates: Sequence[Start]) -> list[Start]:
    """The sequence of growing numbers that most speaks for; each number left out costs."""
    best: dict[
        int, tuple[float, int]
    ] = {}  # number to the score of the best sequence that ends with it, and where
    before: list[int] = []
    scores: list[float] = []
    for i, c in enumerate(candidates):
        score, previous = c.weight - _GAP * min(c.number - 1, _REACH), -1
        for step in range(1, _REACH + 1):
            known = best.get(c.number - step)
            if known and known[0] + c.weight - _GAP * (step - 1) > score:
                score, previous = known[0] + c.weight - _GAP * (step - 1), known[1]
        before.append(previous)
        scores.append(score)
        if c.number not in best or score > best[c.number][0]:
            best[c.number] = (score, i)
    if not best:
        return []
    at = max(best.values())[1]
    out: list[Start] = []
    while at >= 0:
        out.append(candidates[at])
        at = before[at]
    return out[::-1]


def plain_starts(rows: Sequence[Row], first: int, last: int, right: float) -> list[Start]:
    """Paragraphs that bear no numbers, counted: they end where a row ends short with a full stop."""
    starts, count, length = [], 0, 0
    for i in range(first, last):
        previous = rows[i - 1] if i > first else None
        length += len(rows[i - 1].text) if previous else 0
        if previous is None or (_ended(previous, rows[i], right) and length >= 80):
            count += 1
            starts.append(Start(i, 0, count, 0.0))
            length = 0
    return starts


def _ended(row: Row, following: Row, right: float) -> bool:
    """Whether a paragraph ends with a row: it is short, or the next is indented or stands apart."""
    if not re.search(r"[.:;?!”\"’)\]][\d]*\s*$", row.text):
        return False
    apart = row.page == following.page and following.y0 - row.y0 > 1.7 * max(row.size, following.size)
    return row.x1 < right - 40 or apart or (following.indent > 10 and following.indent > row.indent + 8)
