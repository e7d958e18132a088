"""A question of several matters: where it is cut, and which parts stand by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.online.answer import Charge
from citegrain.tasks.online.answer.deciding import Charges, Vectors, find_matters, places, sentences

BEATEN = "My husband beats me every night. He took my jewellery and threw me out of the house."
UNPAID = "Also my employer has not paid my wages for three months."
LEASE = "The landlord keeps the deposit of my old flat without any reason."


def encode(texts: Sequence[str]) -> Vectors:
    """A direction for each matter, by its words."""
    axes = [("husband", "jewellery"), ("employer",), ("landlord",)]
    rows = [[float(any(word in text for word in words)) for words in axes] + [0.1] for text in texts]
    vectors = np.array(rows, dtype=np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def charge(act: str, probability: float | None) -> Charge:
    return Charge.model_construct(act=act, probability=probability)


def ask(texts: Sequence[str], sure: float = 0.8) -> list[Charges]:
    """What each text names first: one charge; of a text of two matters a less likely one."""
    out: list[Charges] = []
    for text in texts:
        acts = [act for act in ("husband", "employer", "landlord") if act in text]
        weak = sure if len(acts) == 1 else 0.3
        out.append([charge(act, weak) for act in acts[:1]])
    return out


def test_a_question_is_cut_at_ends_of_sentences_and_lines_and_before_also() -> None:
    text = "He took my land. Then he went.\nI have the sale deed of it also my wages were not paid this year"
    assert sentences(text) == [
        "He took my land. Then he went.",  # too short alone
        "I have the sale deed of it",
        "also my wages were not paid this year",
    ]
    assert sentences("One thing without any end") == ["One thing without any end"]
    assert sentences("उसने मेरी ज़मीन ले ली और चला गया। मेरे मालिक ने मेरी तनख्वाह नहीं दी।")[1:]


@given(st.text(max_size=200))
def test_no_word_of_a_question_is_lost(text: str) -> None:
    assert " ".join(sentences(text)).split() == text.split()


def test_it_is_cut_where_the_words_before_and_behind_are_least_alike() -> None:
    pieces = sentences(f"{BEATEN} {UNPAID}")
    assert len(pieces) == 3
    # by hand: before piece 1 against behind, and before piece 2 against behind
    vectors, sizes = encode(pieces), np.array([len(piece.split()) for piece in pieces])
    cosines = []
    for at in (1, 2):
        first, second = (
            (vectors[part] * sizes[part, None]).sum(axis=0) for part in (slice(0, at), slice(at, None))
        )
        cosines.append(float(first @ second / np.linalg.norm(first) / np.linalg.norm(second)))
    assert places(pieces, vectors) == ([1, 2] if cosines[0] < cosines[1] else [2, 1]) == [2, 1]


def test_each_matter_has_its_words_and_what_applies_to_it() -> None:
    pairs = find_matters(f"{BEATEN} {UNPAID}", encode, ask)
    assert [(words, [c.act for c in charges]) for words, charges in pairs] == [
        (BEATEN, ["husband"]),
        (UNPAID, ["employer"]),
    ]


def test_three_matters_stand_in_their_order() -> None:
    pairs = find_matters(f"{UNPAID} {LEASE} {BEATEN}", encode, _of_whichever)
    assert [words for words, _ in pairs] == [UNPAID, LEASE, BEATEN]
    assert [charges[0].act for _, charges in pairs] == ["employer", "landlord", "husband"]


def _of_whichever(texts: Sequence[str]) -> list[Charges]:
    """What each text names last, as likely as if it named nothing else."""
    last = [max(("husband", "employer", "landlord"), key=text.rfind) for text in texts]
    return [[charge(act, 0.9)] for act in last]


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("My employer has not paid my wages for three months", 0.9),  # one sentence
        (BEATEN, 0.9),  # one Act applies to both parts
        (f"{BEATEN} {UNPAID}", 0.5),  # not likely enough
        ("", 0.9),
    ],
)
def test_a_question_of_one_matter_has_none(text: str, sure: float) -> None:
    assert find_matters(text, encode, lambda texts: ask(texts, sure)) == []


def test_what_is_not_estimated_is_no_matter() -> None:
    assert (
        find_matters(f"{BEATEN} {UNPAID}", encode, lambda texts: [[charge(text, None)] for text in texts])
        == []
    )


def test_what_joins_a_part_to_the_one_before_is_not_asked() -> None:
    texts: list[str] = []

    def recorded(some: Sequence[str]) -> list[Charges]:
        texts.extend(some)
        return ask(some)

    find_matters(f"{BEATEN} {UNPAID}", encode, recorded)
    assert UNPAID.removeprefix("Also ") in texts and not any(text.startswith("Also") for text in texts)
