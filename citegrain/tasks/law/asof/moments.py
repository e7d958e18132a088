"""Times as people write them: ``on 12th May 2024``, ``12/05/24``, ``last May``, ``two years ago``.

Written for complaints of India: the day stands before the month. Relative times are counted from the day of
asking, which is an argument. Festivals, lunar months and ages are not read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from citegrain.tasks.law.asof import readers
from citegrain.tasks.law.asof.clauses import Kind, kind_of, same_sentence
from citegrain.tasks.law.asof.readers import NUMBERS, WEEKDAYS, Anchor, Moment, Reader
from citegrain.tasks.law.numbers import MONTH

_AFTER_ALL = date(2100, 1, 1)  # a day of asking after which no text names a time
_MONTH = rf"{MONTH}(?![a-z])(?:\.(?=\s?[\d'’]))?"
_TH = r"(?:\s?(?:st|nd|rd|th))?"
_FREE = r"(?<![\d.,/:-])"
_DAY = rf"{_FREE}(?P<day>\d{{1,2}}){_TH}"
_YEAR4 = r"(?:19|20)\d\d(?!\d)"
# two digits alone may be a number of anything: they want an apostrophe, or to end the phrase
_YEAR = rf"(?P<year>['’‘]?{_YEAR4}|['’‘]\d\d(?!\d)|\d\d(?=\s*(?:[,.;)!?](?!\d)|$)))"
_WHEN = r"(?P<when>in|since|from|during|of|around|about|after|early|mid|late|last|this)"
_OF_YEAR = r"(?:(?:of|in)\s+)?(?:the\s+)?(?:(?:year|saal|san)\s+)?"
_NEAR_YEAR = r"(?P<near>last|previous|this)\s+year(?:['’]s)?"
# "12 may" is no date, "12 May" is
_CAPITAL = r"(?-i:(?=[A-Z]))"
# what is counted or measured, not dated: "in 2000 rupees"
_COUNTED = (
    r"rupees?|rs|inr|rupaye|only|lakhs?|crores?|thousand|hundred|million|dollars?|usd|pounds?|euros?|people|persons?|"
    r"men|women|children|boys|girls|workers?|labourers?|employees?|members?|customers?|investors?|families|villages?|"
    r"houses?|flats?|shops?|shares?|units?|votes?|voters?|students?|patients?|kms?|kilomet\w+|met(?:re|er)s?|feet|ft|"
    r"sq|square|acres?|bighas?|cents?|gunthas?|yards?|gaj|kgs?|kilos?|grams?|gms?|litres?|quintals?|tonnes?|bags?|box(?:es)?|"
    r"bottles?|pieces?|copies|trees?|bricks?|pages?|[ap]\.?m|hours?|hrs|minutes?|days?|months?|years?|times|points?|cc|rpm|"
    r"watts?|calls?|messages?|cattle|birds?|chickens?|plants?"
)
_NO_COUNT = rf"(?!\s*/?-\s|\s*(?:{_COUNTED})(?![a-z])|[/-]\d|,\d|\.\d|\s*Act\b)"
# a number after "about" or "from" is a year only where nothing counted can follow
_ENDS = (
    r"(?=\s*(?:$|[.,;:)!?](?!\d)|(?:to|till|until|onwards?|up\s?to|and|but|when|itself|he|she|they|we|i|it|my|our|his|her|the)"
    r"(?![a-z])))(?<!00)(?<!50)"
)
_NEXT = (
    r"(?=\s*(?:[,.;)!?]|$|(?:i|he|she|they|we|my|our|his|her|their|the|an?|when|and|but|at|by|from|in|it|some)"
    r"(?![a-z])))"
)
_NUMBER = "|".join(sorted((n.replace(" ", r"[\s-]") for n in NUMBERS), key=len, reverse=True))

# one character for one, so that places stay: dashes that a word processor sets, spaces that do not break
_PLAIN = str.maketrans("‐‑‒–—−\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "------  ")
_DIGITS = re.compile(r"[\d\s./-]+")


def _days() -> Iterator[tuple[str, Reader]]:
    """A day with its year."""
    second = rf"(?P<from>\d{{1,2}}){_TH}\s?(?:[-/&]|and|to)\s?(?P<day>\d{{1,2}}){_TH}"
    dot_year = rf"(?P<year>{_YEAR4}|\d\d(?![\d/-]|\.\d))"
    yield (
        rf"(?<![\d/.-])(?P<year>{_YEAR4})(?P<by>[-/.])(?P<month>\d\d?)(?P=by)(?P<day>\d\d?)(?![\d/-])",
        readers.full,
    )
    yield rf"{_FREE}{second}(?:\s+of)?[\s,./-]*{_MONTH}[\s,./-]*{_OF_YEAR}{_YEAR}", readers.two_days
    yield rf"{_DAY}(?:\s+day)?(?:\s+of)?[\s,./-]*{_MONTH}[\s,./-]*{_OF_YEAR}{_YEAR}", readers.full
    yield rf"(?<![a-z]){_MONTH}[\s-]*(?P<day>\d{{1,2}}){_TH}(?:\s*,\s*|[\s-]+){_OF_YEAR}{_YEAR}", readers.full
    yield (
        r"(?<![\d/.-])(?P<from>\d{1,2})\s?(?P<pair>[-/&])\s?(?P<day>\d{1,2})\s?(?P<by>(?!(?P=pair))[-/.])\s?"
        rf"(?P<month>\d{{1,2}})\s?(?P=by)\s?{dot_year}",
        readers.two_days,
    )
    yield (
        rf"(?<![\d/.-])(?P<day>\d{{1,2}})\s?(?P<by>[-/.])\s?(?P<month>\d{{1,2}})\s?(?P=by)\s?{dot_year}",
        readers.full,
    )
    yield rf"(?<![\d/.-])(?<!\d\s)(?P<day>\d\d) (?P<month>\d\d) (?P<year>{_YEAR4})", readers.full
    yield rf"{_DAY}(?:\s+of)?[\s-]*{_MONTH}\s*,?\s*(?:of\s+|in\s+)?(?:the\s+)?{_NEAR_YEAR}", readers.day_near
    yield (
        rf"(?<![a-z]){_MONTH}[\s-]*(?P<day>\d{{1,2}}){_TH}\s*,?\s*(?:of\s+|in\s+)?(?:the\s+)?{_NEAR_YEAR}",
        readers.day_near,
    )
    yield (
        rf"{_DAY}\s+(?:day\s+)?(?:of\s+)?(?:the\s+)?(?P<near>last|previous|this)\s+month(?![a-z])",
        readers.day_of_near_month,
    )


def _months() -> Iterator[tuple[str, Reader]]:
    """A month with its year."""
    yield rf"(?<![a-z]){_MONTH}\s*,?\s*(?:of\s+)?{_NEAR_YEAR}", readers.month_near
    yield rf"(?<![a-z]){_NEAR_YEAR},?\s+(?:in\s+)?{_MONTH}", readers.month_near
    yield rf"(?<![a-z]){_MONTH}[\s,.-]*{_OF_YEAR}{_YEAR}", readers.month_of_year
    yield (
        rf"(?<![a-z])(?:in|since|during)\s+{_MONTH}\s+(?P<year>[012]\d)(?!\d){_NEXT}",
        readers.month_of_year,
    )
    yield (
        rf"(?<![a-z])(?:in|since|from|during|of)\s+(?P<month>0?[1-9]|1[0-2])\s?[/-]\s?(?P<year>{_YEAR4})",
        readers.month_of_year,
    )


def _without_year() -> Iterator[tuple[str, Reader]]:
    """A day or month whose year is inferred."""
    of_month = r"(?:the\s+month\s+of\s+)?"
    yield (
        rf"(?<![a-z])(?:on|dated|since|from|of)\s+(?:the\s+)?{_DAY}(?:\s+of)?[\s-]*{_MONTH}",
        readers.day_of_month,
    )
    yield rf"{_DAY}(?:\s+of)?[\s-]*{_CAPITAL}{_MONTH}", readers.day_of_month
    yield (
        rf"(?<![a-z])(?:on|dated|since|from)\s+{_MONTH}\s*(?P<day>\d{{1,2}}){_TH}(?!\s*[:\d]|\s*[ap]\.?m|[.,]\d)",
        readers.day_of_month,
    )
    yield rf"(?<![a-z]){_WHEN}[\s-]+{of_month}{_CAPITAL}{_MONTH}", readers.month_alone
    yield rf"(?<![a-z])(?P<when>in|since|during|last)\s+{of_month}{_MONTH}", readers.month_alone


def _years() -> Iterator[tuple[str, Reader]]:
    """A year alone."""
    part = r"(?:the\s+)?(?:year\s+|early\s+|mid[\s-]|late\s+)?"
    yield (
        rf"(?<![a-z])(?:in|since|during|year|saal)\s+{part}(?P<year>{_YEAR4}){_NO_COUNT}",
        readers.year_alone,
    )
    yield (
        rf"(?<![a-z])(?:from|around|about|after)\s+{part}(?P<year>{_YEAR4}){_NO_COUNT}{_ENDS}",
        readers.year_alone,
    )


def _relative() -> Iterator[tuple[str, Reader]]:
    """A time counted from the day of asking."""
    count = (
        rf"(?<![a-z])(?<![\d.])(?P<count>\d{{1,4}}|half\s+an?|half|(?:a\s+)?couple\s+of|{_NUMBER}|an?)"
        r"(?P<half>\.5|\s+and\s+(?:an?\s+)?half|(?<=half)|(?<=half\sa)|(?<=half\san))?"
    )
    weekday, week = "|".join(WEEKDAYS), r"(?:week|month|year)"
    yield (
        rf"{count}\s+(?P<unit>day|week|fortnight|month|year)s?(?P<tail>\s+and\s+(?:an?\s+)?half)?\s+(?:ago|back)(?![a-z])",
        readers.ago,
    )
    yield r"(?<![a-z])(?:the\s+)?day\s+before\s+yesterday(?![a-z])", readers.near
    yield rf"(?<![a-z])last[\s-]+to[\s-]+last[\s-]+{week}(?![a-z])", readers.near
    yield rf"(?<![a-z])(?:the\s+)?{week}\s+before\s+last(?![a-z])", readers.near
    yield rf"(?<![a-z])(?:{weekday})\s+last(?![a-z])(?!\s+(?:{week}|night))", readers.near
    yield rf"(?<![a-z])last\s+(?:night|{week}|{weekday})(?![a-z])", readers.near
    yield (
        r"(?<![a-z])(?:yesterday|today|this\s+(?:morning|afternoon|evening|week|month|year))(?![a-z])",
        readers.near,
    )


FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(body, re.IGNORECASE), read)
    for forms in (_days, _months, _without_year, _years, _relative)
    for body, read in forms()
)
"""None reads what one before it has read."""

NUMBERED = re.compile(
    r"(?<![a-z])(?:nos?\.?|number|flat|house|section|sec\.?|plot|ward|door|room|quarter|qtr\.?|survey|khasra|khata|"
    r"h\.?\s?no\.?|regd?\.?|u/s|rule|clause|bearing)\s*(?:is|[:#-])?\s*$",
    re.IGNORECASE,
)
"""What makes digits the number of a house or file: ``House No. 12-5-24``."""


def find_moments(text: str, today: date) -> list[Moment]:
    """Every time that ``text`` names and that is not after the day of asking, in order of appearance.

    A time without a year takes that of a full one near it: of the same sentence, else one before it, else one
    after it. Births, marriages and the like lend no year. Where there is none, it is the last one before the
    day of asking, ``today``.
    """
    plain = text.translate(_PLAIN)
    matches = _matches(plain)
    read = [_placed(reader(match, today, None), match) for match, reader in matches]
    if any(m and not m.has_year for m in read):
        read = _with_years(plain, today, matches, read)
    past = (m for m in read if m and m.first <= today)
    return [replace(m, words=text[m.start : m.end], last=min(m.last, today)) for m in past]


def impossible_dates(text: str) -> list[str]:
    """Full dates of a text that no calendar has, as 31/02/2024."""
    full = (m for m, reader in _matches(text.translate(_PLAIN)) if reader is readers.full)
    return [text[m.start() : m.end()] for m in full if readers.full(m, _AFTER_ALL, None) is None]


_LEADS = re.compile(
    r"\b(?:on|in|from|since|till|until|to|between|and|dated|during)\s+(?:the\s+)?$", re.IGNORECASE
)


def without_times(text: str) -> str:
    """A text without the times in it, nor what leads to them: on, from."""
    for moment in reversed(find_moments(text, _AFTER_ALL)):
        text = _LEADS.sub("", text[: moment.start]) + text[moment.end :]
    return text


def _matches(text: str) -> list[tuple[re.Match[str], Reader]]:
    """What has the form of a time, and what reads it, in order of appearance."""
    matches: list[tuple[re.Match[str], Reader]] = []
    for pattern, read in FORMS:
        for match in pattern.finditer(text):
            if not any(match.start() < m.end() and m.start() < match.end() for m, _ in matches):
                matches.append((match, read))
    times = (
        (m, read)
        for m, read in matches
        if not (_DIGITS.fullmatch(m[0]) and NUMBERED.search(text[max(m.start() - 30, 0) : m.start()]))
    )
    return sorted(times, key=lambda pair: pair[0].start())


def _placed(moment: Moment | None, match: re.Match[str]) -> Moment | None:
    return replace(moment, start=match.start(), end=match.end()) if moment else None


def _with_years(
    text: str, today: date, matches: Sequence[tuple[re.Match[str], Reader]], read: Sequence[Moment | None]
) -> list[Moment | None]:
    """Times with those that have no year read again, by the full times near them."""
    spans = [match.span() for match, _ in matches]
    full = [m for m in read if m and m.has_year]
    lenders = [m for m in full if kind_of(text, (m.start, m.end), spans) not in (Kind.BIRTH, Kind.GROUND)]
    return [
        moment
        if moment is None or moment.has_year
        else _placed(reader(match, today, _anchor(text, moment, lenders)), match)
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
