"""The graph as it may be walked under the law of a day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.graph import Graph
from citegrain.tasks.online.builds import PublishedBuild


@dataclass(frozen=True)
class Walks:
    """Provisions that are law and judgments, and the edges between them.

    Attributes
    ----------
    rows
        Row of the first chunk of each node, by position.
    """

    graph: Graph
    rows: Sequence[int]

    def standing(self, build: PublishedBuild, provision_id: str) -> list[int]:
        """Node of a provision, else those of its counterparts."""
        if provision_id in self.graph.at:
            return [self.graph.at[provision_id]]
        others = (c.provision_id for c in build.counterparts(provision_id))
        return [self.graph.at[other] for other in others if other in self.graph.at][:1]


def walks_of(build: PublishedBuild, eligible: Mask) -> Walks:
    """Those of a law, which the build keeps."""
    return build.shared(("walks", eligible.tobytes()), lambda: _walks(build, eligible))


def _walks(build: PublishedBuild, eligible: Mask) -> Walks:
    nodes, edges = build.graph_tables["nodes"], build.graph_tables["edges"]
    first: dict[str, int] = {}
    judgments = {row["node_id"] for row in nodes.to_pylist() if row["kind"] == "judgment"}
    for row, chunk_id in enumerate(build.chunk_ids):
        if eligible[row]:
            act = build.act_ids[row]
            if act in judgments:
                first.setdefault(act, row)
            if cited := build.citations[chunk_id]:
                first.setdefault(cited, row)
    kept = nodes.filter(pc.is_in(nodes.column("node_id"), value_set=pa.array(list(first), pa.string())))
    return Walks(Graph(kept, edges), [first[node] for node in kept.column("node_id").to_pylist()])
