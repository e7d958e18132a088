"""The best supported ascending series of numbers, numbers in it that OCR misread, and where an Act ends.

Misread are ``l3.`` for 13, ``S,`` for 5, ``2O Penalty`` without its dot. Only numbers are looked for that are
missing between two sections that were read, and only on the rows between them. A row counts where a heading
speaks for it: a dash behind it, or the words of the contents.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz

from citegrain.tasks.law.numbers import HYPHENS, Order, letters_between, order_of
from citegrain.tasks.offline.structure.blocks import is_capitals
from citegrain.tasks.offline.structure.candidates import GONE, HEADING_END, Candidate, find_candidates
from citegrain.tasks.offline.structure.notes import inserted_rows
from citegrain.tasks.offline.structure.rows import Row

_MISSING = 0.8
_LETTER = 0.4
_UNLISTED = 0.3
_CAP = 12.0

_Array = npt.NDArray[np.float64]

_MISREAD = str.maketrans("lIi|!oOQDSsZzGbBgq", "111110000552266899")
_TOKEN = re.compile(
    rf"^[^\w|!]{{0,4}}(?P<number>[\dlIi|!oOQDSsZzGbBgq]{{1,3}}(?:\s?[-{HYPHENS}]?\s?[A-Z]{{1,2}}(?![a-z]))?)"
    r"(?P<dot>\s?[.,:;·])?\s{0,3}(?=[\[(“\"'‘]{0,2}[A-Z])"
)
_DASH = re.compile(r"[.,:;)\]]\s?[-–—―_~=]{1,3}|\w[—―]|\s[-–—]\s(?=[(“\"A-Z])")
_REFERENCE = re.compile(
    r"\b(?:sections?|articles?|rules?|clauses?|of|to|and|or|in|under|by|the)\s*$", re.IGNORECASE
)
_WINDOW = 200
_ENOUGH = 2.0
_BEHIND = 40  # whole numbers behind the last section, where no contents say how many there are


class _Gaps:
    """Penalty for the numbers that a step from one section to the next leaves out."""

    def __init__(self, orders: list[Order], listed: Sequence[str]) -> None:
        self.orders = orders
        self.integers = np.array([o[0] for o in orders], dtype=float)
        contents = sorted({order_of(n) for n in listed})
        self.listed = bool(contents)
        self.below = np.array([bisect_left(contents, o) for o in orders], dtype=float)
        self.up_to = np.array([bisect_right(contents, o) for o in orders], dtype=float)

    def start(self, to: int) -> float:
        """Penalty for a series that begins at ``orders[to]``."""
        if self.listed:
            return min(_CAP, _MISSING * float(self.below[to]))
        integer, letters = self.orders[to]
        return min(_CAP, _MISSING * max(0, integer - 1) + (_UNLISTED if letters else 0.0))

    def steps(self, to: int) -> _Array:
        """Penalty for ``orders[to]`` directly after each lesser order."""
        if self.listed:
            unlisted = 0.0 if self.up_to[to] > self.below[to] else _UNLISTED
            skipped = np.maximum(self.below[to] - self.up_to[:to], 0.0)
            return np.asarray(np.minimum(_MISSING * skipped + unlisted, _CAP))
        integer, letters = self.orders[to]
        lead = _LETTER * (ord(letters[0]) - ord("A") + len(letters)) if letters else 0.0
        out: _Array = np.minimum(_MISSING * (integer - self.integers[:to] - 1) + lead, _CAP)
        at = to - 1
        while at >= 0 and self.orders[at][0] == integer:
            out[at] = min(_CAP, _LETTER * letters_between(self.orders[at][1], letters))
            at -= 1
        return out


def best_series(candidates: Sequence[Candidate], listed: Sequence[str] = ()) -> list[Candidate]:
    """The strictly ascending series of candidates with the highest total score.

    The total is the sum of the candidates' scores less a penalty for each number
    left out: by the table of contents where there is one (``listed``), else by counting.
    Dynamic programming over candidates in reading order, one best end a number:
    O(candidates x distinct numbers).
    """
    if not candidates:
        return []
    orders = sorted({c.order for c in candidates})
    rank = {order: i for i, order in enumerate(orders)}
    gaps = _Gaps(orders, listed)
    totals = np.full(len(orders), -np.inf)  # best total of a series that ends in each number
    last: list[int] = [-1] * len(orders)  # index of the candidate that ends it
    back: list[int] = [-1] * len(candidates)  # index of each candidate's predecessor
    penalties: dict[int, _Array] = {}
    for i, candidate in enumerate(candidates):
        to = rank[candidate.order]
        best, previous = -gaps.start(to), -1
        if to:
            if to not in penalties:
                penalties[to] = gaps.steps(to)
            reached = totals[:to] - penalties[to]
            at = int(reached.argmax())
            if reached[at] > best:
                best, previous = float(reached[at]), last[at]
        back[i] = previous
        if best + candidate.score > totals[to]:
            totals[to], last[to] = best + candidate.score, i
    series: list[Candidate] = []
    node = last[int(totals.argmax())]
    while node >= 0:
        series.append(candidates[node])
        node = back[node]
    return series[::-1]


def mend_gaps(
    series: Sequence[Candidate], rows: Sequence[Row], contents: Mapping[str, str], skipped: Set[int], end: int
) -> list[Candidate]:
    """The series with sections whose numbers were misread put into its gaps.

    ``contents``: headings by number. ``skipped``: rows of State amendments. ``end``: row behind the last
    section.
    """
    listed = {order_of(number): number for number in contents}
    out = list(series)
    skipped = skipped | inserted_rows(rows)
    bounds = [(-1, (0, "")), *((c.row, c.order) for c in series), (end, (10**6, ""))]
    for (row, order), (until, following) in pairwise(bounds):
        missing = missing_between(order, following, listed)
        if missing and until - row > 1:
            between = [i for i in range(row + 1, until) if i not in skipped]
            hits = [c for i in between if (c := _misread(i, rows, missing, contents))]
            out += best_series(hits, list(missing.values()))
    return sorted(out, key=lambda c: c.row)


def missing_between(after: Order, before: Order, listed: Mapping[Order, str]) -> dict[str, str]:
    """Whole and listed numbers missing between two, by how OCR may have read them."""
    last = min(before[0], after[0] + _BEHIND + 1 if not listed else max(listed)[0] + 1)
    numbers = [str(n) for n in range(after[0] + 1, last)]
    numbers += [number for order, number in listed.items() if after < order < before]
    return {_plain(number): number for number in numbers}


def _plain(number: str) -> str:
    """A number with letters that look like digits as those digits."""
    return re.sub(rf"[\s{HYPHENS}-]", "", number).translate(_MISREAD)


def _misread(
    at: int, rows: Sequence[Row], missing: Mapping[str, str], contents: Mapping[str, str]
) -> Candidate | None:
    """The section that begins at a row, if its number may be one of the missing."""
    text = rows[at].text
    match = _TOKEN.match(text)
    number = missing.get(_plain(match["number"])) if match else None
    if match is None or number is None or (at and _REFERENCE.search(rows[at - 1].text)):
        return None
    rest = match.end()
    window = (text[rest:] + " " + " ".join(r.text for r in rows[at + 1 : at + 3]))[:_WINDOW]
    dash = bool(HEADING_END.search(window) or _DASH.search(window))
    heading = contents.get(number, "")
    words = window[: len(heading) + 12].lower()
    likeness = fuzz.partial_ratio(heading.lower(), words) if len(heading) > 4 else 0
    score = 1.5 * dash + (likeness > 70) * 2.0 + 0.5 * bool(match["dot"]) + 0.5 * match["number"].isdigit()
    gone = bool(GONE.match(window))
    if score + gone < _ENOUGH:
        return None
    bold = rows[at].bold > match.start("number")
    return Candidate(at, number, order_of(number), rest, bold, False, dash, gone, score=score)


_COMMENT = re.compile(
    r"^\W*(?:EDITOR[’']?S?[’']?\s+)?(?:COMMENT(?:S|ARY)?|CASE[ -]LAWS?|SYNOPSIS|NOTES? AND COMMENTS?)\W*$",
    re.IGNORECASE,
)
_END_MATTER = re.compile(
    r"^\W*(?:STATEMENT OF OBJECTS AND REASONS|FINANCIAL MEMORANDUM|MEMORANDUM (?:REGARDING|EXPLAINING)|"
    r"NOTES? ON CLAUSES|(?:(?:ALPHABETICAL|SUBJECT|GENERAL) )?INDEX\W*$|"
    r"PRINTED (?:BY|AND PUBLISHED)|UPLOADED BY|MGIP|PUBLISHED BY THE)",
)
_IMPRINT = re.compile(r"^\W*(?:PRINTED|UPLOADED|MGIP|PUBLISHED)")
_SECTIONS_ON = 3  # sections that follow each other behind what would end an Act
_SIGNATURE = re.compile(
    r"^\W*(?:[A-Z][\w.]+ |& ){0,5}(?:Secretary|Counsel) to the (?:Govt\.|Government) +of +India[\s.]*$"
)
_ABOVE_OFFICE = re.compile(r"^(?:[\s_―⎯—–-]*|[A-Z][A-Z. '’-]{3,40},?\s*)$")
_BELOW = 3  # rows of a page that stand below its printer's line


def end_matter(rows: Sequence[Row], after: int) -> int:
    """First row, later than ``after``, of what is printed behind an Act but is no part of it."""
    ends = {
        i for i in range(after + 1, len(rows)) if len(rows[i].text) < 120 and _END_MATTER.match(rows[i].text)
    }
    candidates = find_candidates(rows) if ends else []
    for i in range(after + 1, len(rows)):
        text = rows[i].text
        if i in ends and not _goes_on(candidates, i) and not _at_foot(rows, i):
            return i
        if _SIGNATURE.match(text) and _signed_from(rows, i) < i:
            return _signed_from(rows, i)
    return len(rows)


def _at_foot(rows: Sequence[Row], at: int) -> bool:
    """Whether row ``at`` is a printer's line at the foot of a page, with more on the pages behind."""
    if not _IMPRINT.match(rows[at].text):
        return False
    behind, page = rows[at + 1 :], rows[at].page
    law = [row.page for row in behind if not _IMPRINT.match(row.text)]
    return sum(row.page == page for row in behind) < _BELOW and any(p > page for p in law)


def _signed_from(rows: Sequence[Row], at: int) -> int:
    """First row of the signature whose office stands on row ``at``: a rule and a name above it."""
    while at and _ABOVE_OFFICE.match(rows[at - 1].text):
        at -= 1
    return at


def _goes_on(candidates: Sequence[Candidate], at: int) -> bool:
    """Whether the sections go on behind row ``at``: it stands in a box, or opens an editor's comment."""
    base = 0
    for c in candidates:
        if c.row < at and not c.quoted and c.order == (base + 1, ""):
            base += 1
    following = 0
    for c in candidates:
        following += c.row > at and not c.quoted and c.order == (base + following + 1, "")
    return base > 0 and following >= _SECTIONS_ON


def is_comment_head(row: Row) -> bool:
    """Whether a row opens what the editor of a print says of the section above it."""
    if not _COMMENT.match(row.text) and not _END_MATTER.match(row.text):
        return False
    return row.centred or row.bold >= len(row.text) - 1 or is_capitals(row.text)


def is_end_head(row: Row) -> bool:
    """Whether a row opens what is printed with an Act but is no part of it."""
    return len(row.text) < 120 and bool(_END_MATTER.match(row.text) or _COMMENT.match(row.text))


def is_comment(row: Row) -> bool:
    """Whether a row is the heading of a box that an editor may set between sections."""
    return bool(_COMMENT.match(row.text)) or "OBJECTS" in row.text
