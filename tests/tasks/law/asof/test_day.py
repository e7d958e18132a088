"""Which day's law applies, and how that is put into words."""

from __future__ import annotations

from datetime import date

import pytest

from citegrain.tasks.law.asof import AsOf, resolve

TODAY = date(2026, 11, 22)
CHANGE = date(2024, 7, 1)


def test_asked_read_or_today() -> None:
    assert resolve("", "on 3 May 2024", TODAY) == AsOf(TODAY, "today")
    assert resolve("2024-05-01", "", TODAY) == AsOf(date(2024, 5, 1), "asked")
    read = resolve("auto", "stolen on 3 May 2024", TODAY, [CHANGE])
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
    undated = resolve("auto", "he shouts", TODAY, [CHANGE])
    assert undated.line() == "law of today, 2026-11-22: the text names no date"
    open_ = resolve("auto", "stolen in 2024", TODAY, [CHANGE])
    assert (open_.day, open_.source, open_.uncertain) == (TODAY, "today", True)
    assert open_.line() == (
        "law of today, 2026-11-22: the law changed on 2024-07-01, within the time named (“in 2024”)"
    )
    assert resolve("", "", TODAY).line() == "law of today, 2026-11-22"
    assert resolve("2024-05-01", "", TODAY).line() == "law of 2024-05-01, as asked"


def test_a_day_chosen_across_a_change_of_law_applies_and_is_uncertain() -> None:
    read = resolve("auto", "He hit me on 20 June 2024 and on 5 July 2024.", TODAY, [CHANGE])
    assert (read.day, read.source, read.uncertain) == (date(2024, 7, 5), "words", True)
    assert "2024-06-20 is named too, and the law changed between them, on 2024-07-01" in read.line()
