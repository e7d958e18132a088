"""The numbers of rules as States print them, and as a scan misreads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from citegrain.tasks.kinds.rules.headings import OPENED, looks_like_heading
from citegrain.tasks.law.numbers import normal
from citegrain.tasks.offline.structure import HEADING_END, Candidate, NumberMatch, Row, match_number

_NAMED = re.compile(
    r"^\W{0,3}(?:Ru[l1I|][ecoa]|Regu[l1I|]ation|Bye-?\s?law)[\s–-]*(?:No\.?\s*)?(?P<num>\d{1,3}\s?[A-Z]{0,2})(?![A-Za-z(])\s*"
    r"(?:[.:]?\s?[-–—]{0,2}|$)\s*",
    re.IGNORECASE,
)
_HYPHENED = re.compile(
    r"^\W{0,3}(?P<num>\d{1,3}[A-Z]?)\s?[-–—]{1,2}\s{0,2}(?=\(\s?1\s?\)|$|(?![A-Z]{1,2}\s?[.\])])[A-Z“\"‘])"
)
_MISREAD = re.compile(
    r"^\W{0,2}(?P<num>[0-9IlOoSsBZzGgqTt|!\]\[iJ]{1,3})\s?[.,:;'’*-]{1,2}\s{0,3}(?=[A-Z(“\"])|^\W{0,2}(?P<bare>\d{1,2})\s+(?=[A-Z])"
)
_READ_AS = str.maketrans("IlOoSsBZzGgqTt|!][iJ", "11005582269977" + "111111")
_SMUDGE = re.compile(r"^\W{0,3}(?:\w{1,2}\W{1,3})?(?=[A-Z][a-z])")  # a number of which nothing can be read
_ENDED = re.compile(r"[.:;?!\])”\"’—–-]\s*$")
_WINDOW = 240


def match_rule(text: str, bold: int = 0) -> NumberMatch | None:
    """The number at the start of a row that may open a rule: ``3.``, ``Rule 3.``, ``3-(1)`` or ``3-``."""
    for pattern in (_NAMED, _HYPHENED):
        match = pattern.match(text)
        if match and int(re.sub(r"\D", "", match["num"])):
            return NumberMatch(normal(match["num"].upper()), match.start("num"), match.end(), "", False)
    return match_number(text, bold)


def style_of(text: str) -> str:
    """How a row sets its number: ``named``, ``hyphened`` or ``plain``."""
    return "named" if _NAMED.match(text) else "hyphened" if _HYPHENED.match(text) else "plain"


def misread_number(text: str) -> NumberMatch | None:
    """A number in which a scan took letters and strokes for digits: ``l.``, ``S.``, ``1O.``."""
    match = _MISREAD.match(text)
    if match is None:
        return None
    read = match["bare"] or match["num"].translate(_READ_AS)
    return NumberMatch(str(int(read)), match.start(), match.end(), "", False) if read.isdigit() else None


def with_misread(series: Sequence[Candidate], rows: Sequence[Row], stop: int) -> list[Candidate]:
    """The series with rules whose number a scan misread: where one is missing and a heading stands."""
    whole = list(series)
    while added := _missing(whole, rows, stop):
        whole = sorted([*whole, added], key=lambda c: c.row)
    return whole


def _missing(series: Sequence[Candidate], rows: Sequence[Row], stop: int) -> Candidate | None:
    """The first rule that can be added in a gap of the series, or behind it."""
    if not series:
        return None
    last, dashes = series[-1], sum(c.has_dash for c in series) >= 0.5 * len(series)
    behind = Candidate(stop, "", (last.order[0] + 2, ""), 0, False, False, False, False)
    for before, after in pairwise([*series, behind]):
        wanted = range(before.order[0] + 1, after.order[0])
        if not wanted:
            continue
        between = range(before.row + 1, after.row)
        for i in between:
            number = misread_number(rows[i].text)
            if number and int(number.number) in wanted and _headed(rows, i, number.rest, dashes):
                return _rule(i, int(number.number), number.rest)
        smudged = [i for i in between if dashes and _smudged(rows, i)] if after.row < stop else []
        if len(wanted) == len(smudged) == 1:
            smudge = _SMUDGE.match(rows[smudged[0]].text)
            return _rule(smudged[0], wanted[0], smudge.end() if smudge else 0)
    return None


def _rule(row: int, number: int, rest: int) -> Candidate:
    return Candidate(row, str(number), (number, ""), rest, False, False, True, False)


def _headed(rows: Sequence[Row], at: int, rest: int, dashes: bool = True) -> bool:
    """Whether a heading follows: before a dash, or alone on its row where this print has no dashes."""
    if not dashes and _ENDED.search(rows[at - 1].text) and looks_like_heading(rows[at].text[rest:]):
        return True
    window = rows[at].text[rest:] + " " + " ".join(r.text for r in rows[at + 1 : at + 3])
    end = HEADING_END.search(window[:_WINDOW]) or OPENED.search(window[:_WINDOW])
    return bool(end and looks_like_heading(window[: end.start()]))


def _smudged(rows: Sequence[Row], at: int) -> bool:
    """Whether a row may open a rule of whose number nothing can be read."""
    smudge = _SMUDGE.match(rows[at].text)
    return bool(smudge and _ENDED.search(rows[at - 1].text) and _headed(rows, at, smudge.end()))
