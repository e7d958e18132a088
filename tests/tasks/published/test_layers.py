"""Layers above the chunks: which chunks stand below the nearest summaries, by hand and against a plain loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.offline.index import IndexConfig, build_dense
from citegrain.tasks.published.summaries import Layer, write_layer_rows, write_layer_vectors

VECTORS = np.eye(3, dtype=np.float32)
ABOVE = np.array([0, 0, 1, 2, -1])
QUERY = np.asarray([[0.8, 0.6, 0.1]], dtype=np.float32)  # summary 0 before 1 before 2
ALL = np.ones(5, dtype=bool)


def below(most: int, eligible: np.ndarray = ALL) -> list[int]:
    layer = Layer(build_dense(VECTORS, IndexConfig()), ABOVE)
    return np.flatnonzero(layer.below(QUERY, most, eligible)).tolist()


def test_chunks_of_the_nearest_summaries_and_those_without_one() -> None:
    assert below(1) == [0, 1, 4]
    assert below(2) == [0, 1, 2, 4]
    assert below(9) == [0, 1, 2, 3, 4]


def test_a_summary_whose_chunks_are_no_law_takes_no_place() -> None:
    repealed = np.array([False, False, True, True, False])
    assert below(1, repealed) == [2]
    assert below(1, np.array([False, True, True, True, False])) == [1]
    assert below(2, np.zeros(5, dtype=bool)) == []


def test_a_layer_is_read_as_it_was_written(tmp_path: Path) -> None:
    space = tmp_path / "spaces" / "second"
    space.mkdir(parents=True)
    write_layer_rows(tmp_path, "section", ABOVE.tolist())
    write_layer_vectors(space, "section", VECTORS[::-1].copy(), IndexConfig())
    layer = Layer.read(tmp_path, space, "section")
    assert np.flatnonzero(layer.below(QUERY, 1, ALL)).tolist() == [3, 4]


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 10**6))
def test_as_a_plain_loop_has_it(most: int, summaries: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(summaries, 4)).astype(np.float32)
    query = random.normal(size=(1, 4)).astype(np.float32)
    above, eligible = random.integers(-1, summaries, 20), random.random(20) < 0.5
    worth = {row: float(query[0] @ vectors[row]) for row in range(summaries) if any(eligible[above == row])}
    nearest = {-1, *sorted(worth, key=lambda row: -worth[row])[:most]}
    expected = [bool(eligible[i]) and above[i] in nearest for i in range(20)]
    assert Layer(build_dense(vectors, IndexConfig()), above).below(query, most, eligible).tolist() == expected
