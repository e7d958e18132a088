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
    retrieved = {name: [("a", 1), ("b", 2), ("c", 1)] for name in ("one", "none", "unanswered", "extracted")}
    scores = prose_scores(BUILD, GOLD, answers, retrieved)
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
    answer = {"prose": "It is so [1].\n\n**References:**\n[1] a, page 1", "references": [{"chunk_id": "a1"}]}
    row = {"answer": json.dumps(answer), "error": ""}
    assert prose_of(BUILD, row) == Prose("It is so [1].", [("a", 1)])
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
        (
            "long",
            "Unfortunately, I am unable to answer. " + "The first passage tells of pots and sand [1]. " * 5,
        ),
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
