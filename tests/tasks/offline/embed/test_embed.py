"""A vector for each text, computed once; long texts read in windows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.offline.embed import (
    ChunkText,
    EmbedConfig,
    cached_vectors,
    embed_passages,
    embed_tokens,
    iterate_tokens,
    query_rows,
    read_vectors,
    token_rows,
    vector_rows,
    vector_space,
    windows,
)
from citegrain.tasks.offline.models import Encoder, ModelFiles, Tokenizer


class Words(Tokenizer):
    def __init__(self) -> None:
        pass

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [m.span() for m in re.finditer(r"\S+", text)]


class Bags(Encoder):
    """An encoder whose vector counts letters: exact, so that sums can be worked out."""

    dimension = 4
    max_tokens = 12

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.tokenizer = Words()

    def encode(
        self, texts: Sequence[str], *, query: bool = False, progress: Callable[[int], None] = lambda n: None
    ) -> npt.NDArray[np.float32]:
        self.seen += texts
        progress(len(texts))
        counts = np.array([[1.0 + t.count(c) for c in "abcd"] for t in texts], dtype=np.float32).reshape(
            -1, 4
        )
        return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True), dtype=np.float32)

    def token_vectors(
        self, texts: Sequence[str], *, query: bool = False, progress: Callable[[int], None] = lambda n: None
    ) -> list[npt.NDArray[np.float16]]:
        return [np.full((len(t.split()), 4), len(t), dtype=np.float16) for t in texts]


SPACE = vector_space(ModelFiles("org/bags", Path(), "sha"), "tok", EmbedConfig(model="org/bags"))


def test_a_text_with_a_vector_is_not_encoded_again(tmp_path: Path) -> None:
    rows, encoder = vector_rows(tmp_path, SPACE, 4), Bags()
    texts = {"h1": ChunkText("", "a b"), "h2": ChunkText("A", "c d d")}
    assert embed_passages(rows, texts, encoder).encoded == 2
    more = texts | {"h3": ChunkText("", "b")}
    done: list[int] = []
    assert embed_passages(rows, more, encoder, progress=done.append).encoded == 1
    assert sum(done) == 3, "a bar ends full"
    assert encoder.seen[-1] == "b" and len(encoder.seen) == 3
    vectors = read_vectors(rows, ["h3", "h1", "h3"], 4)
    assert np.allclose(vectors[0], vectors[2])
    assert np.allclose(vectors[1], Bags().encode(["a b"])[0])
    with pytest.raises(KeyError, match="1 of 2 vectors are missing"):
        read_vectors(rows, ["h1", "h9"], 4)


def test_progress_counts_the_work_that_is_done_and_not_the_texts(tmp_path: Path) -> None:
    encoder = Bags()
    texts = {f"h{n}": ChunkText("", "a" * (99 if n < 2 else 9)) for n in range(22)}
    done: list[int] = []

    def in_turn(passages: Sequence[str], **options: Any) -> npt.NDArray[np.float32]:
        options["progress"](2)  # the two longest: half of all characters
        options["progress"](20)
        return np.ones((len(passages), 4), np.float32)

    encoder.encode = in_turn  # type: ignore[method-assign, assignment]
    embed_passages(vector_rows(tmp_path, SPACE, 4), texts, encoder, progress=done.append)
    assert done == [0, 11, 11]


def test_a_long_text_lies_between_its_first_window_and_the_mean(tmp_path: Path) -> None:
    passage = ChunkText("head", " ".join(["a"] * 9 + ["b"] * 9 + ["c"] * 3))
    rows, encoder = vector_rows(tmp_path, SPACE, 4), Bags()
    done = embed_passages(rows, {"h": passage}, encoder)
    assert (done.encoded, done.long) == (1, 1)
    parts = Bags().encode(["head\n" + " ".join(["a"] * 9), "head\n" + " ".join(["b"] * 9), "head\nc c c"])
    mean = parts.mean(axis=0)
    expected = parts[0] + mean / np.linalg.norm(mean)
    assert np.allclose(read_vectors(rows, ["h"], 4)[0], expected / np.linalg.norm(expected), atol=1e-6)


def test_truncate_encodes_the_text_as_it_is(tmp_path: Path) -> None:
    rows, encoder = vector_rows(tmp_path, SPACE, 4), Bags()
    passage = ChunkText("", "a " * 30)
    assert embed_passages(rows, {"h": passage}, encoder, "truncate").long == 1
    assert encoder.seen == [passage.joined]


@settings(max_examples=80)
@given(st.integers(0, 20), st.integers(0, 60), st.integers(12, 40))
def test_windows_fit_and_lose_no_word(header: int, words: int, size: int) -> None:
    passage = ChunkText(" ".join(f"h{i}" for i in range(header)), " ".join(f"w{i}" for i in range(words)))
    parts = windows(passage, Words(), size)
    text = [w for window in parts for w in window.split() if w.startswith("w")]
    assert text == passage.text.split()
    if header <= (size - 2) // 2:
        assert all(len(w.split()) <= size - 2 for w in parts)
        assert all(w.split()[:header] == passage.header.split() for w in parts)


def test_the_space_depends_on_what_shapes_vectors() -> None:
    config = EmbedConfig(model="org/bags")
    model = ModelFiles("org/bags", Path(), "sha")
    same = [config, replace(config, batch_size=64, tokens=True, query_prefix="q", precision="bf16")]
    other = [
        vector_space(model, "tok", replace(config, precision="fp32")),
        vector_space(model, "tok", replace(config, passage_prefix="p")),
        vector_space(model, "tok", replace(config, long="truncate")),
        vector_space(replace(model, sha256="other"), "tok", config),
    ]
    assert len({vector_space(model, "tok", c).name for c in same}) == 1
    assert len({SPACE.name, *(s.name for s in other)}) == 5


def test_token_vectors_are_kept_and_given_back_in_order(tmp_path: Path) -> None:
    rows = token_rows(tmp_path, SPACE)
    texts = {"h1": ChunkText("", "a b"), "h2": ChunkText("", "c d e")}
    assert embed_tokens(rows, texts, Bags()) == 2
    assert embed_tokens(rows, texts, Bags()) == 0
    matrices = list(iterate_tokens(rows, ["h2", "h1", "h2"], 4))
    assert [m.shape for m in matrices] == [(3, 4), (2, 4), (3, 4)]
    assert float(matrices[0][0, 0]) == 5 and float(matrices[1][0, 0]) == 3


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match="long"):
        EmbedConfig(long="forget")


@pytest.mark.parametrize("also", [{"Two": {}}, {"two": {"tokens": True}}, {"two": {"modle": "x"}}])
def test_a_further_encoder_is_checked_as_the_first(also: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"embed\.also"):
        EmbedConfig(also=also)


def test_queries_encoded_before_a_run_died_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citegrain.tasks.offline.embed.queries.CHECKPOINT", 2)
    rows, encoder, texts = query_rows(tmp_path, "space", "", 4), Bags(), ["a", "bb", "ccc"]

    def dying(part: Sequence[str]) -> npt.NDArray[np.float32]:
        if encoder.seen:
            raise KeyboardInterrupt
        return encoder.encode(part)

    with pytest.raises(KeyboardInterrupt):
        cached_vectors(dying, texts, rows)
    vectors = cached_vectors(encoder.encode, texts, rows)
    assert encoder.seen == texts and np.array_equal(vectors, Bags().encode(texts))


def test_known_vectors_are_neither_encoded_nor_kept(tmp_path: Path) -> None:
    rows, encoder = query_rows(tmp_path, "space", "", 4), Bags()
    vector = np.array([0, 0, 0, 1], dtype=np.float32)
    vectors = cached_vectors(encoder.encode, ["a", "b"], rows, {1: vector})
    assert encoder.seen == ["a"] and rows.read(["b"]).num_rows == 0
    assert vectors[1].tolist() == vector.tolist()
