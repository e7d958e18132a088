"""Late chunking, worked by hand and against transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.offline.embed import (
    ChunkText,
    EmbedConfig,
    contexts_of,
    embed_passages,
    vector_rows,
    vector_space,
)
from citegrain.tasks.offline.embed.passages import late_window
from citegrain.tasks.offline.embed.stage import read_vectors
from citegrain.tasks.offline.models import Encoder, EncoderSettings, ModelFiles, find_model

SECTION = "the keeper of the lantern shall be paid wages by the owner of the tower which is a vessel"


def words(text: str) -> list[tuple[int, int]]:
    """Offsets of a tokenizer by blanks."""
    out, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        out.append((at, at + len(word)))
        at += len(word)
    return out


def chunk(name: str, start: int, text: str, citation: str = "a/sec_1") -> dict[str, Any]:
    return {
        "chunk_id": name, "act_id": "a", "unit_id": citation, "citation": citation, "text": text,
        "char_start": start, "char_end": start + len(text),
    }  # fmt: skip


def test_the_context_is_the_section_or_the_act() -> None:
    chunks = [
        chunk("c1", 0, "one two three", "a/sec_1"),
        chunk("c2", 8, "three four", "a/sec_1__1"),  # overlaps, and belongs to the section
        chunk("c3", 20, "five", "a/sec_2"),
    ]
    assert contexts_of(chunks, "section") == {
        "c1": ("one two three four", 0),
        "c2": ("one two three four", 8),
        "c3": ("five", 0),
    }
    full_text = "one two three four\nfive"
    assert contexts_of(chunks, "document") == {
        "c1": (full_text, 0),
        "c2": (full_text, 8),
        "c3": (full_text, 19),
    }


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 30)), min_size=1, max_size=8))
def test_every_chunk_stands_in_its_context(cuts: list[tuple[int, int]]) -> None:
    text = "".join(chr(97 + i % 26) for i in range(120))
    chunks = [chunk(f"c{i}", start, text[start : start + size]) for i, (start, size) in enumerate(cuts)]
    for row in chunks:
        context, at = contexts_of(chunks, "document")[row["chunk_id"]]
        assert context[at : at + len(row["text"])] == row["text"]


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (3, None),  # two words of header and two of text do not fit
        (4, "c d"),
        (5, "c d e"),
        (6, "b c d e"),
        (8, "a b c d e f"),
        (99, "a b c d e f g h"),
    ],
)
def test_the_window_has_as_much_of_the_context_as_fits(room: int, expected: str | None) -> None:
    context = "a b c d e f g h"
    passage = ChunkText("Act one", "c d", context, context.index("c d"))
    window = late_window(passage, words, room)
    if expected is None:
        assert window is None
    else:
        assert window is not None
        text, (begin, end) = window
        assert text == f"Act one\n{expected}" and text[begin:end] == "c d"


def test_what_one_side_does_not_need_the_other_gets() -> None:
    passage = ChunkText("", "a", "a b c d", 0)
    assert late_window(passage, words, 3) == ("a b c", (0, 1))
    passage = ChunkText("", "d", "a b c d", 6)
    assert late_window(passage, words, 3) == ("b c d", (4, 5))


@pytest.fixture(scope="module")
def files(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return find_model(str(tiny_model), tmp_path_factory.mktemp("models"))


def hidden_of(files: ModelFiles, text: str) -> Any:
    """Token vectors by transformers, special tokens left out: every word of the text is one token."""
    import torch
    from transformers import AutoTokenizer, BertModel

    tokenizer = AutoTokenizer.from_pretrained(files.folder)
    features = tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        hidden = BertModel.from_pretrained(files.folder).eval()(**features).last_hidden_state[0, 1:-1]
    assert len(hidden) == len(text.split())
    return hidden.numpy()


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def test_a_span_is_the_mean_of_its_tokens_in_the_whole_text(files: ModelFiles) -> None:
    encoder = Encoder(files, EncoderSettings("fp32"))
    hidden = hidden_of(files, SECTION)
    at = SECTION.index("shall be paid wages")  # words 5 to 8
    spans = [(at, at + len("shall be paid wages")), (0, len(SECTION))]
    (part, full), (other,) = encoder.span_vectors([SECTION, "the owner"], [spans, [(4, 9)]])
    assert part == pytest.approx(unit(hidden[5:9].mean(axis=0)), abs=1e-5)
    assert full == pytest.approx(unit(hidden.mean(axis=0)), abs=1e-5)
    assert other == pytest.approx(unit(hidden_of(files, "the owner")[1]), abs=1e-5)


def test_chunks_of_a_section_are_read_together(files: ModelFiles, tmp_path: Path) -> None:
    encoder = Encoder(files, EncoderSettings("fp32"))
    parts = [
        "the keeper of the lantern",
        "shall be paid wages by the owner",
        "of the tower which is a vessel",
    ]
    long = " ".join(["wages of the keeper"] * 30)  # longer than the 64 tokens that are read
    passages = {p: ChunkText("", p, SECTION, SECTION.index(p)) for p in parts} | {"long": ChunkText("", long)}
    config = EmbedConfig(model=files.name, precision="fp32", late="section")
    plain = EmbedConfig(model=files.name, precision="fp32")
    vectors = {}
    for late in (config, plain):
        rows = vector_rows(tmp_path, vector_space(files, encoder.tokenizer.sha256, late), 32)
        done = embed_passages(rows, passages, encoder, late=bool(late.late))
        assert (done.encoded, done.long) == (4, 1)
        vectors[late.late] = read_vectors(rows, [*parts, "long"], 32)
    hidden = hidden_of(files, SECTION)
    expected = [unit(hidden[a:b].mean(axis=0)) for a, b in ((0, 5), (5, 12), (12, 19))]
    assert vectors["section"][:3] == pytest.approx(np.array(expected), abs=1e-5)
    assert np.abs(vectors["section"][:3] - vectors[""][:3]).max() > 1e-2
    assert vectors["section"][3] == pytest.approx(vectors[""][3], abs=1e-6), "no room: read as without"


def test_each_context_is_a_space_of_its_own(files: ModelFiles) -> None:
    configs = [EmbedConfig(model="m", late=late) for late in ("", "section", "document")]
    assert len({vector_space(files, "t", config).digest for config in configs}) == 3
    with pytest.raises(ValueError, match=r"embed\.late=page"):
        EmbedConfig(late="page")
