"""Channel ``graph``: what the provisions found, or named, cite and are cited by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.walking import Walks, starts_of, walks_of

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
