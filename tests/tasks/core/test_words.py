"""Words of both languages as the sparse index sees them."""

from __future__ import annotations

import pytest

from citegrain.tasks.core.words import Analyser, devanagari_share, latin_letter


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Whoever keeps 498A lanterns", ["whoever", "keep", "498a", "lantern"]),
        ("महिलाओं के अधिकारों का", ["महिल", "अधिकार"]),
        ("महिला का अधिकार", ["महिल", "अधिकार"]),
        ("सम्बन्ध, संबंध", ["संबंध", "संबंध"]),
        ("धारा ४९८क; section 498", ["धार", "498क", "section", "498"]),
        ("न्याय। दंड", ["न्याय", "दंड"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert Analyser("english", "en").terms(text) == terms


def test_nothing_is_stemmed_or_left_out_where_that_is_asked() -> None:
    assert Analyser("none", "none").terms("महिलाओं का lanterns") == ["महिलाओं", "का", "lanterns"]


def test_clauses_by_the_letters_of_an_english_edition() -> None:
    assert [latin_letter(mark) for mark in ("क", "ङ", "कक", "यक", "अ", "आ", "a", "1")] == [
        "a", "e", "aa", "za", "A", "B", "a", "1",
    ]  # fmt: skip


def test_share_of_devanagari() -> None:
    assert devanagari_share("section 4") == 0 and devanagari_share("धारा 4") == 1
    assert 0 < devanagari_share("IPC की") < 0.5
