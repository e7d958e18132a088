"""Rewrites of complaints: by rules on texts that are worked by hand, and by a model that misbehaves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.flows.shared.settings import SettingsError, load_settings, online_endpoint
from citegrain.tasks.core.endpoint import Endpoint, EndpointError, reply_rows
from citegrain.tasks.online.builds import Matrix
from citegrain.tasks.online.query import QueryConfig
from citegrain.tasks.published.rewrite import Hint, make_rewrites
from citegrain.tasks.published.rewrite.rules import RULES, sentences
from tests.bad_server import misbehaving

HINTS = [Hint("Wages", "he sits on our pay", "The owner shall pay"), Hint("", "no oil", "Oil is supplied")]
STORY = (
    "My husband beats me every single night. He threw me out of our house in May. "
    "The bank says my cheque came back unpaid. The bank now wants a penalty from me. "
    "My landlord keeps the whole deposit. My landlord has also cut the water off."
)
CALLS = QueryConfig(["decompose_llm"], timeout=1, attempts=1, longest_wait=0.02)


def by_first_words(texts: Sequence[str]) -> Matrix:
    """Two sentences are alike if the same person acts in them."""
    names = ("husband", "bank", "landlord")
    rows = [[float(name in text) for name in names] for text in texts]
    return np.array([row if any(row) else [1.0, 0.0, 0.0] for row in rows], dtype=np.float32)


def rewritten(name: str, text: str) -> list[list[tuple[str, float]]]:
    return RULES[name](text, HINTS, by_first_words)


def test_sentences_as_people_type_them() -> None:
    assert sentences(
        "I was hit. Yes. They took my phone and ran away\nwhat now...can I go to the police today"
    ) == [
        "I was hit. Yes.",
        "They took my phone and ran away what now",
        "can I go to the police today",
    ]
    assert [len(part.split()) for part in sentences("word " * 90)] == [45, 45]
    assert sentences(" \n ") == []


def test_a_story_is_cut_where_another_matter_begins() -> None:
    parts = STORY.split(". ")
    expected = [f"{'. '.join(parts[i : i + 2]).rstrip('.')}." for i in (0, 2, 4)]
    assert rewritten("decompose", STORY) == [[(text, 1.0), (STORY, 0.5)] for text in expected]
    assert rewritten("decompose", "My husband beats me. He threw me out. I left.") == []


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab husband bank.?!\n", max_size=400))
def test_the_matters_of_any_text_are_three_at_most_and_lose_no_word(text: str) -> None:
    parts = rewritten("decompose", text)
    assert len(parts) <= 3 and parts == rewritten("decompose", text)
    assert not parts or len(" ".join(p[0][0] for p in parts).replace(".", "").split()) == len(
        text.replace(".", " ").split()
    )


def test_what_was_found_first_words_the_complaint_anew() -> None:
    assert rewritten("feedback", "x") == [
        [("x", 1.0), ("The owner shall pay", 0.15), ("Oil is supplied", 0.15)]
    ]
    said = ("Wages", 0.5), ("he sits on our pay no oil", 0.5)
    assert rewritten("expand", "x") == [[("x", 1.0), said[0]], [("x", 1.0), said[1]], [*said]]
    assert RULES["feedback"]("x", [], by_first_words) == RULES["expand"]("x", [], by_first_words) == []


def by_model(
    reply: Any, config: QueryConfig = CALLS, texts: Sequence[str] = ("a",), **more: Any
) -> list[dict[str, Any]]:
    queries = {f"q{i}": text for i, text in enumerate(texts)}
    with misbehaving("good", script=lambda data: json.dumps(reply)) as server:
        table = make_rewrites(
            queries, lambda query: [], by_first_words, config, Endpoint(server.url, "m"), **more
        )
    return list(table.to_pylist())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"texts": ["who pays?", "who pays?", " ", "when?"]}, ["who pays?", "when?"]),
        ({"texts": [f"question {i}" for i in range(10_000)]}, ["question 0", "question 1", "question 2"]),
        ({"texts": ["word " * 1000]}, [" ".join(["word"] * 200)]),
        ({"texts": []}, []),
        ({"texts": [""]}, []),
        ({"texts": "one"}, []),
        ({}, []),
        ([], []),
    ],
)
def test_whatever_a_model_says_at_most_three_short_texts_are_searched(
    reply: Any, expected: list[str]
) -> None:
    rows = by_model(reply)
    assert [text["text"] for row in rows for text in row["texts"]] == expected
    assert all((row["texts"] == []) == bool(row["error"]) for row in rows) and rows


def test_a_hypothetical_passage_has_200_words_at_most() -> None:
    config = replace(CALLS, rewrites=["hyde"])
    (row,) = by_model({"text": "shall " * 300}, config)
    assert len(row["texts"][0]["text"].split()) == 200 and row["rewrite"] == "hyde"
    (row,) = by_model({"text": " "}, config)
    assert row["texts"] == [] and row["error"]


def test_a_model_that_hangs_or_whose_budget_is_spent_leaves_the_complaint_as_it_is() -> None:
    with misbehaving("hang", script=lambda data: "{}") as server:
        table = make_rewrites(
            {"q": "a"},
            lambda query: [],
            by_first_words,
            replace(CALLS, timeout=0.2),
            Endpoint(server.url, "m"),
        )
    assert [row["error"] for row in table.to_pylist()] == ["no reply within query.timeout=0.2 s"]
    rows = by_model({"texts": ["b"]}, replace(CALLS, max_calls=1, concurrency=1), ("a", "c"))
    assert [bool(row["texts"]) for row in rows] == [True, False] and "max_calls=1" in rows[1]["error"]


def test_replies_are_kept(tmp_path: Path) -> None:
    dead = Endpoint("http://127.0.0.1:9/v1", "m")
    rows = reply_rows(tmp_path, "rewrite", dead, CALLS)
    first = by_model({"texts": ["b"]}, rows=rows)
    table = make_rewrites({"q0": "a"}, lambda query: [], by_first_words, CALLS, dead, rows)
    assert table.to_pylist() == first


def test_a_model_needs_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITEGRAIN_LLM_BASE_URL", raising=False)
    with pytest.raises(EndpointError, match=r"query.rewrites=\[expand,hyde\] needs an endpoint"):
        online_endpoint(load_settings(["query.rewrites=[expand,hyde]"]))
    assert online_endpoint(load_settings(["query.rewrites=[expand,feedback]"])) is None
    with pytest.raises(SettingsError, match="of sentences, decompose"):
        load_settings(["query.rewrites=[guess]"])
