"""Summaries and contexts: their lengths, what a model is asked, and that they serve search alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.schemas import CHUNKS, SUMMARIES
from citegrain.tasks.offline.chunk import text_hash
from citegrain.tasks.offline.embed import read_vectors
from citegrain.tasks.online.generate import answer_schema
from citegrain.tasks.online.generate.stage import make_messages
from citegrain.tasks.online.hits import cite
from citegrain.tasks.online.rerank.config import read
from citegrain.tasks.published.summaries import (
    SummariseConfig,
    Summariser,
    context,
    cut,
    extract,
    layer_of,
    ranked,
)
from citegrain.tasks.published.summarise import cost, prefixes
from tests.bad_server import Server, misbehaving
from tests.builds import built, planned
from tests.flows.conftest import corpus, settings  # noqa: F401 - fixtures

CALLS = SummariseConfig(method="llm", timeout=20, attempts=1, longest_wait=0.02)
SENTENCES = [
    "The keeper lights the lamp.",
    "The keeper of the lamp is paid in oil.",
    "Boats pass.",
    "Oil for the lamp is given to the keeper.",
]


def test_the_sentence_most_like_all_comes_first() -> None:
    assert ranked(SENTENCES)[-1] == 2  # shares no word with another
    assert ranked(["the", "of"]) == [0, 1]
    assert extract(" ".join(SENTENCES), 40, 5) in SENTENCES


@given(
    st.lists(st.sampled_from([*SENTENCES, "x" * 90, "Oil; and lamps:\n(a) more"]), max_size=30).map(" ".join),
    st.integers(20, 160),
    st.integers(0, 20),
)
def test_an_extract_is_of_the_text_and_no_longer_than_allowed(text: str, chars: int, tolerance: int) -> None:
    summary = extract(text, chars, tolerance)
    assert len(summary) <= chars + tolerance
    assert set(summary.split()) <= set(text.split()) | {"x" * n for n in range(91)}


def test_a_cut_is_between_words() -> None:
    cuts = [cut("one two three", n) for n in (3, 4, 6, 7, 13)]
    assert cuts == ["one", "one", "one", "one two", "one two three"]
    assert cut("abcdef", 4) == "abcd"


WORDS = st.lists(st.sampled_from(["oil", "lamp", "keeper"]), max_size=130).map(" ".join)


@given(WORDS, WORDS, WORDS)
def test_a_context_has_fifty_to_a_hundred_words_where_there_are_any(
    lead: str, before: str, after: str
) -> None:
    words = context(lead, "", before, after, 50, 100).split()
    there = sum(len(part.split()) for part in (lead, before, after))
    assert min(50, there) <= len(words) <= 100
    assert words == lead.split()[:100] + words[len(lead.split()[:100]) :]


def test_a_context_takes_the_nearest_words_of_both_neighbours() -> None:
    assert context("sum", "title", "a b c d", "e f g h", 6, 9) == "sum title c d e f"
    assert context("sum", "", "", "e f g h", 4, 9) == "sum e f g"
    assert context("sum", "", "a b c d", "e", 5, 9) == "sum b c d e"


def test_a_summary_that_is_too_long_is_asked_for_again_shorter(tmp_path: Path) -> None:
    def script(data: dict[str, Any]) -> str:
        return json.dumps({"summary": "s" * (200 if data["document"] == "long" else 100)})

    with misbehaving("good", script=script) as server:
        model, again = (Summariser(Endpoint(server.url, "m"), CALLS, tmp_path) for _ in range(2))
        texts = {"a": "short", "b": "long"}
        out = model.summaries(texts, 150)
        prompts = [body["messages"][0]["content"] for body in server.bodies]
        calls = sum(server.calls.values())
        assert again.summaries(texts, 150)["b"].text == out["b"].text
        assert sum(server.calls.values()) == calls == 6  # kept
    lengths = [int(text.split("at most ")[1].split()[0]) for text in prompts]
    assert sorted(lengths, reverse=True) == [150, 150, 135, 121, 109, 98]
    assert (len(out["a"].text), len(out["b"].text)) == (100, 170) and not model.errors
    assert out["b"].tokens_in > 0 and out["b"].tokens_in >= 5 * out["a"].tokens_in - 5


def test_tokens_are_priced() -> None:
    row = {"level": "document", "text": "x", "tokens_in": 500_000, "tokens_out": 50_000}
    summaries = SUMMARIES.rows([row | {"target_id": name} for name in "ab"])
    spent = cost(summaries, Endpoint("http://127.0.0.1", "m", price_in=2.0, price_out=10.0))
    assert spent == {"tokens_in": 1_000_000, "tokens_out": 100_000, "cost": 3.0}


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"method": "best"}, "summarise.method=best"),
        ({"prepend": ["page"]}, "summarise.prepend: page"),
        ({"layers": ["context"]}, "summarise.layers=.*document and section"),
        ({"document_chars": 3}, "at least 20"),
        ({"fewest_words": 200}, "1 to most_words"),
    ],
)
def test_parameters_are_checked(values: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        SummariseConfig(**values)


def test_a_key_holds_what_shapes_a_summary_and_not_where_it_is_put() -> None:
    plain = SummariseConfig(method="extractive")
    assert plain.parameters() == replace(plain, prepend=["document"], timeout=3.0).parameters()
    assert plain.parameters() != replace(plain, prepend=["context"]).parameters()
    assert replace(plain, prepend=["section", "context"]).levels == ("document", "section", "context")
    assert replace(plain, prepend=[], layers=["section"]).levels == ("document", "section")


# -- a build ----------------------------------------------------------------------------------------------


def script(data: dict[str, Any]) -> str:
    return json.dumps({"summary": "zebra of the chunk" if "chunk" in data else "zebra of the document"})


PREPENDED = ("summarise=llm", "summarise.prepend=[document,context]", "embed.tokens=true")


def summarised(chosen: Callable[..., Settings], server: Server, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.setenv("CITEGRAIN_LLM_BASE_URL", server.url)
    monkeypatch.setenv("CITEGRAIN_LLM_MODEL", "scripted")
    return built(*planned(chosen(*PREPENDED)))


@pytest.mark.slow
def test_summaries_are_searched_and_are_in_nothing_that_is_reranked_or_answered_from(
    settings: Callable[..., Settings],  # noqa: F811
    corpus: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (corpus / "bell.pdf").unlink()
    plain = built(*planned(settings("embed.tokens=true")))
    with misbehaving("good", script=script) as server:
        build = summarised(settings, server, monkeypatch)
        calls = sum(server.calls.values())
        again, _ = planned(settings(*PREPENDED))
        assert again.complete and sum(server.calls.values()) == calls
    # found by words and by vectors ...
    assert plain.sparse_scores("zebra").max() == 0.0 and build.sparse_scores("zebra").min() > 0.0
    assert not (plain.vectors([0]) == build.vectors([0])).all()
    # ... but what a scorer reads, by text or by token vectors, what is shown and what is prompted is the same
    hits = [cite(build, c) for c in build.chunk_ids if build.citations[c]]
    assert build.chunk_ids == plain.chunk_ids and plain.table(CHUNKS).equals(build.table(CHUNKS))
    assert [read(build, row) for row in range(3)] == [read(plain, row) for row in range(3)]
    ours, theirs = build.token_vectors(), plain.token_vectors()
    assert ours is not None and theirs is not None
    assert all((ours(row) == theirs(row)).all() for row in range(3))
    assert not any("zebra" in f"{hit.text} {hit.parent_text} {hit.evidence}" for hit in hits)
    # the generator is told of each document that was found, and of no other
    act = hits[0].act
    prompt = make_messages("q", hits[:2], answer_schema((), ()), 500, {**build.summaries, "other": "-"})[1]
    data = json.loads(prompt["content"])
    assert data["documents"] == [{"document": act, "summary": "zebra of the document"}]
    assert "zebra" not in json.dumps(data["provisions"]) and not plain.summaries
    facts = build.manifest["summaries"]
    assert facts["texts"] == 1 + len(build.chunk_ids) and facts["tokens_in"] > 0 and facts["cost"] == 0.0


@pytest.mark.slow
def test_layers_are_searched_beside_chunks_that_stay_as_they_are(
    settings: Callable[..., Settings],  # noqa: F811
    corpus: Path,  # noqa: F811
) -> None:
    plain, (plan, setup) = built(*planned(settings())), planned(settings("summarise=layers"))
    build = built(plan, setup)
    rows = range(len(build.chunk_ids))
    assert build.folder != plain.folder and (build.vectors(rows) == plain.vectors(rows)).all()
    assert (build.sparse_scores("keeper") == plain.sparse_scores("keeper")).all()
    summaries = {r["target_id"]: r["text"] for r in build.table(SUMMARIES).to_pylist()}
    stored = setup.encoding.vector_rows
    sections = map(build.citations.get, build.chunk_ids)
    for level, targets in (("document", build.act_ids), ("section", sections)):
        layer, texts = layer_of(build, level), [summaries.get(target or "", "") for target in targets]
        assert len(set(texts)) > 1 and layer.index.ntotal == len(set(filter(None, texts)))
        for row, text in zip(layer.above, texts, strict=True):
            assert (row < 0) == (not text)
            vector = read_vectors(stored, [text_hash("", text)], layer.index.d)[0] if text else None
            assert vector is None or (layer.index.reconstruct(int(row)) == vector).all()


def test_prefixes_are_of_the_levels_that_are_asked_for() -> None:
    rows = [
        {"level": level, "target_id": target, "text": level[:3], "tokens_in": 0, "tokens_out": 0}
        for level, target in (("document", "act"), ("section", "act/sec_1"), ("context", "c1"))
    ]
    chunk = {"chunk_id": "c1", "act_id": "act", "citation": "act/sec_1", "indexed": True}
    chunks = pa.Table.from_pylist([chunk, {**chunk, "chunk_id": "c2", "citation": None}])
    table = SUMMARIES.rows(rows)
    assert prefixes(table, chunks, ["context", "document"]) == {"c1": "con\ndoc", "c2": "doc"}
    assert prefixes(table, chunks, ["section"]) == {"c1": "sec", "c2": ""}
