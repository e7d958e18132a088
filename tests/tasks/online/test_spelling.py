"""Words as people type them, over the build of two small Acts with lay texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.online.spelling import Spelling, _is_slip
from tests.golden_outputs import golden_build
from tests.tasks.online.test_cascade import LAY

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    return Spelling(golden_build(LAY))


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("the kepeer wants oil", "the keeper wants oil"),  # two letters swapped
        ("the lamtern is out", "the lantern is out"),  # the key beside it
        ("Salry is due", "Salary is due"),  # one left out, of a lay text; the capital stays
        ("kerosne is dear", "kerosne is dear"),  # of a lay text alone, and nothing that the encoder knows
        ("who pays the keeperwages", "who pays the keeper wages"),  # a blank left out
        ("my lan tern broke", "my lan tern broke"),  # both are words
        ("the lante rn", "the lantern"),  # a blank too much
        ("the keeper's wages, sec. 3A(1)!", "the keeper's wages, sec. 3A(1)!"),
        ("I saw Mr Kepeer and old Kepeer", "I saw Mr Kepeer and old Kepeer"),  # names
        ("mere malik ne salary nahi di kepeer ko", "mere malik ne salary nahi di kepeer ko"),
        ("kepeer lamtern wagse kerosne", "kepeer lamtern wagse kerosne"),  # nothing to go by
        (
            "the kepeer of the lamtern and his wagse",
            "the keeper of the lantern and his wages",
        ),  # the rest is English
        (
            "the vermieter of the kaution and his mietspiegel",
            "the vermieter of the kaution and his mietspiegel",
        ),
        ("मुझे वेतन नहीं मिला", "मुझे वेतन नहीं मिला"),
        ("", ""),
    ],
)
def test_what_a_question_is_read_as(spelling: Spelling, typed: str, read: str) -> None:
    assert spelling.read(typed) == read


@pytest.mark.parametrize(
    ("typed", "meant", "errors", "slip"),
    [
        ("oul", "oil", 1, True),  # u beside i
        ("seperate", "separate", 1, True),  # vowels
        ("vadina", "vagina", 1, False),  # d and g are two keys apart
        ("kepeer", "keeper", 1, True),  # swapped
        ("kerosne", "kerosene", 1, True),
        ("harrasment", "harassment", 2, True),  # one doubled, and another not
    ],
)
def test_a_letter_is_typed_for_its_neighbour_or_for_one_that_sounds_alike(
    typed: str, meant: str, errors: int, slip: bool
) -> None:
    assert _is_slip(typed, meant, errors) == slip == _is_slip(meant, typed, errors)


def test_the_forms_of_a_word_are_the_words_of_its_stem(spelling: Spelling) -> None:
    texts = [text.lower() for _, some in spelling._indexes for text in some]
    words = {word for text in texts for word in re.findall("[a-z]+", text)}
    analyser = spelling._indexes[0][0].analyser
    for word in ("wages", "keepers", "lantern"):
        alike = {w for w in words if analyser.terms(w) == analyser.terms(word)}
        assert spelling._find_forms(word) == alike != set()


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["wages", "lantern", "oil", "keeper", "3A", "Rs 500", "?", "—"]), max_size=9))
def test_known_words_stay(spelling: Spelling, words: list[str]) -> None:
    assert spelling.read(" ".join(words)) == " ".join(words)


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_what_is_no_word_stays_whatever_is_typed(spelling: Spelling, text: str) -> None:
    def rest(t: str) -> list[str]:
        return re.findall(r"[\d.,;!?]", t)

    assert rest(spelling.read(text)) == rest(text)
