"""Vectors of a graph: distances by hand and as the library has them, and the same bytes twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

from citegrain.tasks.core.schemas import EDGES, NODES
from citegrain.tasks.offline.graph import Relations, read_relations, train, write_relations


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


def test_a_step_by_hand() -> None:
    nodes = np.array([[0, 0], [1, 0], [4, 4]], dtype=np.float32)
    vectors = Relations("transe", "abc", ["cites"], nodes, np.array([[1, 0]], dtype=np.float32))
    assert vectors.nearness(0, "cites").tolist() == [-1, 0, -5]  # a + r = (1, 0), which is b
    assert vectors.nearness(1, "cites", back=True).tolist() == pytest.approx([0, -1, -(32**0.5)])


def test_a_turn_by_hand() -> None:
    # 1 turned by a right angle is i; real parts first, then imaginary ones
    nodes = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    vectors = Relations("rotate", "abc", ["cites"], nodes, np.array([[np.pi / 2]], dtype=np.float32))
    assert vectors.nearness(0, "cites").tolist() == pytest.approx([-(2**0.5), 0, -(2**0.5)], abs=1e-3)
    assert vectors.nearness(1, "cites", back=True).tolist() == pytest.approx([0, -(2**0.5), -2], abs=1e-3)


@pytest.mark.slow  # the library takes seconds to load
@pytest.mark.parametrize("model", ["transe", "rotate"])
def test_distances_are_those_of_the_library(model: str) -> None:
    from torch_geometric.nn.kge import RotatE, TransE

    from citegrain.tasks.offline.graph import relations

    torch.manual_seed(1)
    network: Any = TransE(5, 2, 4, 1.0, p_norm=2.0) if model == "transe" else RotatE(5, 2, 4, 6.0)
    vectors = Relations(model, "abcde", ["x", "y"], *relations._vectors(network, model))
    all_nodes = torch.arange(5)
    for back in (False, True):
        ends = (all_nodes, torch.full((5,), 3)) if back else (torch.full((5,), 3), all_nodes)
        with torch.no_grad():
            theirs = network(ends[0], torch.ones(5, dtype=torch.int64), ends[1]).numpy()
        shift = 6.0 if model == "rotate" else 0.0
        assert vectors.nearness(3, "y", back) + shift == pytest.approx(theirs, abs=1e-5)


@pytest.mark.slow
def test_what_is_left_out_is_not_learned() -> None:
    graph = tables(("1", "2"), ("2", "3"))
    whole = train(graph["nodes"], graph["edges"], "transe")
    less = train(graph["nodes"], graph["edges"], "transe", {("1", "2")})
    assert whole.kinds == less.kinds == ["cites"] and not np.array_equal(whole.nodes, less.nodes)
    absent = train(graph["nodes"], tables(("1", "2"), reason="provision_absent")["edges"], "transe")
    assert absent.kinds == []  # its target is not what is named


@pytest.mark.slow
def test_a_file_has_the_same_bytes_twice_and_is_read_back(tmp_path: Path) -> None:
    graph = tables(*((str(i), str((i + 1) % 9)) for i in range(9)))
    before = torch.get_rng_state()
    paths = [tmp_path / name for name in ("a", "b")]
    for path, models in zip(paths, (["rotate", "transe"], ["transe", "rotate"]), strict=True):
        write_relations(path, graph, models)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert torch.equal(before, torch.get_rng_state())
    vectors = read_relations(paths[0], graph["nodes"], "rotate")
    assert vectors is not None and vectors.nodes.shape == (9, 128) and vectors.kinds == ["cites"]
    again = train(graph["nodes"], graph["edges"], "rotate")
    assert np.array_equal(again.nodes, vectors.nodes) and np.array_equal(again.steps, vectors.steps)
    write_relations(paths[0], graph, ["transe"])
    assert read_relations(paths[0], graph["nodes"], "rotate") is None
    assert read_relations(tmp_path / "absent", graph["nodes"], "rotate") is None
