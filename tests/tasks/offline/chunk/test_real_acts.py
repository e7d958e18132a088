"""Chunks and tags of the real Acts. Needs the shared folder."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

import pyarrow as pa
import pytest

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.law.citations import CITABLE
from citegrain.tasks.offline.chunk import ChunkConfig, chunk_document
from citegrain.tasks.offline.corpus import load_registry
from citegrain.tasks.offline.models import Tokenizer, find_model
from citegrain.tasks.offline.tag import known_acts, tag_document
from tests.conftest import ROOT

pytestmark = [pytest.mark.corpus, pytest.mark.model, pytest.mark.xdist_group("gold")]
# Orders and Rules; entries of a Schedule; Articles; both Gazette and India Code; short and long
FEW = (
    "code-of-civil-procedure-1908",
    "limitation-act-1963",
    "constitution-of-india",
    "criminal-law-amendment-act-2018",
    "bharatiya-nyaya-sanhita-2023",
    "dowry-prohibition-act-1961",
)
SECOND = ["parent_child", "fixed", "recursive", "page"]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    settings = load_settings([])
    return Tokenizer(find_model(settings.embed.model, settings.models_folder))


def cut(act: str, tables: Tables, tokenizer: Tokenizer, config: ChunkConfig) -> pa.Table:
    titles = {act: "Title"}
    return chunk_document(tables["texts"], tables["provisions"], titles, tokenizer, config)["chunks"]


@pytest.fixture(scope="module")
def statutory(real_acts: dict[str, Tables], tokenizer: Tokenizer) -> dict[str, pa.Table]:
    """The chunks of every Act by the default, cut once."""
    config = load_settings([]).documents["chunk"]
    assert config.strategy == "statutory"
    return {act: cut(act, tables, tokenizer, config) for act, tables in real_acts.items()}


def test_statutory_spans_tile_the_text_of_every_act(
    real_acts: dict[str, Tables], statutory: dict[str, pa.Table]
) -> None:
    assert_tiled("statutory", real_acts, statutory)


@pytest.mark.parametrize("option", SECOND)
def test_spans_of_other_strategies_tile_the_text(
    option: str, real_acts: dict[str, Tables], tokenizer: Tokenizer
) -> None:
    config = load_settings([f"chunk={option}"]).documents["chunk"]
    assert_tiled(option, real_acts, {act: cut(act, real_acts[act], tokenizer, config) for act in FEW})


@pytest.mark.slow
@pytest.mark.parametrize("option", SECOND)
def test_spans_of_other_strategies_tile_the_text_of_every_act(
    option: str, real_acts: dict[str, Tables], tokenizer: Tokenizer
) -> None:
    config = load_settings([f"chunk={option}"]).documents["chunk"]
    chunks = {act: cut(act, tables, tokenizer, config) for act, tables in real_acts.items()}
    assert_tiled(option, real_acts, chunks)


def assert_tiled(option: str, acts: dict[str, Tables], cut_acts: dict[str, pa.Table]) -> None:
    """Chunks cover the whole text, as it stands; those that cite cross no edge of what can be cited."""
    for act, table in cut_acts.items():
        tables, chunks = acts[act], table.to_pylist()
        texts = {row["act_id"]: row["text"] for row in tables["texts"].to_pylist()}
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
            ordered = sorted(edges)
            for chunk in chunks:
                after = bisect_right(ordered, chunk["char_start"])
                assert after == len(ordered) or ordered[after] >= chunk["char_end"], act


def test_every_chunk_has_its_act_and_numbered_ones_their_section(
    real_acts: dict[str, Tables], statutory: dict[str, pa.Table]
) -> None:
    acts = known_acts(load_registry(ROOT / "data" / "registry.yaml"))
    numbered = with_section = 0
    for act, tables in real_acts.items():
        chunks, titles = statutory[act], {act: "Title"}
        tags = tag_document(tables["texts"], tables["provisions"], chunks, titles, acts)["tags"]
        cited = {c["chunk_id"]: c["citation"] for c in chunks.to_pylist()}
        kinds = {p["provision_id"]: p["kind"] for p in tables["provisions"].to_pylist()}
        for row in tags.to_pylist():
            assert row["act_id"] == act
            if kinds.get(cited[row["chunk_id"]] or "") in CITABLE:
                numbered += 1
                with_section += bool(row["section"])
    assert numbered > 10_000
    assert with_section >= 0.99 * numbered
