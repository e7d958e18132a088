"""The day of an incident: complaints written for this test with the day a reader would name, and the dev split."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.law.asof import Incident, find_incident
from tests.data.complaints import COMPLAINTS

TODAY = date(2026, 11, 22)
CHANGES = {date(2024, 7, 1): "The Indian Penal Code, 1860", date(2025, 11, 21): "The Factories Act, 1948"}

DATED = [
    ("My phone was stolen on 12th May 2024 and I filed an FIR on 14 May 2024.", "2024-05-12"),
    ("FIR No. 112/2024 dated 20.07.2024. On 28.06.2024 at 9 pm two men snatched my chain.", "2024-06-28"),
    ("On 20 July 2024, I lodged a complaint. He had beaten me in June 2024.", "2024-06-01"),
    ("I was born on 4 March 1990. On 5 March 2023 they threw me out.", "2023-03-05"),
    ("DOB 04/03/1990. He cheated me on 05/03/23.", "2023-03-05"),
    ("By agreement dated 1 January 2024 I let the shop. On 3 August 2024 he broke the lock.", "2024-08-03"),
    ("He hit my father on 2 June 2024 with a rod. Father died on 9 July 2024.", "2024-06-02"),
    ("He took money on 3 April 2023, again on 5 May 2023 and last on 7 June 2023.", "2023-06-07"),
    ("They sent a legal notice on 15 September 2025; I had given the cheque on 1 July 2025.", "2025-07-01"),
    ("The hearing is on 4 December 2026. The accident was on 11 October 2026.", "2026-10-11"),
    ("We married in 2015. Since June 2023 he beats me.", "2023-06-01"),
    ("They broke in last May.", "2026-05-01"),
    ("Someone broke my window yesterday.", "2026-11-21"),
    ("Two years back, in August 2024, the builder ran away.", "2024-08-01"),
    ("My cycle was stolen in August 2024 from the stand.", "2024-08-01"),
    ("Theft of my bag at Howrah, 30th June, 2024, general coach.", "2024-06-30"),
    ("The order came on 3 February 2025 and on 5 February 2025 he tore it.", "2025-02-05"),
    ("Three days ago he slapped me. Our quarrel is from 2019.", "2026-11-19"),
    ("On Diwali night they burst my door.", None),
    ("He keeps threatening me over the phone.", None),
    ("I was born in 1988 and he is my uncle.", None),
    ("In 2024 my scooter was stolen.", None),
    ("I got the summons on 5 May 2025.", "2025-05-05"),
    ("The goods were to come by 10 March 2025. On 20 March 2025 they refused.", "2025-03-20"),
]


@pytest.mark.parametrize(("text", "day"), DATED)
def test_complaints_of_our_own(text: str, day: str | None) -> None:
    incident = find_incident(text, TODAY, CHANGES)
    assert (incident.day.isoformat() if incident.day else None) == day
    assert incident.words in text and (not incident.day or incident.words)


def test_why_it_was_chosen() -> None:
    assert find_incident("He shouted at me.", TODAY) == Incident(None)
    month = find_incident("It was stolen in May 2024.", TODAY, CHANGES)
    assert (month.precision, month.words) == ("month", "May 2024")
    assert month.why == "the only date in the text; the month stands for its first day"
    two = find_incident("He hit me on 3 May 2024 and on 4 May 2024.", TODAY)
    assert two.why == "the last of 2 dates of equal rank"
    incident = find_incident("He hit me on 3 May 2024. The FIR is of 9 May 2024.", TODAY)
    assert incident.why == "of 2 dates the closest to an act"
    assert find_incident("He hit me on 3 May.", TODAY).why.endswith("the year is inferred")


@pytest.mark.parametrize(
    "text", ["in 2024 it was stolen", "It was stolen two years ago.", "stolen in November 2025"]
)
def test_a_change_of_law_within_the_time_named_leaves_it_open(text: str) -> None:
    incident = find_incident(text, TODAY, CHANGES)
    assert (
        incident.day is None
        and incident.uncertain
        and incident.words
        and "the law changed on" in incident.why
    )
    assert find_incident(text, TODAY).day is not None


def test_the_first_day_of_new_law_opens_its_month() -> None:
    incident = find_incident("It was stolen in July 2024.", TODAY, CHANGES)
    assert incident.day == date(2024, 7, 1) and not incident.uncertain


def test_a_choice_across_a_change_of_law_is_named() -> None:
    alike = find_incident("He slapped me on 20 June 2024 and again on 5 July 2024.", TODAY, CHANGES)
    assert (alike.day, alike.uncertain) == (date(2024, 7, 5), True)
    assert alike.why == (
        "the last of 2 dates of equal rank; 2024-06-20 is named too, and the law changed between them, on 2024-07-01"
    )
    incident = find_incident("He slapped me on 20 June 2024. I filed the FIR on 5 July 2024.", TODAY, CHANGES)
    assert (incident.day, incident.uncertain) == (date(2024, 6, 20), False)
    assert "2024-07-05 is named too" in incident.why
    near = find_incident("He slapped me on 20 May 2024 and again on 5 June 2024.", TODAY, CHANGES)
    assert (near.why, near.uncertain) == ("the last of 2 dates of equal rank", False)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("In 2023 he cheated me. I filed the FIR on 5 July 2024.", "2023-01-01"),
        ("In 2024 he cheated me. I filed the FIR on 5 July 2024.", "2024-07-05"),
        ("In 2024 he cheated me. We married on 5 November 2021.", None),
        ("In 2021 the meter said so. The hearing was on 5 July 2024.", "2024-07-05"),
    ],
)
def test_a_year_alone_is_too_vague_where_the_law_changed_within_it(text: str, day: str | None) -> None:
    incident = find_incident(text, TODAY, CHANGES)
    assert (incident.day.isoformat() if incident.day else None) == day


@given(st.dates(date(2000, 1, 1), TODAY), st.dates(date(2000, 1, 1), TODAY))
def test_a_paper_never_goes_before_an_act(act: date, paper: date) -> None:
    text = f"On {act:%d %B %Y} he broke my arm. The FIR is dated {paper:%d/%m/%Y}."
    assert find_incident(text, TODAY).day == act


def test_the_dated_complaints_of_dev() -> None:
    """Against ``incident_date``; abstaining is wrong. The rules were written on this split (``make as-of``)."""
    dated = [r for r in COMPLAINTS.records["dev"] if r.incident_date]
    read = {r.id: find_incident(r.text, TODAY, CHANGES).day for r in dated}
    right = sum(read[r.id] == r.incident_date for r in dated)
    assert right / len(dated) >= 0.95, [(r.id, r.incident_date, read[r.id]) for r in dated]
