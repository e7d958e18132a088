"""Faithfulness and context precision of an answer in words, worked by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.tasks.evaluation.score import grounding_scores, prose
from citegrain.tasks.evaluation.score.prose import Prose, claims_of
from citegrain.tasks.online.claims import ClaimContext, judge_claims
from tests.tasks.online.generate.test_generate import hit

CONTEXTS = [
    ClaimContext("The owner of a bell may within thirty days appeal to the District Magistrate."),
    ClaimContext("Whoever keeps a lamp burning after midnight shall be punished with fine."),
    ClaimContext("Every lighthouse shall be painted white in the month of May."),
]


def scores(text: str) -> dict[str, float]:
    return grounding_scores(judge_claims(text, CONTEXTS), len(CONTEXTS))


def test_shares_are_counted_by_claims_and_by_contexts() -> None:
    measured = scores(
        "Every lighthouse shall be painted white in the month of May [3]. "
        "The owner of a bell may appeal to the District Magistrate within ninety days [1]. "
        "Whoever keeps a lamp burning after midnight is punished with fine [2, 3]. "
        "Tenants must insure their bicycles against theft [2]."
    )
    # two of four claims are supported; contexts 2 and 3 are of use: (1/2 + 2/3) / 2; 2 of 5 references
    assert measured["faithfulness"] == 0.5
    assert measured["context_precision"] == pytest.approx(7 / 12)
    assert measured["citation_precision"] == pytest.approx(2 / 5)


def test_an_answer_that_was_asked_for_again_is_held_against_the_passages_that_it_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {f"c{n}": context.text for n, context in enumerate(CONTEXTS)}
    monkeypatch.setattr(prose, "cite", lambda build, chunk: hit(1, text=texts[chunk]))
    build: Any = SimpleNamespace(citations=dict.fromkeys(texts, "p"), manifest={"weights": ""})
    text = "Every lighthouse shall be painted white in the month of May [3]."
    claims, count = claims_of(build, Prose(text, [], chunks={3: "c2"}), ["c0"])  # the second is not known
    assert ([claim.verdict for claim in claims], count) == (["supported"], 3)
    claims, _ = claims_of(build, Prose(text.replace("3", "1"), [], chunks={1: "c2"}), ["c0"])
    assert [claim.verdict for claim in claims] == ["supported"]


def test_an_answer_that_claims_nothing_has_no_metrics() -> None:
    assert scores("What happened then?") == {}


def test_without_references_there_is_no_precision_of_them() -> None:
    measured = scores("Whoever keeps a lamp burning after midnight is punished with fine.")
    assert measured == {"faithfulness": 1.0, "context_precision": 0.5}
