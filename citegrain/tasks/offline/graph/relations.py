"""Vectors of nodes such that each relation leads from what says it to that of which it is said.

In TransE a relation is a step (Bordes and others 2013), in RotatE a turn of complex numbers (Sun and others
2019). Both are trained by PyTorch Geometric; a node is as near as its vector to where a relation leads.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Matrix = npt.NDArray[np.float32]
Pairs = Collection[tuple[str, str]]

RELATIONS = "relations.safetensors"
RELATIONS_VERSION = 1
"""Raised when training gives other vectors for the same graph."""
MARGINS = {"transe": 1.0, "rotate": 6.0}
"""The models, and the margin of each one's loss; chosen on references held back from training."""
_DIMENSION, _EPOCHS, _BATCH, _RATE = 64, 60, 1024, 0.01


@dataclass(frozen=True)
class Relations:
    """Vectors of one model.

    Attributes
    ----------
    model
        One of :data:`MARGINS`.
    ids
        Of the nodes, in the order of the rows.
    kinds
        Of edges, in the order of the rows.
    nodes
        Shape (nodes, dimension); of ``rotate`` real parts, then imaginary ones, (nodes, 2 dimension).
    steps
        What each kind adds; of ``rotate`` the angles by which it turns; shape (kinds, dimension).
    """

    model: str
    ids: Sequence[str]
    kinds: Sequence[str]
    nodes: Matrix
    steps: Matrix

    @cached_property
    def at(self) -> dict[str, int]:
        """Row of each node."""
        return {node: row for row, node in enumerate(self.ids)}

    @cached_property
    def _squares(self) -> Matrix:
        return np.asarray((self.nodes**2).sum(axis=1))

    def led_to(self, node: int, kind: str, back: bool = False) -> Matrix:
        """Where a relation leads from a node, or, ``back``, from where it would lead to it."""
        step = self.steps[list(self.kinds).index(kind)] * (-1 if back else 1)
        if self.model == "transe":
            return np.asarray(self.nodes[node] + step)
        real, imaginary = np.split(self.nodes[node], 2)
        turned = (real + 1j * imaginary) * np.exp(1j * step)
        return np.concatenate([turned.real, turned.imag]).astype(np.float32)

    def nearness(self, node: int, kind: str, back: bool = False) -> Matrix:
        """Minus the distance of every node to where a relation leads, shape (nodes,)."""
        goal = self.led_to(node, kind, back)
        squares = self._squares - 2 * self.nodes @ goal + goal @ goal
        return np.asarray(-np.sqrt(np.maximum(squares, 0)))


def train(nodes: pa.Table, edges: pa.Table, model: str, without: Pairs = (), seed: int = 0) -> Relations:
    """Vectors of a graph: the same bytes for the same graph and seed on one machine, whatever its threads.

    Parameters
    ----------
    nodes, edges
        Tables of these names. Edges whose target is not what is named say nothing.
    without
        Pairs of source and target of which nothing is learned.
    """
    import torch

    ids: list[str] = nodes.column("node_id").to_pylist()
    kinds, triples = _triples(ids, edges, without)
    with _alone(seed):
        network = _network(model, len(ids), len(kinds))
        optimiser = torch.optim.Adam(network.parameters(), lr=_RATE)
        data = torch.tensor(triples, dtype=torch.int64).reshape(-1, 3)
        for _ in range(_EPOCHS):
            for part in torch.randperm(len(data)).split(_BATCH):
                optimiser.zero_grad()
                network.loss(*data[part].T).backward()
                optimiser.step()
    return Relations(model, ids, kinds, *_vectors(network, model))


def _triples(ids: Sequence[str], edges: pa.Table, without: Pairs) -> tuple[list[str], list[tuple[int, ...]]]:
    """Kinds of edges, and (source, kind, target) by position, each once."""
    at = {node: row for row, node in enumerate(ids)}
    said = {
        (at[source], kind, at[target])
        for source, kind, target in edges_said(edges)
        if source in at and target in at and (source, target) not in without
    }
    kinds = sorted({kind for _, kind, _ in said})
    return kinds, sorted((source, kinds.index(kind), target) for source, kind, target in said)


def edges_said(edges: pa.Table) -> Iterator[tuple[str, str, str]]:
    """Source, kind and target of the edges whose target is what is named."""
    columns = edges.select(["source_id", "kind", "target_id", "reason"]).to_pydict()
    for source, kind, target, reason in zip(*columns.values(), strict=True):
        if target and not reason and source != target:
            yield source, kind, target


@contextmanager
def _alone(seed: int) -> Iterator[None]:
    """One thread, and chance from the seed alone; both as they were afterwards."""
    import torch

    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def _network(model: str, nodes: int, kinds: int) -> Any:
    from torch_geometric.nn.kge import RotatE, TransE  # seconds to load

    if model == "transe":
        return TransE(nodes, kinds, _DIMENSION, MARGINS[model], p_norm=2.0)
    return RotatE(nodes, kinds, _DIMENSION, MARGINS[model])


def _vectors(network: Any, model: str) -> tuple[Matrix, Matrix]:
    from torch.nn.functional import normalize

    real = network.node_emb.weight.detach()
    if model == "transe":  # it compares nodes by direction
        return normalize(real, dim=-1).numpy(), network.rel_emb.weight.detach().numpy()
    nodes = np.hstack([real.numpy(), network.node_emb_im.weight.detach().numpy()])
    return nodes, network.rel_emb.weight.detach().numpy()


def write_relations(path: Path, tables: Mapping[str, pa.Table], models: Sequence[str]) -> None:
    """Train models on the graph of a build, and write their vectors."""
    from safetensors.numpy import save

    trained = [train(tables["nodes"], tables["edges"], model) for model in sorted(set(models))]
    tensors = {f"{one.model}.{part}": getattr(one, part) for one in trained for part in ("nodes", "steps")}
    # one entry: safetensors writes several in any order, and the digest would change
    path.write_bytes(save(tensors, {"kinds": json.dumps(list(trained[0].kinds))}))


def read_relations(path: Path, nodes: pa.Table, model: str) -> Relations | None:
    """Vectors of one model; None where it was not trained.

    Parameters
    ----------
    nodes
        The table on which it was trained.
    """
    from safetensors import safe_open

    if not path.is_file():
        return None
    with safe_open(path, framework="numpy") as file:
        if f"{model}.nodes" not in file.keys():  # noqa: SIM118 - no mapping
            return None
        vectors = [file.get_tensor(f"{model}.{part}") for part in ("nodes", "steps")]
        return Relations(
            model, nodes.column("node_id").to_pylist(), json.loads(file.metadata()["kinds"]), *vectors
        )
