"""The front matter: where the table of contents stands and what it lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.offline.structure import hindi
from citegrain.tasks.offline.structure.candidates import Candidate, find_candidates
from citegrain.tasks.offline.structure.rows import Row
from citegrain.tasks.offline.structure.sequence import best_series

_CONTENTS = re.compile(
    r"^\W*(?:ARR?[AE]N?GE?MENT\s+OF\s+(?:SECTIONS?|CLAUSES|ARTICLES|RULES|PROVISIONS)|(?:TABLE\s+OF\s+)?CONTENTS)\b"
    rf"|^\W*(?:{hindi.CONTENTS})",
    re.IGNORECASE,
)
_ACT_NUMBER = re.compile(
    r"^\W*(?:(?:ACT|ORDINANCE|REGULATION)\s*)?N[O0]\s*[.,]?\s*(?:[IVXLC]{1,7}|\d{1,3})\s*OF\s*\d{4}\b"
    rf"|^\W*{hindi.ACT_NUMBER}",
    re.IGNORECASE,
)
_ENACTING = re.compile(
    r"^\W*(?:be\s+it\s+enacted\b|we,?\s+the\s+people\b|it\s+is\s+(?:hereby\s+)?enacted\b|"
    r"an\s+(?:act|ordinance)\s+(?:to|for|further|in)\b|preamble\W{0,3}.{0,3}whereas\b|whereas\b)"
    rf"|^{hindi.ENACTED}",
    re.IGNORECASE,
)
_ENACTED = re.compile(r"^\W*(?:be\s+it\s+enacted\b|we,?\s+the\s+people\b)|^" + hindi.ENACTED, re.IGNORECASE)
_BREAK = re.compile(
    r"^\W*(?:(?:CHAPTER|PART|TITLE)\s*[-–—.]?\s*(?:[IVXLC]+[A-Z]?|\d+[A-Z]?|[A-Z])\b|SECTIONS?\W*$|ARTICLES?\W*$|"
    r"(?:THE\s+)?(?:\w+\s+)?SCHEDULES?\b|APPENDIX|ANNEXURE|LIST OF)",
)
_LEADERS = re.compile(r"[\s.·…_]*(?:\d{1,3})?\s*$")
_LOOK_AHEAD = 40


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Row where the Act itself begins, and the headings that its contents list by number."""

    body_row: int
    contents: dict[str, str]


def read_front_matter(rows: Sequence[Row]) -> FrontMatter:
    """Find the table of contents and the first row of the Act proper."""
    enacted = next((i for i, r in enumerate(rows[:6000]) if _ENACTED.match(r.text)), 600)
    start = next((i for i, r in enumerate(rows[:enacted]) if _CONTENTS.match(r.text)), None)
    body = _body_row(rows, start)
    if start is None or body <= start:
        return FrontMatter(body, {})
    return FrontMatter(body, _entries(rows[start + 1 : body]))


def _body_row(rows: Sequence[Row], contents: int | None) -> int:
    """First row of the Act: the line with its number, or the enacting formula, that a section follows."""
    candidates = {c.row: c for c in find_candidates(rows[:6000])}
    ones = [i for i, c in candidates.items() if c.order == (1, "")]
    first = contents or 0
    for pattern in (_ACT_NUMBER, _ENACTING):
        for i in range(first, min(len(rows), 6000)):
            if not pattern.match(rows[i].text) or len(rows[i].text) > 400:
                continue
            if pattern is _ACT_NUMBER and not any(_ENACTING.match(r.text) for r in rows[i + 1 : i + 15]):
                continue
            following = [j for j in ones if i < j < i + 120]
            if following and not _dense(candidates, following[0], rows):
                return i
    if contents is not None:
        # the first section is lost: where the formula stands that enacts, behind a list of sections
        for i in range(contents, len(rows)):
            if _ENACTED.match(rows[i].text) and any(contents < row < i for row in candidates):
                return i
        # no formula: the last restart of the numbering at 1 that is not a list
        for j in ones:
            if j > contents and not _dense(candidates, j, rows):
                return j
    return ones[0] if ones and contents is None else 0


def _dense(candidates: dict[int, Candidate], at: int, rows: Sequence[Row]) -> bool:
    """Whether the entry at row ``at`` begins a list of headings rather than text."""
    window = rows[at : at + _LOOK_AHEAD]
    heads = [i for i in range(at, at + len(window)) if i in candidates]
    return (
        len(heads) >= 8
        and not any(candidates[i].has_dash or candidates[i].gone for i in heads[:4])
        and (len(heads) > 0.33 * len(window))
    )


def _entries(rows: Sequence[Row]) -> dict[str, str]:
    """Number and heading of each entry of the contents."""
    candidates = find_candidates(rows)
    for c in candidates:
        c.score = 1.0 - (0.5 if c.quoted else 0.0)
    series = best_series(candidates)
    if not series:  # a list of Chapters alone
        return {}
    headings: dict[str, str] = {}
    ends = [c.row for c in series[1:]] + [len(rows)]
    for c, end in zip(series, ends, strict=True):
        parts = [rows[c.row].text[c.rest :]]
        for row in rows[c.row + 1 : min(end, c.row + 5)]:
            if _BREAK.match(row.text) or row.centred:
                break
            parts.append(row.text)
        heading = _LEADERS.sub("", " ".join(parts)).strip(" .–—-")
        headings[c.number] = heading
        for extra in expand_range(c.number, c.last):
            headings.setdefault(extra, heading)
    return headings


def expand_range(first: str, last: str) -> list[str]:
    """Numbers from ``first`` (left out) to ``last``: ``161``, ``165A`` gives 162 to 165 and 165A."""
    if not last:
        return []
    a, b = re.match(r"\d+", first), re.match(r"\d+", last)
    if not a or not b or not 0 <= int(b[0]) - int(a[0]) <= 400:
        return []
    numbers = [str(n) for n in range(int(a[0]) + 1, int(b[0]) + 1)]
    return numbers + ([last] if last not in numbers and last != first else [])
