"""Vectors of a graph: distances by hand, and the same bytes twice."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import EDGES, NODES
from citegrain.tasks.published.channels.relation import (
    RELATIONS,
    Relations,
    read_relations,
    train,
    write_relations,
)


def tables(*pairs: tuple[str, str], kind: str = "cites", reason: str = "") -> dict[str, pa.Table]:
    nodes = [
        {"node_id": node, "kind": "section", "act_id": "a", "number": node, "title": "", "document_id": "D", "page": 1}
        for node in sorted({end for pair in pairs for end in pair})
    ]  # fmt: skip
    edges = [
        {
            "source_id": source, "target_id": target, "kind": kind, "words": "", "named": target, "reason": reason,
            "document_id": "D", "page": 1, "offset": 0,
        }
        for source, target in pairs
    ]  # fmt: skip
    return {"nodes": NODES.rows(nodes), "edges": EDGES.rows(edges)}


def contents(graph: dict[str, pa.Table]) -> Any:
    return SimpleNamespace(tables=graph)


def test_a_step_by_hand() -> None:
    nodes = np.array([[0, 0], [1, 0], [4, 4]], dtype=np.float32)
    vectors = Relations("abc", ["cites"], nodes, np.array([[1, 0]], dtype=np.float32))
    assert vectors.nearness(0, "cites").tolist() == [-1, 0, -5]  # a + r = (1, 0), which is b
    assert vectors.nearness(1, "cites", back=True).tolist() == pytest.approx([0, -1, -(32**0.5)])


def test_what_is_said_is_nearer_than_what_is_not() -> None:
    ends = [f"{i:03}" for i in range(300)]
    graph = tables(*((end, ends[(i + step) % 300]) for i, end in enumerate(ends) for step in (1, 2, 3)))
    vectors = train(graph["nodes"], graph["edges"])
    near = [vectors.nearness(i, "cites") for i in range(300)]
    ranks = [(row > row[(i + 1) % 300]).sum() for i, row in enumerate(near)]
    assert np.mean(ranks) < 30  # of 300; by chance 150
    assert np.allclose(np.linalg.norm(vectors.nodes, axis=1), 1, atol=1e-5)


def test_an_edge_whose_target_is_not_what_is_named_says_nothing() -> None:
    graph = tables(("1", "2"), ("2", "3"))
    absent = tables(("1", "2"), reason="provision_absent")["edges"]
    assert train(graph["nodes"], graph["edges"]).kinds == ["cites"]
    assert train(graph["nodes"], absent).kinds == []


def test_a_file_has_the_same_bytes_twice_and_is_read_back(tmp_path: Path) -> None:
    graph = tables(*((str(i), str((i + 1) % 9)) for i in range(9)))
    import torch  # here: else every process waits for it

    before = torch.get_rng_state()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_relations(tmp_path / name, contents(graph))
    paths = [tmp_path / name / RELATIONS for name in ("a", "b")]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert torch.equal(before, torch.get_rng_state())
    vectors = read_relations(paths[0], graph["nodes"])
    assert vectors is not None and vectors.nodes.shape == (9, 64) and vectors.kinds == ["cites"]
    again = train(graph["nodes"], graph["edges"])
    assert np.array_equal(again.nodes, vectors.nodes) and np.array_equal(again.steps, vectors.steps)
    assert read_relations(tmp_path / "absent", graph["nodes"]) is None
