"""Rewrites of complaints by rules, on texts that are worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.online.builds import Matrix
from citegrain.tasks.online.rewrite import Hint
from citegrain.tasks.published.rewrite import REWRITES, sentences

HINTS = [Hint("Wages", "he sits on our pay", "The owner shall pay"), Hint("", "no oil", "Oil is supplied")]
STORY = (
    "My husband beats me every single night. He threw me out of our house in May. "
    "The bank says my cheque came back unpaid. The bank now wants a penalty from me. "
    "My landlord keeps the whole deposit. My landlord has also cut the water off."
)


def by_first_words(texts: Sequence[str]) -> Matrix:
    """Two sentences are alike if the same person acts in them."""
    names = ("husband", "bank", "landlord")
    rows = [[float(name in text) for name in names] for text in texts]
    return np.array([row if any(row) else [1.0, 0.0, 0.0] for row in rows], dtype=np.float32)


def rewritten(name: str, text: str, hints: Sequence[Hint] = HINTS) -> list[list[tuple[str, float]]]:
    rule: Any = REWRITES[name]
    return list(rule(text, hints, by_first_words))


def test_sentences_as_people_type_them() -> None:
    text = "I was hit. Yes. They took my phone and ran away\nwhat now...can I go to the police today"
    first, second, third = sentences(text)
    assert (first, second) == ("I was hit. Yes.", "They took my phone and ran away what now")
    assert third == "can I go to the police today"
    assert [len(part.split()) for part in sentences("word " * 90)] == [45, 45]
    assert sentences(" \n ") == []


def test_a_story_is_cut_where_another_matter_begins() -> None:
    parts = STORY.split(". ")
    expected = [f"{'. '.join(parts[i : i + 2]).rstrip('.')}." for i in (0, 2, 4)]
    assert rewritten("decompose", STORY) == [[(text, 1.0), (STORY, 0.5)] for text in expected]
    assert rewritten("decompose", "My husband beats me. He threw me out. I left.") == []


@settings(max_examples=100)
@given(st.text(alphabet="ab husband bank.?!\n", max_size=400))
def test_the_matters_of_any_text_are_three_at_most_and_lose_no_word(text: str) -> None:
    parts = rewritten("decompose", text)
    assert len(parts) <= 3 and parts == rewritten("decompose", text)
    words = " ".join(part[0][0] for part in parts).replace(".", "").split()
    assert not parts or len(words) == len(text.replace(".", " ").split())


def test_what_was_found_first_words_the_complaint_anew() -> None:
    expected = [("x", 1.0), ("The owner shall pay", 0.15), ("Oil is supplied", 0.15)]
    assert rewritten("feedback", "x") == [expected]
    said = ("Wages", 0.5), ("he sits on our pay no oil", 0.5)
    assert rewritten("expand", "x") == [[("x", 1.0), said[0]], [("x", 1.0), said[1]], [*said]]
    assert rewritten("feedback", "x", []) == rewritten("expand", "x", []) == []
