"""Dates as statutes print them."""

from __future__ import annotations

import re
from datetime import date

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""Pattern of a month in words, whole or short."""

LONG_DATE = re.compile(
    rf"(?P<day>\d{{1,2}})\s*+(?:st|nd|rd|th)?\s*+(?:day\s+of\s+)?{MONTH}\.?,?\s*(?P<year>(?:1[6-9]|20)\d\d)",
    re.IGNORECASE,
)
US_DATE = re.compile(
    rf"{MONTH}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s*(?P<year>(?:1[6-9]|20)\d\d)", re.IGNORECASE
)
SHORT_DATE = re.compile(
    r"(?P<day>\d{1,2})\s*[-./]\s*(?P<month>\d{1,2})\s*[-./]\s*(?P<year>(?:1[6-9]|20)\d\d)(?!\d)"
)


def _date(match: re.Match[str]) -> date | None:
    month = match["month"].lower()
    number = int(month) if month.isdigit() else 1 + MONTHS.index(month[:3])
    try:
        return date(int(match["year"]), number, int(match["day"]))
    except ValueError:
        return None


def find_dates(text: str) -> list[date]:
    """Every date named in ``text``, in order of appearance (day first, or month first in words)."""
    dates: dict[int, date] = {}
    for pattern in (LONG_DATE, US_DATE, SHORT_DATE):
        for match in pattern.finditer(text):
            value = _date(match)
            if value is not None:
                dates.setdefault(match.start(), value)
    return [dates[at] for at in sorted(dates)]


def first_date(text: str) -> date | None:
    """The first date named in ``text``."""
    return next(iter(find_dates(text)), None)
