"""Segments that another process encodes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from citegrain.tasks.offline.embed import (
    EmbedConfig,
    Encoding,
    Passage,
    embed_passages,
    embed_shard,
    stage,
    vector_rows,
    vector_space,
    write_shards,
)
from citegrain.tasks.offline.models import Encoder, Tokenizer, find_model


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
        str(n): Passage("", text, context, max(0, context.find(text))) for n, text in enumerate(words)
    }
    space, tokenizer = vector_space(files, "t", config), Tokenizer(files)
    here, there = (vector_rows(tmp_path / name, space, files.dimension) for name in ("here", "there"))
    embed_passages(here, passages, Encoder(files, config.settings()), tokenizer, late=bool(late))
    encoding = pickle.loads(pickle.dumps(Encoding(tmp_path / "there", space, files, config, 0)))  # noqa: S301
    shards = write_shards(tmp_path / "there", passages, bool(late))
    assert list(shards.values()) == [3, 3, 1]
    for shard in reversed(shards):
        assert embed_shard(encoding, shard).encoded == shards[shard]
        assert embed_shard(encoding, shard).encoded == 0, "what a lost worker had written is there"
    assert [p.name for p in there.segments()] == [p.name for p in here.segments()]
