"""Segments that another process encodes."""

from __future__ import annotations

import pickle
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.offline.embed import (
    ChunkText,
    EmbedConfig,
    Encoding,
    embed_passages,
    embed_shard,
    stage,
    vector_rows,
    vector_space,
    write_shards,
)
from citegrain.tasks.offline.models import Encoder, find_model


@pytest.mark.parametrize("late", ["", "section"])
def test_shards_give_the_segments_of_one_process(
    late: str, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "CHECKPOINT", 3)
    files = find_model(str(tiny_model), tmp_path)
    config = EmbedConfig(model="tiny", precision="fp32", late=late)
    context = "the keeper of the lantern shall be paid wages" if late else ""
    words = ["the keeper", "the keeper of", "the lantern", "lantern", "shall be paid", "wages", "paid"]
    passages = {
        str(n): ChunkText("", text, context, max(0, context.find(text))) for n, text in enumerate(words)
    }
    space = vector_space(files, "t", config)
    here, there = (vector_rows(tmp_path / name, space, files.dimension) for name in ("here", "there"))
    embed_passages(here, passages, Encoder(files, config.settings()), late=bool(late))
    encoding = pickle.loads(pickle.dumps(Encoding(tmp_path / "there", space, files, config, 0)))  # noqa: S301
    shards = write_shards(tmp_path / "there", passages, bool(late))
    assert list(shards.values()) == [3, 3, 1]
    for shard in reversed(shards):
        assert embed_shard(encoding, shard).encoded == shards[shard]
        assert embed_shard(encoding, shard).encoded == 0, "what a lost worker had written is there"
    assert [p.name for p in there.segments()] == [p.name for p in here.segments()]


@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 6), st.integers(1, 60))
def test_a_segment_has_no_more_texts_nor_characters_than_it_may(
    lengths: list[int], texts: int, characters: int
) -> None:
    passages = {f"{n:02}": ChunkText("", "x" * length) for n, length in enumerate(lengths)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "CHECKPOINT", texts)
        patch.setattr(stage, "LONGEST", characters)
        parts = stage.segments(passages)
    sizes = [[len(passage.text) for _, passage in part] for part in parts]
    assert list(chain.from_iterable(sizes)) == sorted(lengths, reverse=True)
    assert all(len(part) <= texts and (sum(part) <= characters or len(part) == 1) for part in sizes)
    for part, after in pairwise(sizes):
        assert len(part) == texts or sum(part) + after[0] > characters
