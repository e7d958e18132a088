"""Dates as statutes print them."""

from __future__ import annotations

from datetime import date

import pytest

from citegrain.tasks.law.numbers import find_dates, first_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("[6th October, 1860.]", date(1860, 10, 6)),
        ("(w.e.f. 27-10-2009)", date(2009, 10, 27)),
        ("the 1st day of July, 2024", date(2024, 7, 1)),
        ("NEW DELHI, SATURDAY, AUGUST 11, 2018/SHRAVANA 20, 1940", date(2018, 8, 11)),
        ("1.4.2016", date(2016, 4, 1)),
    ],
)
def test_forms(text: str, day: date) -> None:
    assert first_date(text) == day


@pytest.mark.parametrize("text", ["31-2-2016", "section 5 of 1860", "45-13-2001", "no date"])
def test_what_is_no_date(text: str) -> None:
    assert first_date(text) is None


def test_all_in_order() -> None:
    assert find_dates("from 1-2-2003 to 4th May, 2005") == [date(2003, 2, 1), date(2005, 5, 4)]
