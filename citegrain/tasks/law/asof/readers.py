"""What the words of a time mean, counted from the day of asking or from another time of the text."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from citegrain.tasks.law.numbers import MONTHS, NUMBER_WORDS

PRECISIONS = ("day", "week", "month", "year")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = NUMBER_WORDS | {
    f"{ten} {one}": tens + ones
    for ten, tens in NUMBER_WORDS.items()
    for one, ones in NUMBER_WORDS.items()
    if tens >= 20 and ones < 10
}
_COUNTS = NUMBERS | {"a": 1, "an": 1, "couple": 2}


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a text names, from ``start`` to ``end``.

    ``day``: of a month or year the first, of ``29-30 June 2024`` the last; it lies from ``first`` to
    ``last``. ``precision``: of ``PRECISIONS``. ``has_year``: whether the text names the year, or counts from
    the day of asking; else the year is inferred.
    """

    day: date
    first: date
    last: date
    precision: str
    has_year: bool = True
    words: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Anchor:
    """A time of the text from which the year of another is inferred; ``ahead`` if it comes before it."""

    first: date
    last: date
    ahead: bool


Reader = Callable[[re.Match[str], date, Anchor | None], Moment | None]


def full(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """A day with its year; day first, unless that is no date."""
    year, month, day = _year(match["year"], today), _month(match), int(match["day"])
    return _one_day(year, month, day) or (_one_day(year, day, month) if match["month"].isdigit() else None)


def two_days(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """``29/30.06.2024``, ``29-30 June 2024``: between the two, and the last of them."""
    last = full(match, today, anchor)
    if last is None or not 1 <= int(match["from"]) <= last.day.day:
        return last
    return replace(last, first=last.day.replace(day=int(match["from"])))


def day_of_month(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """A day without its year."""
    month, day = _month(match), int(match["day"])
    return _nearest((_one_day(year, month, day) for year in _years(today, anchor)), today, anchor)


def month_alone(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """A month without its year: ``last May`` is not the month of asking."""
    month, last = _month(match), match["when"].lower() == "last"
    if last:
        past = month < today.month
        return replace(_span(date(today.year - (not past), month, 1), "month"), has_year=False)
    return _nearest((_span(date(year, month, 1), "month") for year in _years(today, anchor)), today, anchor)


def month_of_year(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """A month with its year."""
    return _span(date(_year(match["year"], today), _month(match), 1), "month")


def month_near(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """``in May last year``, ``this year in May``."""
    return _span(date(today.year - _back(match), _month(match), 1), "month")


def day_near(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """``25th June last year``."""
    return _one_day(today.year - _back(match), _month(match), int(match["day"]))


def day_of_near_month(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """``25th of last month``."""
    month = today.replace(day=1) - timedelta(days=_back(match))
    return _one_day(month.year, month.month, int(match["day"]))


def year_alone(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """A year alone."""
    return _span(date(int(match["year"]), 1, 1), "year")


def ago(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """``two years ago``: the day counted back, give or take half of the unit."""
    half, unit = match["half"] is not None or match["tail"] is not None, match["unit"].lower()
    n = _count(match["count"])
    if n > 1200:
        return None
    if unit == "fortnight":
        n, unit = 2 * n, "week"
    if half and unit == "year":
        n, unit, half = 12 * n + 6, "month", False
    if unit in ("day", "week"):
        back = n * (7 if unit == "week" else 1) + (3 if half and unit == "week" else 0)
        day, slack = today - timedelta(days=back), 3 if unit == "week" else 0
    else:
        months = today.year * 12 + today.month - 1 - n * (12 if unit == "year" else 1)
        if months < 12:
            return None
        month = _month_at(months)
        day, slack = min(month.day + timedelta(today.day - 1), month.last), 183 if unit == "year" else 15
        day -= timedelta(days=15 if half else 0)
    return Moment(day, day - timedelta(days=slack), day + timedelta(days=slack), unit)


def near(match: re.Match[str], today: date, anchor: Anchor | None) -> Moment | None:
    """``yesterday``, ``last night``, ``last week``, ``last Sunday``, ``last to last month``."""
    words = re.split(r"[\s-]+", match[0].lower().removeprefix("the "))
    back, unit = int("last" in words), words[-1]
    if "last" in words[1:]:  # "last to last month", "the month before last", "Friday last"
        back, unit = (1 if words[0] in WEEKDAYS else 2), (words[-1] if words[0] == "last" else words[0])
    if unit in WEEKDAYS:
        return _single(today - timedelta(days=(today.weekday() - WEEKDAYS.index(unit)) % 7 or 7))
    if unit == "week":
        first = today - timedelta(days=today.weekday() + 7 * back)
        return Moment(first, first, first + timedelta(days=6), "week")
    if unit == "month":
        return _month_at(today.year * 12 + today.month - 1 - back)
    if unit == "year":
        return _span(date(today.year - back, 1, 1), "year")
    return _single(today - timedelta(days=2 if "before" in words else int(unit == "yesterday" or back)))


def _years(today: date, anchor: Anchor | None) -> range:
    """Years to try, the last first; five for a 29 February."""
    if anchor is None:
        return range(today.year, max(today.year - 5, 0), -1)
    return range(min(anchor.last.year + 1, today.year), max(anchor.first.year - 2, 0), -1)


def _nearest(tried: Iterable[Moment | None], today: date, anchor: Anchor | None) -> Moment | None:
    """The last before the day of asking; with an anchor the nearest to it, in the order of the text.

    A story goes on: a day against the order of the text counts as four times as far.
    """

    def cost(moment: Moment) -> int:
        if anchor is None:
            return 0
        after, before = (moment.first - anchor.last).days, (anchor.first - moment.last).days
        return max(after * (1 if anchor.ahead else 4), before * (4 if anchor.ahead else 1), 0)

    past = [moment for moment in tried if moment and moment.first <= today]
    return replace(min(past, key=cost), has_year=False) if past else None


def _single(day: date) -> Moment:
    return Moment(day, day, day, "day")


def _one_day(year: int, month: int, day: int) -> Moment | None:
    try:
        return _single(date(year, month, day))
    except ValueError:
        return None


def _month_at(months: int) -> Moment:
    """A month by how many were before it."""
    return _span(date(months // 12, months % 12 + 1, 1), "month")


def _span(first: date, precision: str) -> Moment:
    """A month or year from its first day."""
    months = first.year * 12 + first.month - 1 + (12 if precision == "year" else 1)
    return Moment(first, first, date(months // 12, months % 12 + 1, 1) - timedelta(days=1), precision)


def _month(match: re.Match[str]) -> int:
    month = match["month"]
    return int(month) if month.isdigit() else 1 + MONTHS.index(month.lower()[:3])


def _year(year: str, today: date) -> int:
    """Of two digits the year of this century, or of the last one if that is still to come."""
    digits = int(year.strip("'’‘\""))
    if digits >= 100:
        return digits
    return 2000 + digits if 2000 + digits <= today.year else 1900 + digits


def _back(match: re.Match[str]) -> bool:
    return match["near"].lower() != "this"


def _count(text: str) -> int:
    """Of ``half a`` nothing: the half is counted apart."""
    words = " ".join(re.split(r"[\s-]+", text.lower()))
    if words.startswith("half"):
        return 0
    if words[0].isdigit():
        return int(words)
    return _COUNTS["couple" if "couple" in words else words]
