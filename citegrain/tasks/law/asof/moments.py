"""Times as people write them: ``on 12th May 2024``, ``12/05/24``, ``last May``, ``two years ago``.

Written for complaints of India: the day stands before the month. Relative times are counted from the day of
asking, which is an argument. Festivals, lunar months and ages are not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from citegrain.tasks.law.asof.clauses import kind_of, same_sentence
from citegrain.tasks.law.asof.cues import Kind
from citegrain.tasks.law.asof.forms import FORMS, NUMBERED
from citegrain.tasks.law.asof.readers import PRECISIONS, Anchor, Moment, Reader

__all__ = ["PRECISIONS", "Moment", "find_moments"]

# one character for one, so that places stay: dashes that a word processor sets, spaces that do not break
_PLAIN = str.maketrans("‐‑‒–—−\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "------  ")
_DIGITS = re.compile(r"[\d\s./-]+")


def find_moments(text: str, asked: date) -> list[Moment]:
    """Every time that ``text`` names and that is not after the day of asking, in order of appearance.

    A time without a year takes that of a full one near it: of the same sentence, else one before it, else one
    after it. Births, marriages and the like lend no year. Where there is none, it is the last one before the
    day of asking.

    Parameters
    ----------
    asked
        The day of asking.
    """
    plain = text.translate(_PLAIN)
    matches = _matches(plain)
    read = [_placed(reader(match, asked, None), match) for match, reader in matches]
    if any(m and not m.whole for m in read):
        read = _with_years(plain, asked, matches, read)
    return [
        replace(m, words=text[m.start : m.end], last=min(m.last, asked))
        for m in read
        if m and m.first <= asked
    ]


def _matches(text: str) -> list[tuple[re.Match[str], Reader]]:
    """What has the form of a time, and what reads it, in order of appearance."""
    matches: list[tuple[re.Match[str], Reader]] = []
    for pattern, read in FORMS:
        for match in pattern.finditer(text):
            if not any(match.start() < m.end() and m.start() < match.end() for m, _ in matches):
                matches.append((match, read))
    times = [(m, read) for m, read in matches if not (_DIGITS.fullmatch(m[0]) and _numbered(text, m.start()))]
    return sorted(times, key=lambda pair: pair[0].start())


def _numbered(text: str, start: int) -> bool:
    return bool(NUMBERED.search(text[max(start - 30, 0) : start]))


def _placed(moment: Moment | None, match: re.Match[str]) -> Moment | None:
    return replace(moment, start=match.start(), end=match.end()) if moment else None


def _with_years(
    text: str, asked: date, matches: Sequence[tuple[re.Match[str], Reader]], read: Sequence[Moment | None]
) -> list[Moment | None]:
    """Times with those that have no year read again, by the full times near them."""
    spans = [match.span() for match, _ in matches]
    full = [m for m in read if m and m.whole]
    lenders = [m for m in full if kind_of(text, (m.start, m.end), spans) not in (Kind.BIRTH, Kind.GROUND)]
    return [
        moment
        if moment is None or moment.whole
        else _placed(reader(match, asked, _anchor(text, moment, lenders)), match)
        for (match, reader), moment in zip(matches, read, strict=True)
    ]


def _anchor(text: str, moment: Moment, lenders: Sequence[Moment]) -> Anchor | None:
    """The time whose year one without it is near."""

    def far(lender: Moment) -> tuple[bool, bool, bool, int]:
        ahead = lender.end <= moment.start
        gap = moment.start - lender.end if ahead else lender.start - moment.end
        return not same_sentence(text, moment.end, lender.end), lender.precision == "year", not ahead, gap

    lender = min(lenders, key=far, default=None)
    if lender is None:
        return None
    ahead = lender.end <= moment.start
    if lender.precision == "year":  # "two years ago in March": in that year
        return Anchor(date(lender.day.year, 1, 1), date(lender.day.year, 12, 31), ahead)
    return Anchor(lender.first, lender.last, ahead)
