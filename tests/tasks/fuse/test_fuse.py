"""Reciprocal rank fusion, worked by hand."""

from __future__ import annotations

import pytest

from tasks.fuse import FuseConfig, fuse, reciprocal_rank_fusion
from tasks.runs import make_run, rankings


def test_by_hand() -> None:
    dense = [("a", 0.9), ("b", 0.8), ("c", 0.7)]
    sparse = [("c", 12.0), ("a", 3.0), ("d", 1.0)]
    fused = dict(reciprocal_rank_fusion([dense, sparse], 60))
    assert fused["a"] == pytest.approx(1 / 61 + 1 / 62)
    assert fused["b"] == pytest.approx(1 / 62)
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert fused["d"] == pytest.approx(1 / 63)
    assert [c for c, _ in reciprocal_rank_fusion([dense, sparse], 60)] == ["a", "c", "b", "d"]


def test_ties_keep_the_order_of_appearance() -> None:
    assert [c for c, _ in reciprocal_rank_fusion([[("x", 1.0)], [("y", 9.0)]], 60)] == ["x", "y"]


def test_runs_are_fused_query_by_query_to_the_depth() -> None:
    a = make_run({"q1": [("a", 1.0), ("b", 0.5)], "q2": [("c", 1.0)]}, "dense")
    b = make_run({"q1": [("b", 7.0)]}, "sparse")
    fused = fuse([a, b], FuseConfig(k=60, depth=1))
    assert {q: [c for c, _ in r] for q, r in rankings(fused).items()} == {"q1": ["b"], "q2": ["c"]}
    assert set(fused.column("channel").to_pylist()) == {"fused"}


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match="positive"):
        FuseConfig(k=0)
