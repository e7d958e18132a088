"""Channel ``relation``: where the relations of the provisions found, or named, lead among vectors (TransE).

Of the vectors of nodes each relation is a step from what says it to that of which it is said; a node is as
near as its vector to where a relation leads. Source: Bordes and others 2013.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.document import BuildPart
from citegrain.tasks.offline.index import BuildError
from citegrain.tasks.online.graph import LAW
from citegrain.tasks.published.channels.graph import starts_of, walks_of

if TYPE_CHECKING:
    import torch

    from citegrain.tasks.offline.assemble import BuildContents
    from citegrain.tasks.online.builds import PublishedBuild

Matrix = npt.NDArray[np.float32]

RELATIONS = "relations.safetensors"
RELATIONS_VERSION = 1
"""Raised when training gives other vectors for the same graph."""
_MODEL = "transe"
_DIMENSION, _MARGIN, _EPOCHS, _BATCH, _RATE = 64, 1.0, 60, 1024, 0.01


@dataclass(frozen=True)
class Relations:
    """Vectors of a graph.

    ``ids``: of the nodes, in the order of the rows. ``kinds``: of edges, in the order of the rows. ``nodes``:
    shape (nodes, dimension). ``steps``: what each kind adds, shape (kinds, dimension).
    """

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

    def nearness(self, node: int, kind: str, back: bool = False) -> Matrix:
        """Minus the distance of every node to where a relation leads from one; shape (nodes,).

        ``back``: to where the relation would lead to it from.
        """
        goal = self.nodes[node] + self.steps[list(self.kinds).index(kind)] * (-1 if back else 1)
        squares = self._squares - 2 * self.nodes @ goal + goal @ goal
        return np.asarray(-np.sqrt(np.maximum(squares, 0)))


def train(nodes: pa.Table, edges: pa.Table, seed: int = 0) -> Relations:
    """Vectors of a graph: the same bytes for the same graph and seed on one machine, whatever its threads.

    ``nodes`` and ``edges``: tables of these names. Edges whose target is not what is named say nothing.
    """
    import torch
    from torch.nn.functional import margin_ranking_loss, normalize

    ids: list[str] = nodes.column("node_id").to_pylist()
    kinds, triples = _triples(ids, edges)
    with _alone(seed):
        places, steps = (torch.nn.Embedding(n, _DIMENSION) for n in (len(ids), len(kinds)))
        for weights in (places.weight, steps.weight):
            torch.nn.init.uniform_(weights, -6 / _DIMENSION**0.5, 6 / _DIMENSION**0.5)
        steps.weight.data = normalize(steps.weight.data, dim=-1)

        def scores(sources: torch.Tensor, of_kind: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
            reached = normalize(places(sources), dim=-1) + steps(of_kind)
            return -(reached - normalize(places(targets), dim=-1)).norm(dim=-1)

        optimiser = torch.optim.Adam([places.weight, steps.weight], lr=_RATE)
        data = torch.tensor(triples, dtype=torch.int64).reshape(-1, 3)
        for _ in range(_EPOCHS):
            for rows in torch.randperm(len(data)).split(_BATCH):
                optimiser.zero_grad()
                true = scores(*data[rows].T)
                wrong = scores(*_corrupted(data[rows], len(ids)).T)
                margin_ranking_loss(true, wrong, torch.ones_like(true), margin=_MARGIN).backward()
                optimiser.step()
    return Relations(
        ids, kinds, normalize(places.weight.detach(), dim=-1).numpy(), steps.weight.detach().numpy()
    )


def _corrupted(triples: torch.Tensor, nodes: int) -> torch.Tensor:
    """Triples that nobody says: of one half another source, of the other another target."""
    import torch

    drawn, half, wrong = torch.randint(nodes, (len(triples),)), len(triples) // 2, triples.clone()
    wrong[:half, 0], wrong[half:, 2] = drawn[:half], drawn[half:]
    return wrong


def _triples(ids: Sequence[str], edges: pa.Table) -> tuple[list[str], list[tuple[int, int, int]]]:
    """Kinds of edges, and (source, kind, target) by position, each once."""
    at = {node: row for row, node in enumerate(ids)}
    columns = edges.select(["source_id", "kind", "target_id", "reason"]).to_pydict()
    triples = {
        (at[source], kind, at[target])
        for source, kind, target, reason in zip(*columns.values(), strict=True)
        if not reason and source != target and source in at and target in at
    }
    kinds = sorted({kind for _, kind, _ in triples})
    return kinds, sorted((source, kinds.index(kind), target) for source, kind, target in triples)


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


def write_relations(folder: Path, contents: BuildContents, chosen: bool = True) -> None:
    """Train on the graph of a build, and write the vectors."""
    from safetensors.numpy import save

    trained = train(contents.tables["nodes"], contents.tables["edges"])
    tensors = {f"{_MODEL}.nodes": trained.nodes, f"{_MODEL}.steps": trained.steps}
    # one entry: safetensors writes several in any order, and the digest would change
    (folder / RELATIONS).write_bytes(save(tensors, {"kinds": json.dumps(list(trained.kinds))}))


BUILD_PART = BuildPart(lambda chosen: [RELATIONS_VERSION, _MODEL], write_relations)


def read_relations(path: Path, nodes: pa.Table) -> Relations | None:
    """What :func:`write_relations` wrote for these nodes; None where it wrote nothing."""
    from safetensors import safe_open

    if not path.is_file():
        return None
    with safe_open(path, framework="numpy") as file:
        if f"{_MODEL}.nodes" not in file.keys():  # noqa: SIM118 - no mapping
            return None
        vectors = [file.get_tensor(f"{_MODEL}.{part}") for part in ("nodes", "steps")]
        return Relations(nodes.column("node_id").to_pylist(), json.loads(file.metadata()["kinds"]), *vectors)


def relations_of(build: PublishedBuild) -> Relations:
    """Vectors of the graph of a build.

    Raises BuildError if it was indexed without them.
    """
    vectors = build.shared(
        "relations", lambda: read_relations(build.folder / RELATIONS, build.graph_tables["nodes"])
    )
    if vectors is None:
        raise BuildError(f"{build.folder}: holds no vectors of its graph; index with index=relations")
    return vectors


def relation(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    first_pass: Mapping[str, Ranked],
    *,
    k: int,
    relation_seeds: int = 5,
) -> dict[str, Ranked]:
    """The ``k`` provisions nearest to where a relation leads from, or back from, some others.

    It starts where the channel ``graph`` does. The score is minus the distance to the nearest such place
    (Bordes and others 2013). Those of the first pass at which it starts are left out. Raises BuildError if
    the build was indexed without them.
    """
    walks, vectors = walks_of(build, eligible), relations_of(build)
    here = np.array([vectors.at[node] for node in walks.graph.ids], dtype=np.int64)
    kinds = [kind for kind in LAW if kind in vectors.kinds]
    ranked: dict[str, Ranked] = {}
    for query in queries:
        first = first_pass.get(query["query_id"], [])
        start, from_query = starts_of(build, walks, query, first, relation_seeds)
        near = [
            vectors.nearness(here[seed], kind, back)
            for seed in start
            for kind in kinds
            for back in (False, True)
        ]
        scores = np.max(near, axis=0)[here] if near else np.zeros(0)
        if not from_query:
            scores[list(start)] = -np.inf
        best = [n for n in np.argsort(-scores, kind="stable")[:k].tolist() if np.isfinite(scores[n])]
        ranked[query["query_id"]] = [(build.chunk_ids[walks.rows[n]], float(scores[n])) for n in best]
    return ranked
