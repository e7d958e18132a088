"""Channel ``graph``: what the provisions found, or named, cite and are cited by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.walking import starts_of, walks_of

SCORES = ("personalised", "pagerank")


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
    graph_score: str = "personalised",
) -> dict[str, Ranked]:
    """The ``k`` provisions nearest in the graph to those a query names, else to the best of a first pass.

    A walk takes at most ``graph_breadth`` provisions that each cites and as many that cite it,
    ``graph_depth`` steps far. They are ordered by personalised PageRank among them, or by their PageRank
    among all times 1,000 (KG-CiteRAG 6.4). Those of the first pass at which it starts are left out: they
    stand in it already.
    """
    if graph_score not in SCORES:
        raise ValueError(f"graph_score={graph_score}: one of {', '.join(SCORES)}")
    walks = walks_of(build, eligible)
    ranked = {}
    for query in queries:
        start, is_named = starts_of(build, walks, query, first_pass.get(query["query_id"], []), graph_seeds)
        nodes = [step.node for step in walks.graph.walk(start, graph_breadth, graph_depth)]
        if graph_score == "pagerank":
            scores = [float(walks.graph.pagerank[node]) * 1000 for node in nodes]
        else:
            scores = walks.graph.near(nodes, start).tolist() if nodes else []
        walked = [(n, s) for n, s in zip(nodes, scores, strict=True) if is_named or n not in start]
        best = sorted(walked, key=lambda item: -item[1])[:k]
        ranked[query["query_id"]] = [(build.chunk_ids[walks.rows[node]], score) for node, score in best]
    return ranked
