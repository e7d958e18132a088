"""Claims of answers against passages: amounts, negations, references, pages, quotations; worked by hand."""

from __future__ import annotations

import pytest

from citegrain.tasks.online.claims import ClaimContext, JudgedClaim, judge_claims
from citegrain.tasks.online.claims.facts import Quantity, negations, quantities, same_amount
from citegrain.tasks.online.claims.judging import words_of
from citegrain.tasks.online.claims.passages import find_sentences

LAMPS = ClaimContext(
    "Whoever keeps a lamp burning in a street after midnight shall be punished with imprisonment for a term "
    "which may extend to three months, or with fine of not less than five hundred rupees, or with both:\n"
    "Provided that no keeper of a lighthouse shall be liable under this section unless the Board has given him "
    "notice in writing.",
    "The Lamps Act, 1901, section 7",
    "Keeping a lamp after midnight",
    file="lamps.pdf",
    pages=(3, 4),
)
BELLS = ClaimContext(
    "The owner of a bell may within thirty days appeal to the District Magistrate against an order of the "
    "Collector that the bell be taken down.",
    "The Bells Act, 1902, section 2",
    "Appeals",
    file="bells.pdf",
    pages=(9, 9),
)


def one(text: str, *contexts: ClaimContext, question: str = "") -> JudgedClaim:
    (claim,) = judge_claims(text, contexts or (LAMPS, BELLS), question=question)
    return claim


@pytest.mark.parametrize(
    ("text", "verdict", "faults"),
    [
        ("Keeping a lamp burning in a street after midnight can bring three months in prison [1].", "supported", []),
        ("Keeping a lamp burning after midnight means imprisonment of up to 3 months. [1]", "supported", []),
        ("Keeping a lamp burning after midnight means imprisonment of up to six months [1].", "contradicted", ["amount"]),
        ("The fine for a lamp burning after midnight is at least Rs. 500 [1].", "supported", []),
        ("The fine for a lamp burning after midnight is at most Rs. 500 [1].", "contradicted", ["amount"]),
        (
            "A keeper of a lighthouse shall be liable under this section once the Board has given notice in writing [1].",
            "contradicted",
            ["negation"],
        ),
        ("No keeper of a lighthouse is liable unless the Board has given him written notice [1].", "supported", []),
        ("The owner of a bell may appeal to the District Magistrate within thirty days [2].", "supported", []),
        ("The owner of a bell may appeal to the District Magistrate within thirty days [1].", "not", ["amount", "reference"]),
        ("The owner of a bell shall within thirty days appeal to the District Magistrate [2].", "partly", ["modality"]),
        ("The owner of a bell may appeal to the District Magistrate (page 9) [2].", "supported", []),
        ("The owner of a bell may appeal to the District Magistrate (page 12) [2].", "not", ["page"]),
        ("The owner of a bell may appeal to the District Magistrate [bells.pdf, page 9].", "supported", []),
        ("Section 2 says “the owner of a bell may ring it at any hour of the day” [2].", "not", ["quotation"]),
        ("Nobody need fear a penalty for a lighthouse: “no keeper of a lighthouse shall be liable” [1].", "partly", []),
        ("The owner of a bell may appeal to the District Magistrate [7].", "not", ["no_such_context", "reference"]),
        ("Tenants of flats must carry insurance for their bicycles [2].", "not", []),
    ],
)  # fmt: skip
def test_a_claim_is_compared_with_what_it_cites(text: str, verdict: str, faults: list[str]) -> None:
    claim = one(text)
    assert (claim.verdict, claim.faults) == (verdict, faults), claim.message


def test_the_words_that_support_a_claim_are_given() -> None:
    claim = one("The owner of a bell may appeal to the District Magistrate within thirty days [2].")
    (evidence,) = claim.evidence
    assert evidence.context == 2
    assert BELLS.passage[evidence.start : evidence.end] == evidence.words
    assert evidence.words.startswith("owner of a bell may within thirty days appeal")


def test_a_better_passage_is_given_for_a_wrong_reference() -> None:
    assert (
        one("The owner of a bell may appeal to the District Magistrate within thirty days [1].").better == 2
    )


def test_an_amount_of_the_question_is_no_claim() -> None:
    text = "Your bell was taken down two years ago: the owner may appeal to the District Magistrate [2]."
    assert "amount" in one(text).faults
    assert one(text, question="They took down my bell two years ago").faults == []


def test_a_sentence_without_reference_is_compared_with_all() -> None:
    claim = one("The owner of a bell may appeal to the District Magistrate within thirty days.")
    assert (claim.references, claim.verdict, claim.evidence[0].context) == ([], "supported", 2)


def test_without_passages_nothing_is_supported() -> None:
    (claim,) = judge_claims("The owner of a bell may appeal.", [])
    assert (claim.verdict, claim.score) == ("not", 0.0)


def test_sentences_keep_their_references() -> None:
    text = (
        "# Answer\n\nUnder s. 7 of the Act a lamp is forbidden. [1] Rs. 500 is the least fine [2, 4-5].\n"
        "- Appeal within thirty days [3]\nDo you need more? Please consult a lawyer."
    )
    sentences = find_sentences(text)
    assert [s.numbers for s in sentences] == [(1,), (2, 4, 5), (3,)]
    assert all(text[s.start : s.end] == s.text for s in sentences)
    assert sentences[0].text == "Under s. 7 of the Act a lamp is forbidden. [1]"


def test_pages_of_a_sentence() -> None:
    (sentence,) = find_sentences("It stands there in full [lamps.pdf, page 3] and on pages 5-6 of bells.pdf.")
    assert sentence.pages == (("lamps.pdf", 3, 3), ("bells.pdf", 5, 6))


@pytest.mark.parametrize(
    ("text", "value", "unit", "bound"),
    [
        ("a fine of Rs. 1,50,000", 150_000, "rupee", ""),
        ("a fine of one lakh fifty thousand rupees", 150_000, "rupee", ""),
        ("₹2 lakh", 200_000, "rupee", ""),
        ("two thousand and five hundred rupees", 2_500, "rupee", ""),
        ("twenty-four months", 24, "month", ""),
        ("two years", 24, "month", ""),
        ("which may extend to ten years", 120, "month", "most"),
        ("not less than seven years", 84, "month", "least"),
        ("cannot give less than seven years", 84, "month", "least"),
        ("must not take more than ten per cent", 10, "percent", "most"),
        ("twelve per cent. per annum", 12, "percent", ""),
        ("twice the amount", 2, "times", ""),
        ("one-half of the wages", 0.5, "part", ""),
        ("within 24 hours", 1, "day", "most"),
        ("an hundred days", 100, "day", ""),
    ],
)
def test_amounts_are_read(text: str, value: float, unit: str, bound: str) -> None:
    (amount,) = quantities(text)
    assert (amount.value, amount.unit, amount.bound) == (value, unit, bound)


@pytest.mark.parametrize(
    "text", ["section 138", "sections 34 and 149", "Act 45 of 1860", "clause (2)", "[3]", "in 1999"]
)
def test_a_number_without_unit_is_no_amount(text: str) -> None:
    assert quantities(text) == []


def test_a_month_may_be_thirty_days() -> None:
    assert same_amount(Quantity(1, "month", "", 0, 0), Quantity(30, "day", "", 0, 0))
    assert not same_amount(Quantity(1, "month", "", 0, 0), Quantity(15, "day", "", 0, 0))


def test_a_bound_is_no_negation() -> None:
    assert negations("for a term of not less than two years") == []
    assert len(negations("shall not be liable unless he knew")) == 2


@pytest.mark.parametrize(
    ("claim", "faults"),
    [
        ("Any company shall hold shares in its own name [1].", ["negation"]),
        ("The term shall be less than two years [1].", ["negation"]),
        ("The term shall not be less than two years, but the court may pass a term of less than two years [1].", []),
    ],
)  # fmt: skip
def test_a_no_on_one_side_only(claim: str, faults: list[str]) -> None:
    law = "No company shall hold shares in its own name. The term shall not be less than two years: Provided that"
    assert (
        one(claim, ClaimContext(law + " the court may pass a term of less than two years.")).faults == faults
    )


def test_the_number_of_a_section_is_no_word_of_a_claim_wherever_it_stands() -> None:
    for text in ("Section 103 of the BNS punishes it.", "It is punished under section 103 of the BNS."):
        assert (
            "103" not in words_of(text) and "BNS" not in words_of(text) and len(words_of(text)) == len(text)
        )
