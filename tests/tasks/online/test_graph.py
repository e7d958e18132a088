"""Which judgments are suggested, and which have fallen: a little case law by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import networkx as nx
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.core.schemas import EDGES, NODES
from citegrain.tasks.online.graph import CaseLaw

DAY = date(2020, 1, 1)
LAMP = "lamps-act-2011/sec_4"
Edge = tuple[str, str, str]


def tables(cases: Sequence[str], edges: Sequence[Edge]) -> dict[str, pa.Table]:
    """Judgments by id, each with one paragraph, and (source, target, kind), from paragraph and judgment."""

    def node(node_id: str, kind: str, title: str) -> dict[str, Any]:
        act = node_id.partition("/")[0]
        columns = {"node_id": node_id, "kind": kind, "act_id": act, "title": title}
        return columns | {"number": "", "document_id": act.upper(), "page": 1}

    nodes = [node(c, "judgment", f"{c.upper()} v. State") for c in cases]
    nodes += [node(f"{c}/para_1", "paragraph", "") for c in cases]
    nodes += [node(LAMP, "section", "Lamps"), node("lamps-act-2011", "act", "The Lamps Act, 2011")]
    rows = [
        {"source_id": s, "target_id": target, "kind": kind, "words": f"{kind} {target}", "named": target,
         "reason": "", "document_id": source.upper(), "page": 7, "offset": 3}
        for source, target, kind in edges
        for s in ((source, f"{source}/para_1") if "/" not in target else (f"{source}/para_1",))
    ]  # fmt: skip
    return {"nodes": NODES.rows(nodes), "edges": EDGES.rows(rows)}


def test_three_each_way_of_the_first_five_are_suggested_the_most_cited_first() -> None:
    # a cites five, of which d and e are cited by others too: by PageRank d, e, then b, c, f by name
    edges = [("a", other, "cites") for other in "bcdef"]
    edges += [("g", "d", "followed"), ("h", "d", "cites"), ("h", "e", "cites")]
    judged = CaseLaw(tables("abcdefgh", edges), {}, DAY)
    assert judged.landmarks(["a/para_1", "a/para_9"], 5) == ["d", "e", "b"]
    assert judged.landmarks(["a/para_1"], 2) == ["d", "e"]
    # what cites it counts as what it cites; a judgment that was given is not suggested
    assert judged.landmarks(["d/para_1"], 5) == ["a", "g", "h"]
    assert judged.landmarks(["d/para_1", "a/para_1", "g/para_1"], 5) == ["e", "b", "h"]
    assert judged.landmarks(["lamps-act-2011/sec_9"], 5) == [] == judged.landmarks([], 5)


def test_only_the_first_five_different_ones_are_followed() -> None:
    edges = [(source, target, "cites") for source, target in zip("abcdef", "ghijkl", strict=True)]
    judged = CaseLaw(tables("abcdefghijkl", edges), {}, DAY)
    ids = ["a/para_1", "a/para_1", *(f"{c}/para_1" for c in "bcdef")]
    assert judged.landmarks(ids, 99) == ["g", "h", "i", "j", "k"]


def test_a_section_leads_to_the_judgments_that_cite_it() -> None:
    edges = [(case, LAMP, "cites") for case in "abcd"] + [("d", "c", "cites"), ("a", "c", "cites")]
    judged = CaseLaw(tables("abcd", edges), {}, DAY)
    assert judged.landmarks([LAMP], 5) == ["c", "a", "b"]


def test_a_judgment_that_another_overrules_is_flagged_from_that_day_on() -> None:
    edges = [("b", "a", "overruled"), ("c", "a", "reversed"), ("c", "b", "doubted"), ("a", "a", "overruled")]
    decided = {"a": date(2001, 1, 1), "b": date(2010, 5, 3), "c": None}
    after, before = (
        CaseLaw(tables("abc", edges), decided, day) for day in (date(2010, 5, 3), date(2010, 5, 2))
    )
    names = ("source_id", "kind", "words", "page")
    assert [tuple(fall[name] for name in names) for fall in after.falls("a/para_1")] == [
        ("b/para_1", "overruled", "overruled a", 7),
        ("c/para_1", "reversed", "reversed a", 7),
    ]
    assert [f["source_id"] for f in before.falls("a")] == ["c/para_1"]
    assert after.falls("b/para_1") == [] == after.falls(LAMP)  # doubted is not overruled
    assert "b" in after.landmarks(["a/para_1"], 5) and "b" not in before.landmarks(["a/para_1"], 5)


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda p: p[0] != p[1]), min_size=1))
def test_suggestions_are_those_of_networkx(pairs: set[tuple[int, int]]) -> None:
    """An independent reading of KG-CiteRAG 8.3.1, over any graph of eight judgments."""
    edges = [(str(a), str(b), "cites") for a, b in sorted(pairs)]
    judged = CaseLaw(tables([str(n) for n in range(8)], edges), {}, DAY)
    graph = nx.DiGraph([(a, b) for a, b, _ in edges])
    graph.add_nodes_from(map(str, range(8)))
    rank = nx.pagerank(graph, tol=1e-12, max_iter=1000)

    def order(nodes: Any) -> list[str]:
        return sorted(nodes, key=lambda node: (-round(rank[node], 7), node))

    expected = {n for way in (graph.successors, graph.predecessors) for n in order(way("0"))[:3]}
    suggested = judged.landmarks(["0/para_1"], 5)
    assert [round(rank[n], 6) for n in suggested] == [round(rank[n], 6) for n in order(expected)[:5]]
