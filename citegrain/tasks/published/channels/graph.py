"""Channel ``graph``: what the provisions found, or named, cite and are cited by."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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


SCORES = ("personalised", "pagerank", "words")
STARTS = ("found", "named")


def graph(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    first_pass: Mapping[str, Ranked],
    *,
    k: int,
    graph_seeds: int = 5,
    graph_breadth: int = 5,
    graph_depth: int = 2,
    graph_back: int | None = None,
    graph_score: str = "personalised",
    graph_starts: str = "found",
    graph_by_jurisdiction: bool = False,
) -> dict[str, Ranked]:
    """The ``k`` provisions nearest in the graph to those a query names, else to the best of a first pass.

    A walk takes at most ``graph_breadth`` provisions that each cites and as many that cite it,
    ``graph_depth`` steps far. They are ordered by personalised PageRank among them, by BM25, or by their
    PageRank among all times 1,000 (KG-CiteRAG 6.4). Those of the first pass at which it starts are left out:
    they stand in it already.

    ``graph_back``: how many steps lead to what cites, too; None: all. With ``graph_starts=named`` a question
    that names no provision starts no walk. ``graph_by_jurisdiction`` gives what is named, then of each
    jurisdiction the nearest provision, then of each the second (CivicSetu 8).
    """
    if graph_starts not in STARTS:
        raise ValueError(f"graph_starts={graph_starts}: one of {', '.join(STARTS)}")
    if graph_score not in SCORES:
        raise ValueError(f"graph_score={graph_score}: one of {', '.join(SCORES)}")
    walks = walks_of(build, eligible)
    ranked = {}
    for query in queries:
        first = first_pass.get(query["query_id"], []) if graph_starts == "found" else []
        start, is_named = starts_of(build, walks, query, first, graph_seeds)
        nodes = [step.node for step in walks.graph.walk(start, graph_breadth, graph_depth, graph_back)]
        if graph_score == "words":
            words = build.sparse_scores(query["text"])
            scores = [float(words[walks.rows[node]]) for node in nodes]
        elif graph_score == "pagerank":
            scores = [float(walks.graph.pagerank[node]) * 1000 for node in nodes]
        else:
            scores = walks.graph.near(nodes, start).tolist() if nodes else []
        walked = [(n, s) for n, s in zip(nodes, scores, strict=True) if is_named or n not in start]
        best = sorted(walked, key=lambda item: -item[1])
        if graph_by_jurisdiction:
            best = _by_turns(build, walks, best, start)
        best = best[:k]
        ranked[query["query_id"]] = [(build.chunk_ids[walks.rows[node]], score) for node, score in best]
    return ranked


def _by_turns(
    build: PublishedBuild, walks: Walks, best: list[tuple[int, float]], start: Collection[int]
) -> list[tuple[int, float]]:
    """Where the walk starts, then of each jurisdiction one after the other; scored by their places."""
    turns: Counter[str] = Counter()
    order = []
    for place, (node, _) in enumerate(best):
        where = build.jurisdictions.get(build.act_ids[walks.rows[node]], "")
        order.append((node not in start and 1 + turns[where], place, node))
        turns[where] += node not in start
    return [(node, 1 / rank) for rank, (_, _, node) in enumerate(sorted(order), 1)]
