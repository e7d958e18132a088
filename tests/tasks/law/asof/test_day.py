"""Which day's law applies, and how that is put into words."""

from __future__ import annotations

from datetime import date

import pytest

from citegrain.tasks.law.asof import AsOf, is_procedural, resolve, saved_line
from citegrain.tasks.law.asof.day import RULES

TODAY = date(2026, 11, 22)
CHANGE = date(2024, 7, 1)
CHANGES = {CHANGE: "The Indian Penal Code, 1860", date(2025, 11, 21): "The Factories Act, 1948"}


def test_asked_read_or_today() -> None:
    assert resolve("", "on 3 May 2024", TODAY) == AsOf(TODAY, "today")
    assert resolve("2024-05-01", "", TODAY) == AsOf(date(2024, 5, 1), "asked")
    read = resolve("auto", "stolen on 3 May 2024", TODAY, {CHANGE: ""})
    assert (read.day, read.source, read.evidence, read.precision) == (
        date(2024, 5, 3),
        "words",
        "3 May 2024",
        "day",
    )
    assert read.line() == "law of 2024-05-03, read from “3 May 2024”: the only date in the text"
    assert read.as_dict()["day"] == "2024-05-03" and not read.as_dict()["uncertain"]
    with pytest.raises(ValueError, match="soon"):
        resolve("soon", "", TODAY)


def test_undated_and_uncertain_words_leave_todays_law() -> None:
    undated = resolve("auto", "he shouts", TODAY, {CHANGE: ""})
    assert undated.line() == "law of today, 2026-11-22: the text names no date"
    open_ = resolve("auto", "stolen in 2024", TODAY, {CHANGE: ""})
    assert (open_.day, open_.source, open_.uncertain) == (TODAY, "today", True)
    assert open_.line() == (
        "law of today, 2026-11-22: the law changed on 2024-07-01, within the time named (“in 2024”)"
    )
    assert resolve("", "", TODAY).line() == "law of today, 2026-11-22"
    assert resolve("2024-05-01", "", TODAY).line() == "law of 2024-05-01, as asked"


def test_a_day_chosen_across_a_change_of_law_applies_and_is_uncertain() -> None:
    read = resolve("auto", "He hit me on 20 June 2024 and on 5 July 2024.", TODAY, {CHANGE: ""})
    assert (read.day, read.source, read.uncertain) == (date(2024, 7, 5), "words", True)
    assert "2024-06-20 is named too, and the law changed between them, on 2024-07-01" in read.line()


@pytest.mark.parametrize(
    ("text", "day", "rule"),
    [
        (
            "He stole it on 20 June 2024 and I reported it on 5 July 2024. What is the punishment?",
            "2024-06-20",
            "substance",
        ),
        (
            "He stole it on 20 June 2024 and I went to the police on 5 July 2024. How is the FIR recorded?",
            "2024-07-05",
            "procedure",
        ),
        (
            "The theft was on 20 June 2024. The trial had begun before 1 July 2024. Which section is for bail?",
            "2024-06-20",
            "saved proceedings",
        ),
        (
            "The trial was pending on 1 July 2024 and goes on in August 2024. Who asks for discharge?",
            "2024-06-30",
            "saved proceedings",
        ),
        ("Before the new law came on 1 July 2024, what was the fine?", "2024-06-30", "substance"),
        (
            "He cheated me on 3 May 2021; I learnt of it on 9 July 2024. Is it too late?",
            "2021-05-03",
            "limitation",
        ),
        (
            "My husband beat me from January 2023 and it went on until 30 September 2024.",
            "2024-09-30",
            "substance",
        ),
    ],
)
def test_the_day_that_counts_goes_by_what_is_asked(text: str, day: str, rule: str) -> None:
    read = resolve("auto", text, TODAY, CHANGES)
    assert (str(read.day), read.rule) == (day, rule)
    assert read.as_dict()["rule"] == rule and (RULES[rule] in read.line())


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("What was the fine before the new criminal laws came?", "2024-06-30"),
        ("What did the old penal code say of conspiracy?", "2024-06-30"),
        ("Under the old law, who paid?", None),  # two laws changed
        ("How does the new criminal law differ from the old penal code?", None),
        ("Was birth during marriage proof on 12 December 2022?", "2022-12-12"),
        ("Can my son, born on 12 December 2022, go to school?", None),
        ("He was stopped on 12 August 2019, and the challan was heard on 5 November 2019.", "2019-08-12"),
        (
            "He was arrested on 5 July 2024 for a theft of 20 June 2024. By whom may he be arrested?",
            "2024-07-05",
        ),
    ],
)
def test_the_day_of_a_question_of_law(text: str, day: str | None) -> None:
    read = resolve("auto", text, TODAY, CHANGES)
    assert read.day == (date.fromisoformat(day) if day else TODAY)


def test_the_day_of_the_criminal_laws_is_that_of_the_registry() -> None:
    changes = {CHANGE: "The Factories Act, 1948", date(2025, 1, 1): "The Penal Code; The Evidence Act"}
    read = resolve("auto", "What did the old criminal law say?", TODAY, changes)
    assert read.day == date(2024, 12, 31)


def test_nothing_is_said_of_a_rule_where_no_day_was_read() -> None:
    assert resolve("", "on 3 May 2024", TODAY).rule == resolve("2024-05-01", "", TODAY).rule == ""


def test_both_days_may_be_given() -> None:
    both = resolve("2024-05-03/2024-09-01", "", TODAY)
    assert both == AsOf(date(2024, 5, 3), "asked", step=date(2024, 9, 1))
    assert both.line() == "law of 2024-05-03, as asked; procedure of 2024-09-01"
    assert both.as_dict()["step"] == "2024-09-01" and resolve("", "", TODAY).as_dict()["step"] == ""
    read = resolve("auto/2024-09-01", "stolen on 3 May 2024", TODAY, {CHANGE: ""})
    assert (read.day, read.source, read.step) == (date(2024, 5, 3), "words", date(2024, 9, 1))
    assert resolve("/2024-09-01", "", TODAY) == AsOf(TODAY, "today", step=date(2024, 9, 1))
    for wrong in ("2024-05-03/soon", "2024-05-03/auto", "2024-05-03/2024-09-01/2025-01-01"):
        with pytest.raises(ValueError, match="Invalid isoformat"):
            resolve(wrong, "", TODAY)


@pytest.mark.parametrize(
    ("day", "step", "said"),
    [
        (date(2024, 5, 3), date(2024, 9, 1), True),
        (date(2024, 5, 3), CHANGE, True),
        (date(2024, 5, 3), date(2024, 6, 30), False),
        (CHANGE, date(2024, 9, 1), False),
    ],
)
def test_what_was_pending_is_said_where_the_law_changed_between(day: date, step: date, said: bool) -> None:
    line = saved_line(day, step, [date(2025, 11, 21), CHANGE])
    assert line == ("What was pending on 2024-07-01, when the law changed, goes on by the old: "
                    "give 2024-05-03/2024-06-30." if said else "")  # fmt: skip


@pytest.mark.parametrize(
    ("title", "procedural"),
    [
        ("The Code of Criminal Procedure, 1973", True),
        ("The Bharatiya Nagarik Suraksha Sanhita, 2023", True),
        ("The Bharatiya Sakshya Adhiniyam, 2023", True),
        ("The Indian Evidence Act, 1872", True),
        ("The Bharatiya Nyaya Sanhita, 2023", False),
        ("The Limitation Act, 1963", False),
    ],
)
def test_acts_of_procedure_and_evidence(title: str, procedural: bool) -> None:
    assert is_procedural(title) == procedural


@pytest.mark.parametrize(
    "words", ["31/02/2024", "30th February 2023", "31 April 2022", "29-02-2023", "0/5/2024"]
)
def test_a_date_that_no_calendar_has_is_said(words: str) -> None:
    read = resolve("auto", f"he stole my bike on {words}", TODAY, CHANGES)
    assert (read.day, read.source) == (
        TODAY,
        "today",
    ) and f"“{words}” is no date, and was not read" in read.line()
    other = resolve("auto", f"he stole my bike on {words} and hit me on 5 May 2024", TODAY, CHANGES)
    assert other.day == date(2024, 5, 5) and f"“{words}” is no date" in other.why


@pytest.mark.parametrize("words", ["29/02/2024", "12/31/2023", "house 45/13/2024", "31 March 2023"])
def test_and_not_of_one_that_it_has(words: str) -> None:
    assert "no date, and" not in resolve("auto", f"he stole my bike on {words}", TODAY, CHANGES).line()
