"""What is sent to vendors of encoders and rerankers, and what is made of their replies."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.core.endpoint import (
    VENDORS,
    Endpoint,
    EndpointError,
    VendorConfig,
    embed_texts,
    metered,
    score_texts,
    vendors,
)
from tests.vendor_server import KEY, letters, vendor_server

TEXTS = ["the wages of a keeper", "oil", "a lamp that burns"]


def setup(vendor: str, url: str, **values: Any) -> tuple[Endpoint, VendorConfig]:
    limits: dict[str, Any] = {"price": 2.0, "attempts": 2, "timeout": 5, "longest_wait": 0.01}
    config = VendorConfig(vendor=vendor, **limits | values)
    return config.endpoint("a-model", "embed=api", (url, KEY)), config


def first_vectors(vendor: str, *moods: str, texts: list[str] = TEXTS, **values: Any) -> np.ndarray[Any, Any]:
    with vendor_server(vendor, *moods) as server:
        at = setup(vendor, server.url, **values)
        return embed_texts(texts, *at, query=False, dimension=4, size=2)


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("query", [False, True])
def test_a_vendor_is_sent_what_its_reference_says_and_vectors_come_back_in_order(
    vendor: str, query: bool
) -> None:
    with vendor_server(vendor) as server, metered() as used:
        at = setup(vendor, server.url)
        vectors = embed_texts(TEXTS, *at, query=query, dimension=4, size=2)
    expected = letters(TEXTS, query and vendor != "openai")  # OpenAI's has no roles
    assert vectors.dtype == np.float32 and (vectors == np.array(expected, dtype=np.float32)).all()
    assert sorted(len(body["texts"]) for body in server.bodies) == [1, 2]
    assert {body["model"] for body in server.bodies} == {"a-model"}
    assert (used.tokens_in, used.scored_tokens, used.tokens_out) == (10, 10, 0)
    assert used.cost == pytest.approx(10 * 2.0 / 1_000_000)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendor_gets_the_length_of_vectors_only_where_they_are_to_be_shortened(vendor: str) -> None:
    name = "output_dimension" if vendor in ("voyage", "cohere") else "dimensions"
    for shortened in (False, True):
        with vendor_server(vendor) as server:
            at = setup(vendor, server.url)
            embed_texts(TEXTS, *at, query=False, dimension=4, shortened=shortened)
        assert [body.get(name) for body in server.bodies] == [4 if shortened else None]


@pytest.mark.parametrize("mood", ["429", "500", "one too few", "short", "ragged", "words", "null", "list"])
def test_what_may_pass_is_tried_again(mood: str) -> None:
    vectors = first_vectors("cohere", mood, longest_wait=float(mood == "429"))
    assert (vectors == np.array(letters(TEXTS, False), dtype=np.float32)).all()


@pytest.mark.parametrize(
    "mood, reason",
    [
        ("500", r"HTTP 500: no, \*\*\*"),
        ("one too few", "1 vectors of 4 numbers came back, 2 of 4"),
        ("short", "2 vectors of 3 numbers came back, 2 of 4"),
        ("ragged", "2 vectors of 3 or 4 numbers came back, 2 of 4"),
        ("not a number", "no number"),
        ("words", "could not convert"),
        ("null", "not of the form"),
    ],
)
def test_what_does_not_pass_ends_in_one_line_without_the_key(mood: str, reason: str) -> None:
    with pytest.raises(EndpointError, match=reason) as error:
        first_vectors("voyage", mood, mood, texts=TEXTS[:2])
    assert str(error.value).startswith("embed=api (a-model): ") and KEY not in str(error.value)


def test_a_wrong_key_is_not_tried_again_and_nothing_after_it() -> None:
    with vendor_server("jina", "401", "401", "401") as server:
        with pytest.raises(EndpointError, match=r"HTTP 401: no, \*\*\*"):
            embed_texts(TEXTS, *setup("jina", server.url, concurrency=1), query=False, dimension=4, size=1)
        assert len(server.bodies) == 1


def test_a_server_that_is_not_there_and_calls_that_are_spent() -> None:
    with vendor_server("openai") as server:
        gone = server.url
    with pytest.raises(EndpointError, match="could not be reached"):
        embed_texts(TEXTS, *setup("openai", gone, attempts=1), query=False, dimension=4)
    with pytest.raises(EndpointError, match="max_calls=1 were spent"):
        first_vectors("openai", max_calls=1, concurrency=1)


def test_what_is_personal_in_a_question_leaves_masked_and_the_law_as_it_is() -> None:
    text = "my number is 9876543210, he owes me wages"
    with vendor_server("voyage") as server:
        at = setup("voyage", server.url)
        embed_texts([text], *at, query=True, dimension=4)
        embed_texts([text], *at, query=False, dimension=4)
        score_texts(text, [text], *at)
    question, passage, pair = server.bodies
    assert "9876543210" not in question["texts"][0] and passage["texts"] == [text]
    assert "9876543210" not in pair["query"] and pair["documents"] == [text]


@pytest.mark.parametrize("vendor", ["voyage", "cohere", "jina"])
def test_a_reranker_scores_each_text_wherever_it_stands_in_the_reply(vendor: str) -> None:
    with vendor_server(vendor, "one too few") as server, metered() as used:
        scores = score_texts("who pays", TEXTS, *setup(vendor, server.url), size=2)
    expected = [row[0] for row in letters([f"who pays{text}" for text in TEXTS], False)]
    assert scores.tolist() == expected and used.tokens_in == 21  # three calls: one of them came to nothing


def test_openai_has_no_reranker() -> None:
    with pytest.raises(EndpointError, match=r"rerank\.options\.vendor=openai: it has no reranker"):
        score_texts("q", TEXTS, *setup("openai", "http://127.0.0.1:9"))


def test_nothing_is_sent_for_no_texts() -> None:
    with vendor_server("cohere") as server:
        at = setup("cohere", server.url)
        assert embed_texts([], *at, query=False, dimension=4).shape == (0, 4)
        assert score_texts("q", [], *at).shape == (0,)
    assert not server.bodies


@given(st.lists(st.text(max_size=30), max_size=40), st.integers(1, 7))
def test_batches_are_the_texts_in_their_order_and_within_their_limits(texts: list[str], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vendors, "_LONGEST", 50)
        parts = vendors._batches(texts, size)
    assert [text for part in parts for text in part] == texts
    assert all(0 < len(part) <= size and sum(map(len, part)) <= 50 for part in parts)


def test_wrong_settings_and_a_missing_key_end_in_one_line() -> None:
    with pytest.raises(ValueError, match="vendor=acme: one of openai, voyage, cohere, jina"):
        VendorConfig(vendor="acme")
    for wrong in ({"price": -1.0}, {"attempts": 0}, {"timeout": 0.0}, {"longest_wait": -1.0}):
        with pytest.raises(ValueError, match=r"rerank\.options"):
            VendorConfig(vendor="jina", **wrong)
    missing = partial(VendorConfig(vendor="jina").endpoint, "m", "rerank=api")
    with pytest.raises(EndpointError, match="set CITEGRAIN_JINA_KEY"):
        missing(("", ""))
    assert missing(("", KEY)).base_url == "https://api.jina.ai/v1"
    assert missing(("http://127.0.0.1:1", "")).is_local  # needs no key
