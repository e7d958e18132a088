"""Answers in words against expected ones: by hand, and refusals and languages as people and models write them."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from citegrain.tasks.evaluation.score import GoldQuery
from citegrain.tasks.evaluation.score.prose import (
    Prose,
    in_other_language,
    prose_of,
    prose_scores,
    refusal,
)
from citegrain.tasks.online.generate import REFUSED


class Words:
    """An encoder whose axes are ``yes``, ``no``: the cosine is worked out by hand."""

    def encode(self, texts: list[str], **_: Any) -> Any:
        rows = np.array([[t.count("yes"), t.count("no")] for t in texts], dtype=np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


BUILD: Any = SimpleNamespace(encoder=Words(), source=lambda chunk: (chunk[0], int(chunk[1:])))
GOLD = [
    GoldQuery("one", answer="yes", places=(("a", 1), ("b", 2))),
    GoldQuery("none", answer="no"),
    GoldQuery("unanswered", answer="yes", places=(("a", 1),)),
    GoldQuery("extracted", answer="yes", places=(("a", 1),)),
    GoldQuery("complaint"),
]


def test_scores_by_hand() -> None:
    answers = {
        "one": Prose("yes yes, there is no other of it [1]", [("a", 1), ("b", 3)]),
        "none": Prose("The papers do not say.", []),
        "extracted": Prose("yes", [("a", 1)], extracted=True),
        "complaint": Prose("yes", []),
    }
    ranked = [("a1", 3.0), ("b2", 2.0), ("c1", 1.0)]
    selected = dict.fromkeys(("one", "none", "unanswered", "extracted"), ranked)
    scores = prose_scores(BUILD, GOLD, answers, selected)
    assert scores["one"] == pytest.approx(
        {
            "source_accuracy": 1, "page_accuracy": 1, "cited_source_accuracy": 1, "cited_page_accuracy": 0.5,
            "abstained_in_scope": 0, "other_language": 0, "similarity": 2 / 5**0.5,
        }
    )  # fmt: skip
    # no source is expected: none is counted as found, nor as missed
    assert scores["none"] == {
        "abstained_out_of_scope": 1, "other_language": 0, "brief_refusal": 1, "similarity": 1,
    }  # fmt: skip
    assert scores["unanswered"] == {"source_accuracy": 1, "page_accuracy": 1}
    # what stands for a failed call is compared, as theirs was, and is no refusal
    assert scores["extracted"] == pytest.approx(
        {
            "source_accuracy": 1, "page_accuracy": 1, "cited_source_accuracy": 1, "cited_page_accuracy": 1,
            "similarity": 1,
        }
    )  # fmt: skip
    assert "complaint" not in scores


def test_prose_is_read_without_its_list_of_references() -> None:
    text = "It is so [1].\n\n**References:**\n[1] a, page 1"
    answer = {"prose": text, "references": [{"number": 1, "chunk_id": "a1"}]}
    row = {"answer": json.dumps(answer), "error": ""}
    assert prose_of(BUILD, row) == Prose("It is so [1].", [("a", 1)], chunks={1: "a1"})
    refused = prose_of(BUILD, row | {"answer": json.dumps(answer | {"note": REFUSED})})
    assert refused and refused.extracted
    assert prose_of(BUILD, {"answer": json.dumps({"charges": []}), "error": ""}) is None
    assert prose_of(BUILD, {"answer": "", "error": "x"}) is None and prose_of(BUILD, None) is None


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("brief", "I don't know based on the provided documents."),
        ("brief", "The provisions given do not answer this question."),
        ("brief", "I cannot find this information in the context."),
        ("brief", "The provided chunks don’t contain any information about this."),
        ("brief", "There is no mention of ethanol in the passages."),
        ("brief", "Step 1: read the chunks.\nFinal Answer: the price is not stated in the documents."),
        ("brief", "None of the documents gives a price."),
        ("long", "Unfortunately, I am unable to answer. " + "The first passage tells of pots [1]. " * 6),
        ("", "No loggers failed, and the pots did not break [1]."),
        ("", "The weights are not published, since a recogniser may remember names [2]."),
        ("", "A kilometre costs 95 rupees [1]. The documents do not give the other price."),
        ("", "Step 1: chunk 2 does not mention it.\nAnswer: It is 702 [1]."),
        ("", "Two assistants who did not know the basket judged it [4]."),
        ("", '"They differ by 4 cm." [1] The other check is not stated.'),
        ("", ""),
    ],
)
def test_forms_of_a_refusal(form: str, text: str) -> None:
    assert refusal(text) == form


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (True, "No lo sé, porque los documentos no dicen nada de eso [1]."),
        (True, "Je ne sais pas, car les documents ne disent rien de cela."),
        (True, "Das steht nicht in den Texten, die ich bekommen habe."),
        (True, "यह उन दस्तावेजों में नहीं है।"),
        (True, "Это не указано в документах."),
        (False, "It is 702 [1]."),
        (False, "702"),
        (False, ""),
        (False, "The café in São Paulo is named in the paper of Müller and García."),
    ],
)
def test_languages(other: bool, text: str) -> None:
    assert in_other_language(text) is other


REFUSALS = [
    "I'm sorry, but the provided context does not contain information about tamarind rice.",
    "Based on the given context, there is no information regarding the ticket price.",
    "I could not find an answer to your question in the provided chunks.",
    "The context chunks do not mention the boiling point of ethanol.",
    "Unfortunately, the documents you provided don't discuss elections.",
    "I don't have enough information to answer this question.",
    "This question falls outside the scope of the provided documents.",
    "None of the chunks mention neem trees.",
    "The answer is not available in the given text.",
    "It is not possible to determine this from the context.",
    "No relevant information was found.",
    "The provided documents only discuss rain gauges, so I can't say who won the election.",
    "Sorry, I can't answer that based on these papers.",
    "Not found in the provided documents.",
]
ANSWERS = [
    "The study found no significant difference between the two markets [1].",
    "The loggers did not fail because of the bucket [1].",
    "The bus owners do not provide satellite data, so a microphone is used [1].",
    "The children could not determine the level when wells were dry [1].",
    "Tomatoes were not included, and gained nothing [1].",
    "The recurrent network does no better on wells that it has not seen [3].",
    "Names are not given to anybody outside the office [1].",
    "No failure was due to the tipping bucket itself [3].",
    "The two errors cancel, so the check cannot find them [2].",
    "There is no charge for carts, which need no permit [4].",
]
# written after the rule, which was not changed by them: four of the refusals are missed
UNSEEN_REFUSALS = [
    "I am sorry, I could not locate anything about this in the excerpts.",
    "The passages above are about clay pots and say nothing about elections.",
    "There isn't any information on ethanol in the context you gave me.",
    "Based on the references, the question cannot be answered.",
    "The text provides no details on the price of a ticket.",
    "As none of the sources mentions a recipe, I cannot give one.",
    "This information is not provided in the chunks.",
    "I was unable to find a statement on the accuracy for neem.",
    "The given documents do not specify which satellite is used.",
    "I do not know.",
    "Unfortunately the papers don't cover this topic.",
    "The retrieved material does not directly address the question of who won.",
    "Nothing in the provided excerpts answers this.",
    "The context is silent on this point.",
    "Sorry, the answer isn't in the documents.",
    "Insufficient information.",
    "The references given lack any mention of bacteria.",
    "Answer: The documents do not state this.",
    "It is unclear from the context who won.",
    "My sources contain no answer to that.",
]
UNSEEN_ANSWERS = [
    "The pots do not include a lid, and weigh 31 kg [3].",
    "Of the 46 loggers none was damaged by riding [1].",
    "The model does not explain why pumps matter, but shows that they do [2].",
    "I would say 13 days, as the paper does [1].",
    "The paper reports that tomatoes gained nothing [2].",
    "Sellers could not say which pot was better [4].",
    "The register is not complete: 1,280 trees are missing in it [1].",
    "The question is answered in the third paper: 600 lines [4].",
    "No sound is stored for longer than two seconds [2].",
    "The documents show that wells do not recover within a week [3].",
    "The classifier cannot tell which line a bus belongs to [1].",
    "Pages damaged by water were not included [2].",
    "According to the text, three stops did not agree and were left out [2].",
    "There are no weights that remember names in what is published [1].",
    "The drone was not tried in April, says the paper [4].",
    "Bacteria were not counted [3].",
    "The authors provide no ledgers, only the generator [2].",
    "The corridor has not been found to flood [1].",
    "The context gives 702 trees [1].",
    "In short, no: the difference is within chance [2].",
]


def test_what_refuses_and_what_only_has_a_negation() -> None:
    assert all(map(refusal, REFUSALS)) and not any(map(refusal, [*ANSWERS, *UNSEEN_ANSWERS]))
    assert sum(bool(refusal(text)) for text in UNSEEN_REFUSALS) >= 16
