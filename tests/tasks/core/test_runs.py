"""Runs: ranks, collapse to provisions, top rows."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.core.runs import collapse, make_run, rankings, top_rows


def test_round_trip() -> None:
    lists = {"q1": [("a", 2.0), ("b", 1.0)], "q2": [("c", 3.0)]}
    run = make_run(lists, "dense")
    assert run.column("rank").to_pylist() == [1, 2, 1]
    assert rankings(run) == lists


def test_collapse_takes_the_best_chunk_of_each_provision() -> None:
    ranked = [("c1", 0.9), ("c2", 0.8), ("c3", 0.8), ("c4", 0.1)]
    cites = {"c1": "s5", "c2": None, "c3": "s7", "c4": "s5"}
    assert collapse(ranked, cites) == [("s5", "c1", 0.9), ("s7", "c3", 0.8)]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=30), st.integers(1, 12), st.randoms())
def test_top_rows_are_those_of_a_stable_sort(values: list[float], k: int, random: Random) -> None:
    scores = np.array(values, dtype=np.float32)
    mask = np.array([random.random() < 0.7 for _ in values], dtype=np.bool_)
    expected = [i for i in sorted(range(len(values)), key=lambda i: (-values[i], i)) if mask[i]][:k]
    assert top_rows(scores, k, mask).tolist() == expected
    assert top_rows(scores, k).tolist() == sorted(range(len(values)), key=lambda i: (-values[i], i))[:k]
