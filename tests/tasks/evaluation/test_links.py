"""Ranks of references held back: by hand."""

from __future__ import annotations

import numpy as np

from citegrain.tasks.evaluation.links import TEXT, HeldBack, baselines, hold_back, measure, ranks
from tests.tasks.offline.graph.test_relations import tables

ALL = np.ones(5, dtype=bool)


def test_other_right_answers_and_the_node_itself_do_not_count_and_ties_count_half() -> None:
    held_back = HeldBack(list("abcde"), {(0, 1), (0, 2), (3, 1)}, [(0, 1)], ALL)
    scores = np.array([9.0, 2.0, 8.0, 3.0, 2.0])
    # what 0 cites: 2 is right too and 0 is the node; 3 is better than 1, and 4 equal
    # what cites 1: 3 is right too; none is better than 0
    assert ranks(held_back, lambda node, back: scores).tolist() == [[2.5, 1.0]]


def test_only_candidates_are_rivals() -> None:
    held_back = HeldBack(list("abcde"), {(0, 1)}, [(0, 1)], np.array([1, 1, 0, 1, 0], dtype=bool))
    assert ranks(held_back, lambda node, back: np.array([5.0, 1, 9, 2, 9])).tolist() == [[2.0, 1.0]]


def test_a_tenth_is_held_back_by_the_seed_and_only_between_texts() -> None:
    graph = tables(*((f"{i:02}", f"{i + 1:02}") for i in range(40)))
    texts = [i != 7 for i in range(41)]
    one, same, other = (hold_back(graph, texts, seed) for seed in (1, 1, 2))
    assert one.pairs == same.pairs != other.pairs and len(one.pairs) == 38 // 10
    assert all(7 not in pair for pair in one.pairs) and len(one.learned) == 40 - 3


def test_baselines_by_hand() -> None:
    held_back = HeldBack(list("abcd"), {(0, 1), (2, 1), (0, 3)}, [(0, 3)], ALL[:4])
    vectors = np.array([[1, 0], [0, 1], [1, 0], [0.6, 0.8]], dtype=np.float32)
    asks = baselines(held_back, vectors, ["x", "x", "y", "y"])
    assert asks["degree"](0, False).tolist() == [0, 2, 0, 0] and asks["degree"](3, True).tolist() == [
        1,
        0,
        1,
        0,
    ]
    assert asks["degree in Act"](0, False).argsort()[::-1][:2].tolist() == [1, 0]
    assert asks[TEXT](0, False).tolist() == [1, 0, 1, np.float32(0.6)]
    assert asks["place in Act"](1, False).tolist() == [-1, 0, -1, -2]


def test_measures_by_hand() -> None:
    held_back = HeldBack(list("abcde"), {(0, 1), (2, 3)}, [(0, 1), (2, 3)], ALL)
    best = np.array([0.0, 9, 0, 9, 0])
    rows = measure(held_back, {TEXT: lambda node, back: np.zeros(5), "best": lambda node, back: best}, TEXT)
    assert [row["n"] for row in rows] == [4, 4] and rows[0]["against"] is None
    # of five, without itself four are left, and all tie: rank 1 + 3 / 2
    assert rows[0]["MRR"][0] == 1 / 2.5 and rows[0]["Hits@3"][0] == 1 and rows[0]["Hits@1"][0] == 0
    assert rows[1]["against"]["difference"] == rows[1]["MRR"][0] - rows[0]["MRR"][0]
