"""Whose law applies, where it is told, and how that is put into words."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tasks.asof import AsOf, changes_of, counterpart_line, replacement, resolve

TODAY = date(2026, 11, 22)
CHANGE = date(2024, 7, 1)
ACTS: list[dict[str, Any]] = [
    {"act_id": "ipc", "title": "The Penal Code", "replaced_by": "bns", "in_force_to": date(2024, 6, 30)},
    {"act_id": "bns", "title": "The Sanhita", "replaced_by": None, "in_force_to": None},
    {"act_id": "fa", "title": "Factories", "replaced_by": "osh", "in_force_to": None},
]


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
    assert read.line() == "law of 2024-05-03, read from “3 May 2024”: the only date told"
    assert read.told()["day"] == "2024-05-03" and not read.told()["uncertain"]
    with pytest.raises(ValueError, match="soon"):
        resolve("soon", "", TODAY)


def test_undated_and_uncertain_words_leave_todays_law() -> None:
    undated = resolve("auto", "he shouts", TODAY, [CHANGE])
    assert undated.line() == "law of today, 2026-11-22: the words tell no date"
    open_ = resolve("auto", "stolen in 2024", TODAY, [CHANGE])
    assert (open_.day, open_.source, open_.uncertain) == (TODAY, "today", True)
    assert open_.line() == (
        "law of today, 2026-11-22: the law changed on 2024-07-01, within the time told (“in 2024”)"
    )
    assert resolve("", "", TODAY).line() == "law of today, 2026-11-22"
    assert resolve("2024-05-01", "", TODAY).line() == "law of 2024-05-01, as asked"


def test_changes_and_replacements() -> None:
    assert changes_of(ACTS) == [CHANGE]
    assert replacement(ACTS, "ipc") == {
        "relation": "successor",
        "act": "bns",
        "title": "The Sanhita",
        "since": "2024-07-01",
        "held": True,
    }
    assert replacement(ACTS, "bns") == {
        "relation": "predecessor",
        "act": "ipc",
        "title": "The Penal Code",
        "since": "2024-07-01",
        "held": True,
    }
    assert replacement(ACTS, "fa") == {
        "relation": "successor",
        "act": "osh",
        "title": "osh",
        "since": "",
        "held": False,
    }
    assert replacement(ACTS, "mv") is None


def test_one_line_a_charge() -> None:
    def told(act: str, *found: tuple[str, str]) -> str:
        counterparts = [{"section": n, "source": s} for n, s in found]
        return counterpart_line({"replacement": replacement(ACTS, act), "counterparts": counterparts})

    assert (
        told("ipc", ("303", "matched"))
        == "since 2024-07-01: The Sanhita, section 303 (matched by heading and text)"
    )
    assert (
        told("bns", ("379", "table"), ("378", "table"))
        == "before 2024-07-01: The Penal Code, sections 379, 378 (by your table)"
    )
    assert told("bns") == "before 2024-07-01: The Penal Code, no like section found"
    assert told("fa") == "replaced by: osh, not held here" and told("mv") == ""
