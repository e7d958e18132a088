"""Compressed token vectors against MaxSim worked by hand and against brute force."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citegrain.tasks.offline.index import max_similarity
from citegrain.tasks.published.channels.colbert import TokenIndex, write_colbert

DIMENSION, CHUNKS = 16, 60
ALL = np.ones(CHUNKS, dtype=bool)


def unit(n: int, seed: int) -> np.ndarray:
    v = np.random.default_rng(seed).normal(size=(n, DIMENSION)).astype(np.float32)
    return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


LENGTHS = np.random.default_rng(3).integers(0, 40, CHUNKS)
LENGTHS[7] = 0  # an empty chunk
MATRICES = [unit(int(n), i).astype(np.float16) for i, n in enumerate(LENGTHS)]
QUERY = unit(5, 99)
WEIGHTS = np.full(5, 0.2, dtype=np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("build") / "colbert"
    write_colbert(path, lambda: iter(MATRICES), DIMENSION)
    return path


def brute(index: TokenIndex, query: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> list[float]:
    """MaxSim of decompressed vectors by its definition."""
    turned, out = index.rotated(query), []
    for row in rows:
        passage, _ = index.decompressed(np.array([row]))
        out.append(sum(w * max(float(p @ q) for p in passage) for w, q in zip(weights, turned, strict=True)))
    return out


def test_max_similarity_by_hand() -> None:
    passages = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    query = np.array([[1, 0], [0.6, 0.8]], dtype=np.float32)
    # the first passage has two tokens: 1 and .8 are their best; the second has one: .6 and 1
    assert np.allclose(max_similarity(passages, np.array([0, 2]), query), [[1, 0.8], [0.6, 1]])


def test_all_probed_is_brute_force_over_what_is_kept(folder: Path) -> None:
    index, rows = TokenIndex(folder), np.flatnonzero(LENGTHS)
    expected = np.array(brute(index, QUERY, WEIGHTS, rows))
    scores, chunks = index.search(QUERY, WEIGHTS, CHUNKS, ALL, 10**6, CHUNKS)
    assert chunks.tolist() == rows[np.argsort(-expected, kind="stable")].tolist()
    assert np.allclose(scores, np.sort(expected)[::-1], atol=1e-5)


def test_texts_count_by_weight(folder: Path) -> None:
    index, weights = TokenIndex(folder), np.array([1, 0, 0, 0, 0], dtype=np.float32)
    scores, rows = index.search(QUERY, weights, 3, ALL, 10**6, CHUNKS)
    alone, same = index.search(QUERY[:1], weights[:1], 3, ALL, 10**6, CHUNKS)
    assert rows.tolist() == same.tolist() and np.allclose(scores, alone, atol=1e-6)


def test_kept_vectors_are_near_the_tokens_and_an_eighth_of_their_bytes(folder: Path) -> None:
    index, rows = TokenIndex(folder), np.flatnonzero(LENGTHS)
    vectors, starts = index.decompressed(rows)
    turned = index.rotated(np.concatenate([MATRICES[row] for row in rows]).astype(np.float32))
    assert starts.tolist() == np.cumsum([0, *LENGTHS[rows][:-1]]).tolist()
    assert float((vectors * turned).sum(axis=1).mean()) > 0.8
    codes = np.load(folder / "codes.npy", mmap_mode="r")
    assert codes.shape == (LENGTHS.sum(), 1 + DIMENSION // 4)  # the centroid, and two bits a dimension


@pytest.mark.parametrize("share", [0.5, 0.05, 0.0])
def test_only_the_law_of_the_day_becomes_a_candidate(folder: Path, share: float) -> None:
    eligible = np.random.default_rng(5).random(CHUNKS) < share
    allowed = np.flatnonzero(eligible & (LENGTHS > 0))
    _, rows = TokenIndex(folder).search(QUERY, WEIGHTS, 4, eligible, 2, 8)
    assert len(rows) == min(4, len(allowed)) and set(rows) <= set(allowed)


def test_candidates_are_those_whose_centroids_are_likest(folder: Path) -> None:
    """A query that is a part of a passage finds it through a few centroids a token."""
    index = TokenIndex(folder)
    longest = int(LENGTHS.argmax())
    query = MATRICES[longest][:8].astype(np.float32)
    _, rows = index.search(query, np.full(8, 1 / 8, np.float32), 1, ALL, 3, 6)
    assert rows.tolist() == [longest]


def test_equal_tokens_give_equal_files(folder: Path, tmp_path: Path) -> None:
    write_colbert(tmp_path / "again", lambda: iter(MATRICES), DIMENSION)
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


def test_long_passages_are_cut_and_dimensions_left_out(tmp_path: Path) -> None:
    write_colbert(tmp_path / "c", lambda: iter([unit(600, 1).astype(np.float16)]), 8)
    index = TokenIndex(tmp_path / "c")
    assert index.decompressed(np.array([0]))[0].shape == (512, 8)
    assert index.rotated(QUERY).shape == (5, 8)


def test_a_query_or_a_corpus_without_tokens_finds_nothing(folder: Path, tmp_path: Path) -> None:
    assert not len(TokenIndex(folder).search(QUERY[:0], WEIGHTS[:0], 3, ALL, 2, 8)[1])
    write_colbert(tmp_path / "c", lambda: iter([np.zeros((0, DIMENSION), np.float16)] * 2), DIMENSION)
    assert not len(TokenIndex(tmp_path / "c").search(QUERY, WEIGHTS, 3, np.ones(2, bool), 2, 8)[1])
