"""Chunks and tags of the real Acts. Needs the shared folder."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from flows.settings import load_settings
from tasks import documents as chain
from tasks.chunk import ChunkConfig, chunk_document
from tasks.corpus import load_registry
from tasks.models import Tokenizer, find_model
from tasks.stage import Tables
from tasks.tag import TagConfig, tag_document
from tests.conftest import ROOT

pytestmark = [pytest.mark.corpus, pytest.mark.model, pytest.mark.xdist_group("gold")]
CITABLE = ("section", "article", "rule", "entry")


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    settings = load_settings([])
    return Tokenizer(find_model(settings.embed.model, settings.models_folder))


def cut(tables: Tables, tokenizer: Tokenizer, config: ChunkConfig) -> list[dict[str, Any]]:
    chunks = chunk_document(tables["texts"], tables["provisions"], {}, tokenizer, config)["chunks"]
    rows: list[dict[str, Any]] = chunks.to_pylist()
    return rows


@pytest.mark.parametrize("option", ["statutory", "parent_child", "fixed", "recursive", "page"])
def test_spans_tile_the_text_and_respect_citations(
    option: str, real_acts: dict[str, Tables], tokenizer: Tokenizer
) -> None:
    config = load_settings([f"chunk={option}"]).chunk
    for act, tables in real_acts.items():
        texts = {row["act_id"]: row["text"] for row in tables["texts"].to_pylist()}
        chunks = cut(tables, tokenizer, config)
        for act_id, text in texts.items():
            spans = sorted((c["char_start"], c["char_end"]) for c in chunks if c["act_id"] == act_id)
            assert not text[: spans[0][0]].strip() and not text[max(e for _, e in spans) :].strip()
            reached = spans[0][1]
            for (_, _), (start, end) in pairwise(spans):
                assert start <= reached or not text[reached:start].strip(), f"{act}: lost {reached}-{start}"
                reached = max(reached, end)
        assert all(c["text"] == texts[c["act_id"]][c["char_start"] : c["char_end"]] for c in chunks)
        if option in ("statutory", "parent_child"):
            edges = {
                edge
                for p in tables["provisions"].to_pylist()
                if p["kind"] in CITABLE and p["char_end"] > p["char_start"]
                for edge in (p["char_start"], p["char_end"])
            }
            for chunk in chunks:
                assert not any(e in edges for e in range(chunk["char_start"] + 1, chunk["char_end"])), act


def test_every_chunk_has_its_act_and_numbered_ones_their_section(
    real_acts: dict[str, Tables], tokenizer: Tokenizer
) -> None:
    known = chain.known_acts(load_registry(ROOT / "data" / "registry.yaml"))
    numbered = with_section = 0
    for act, tables in real_acts.items():
        titles = {act: "Title"}
        chunks = chunk_document(
            tables["texts"], tables["provisions"], titles, tokenizer, load_settings([]).chunk
        )["chunks"]
        tags = tag_document(tables["texts"], tables["provisions"], chunks, titles, known, TagConfig())["tags"]
        cited = {c["chunk_id"]: c["citation"] for c in chunks.to_pylist()}
        kinds = {p["provision_id"]: p["kind"] for p in tables["provisions"].to_pylist()}
        for row in tags.to_pylist():
            assert row["act_id"] == act
            if kinds.get(cited[row["chunk_id"]] or "") in CITABLE:
                numbered += 1
                with_section += bool(row["section"])
    assert numbered > 10_000
    assert with_section >= 0.99 * numbered
