"""The graph as it may be walked under the law of a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.runs import Ranked, collapse
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.graph import Graph


@dataclass(frozen=True)
class Walks:
    """Provisions that are law and judgments, and the edges between them.

    ``rows``: row of the first chunk of each node, by position.
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
    rows = nodes.filter(pc.is_in(nodes.column("node_id"), value_set=pa.array(list(first), pa.string())))
    return Walks(Graph(rows, edges), [first[node] for node in rows.column("node_id").to_pylist()])


def starts_of(
    build: PublishedBuild, walks: Walks, query: Mapping[str, Any], first: Ranked, most: int
) -> tuple[dict[int, float], bool]:
    """Nodes with their weights at which a search of the graph starts, and whether the query names them.

    They are those of the provisions that a query names, else of the best ``most`` of a first pass.
    """
    mentioned = _mentioned(build, walks, query, most)
    return mentioned or _best(build, walks, first, most), bool(mentioned)


def _mentioned(build: PublishedBuild, walks: Walks, query: Mapping[str, Any], most: int) -> dict[int, float]:
    """Nodes of the provisions that a query names, or of their counterparts, each mention's share.

    A mention that more than ``most`` provisions answer to (``section 10``, no Act) says too little.
    """
    start: dict[int, float] = {}
    for mention in query["mentions"]:
        ids = build.cited(mention["kind"], mention["number"], mention["act_id"])
        nodes = list(dict.fromkeys(node for i in ids for node in walks.standing(build, i)))
        if len(nodes) <= most:
            for node in nodes:
                start[node] = start.get(node, 0.0) + 1 / len(nodes)
    return start


def _best(build: PublishedBuild, walks: Walks, first: Ranked, most: int) -> dict[int, float]:
    """Nodes of the best provisions of a first pass, by their scores."""
    best = collapse(first, build.citations)[:most]
    return {walks.graph.at[p]: score for p, _, score in best if p in walks.graph.at}
