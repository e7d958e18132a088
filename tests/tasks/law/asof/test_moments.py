"""Times as people tell them, by hand and read back from every form that is written."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.law.asof import find_moments, without_times

TODAY = date(2026, 11, 22)  # a Sunday


@pytest.mark.parametrize(
    ("text", "day", "precision"),
    [
        ("on 12th May 2024", "2024-05-12", "day"),
        ("on the 12th day of May, 2024", "2024-05-12", "day"),
        ("12-May-24, at night", "2024-05-12", "day"),
        ("12 May '24", "2024-05-12", "day"),
        ("May 12th, 2024", "2024-05-12", "day"),
        ("Sept. 3, 2023", "2023-09-03", "day"),
        ("12/05/24", "2024-05-12", "day"),
        ("12.05.2024", "2024-05-12", "day"),
        ("5-6-98", "1998-06-05", "day"),
        ("05/24/2024, so month first", "2024-05-24", "day"),
        ("2024-05-12", "2024-05-12", "day"),
        ("on 29 February 2024", "2024-02-29", "day"),
        ("in August 2024", "2024-08-01", "month"),
        ("since June 2023", "2023-06-01", "month"),
        ("in 08/2024", "2024-08-01", "month"),
        ("Dec 2019", "2019-12-01", "month"),
        ("in January last year", "2025-01-01", "month"),
        ("last year in May", "2025-05-01", "month"),
        ("in 2021 he came", "2021-01-01", "year"),
        ("since early 2021", "2021-01-01", "year"),
        ("on 3 March", "2026-03-03", "day"),
        ("on 3 December", "2025-12-03", "day"),
        ("on May 5th", "2026-05-05", "day"),
        ("last May", "2026-05-01", "month"),
        ("last November", "2025-11-01", "month"),
        ("in november", "2026-11-01", "month"),
        ("in December", "2025-12-01", "month"),
        ("yesterday", "2026-11-21", "day"),
        ("the day before yesterday", "2026-11-20", "day"),
        ("last night", "2026-11-21", "day"),
        ("this morning", "2026-11-22", "day"),
        ("last Monday", "2026-11-16", "day"),
        ("last Sunday", "2026-11-15", "day"),
        ("last week", "2026-11-09", "week"),
        ("last month", "2026-10-01", "month"),
        ("last year", "2025-01-01", "year"),
        ("ten days ago", "2026-11-12", "day"),
        ("two weeks back", "2026-11-08", "week"),
        ("3 months ago", "2026-08-22", "month"),
        ("two years ago", "2024-11-22", "year"),
        ("a couple of years ago", "2024-11-22", "year"),
        ("1.5 years ago", "2025-05-22", "month"),
        ("one and a half years ago", "2025-05-22", "month"),
        ("a year and a half back", "2025-05-22", "month"),
        ("half a year ago", "2026-05-22", "month"),
        ("two and a half months ago", "2026-09-07", "month"),
        ("fifteen days ago", "2026-11-07", "day"),
        ("twenty-five days back", "2026-10-28", "day"),
        ("a fortnight ago", "2026-11-08", "week"),
        ("15/Jun/2024", "2024-06-15", "day"),
        ("2024/06/15", "2024-06-15", "day"),
        ("29/30.06.2024", "2024-06-30", "day"),
        ("29-30 June 2024", "2024-06-30", "day"),
        ("29th and 30th June, 2024", "2024-06-30", "day"),
        ("12–06–2024", "2024-06-12", "day"),
        ("12 06 2024", "2024-06-12", "day"),
        ("12th june'2024", "2024-06-12", "day"),
        ("12 June in the year 2024", "2024-06-12", "day"),
        ("12 June last year", "2025-06-12", "day"),
        ("June 12th of last year", "2025-06-12", "day"),
        ("25th of last month", "2026-10-25", "day"),
        ("5th of this month", "2026-11-05", "day"),
        ("in June 24 my cow", "2024-06-01", "month"),
        ("last to last month", "2026-09-01", "month"),
        ("the year before last", "2024-01-01", "year"),
        ("on Friday last", "2026-11-20", "day"),
        ("from 2019 onwards", "2019-01-01", "year"),
        ("around 2015.", "2015-01-01", "year"),
    ],
)
def test_forms(text: str, day: str, precision: str) -> None:
    (moment,) = find_moments(text, TODAY)
    assert (moment.day.isoformat(), moment.precision) == (day, precision)
    assert moment.first <= moment.day <= moment.last <= TODAY
    assert text[moment.start : moment.end] == moment.words


@pytest.mark.parametrize(
    "text",
    [
        "you may 12 times ask", "we march on", "he may come in two days", "Rs 2,024 and 1/3 of it", "flat 12.5.3",
        "31/02/2024", "the Companies Act, 2013", "section 12(5) of the Act of 1956", "2024-25", "on 3 March 2027",
        "in 2030", "two days later", "for the past two years", "1.7 years ago", "each Monday", "at Diwali", "0 May 2024",
        "FIR no. 08/2024", "in the 2019 Act", "call 98765-43210", "in 2000 rupees", "about 1950 rupees",
        "stole about 2000.", "from 2000 shares", "after 2015 people came", "in 2010 acres", "House No. 12-5-24",
        "flat is no 3/4/22", "Regd. No. 12-3-2020", "Section 12/5/24", "ward 12.5.2024", "31-32 June 2024", "9999 years ago", "every May be it so",
    ],
)  # fmt: skip
def test_what_is_no_time_or_not_yet(text: str) -> None:
    assert find_moments(text, TODAY) == []


def test_a_time_without_a_year_follows_the_one_before_it() -> None:
    days = [
        m.day.isoformat() for m in find_moments("On 3 March 2022 I paid. On 5 April he fled, in May", TODAY)
    ]
    assert days == ["2022-03-03", "2022-04-05", "2022-05-01"]
    (_, second) = find_moments("On 20 May 2026 he told of a meeting on 11 May", TODAY)
    assert second.day == date(2026, 5, 11) and not second.has_year


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("On 25 June he abused me. FIR dated 2 July 2024.", ["2024-06-25", "2024-07-02"]),
        ("the night of 30th June and 1st July 2024", ["2024-06-30", "2024-07-01"]),
        ("On 20 May 2024 he told of a meeting on 11 May", ["2024-05-20", "2024-05-11"]),
        ("On 3 December 2023 he came and on 5 February again", ["2023-12-03", "2024-02-05"]),
        ("born on 4 March 1990, on 5 April I left", ["1990-03-04", "2026-04-05"]),
        ("In 2019 I wed. On 5 April he hit me. The FIR is of 7 April 2024", ["2019-01-01", "2024-04-05", "2024-04-07"]),
        ("two years ago in June", ["2024-11-22", "2024-06-01"]),
        ("on 12 June, that was saal 2023", ["2023-06-12", "2023-01-01"]),
    ],
)  # fmt: skip
def test_a_time_without_a_year_takes_that_of_one_near_it(text: str, days: list[str]) -> None:
    assert [m.day.isoformat() for m in find_moments(text, TODAY)] == days


def test_two_days_lie_between_them() -> None:
    (both,) = find_moments("on 29/30.06.2024", TODAY)
    assert (both.first, both.last) == (date(2024, 6, 29), date(2024, 6, 30))


def test_a_span_ends_with_the_day_of_asking() -> None:
    (month,) = find_moments("in November 2026", TODAY)
    assert (month.first, month.last) == (date(2026, 11, 1), TODAY)
    (leap,) = find_moments("a year ago", date(2024, 2, 29))
    assert leap.day == date(2023, 2, 28)


FORMS = (
    "{d} {month} {y}", "{d}{th} {month}, {y}", "{d}{th} of {month} {y}", "{d} {mon} {y}", "{d}-{mon}-{y}", "{month} {d}, {y}",
    "{mon} {d}{th}, {y}", "{y}-{m:02}-{d:02}", "{d:02}/{m:02}/{y}", "{d}.{m}.{y}", "{d:02}-{m:02}-{y}", "{d}/{m}/{yy:02}",
    "{d:02}-{m:02}-{yy:02}", "{d} {mon} '{yy:02}", "the {d}{th} day of {month}, {y}",
)  # fmt: skip
SURROUND = (
    "{}",
    "On {} he came.",
    "It was {}, a Sunday, and two men of 40 came with 3 dogs.",
    "({})",
    "dated {}; I paid Rs 500",
)


def written(day: date, form: str) -> str:
    th = "th" if 11 <= day.day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return form.format(
        d=day.day, m=day.month, y=day.year, yy=day.year % 100, th=th, month=f"{day:%B}", mon=f"{day:%b}"
    )


@given(
    st.dates(date(1950, 1, 1), TODAY),
    st.sampled_from(FORMS),
    st.sampled_from(SURROUND),
    st.sampled_from([str, str.lower, str.upper]),
)
def test_a_day_written_in_any_form_is_read_back(day: date, form: str, around: str, case: object) -> None:
    # two digits tell no century: the years read are the hundred up to the day of asking
    if "yy" in form and day.year <= TODAY.year - 100:
        return
    text = around.format(written(day, form))
    (moment,) = find_moments(case(text), TODAY)  # type: ignore[operator]
    assert (moment.day, moment.precision, moment.has_year) == (day, "day", True)


@given(
    st.dates(date(1950, 1, 1), TODAY),
    st.sampled_from(["in {:%B} {:%Y}", "since {:%b} {:%Y}", "{:%B}, {:%Y}"]),
)
def test_a_month_is_read_back(day: date, form: str) -> None:
    (moment,) = find_moments(form.format(day, day), TODAY)
    assert (moment.day, moment.precision) == (day.replace(day=1), "month")


@given(st.integers(0, 400), st.dates(date(1990, 1, 1), date(2060, 1, 1)))
def test_days_ago_are_counted_back(n: int, today: date) -> None:
    (moment,) = find_moments(f"it was {n} days ago", today)
    assert moment.day == today - timedelta(days=n)


@given(
    st.text("0123456789/-. ’'manyJuneMayofthelastdago,:", max_size=60),
    st.dates(date(1900, 1, 1), date(2100, 1, 1)),
)
def test_no_text_breaks_it_and_nothing_is_after_the_day_of_asking(text: str, today: date) -> None:
    for moment in find_moments(text, today):
        assert moment.first <= today and text[moment.start : moment.end] == moment.words


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What was the fine in March 2023?", "What was the fine ?"),
        ("On 12 December 2024 and since December", " "),
        ("No time here", "No time here"),
    ],
)
def test_a_text_without_its_times(text: str, rest: str) -> None:
    assert without_times(text) == rest
