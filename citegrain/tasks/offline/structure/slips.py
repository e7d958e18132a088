"""Sections whose number OCR misread: ``l3.`` for 13, ``S,`` for 5, ``2O Penalty`` without its dot.

Only numbers are looked for that are missing between two sections that were read, and only on the rows between
them. A row counts where a heading speaks for it: a dash behind it, or the words of the contents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from rapidfuzz import fuzz

from citegrain.tasks.law.numbers import Order, order_of
from citegrain.tasks.offline.structure.candidates import GONE, HEADING_END, Candidate
from citegrain.tasks.offline.structure.rows import Row
from citegrain.tasks.offline.structure.sequence import best_series

_MISREAD = str.maketrans("lIi|!oOQDSsZzGbBgq", "111110000552266899")
_TOKEN = re.compile(
    r"^[^\w|!]{0,4}(?P<number>[\dlIi|!oOQDSsZzGbBgq]{1,3}(?:\s?[-–]?\s?[A-Z]{1,2}(?![a-z]))?)"
    r"(?P<dot>\s?[.,:;·])?\s{0,3}(?=[\[(“\"'‘]{0,2}[A-Z])"
)
_DASH = re.compile(r"[.,:;)\]]\s?[-–—―_~=]{1,3}|\w[—―]|\s[-–—]\s(?=[(“\"A-Z])")
_REFERENCE = re.compile(
    r"\b(?:sections?|articles?|rules?|clauses?|of|to|and|or|in|under|by|the)\s*$", re.IGNORECASE
)
_WINDOW = 200
_ENOUGH = 2.0
_BEHIND = 40  # whole numbers behind the last section, where no contents say how many there are


def mend_gaps(
    series: Sequence[Candidate], rows: Sequence[Row], contents: Mapping[str, str], skipped: Set[int], end: int
) -> list[Candidate]:
    """The series with sections whose numbers were misread put into its gaps.

    Parameters
    ----------
    series
        The sections that were read.
    contents
        Headings by number.
    skipped
        Rows of State amendments.
    end
        Row behind the last section.
    """
    listed = {order_of(number): number for number in contents}
    out = list(series)
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
    return re.sub(r"[\s–-]", "", number).translate(_MISREAD)


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
    likeness = (
        fuzz.partial_ratio(heading.lower(), window[: len(heading) + 12].lower()) if len(heading) > 4 else 0
    )
    score = 1.5 * dash + (likeness > 70) * 2.0 + 0.5 * bool(match["dot"]) + 0.5 * match["number"].isdigit()
    gone = bool(GONE.match(window))
    if score + gone < _ENOUGH:
        return None
    bold = rows[at].bold > match.start("number")
    return Candidate(at, number, order_of(number), rest, bold, False, dash, gone, score=score)
