"""How much of a complaint stands in the law: worked by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from citegrain.tasks.evaluation.benchmark import Citation, Record, content_words, overlap, overlap_by_register

SECTION = "Whoever commits theft shall be punished with imprisonment, or with fine of 500 rupees."


def test_content_words_are_stems_of_letters_without_stop_words() -> None:
    text = "The thief was STEALING and steals 2 bikes (B22), and was back in 498A!"
    assert content_words(text) == {"thief", "steal", "bike", "back"}, "B22 and 498A are no words of letters"


def test_overlap_counts_distinct_words_of_the_complaint() -> None:
    # theft, thief, phone, fine, rupee: theft, fine and rupee stand in the section
    assert overlap("Theft! theft; the thief, a phone, and a fine of 90 rupee", SECTION) == pytest.approx(
        3 / 5
    )
    assert overlap("my phone", SECTION) == 0
    assert overlap("punish", SECTION) == 1
    assert math.isnan(overlap("of the 12", SECTION)), "no content word"


def record(name: str, text: str, register: Any, section: str | None = "1") -> Record:
    cited = () if section is None else (Citation(act="a-1900", section=section),)
    primary = cited[0] if cited else None
    return Record(id=name, text=text, register=register, applicable=cited, primary=primary)


def test_medians_by_register() -> None:
    records = [
        record("a", "theft", "informal"),
        record("b", "phone", "informal"),
        record("c", "theft fine phone bike", "formal"),
        record("d", "theft", "formal", None),  # out of scope
        record("e", "theft", None),
        record("f", "theft", "formal", "2"),  # not at hand
        record("g", "12", "formal"),
    ]
    texts = {"1": SECTION, "2": ""}
    overlaps = overlap_by_register(records, lambda citation: texts.get(citation.section))
    assert overlaps == {"informal": (0.5, 2), "formal": (0.5, 1)}
    assert overlap_by_register([], lambda citation: None) == {}
