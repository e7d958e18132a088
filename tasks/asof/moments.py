"""Times as people tell them: ``on 12th May 2024``, ``12/05/24``, ``last May``, ``two years ago``.

Written for complaints of India: the day stands before the month. A time without a year, and a relative one,
is counted from the day of asking, which is an argument. Festivals, lunar months and ages are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from tasks.dates import MONTHS

PRECISIONS = ("day", "week", "month", "year")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTS = {word: n for n, word in enumerate(_NUMBERS, 1)} | {"a": 1, "an": 1, "couple": 2}

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])(?:\.(?=\s?[\d'’]))?"
)
_DAY = r"(?<![\d.,/:-])(?P<day>\d{1,2})(?P<ordinal>\s?(?:st|nd|rd|th))?"
_YEAR4 = r"(?:19|20)\d\d(?!\d)"
# two digits alone may be a number of anything: they want an apostrophe, or to end the phrase
_YEAR = rf"(?P<year>{_YEAR4}|['’‘]\d\d(?!\d)|\d\d(?=\s*(?:[,.;)!?](?!\d)|$)))"
_WHEN = r"(?P<when>in|since|from|during|of|around|about|after|early|mid|late|last|this)"


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a text tells.

    Attributes
    ----------
    day
        The day it stands for: of a month or year the first.
    first, last
        Days within which it lies.
    precision
        ``day``, ``week``, ``month`` or ``year``.
    whole
        Whether the text tells the year, or counts from the day of asking; else the year is inferred.
    words
        As they stand in the text, from ``start`` to ``end``.
    """

    day: date
    first: date
    last: date
    precision: str
    whole: bool = True
    words: str = ""
    start: int = 0
    end: int = 0


def find_moments(text: str, asked: date) -> list[Moment]:
    """Every time that ``text`` tells and that is not after the day of asking, in order of appearance.

    A time without a year is the next after the last full date told before it, else the last before the
    day of asking.

    Parameters
    ----------
    asked
        The day of asking.
    """
    found: list[tuple[re.Match[str], _Reader]] = []
    for pattern, read in _FORMS:  # the fullest form first: none reads what another has read
        for match in pattern.finditer(text):
            if not any(match.start() < m.end() and m.start() < match.end() for m, _ in found):
                found.append((match, read))
    out: list[Moment] = []
    told: date | None = None
    for match, read in sorted(found, key=lambda pair: pair[0].start()):
        moment = read(match, asked, told)
        if moment is None or moment.first > asked:
            continue
        if moment.whole:
            told = moment.day
        last = min(moment.last, asked)
        out.append(replace(moment, last=last, words=match[0], start=match.start(), end=match.end()))
    return out


_Reader = Callable[[re.Match[str], date, date | None], Moment | None]


def _full(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    """A day with its year; day first, unless that is no date."""
    year, month, day = _year(match["year"], asked), _month(match["month"]), int(match["day"])
    return _one_day(year, month, day) or (_one_day(year, day, month) if match["month"].isdigit() else None)


def _day_of_month(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    """A day without its year."""
    month, day = _month(match["month"]), int(match["day"])
    years = [*range(told.year, asked.year + 1)] if told else []
    after = [m for y in years if (m := _one_day(y, month, day)) and told and told <= m.day <= asked]
    before = [
        m for y in range(asked.year, asked.year - 5, -1) if (m := _one_day(y, month, day)) and m.day <= asked
    ]
    moment = next(iter([*after, *before]), None)
    return replace(moment, whole=False) if moment else None


def _month_of_year(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    return _span(date(_year(match["year"], asked), _month(match["month"]), 1), "month")


def _month_told(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    """A month without its year: ``last May`` is not the month of asking."""
    month, last = _month(match["month"]), match["when"].lower() == "last"
    if told is not None and not last:
        after = date(told.year + (month < told.month), month, 1)
        if after <= asked:
            return replace(_span(after, "month"), whole=False)
    past = month < asked.month or (month == asked.month and not last)
    return replace(_span(date(asked.year - (not past), month, 1), "month"), whole=False)


def _month_near(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    """``in May last year``, ``this year in May``."""
    word = (match["near"] or "").lower()
    return _span(date(asked.year - (word == "last"), _month(match["month"]), 1), "month")


def _year_told(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    return _span(date(int(match["year"]), 1, 1), "year")


def _ago(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    """``two years ago``: the day counted back, give or take half of the unit."""
    count = "couple" if "couple" in match["count"].lower() else match["count"].lower()
    n, unit = (int(count) if count.isdigit() else _COUNTS[count]), match["unit"].lower()
    if n > 1200:
        return None
    if unit in ("day", "week"):
        day, slack = asked - timedelta(days=n * (7 if unit == "week" else 1)), 3 if unit == "week" else 0
    else:
        months = asked.year * 12 + asked.month - 1 - n * (12 if unit == "year" else 1)
        if months < 12:
            return None
        day, slack = _in_month(months // 12, months % 12 + 1, asked.day), 183 if unit == "year" else 15
    return Moment(day, day - timedelta(days=slack), day + timedelta(days=slack), unit)


def _near(match: re.Match[str], asked: date, told: date | None) -> Moment | None:
    """``yesterday``, ``last night``, ``last week``, ``last Sunday``, ``this month``."""
    words = match[0].lower().split()
    last, unit = words[0] == "last", words[-1]
    if unit in _WEEKDAYS:
        back = (asked.weekday() - _WEEKDAYS.index(unit)) % 7 or 7
        return _single(asked - timedelta(days=back))
    if unit == "week":
        first = asked - timedelta(days=asked.weekday() + (7 if last else 0))
        return Moment(first, first, first + timedelta(days=6), "week")
    if unit == "month":
        first = asked.replace(day=1)
        return _span((first - timedelta(days=1)).replace(day=1) if last else first, "month")
    if unit == "year":
        return _span(date(asked.year - last, 1, 1), "year")
    back = 2 if len(words) > 2 else int(unit == "yesterday" or last)
    return _single(asked - timedelta(days=back))


def _single(day: date) -> Moment:
    return Moment(day, day, day, "day")


def _one_day(year: int, month: int, day: int) -> Moment | None:
    try:
        return _single(date(year, month, day))
    except ValueError:
        return None


def _span(first: date, precision: str) -> Moment:
    """A month or year from its first day."""
    months = first.year * 12 + first.month - 1 + (12 if precision == "year" else 1)
    return Moment(first, first, date(months // 12, months % 12 + 1, 1) - timedelta(days=1), precision)


def _in_month(year: int, month: int, day: int) -> date:
    """A day of a month, or its last where it is shorter."""
    return min(date(year, month, 1) + timedelta(days=day - 1), _span(date(year, month, 1), "month").last)


def _month(told: str) -> int:
    return int(told) if told.isdigit() else 1 + MONTHS.index(told.lower()[:3])


def _year(told: str, asked: date) -> int:
    """Of two digits the year of this century, or of the last one if that is still to come."""
    digits = int(told.strip("'’‘"))
    if digits >= 100:
        return digits
    return 2000 + digits if 2000 + digits <= asked.year else 1900 + digits


def _patterns() -> Iterator[tuple[re.Pattern[str], _Reader]]:
    """Forms by how much they tell."""
    near = r"(?P<near>last|this)\s+year(?:['’]s)?"
    count = rf"(?<![\d.])(?P<count>\d{{1,4}}|(?:a\s+)?couple\s+of|an?|{'|'.join(_NUMBERS)})"
    nth = r"(?:\s?(?:st|nd|rd|th))?"
    dot_year = rf"(?P<year>{_YEAR4}|\d\d(?![\d/-]|\.\d))"
    of_year = r"(?:of\s+)?(?:the\s+year\s+)?"
    of_month = r"(?:the\s+month\s+of\s+)?"
    part = r"(?:the\s+)?(?:year\s+|early\s+|mid[\s-]|late\s+)?"
    near_day = rf"last\s+(?:night|week|month|year|{'|'.join(_WEEKDAYS)})(?![a-z])"
    this = r"this\s+(?:morning|afternoon|evening|week|month|year)"
    capital = r"(?-i:(?=[A-Z]))"  # "12 may" is no date, "12 May" is
    for body, read in (
        (rf"(?<![\d-])(?P<year>{_YEAR4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)", _full),
        (rf"{_DAY}(?:\s+day)?(?:\s+of)?[\s,.-]*{_MONTH}[\s,.-]*{of_year}{_YEAR}", _full),
        (rf"(?<![a-z]){_MONTH}[\s-]*(?P<day>\d{{1,2}}){nth}(?:\s*,\s*|[\s-]+){_YEAR}", _full),
        (
            r"(?<![\d/.-])(?P<day>\d{1,2})\s?(?P<by>[-/.])\s?(?P<month>\d{1,2})\s?(?P=by)\s?" + dot_year,
            _full,
        ),
        (rf"(?<![a-z]){_MONTH}\s*,?\s*(?:of\s+)?{near}", _month_near),
        (rf"(?<![a-z]){near},?\s+(?:in\s+)?{_MONTH}", _month_near),
        (rf"(?<![a-z]){_MONTH}[\s,.-]*{of_year}{_YEAR}", _month_of_year),
        (
            r"(?<![a-z])(?:in|since|from|during|of)\s+(?P<month>0?[1-9]|1[0-2])\s?[/-]\s?"
            rf"(?P<year>{_YEAR4})",
            _month_of_year,
        ),
        (rf"(?<![a-z])(?:on|dated|since|from|of)\s+(?:the\s+)?{_DAY}(?:\s+of)?[\s-]*{_MONTH}", _day_of_month),
        (rf"{_DAY}(?:\s+of)?[\s-]*{capital}{_MONTH}", _day_of_month),
        (
            rf"(?<![a-z])(?:on|dated|since|from)\s+{_MONTH}\s*(?P<day>\d{{1,2}})"
            r"(?!\s*[:\d]|\s*[ap]\.?m|[.,]\d)",
            _day_of_month,
        ),
        (rf"(?<![a-z]){_WHEN}[\s-]+{of_month}{capital}{_MONTH}", _month_told),
        (rf"(?<![a-z])(?P<when>in|since|during|last)\s+{of_month}{_MONTH}", _month_told),
        (
            rf"(?<![a-z])(?:in|since|during|from|around|about|after|year)\s+{part}"
            rf"(?P<year>{_YEAR4})(?![/-]\d|\s*Act\b)",
            _year_told,
        ),
        (rf"(?<![a-z]){count}\s+(?P<unit>day|week|month|year)s?\s+(?:ago|back)(?![a-z])", _ago),
        (r"(?<![a-z])(?:the\s+)?day\s+before\s+yesterday(?![a-z])", _near),
        (rf"(?<![a-z]){near_day}", _near),
        (rf"(?<![a-z])(?:yesterday|today|{this})(?![a-z])", _near),
    ):
        yield re.compile(body, re.IGNORECASE), read


_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(_patterns())
