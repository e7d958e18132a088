"""The graph of a little law by hand, and PageRank against networkx."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.schemas import EDGES, NODES
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.graph import make_graph
from citegrain.tasks.online.graph import Graph, export, neighbourhood, pagerank
from tests.tasks.offline.graph import law
from tests.tasks.offline.graph.law import CASE, LAMPS, OIL, OLD


def kinds_of(graph: Tables, kind: str) -> list[tuple[str, str | None, str]]:
    rows = graph["edges"].to_pylist()
    return [(e["source_id"], e["target_id"], e["words"]) for e in rows if e["kind"] == kind]


def test_amendments_are_read_from_footnotes_and_from_what_editors_note() -> None:
    notes = [
        law.note("Subs. by Act 45 of 1999, s. 2.", "45 of 1999"),
        law.note("Ins. by Act 7 of 2015", "7 of 2015"),
    ]
    text = "A lamp. [Vide Assam Act 7 of 1989, s. 3] Omitted by the Oil Code, 1999 (45 of 1999), s. 5."
    rows = [law.provision(LAMPS, "1", text, notes=notes), law.provision(OIL, "5", "Lamps are omitted.")]
    edges = kinds_of(make_graph(law.tables(rows)), "amended_by")
    assert edges == [
        (f"{LAMPS}/sec_1", f"{OIL}/sec_5", "Oil Code, 1999 (45 of 1999), s. 5"),
        (f"{LAMPS}/sec_1", OIL, "Subs. by Act 45 of 1999, s. 2."),
        (f"{LAMPS}/sec_1", "act-7-of-2015", "Ins. by Act 7 of 2015"),
        (f"{LAMPS}/sec_1", "assam-act-7-of-1989", "Vide Assam Act 7 of 1989, s. 3"),
    ]


def test_sections_that_took_the_place_of_others_are_joined() -> None:
    words = "Whoever steals the lamp of a harbour shall be punished with a fine of ten rupees."
    old = law.provision(OLD, "9", words, heading="Theft of lamps")
    new = law.provision(LAMPS, "1", words, heading="Theft of lamps")
    acts = [*law.usual(), law.act(OLD, "The Lamps Act, 1950", replaced_by=LAMPS)]
    more = [
        law.provision(LAMPS, str(n), f"Oil of class {n} is free.", heading=f"Oil {n}") for n in range(2, 9)
    ]
    edges = kinds_of(make_graph(law.tables([old, new, *more], acts)), "replaced_by")
    assert [(source, target) for source, target, _ in edges] == [
        (OLD, LAMPS),
        (f"{OLD}/sec_9", f"{LAMPS}/sec_1"),
    ]


def test_a_judgment_says_what_it_does_with_another() -> None:
    row = law.provision(CASE, "4", "Sham v. State is overruled.", "paragraph")
    case = {
        "source_id": row["provision_id"],
        "act_id": CASE,
        "offset": 0,
        "citations": [],
        "words": "is overruled",
    }
    cases = [case | {"name": "Sham v. State", "relation": "overruled", "target_act": "sham-v-state"}]
    cases += [case | {"name": "Lost v. State", "relation": "cited", "target_act": None}]
    acts = [*law.usual(), law.act("sham-v-state", "Sham v. State", kind="judgment")]
    edges = make_graph(law.tables([row], acts, cases))["edges"].to_pylist()
    said = [(e["source_id"], e["target_id"], e["kind"], e["reason"]) for e in edges if e["kind"] != "part_of"]
    assert said == [
        (row["provision_id"], "sham-v-state", "overruled", ""),
        (CASE, "sham-v-state", "overruled", ""),
        (row["provision_id"], None, "cites", "case_not_indexed"),
        (CASE, None, "cites", "case_not_indexed"),
    ]


def test_a_provision_says_what_its_latest_english_version_says() -> None:
    from datetime import date

    acts = [
        law.act(
            LAMPS, "The Lamps Act, 2011", version_date=date(y, 1, 1), document_id=f"D{y}", language=language
        )
        for y, language in ((2012, "en"), (2020, "en"), (2022, "hi"))
    ]
    rows = [
        law.provision(LAMPS, "1", f"section {n}", version_date=date(y, 1, 1), document_id=f"D{y}")
        for n, y in ((5, 2012), (6, 2020), (7, 2022))
    ]
    edges = make_graph(law.tables(rows, acts))["edges"].to_pylist()
    assert [(e["named"], e["document_id"]) for e in edges if e["kind"] == "cites"] == [
        (f"{LAMPS}/sec_6", "D2020")
    ]


def test_words_stand_on_the_page_of_their_clause() -> None:
    row = law.provision(LAMPS, "1", "x" * 90 + " section 2", page_end=5)
    clause = law.provision(LAMPS, "1a", "", char_start=80, page_start=5) | {"kind": "clause"}
    edges = make_graph(law.tables([row, clause]))["edges"].to_pylist()
    assert [e["page"] for e in edges if e["kind"] == "cites"] == [5]


def graph_of(pairs: list[tuple[int, int]], n: int) -> Graph:
    nodes = [{"node_id": str(i), "kind": "section", "act_id": "a", "number": "", "title": "", "document_id": "", "page": 0} for i in range(n)]  # fmt: skip
    base = {
        "kind": "cites",
        "words": "",
        "named": "",
        "reason": "",
        "document_id": "",
        "page": 0,
        "offset": 0,
    }
    edges = [base | {"source_id": str(a), "target_id": str(b)} for a, b in pairs]
    return Graph(NODES.rows(nodes), EDGES.rows(edges))


PAIRS = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda p: p[0] != p[1]), max_size=40
)


@settings(max_examples=25)
@given(PAIRS, st.integers(0, 11))
def test_pagerank_is_that_of_networkx(pairs: list[tuple[int, int]], seed: int) -> None:
    graph = graph_of(pairs, 12)
    other = nx.DiGraph()
    other.add_nodes_from(range(12))
    other.add_edges_from(pairs)
    plain = nx.pagerank(other, alpha=0.85, tol=1e-12, max_iter=1000)
    assert np.abs(graph.pagerank - [plain[i] for i in range(12)]).max() < 1e-6
    near = nx.pagerank(
        other.to_undirected(), alpha=0.85, personalization={seed: 1.0}, tol=1e-12, max_iter=1000
    )
    assert np.abs(graph.near(list(range(12)), {seed: 1.0}) - [near[i] for i in range(12)]).max() < 1e-6


def test_pagerank_by_hand() -> None:
    # two nodes that cite one another hold all that a third, which cites the first, gives away
    rank = pagerank(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    assert rank[2] == pytest.approx(0.05)
    # r0 = .05 + .85 (r1 + r2), r1 = .05 + .85 r0
    assert rank[0] == pytest.approx((0.05 + 0.85 * (0.05 + 0.05)) / (1 - 0.85**2))
    assert rank.sum() == pytest.approx(1)


def test_a_walk_takes_so_many_of_each_direction_and_no_step_more() -> None:
    graph = graph_of([(0, 1), (0, 2), (0, 3), (4, 0), (5, 0), (1, 6), (6, 7)], 8)
    assert {s.node for s in graph.walk([0], breadth=5, depth=1)} == {0, 1, 2, 3, 4, 5}
    assert {s.node: s.steps for s in graph.walk([0], breadth=5, depth=2)}[6] == 2
    assert 7 not in {s.node for s in graph.walk([0], breadth=5, depth=2)}
    narrow = [s.node for s in graph.walk([0], breadth=1, depth=1)]
    assert len(narrow) == 3 and narrow[0] == 0  # one that it cites, one that cites it
    best = max((1, 2, 3), key=lambda i: graph.pagerank[i])
    assert narrow[1] == best


def test_an_edge_whose_target_is_not_what_is_named_is_no_way_to_walk() -> None:
    row = law.provision(LAMPS, "1", "section 99")
    tables = make_graph(law.tables([row]))
    assert Graph(tables["nodes"], tables["edges"]).out.nnz == 0


def test_the_export_is_read_back(tmp_path: Path) -> None:
    rows = [
        law.provision(LAMPS, "1", "section 2"),
        law.provision(LAMPS, "2", "section 9 of the Wicks Act, 1920"),
    ]
    tables = make_graph(law.tables(rows))
    read = nx.read_graphml(export(tables, tmp_path, "graphml")[0])
    assert set(read.nodes) == set(tables["nodes"].column("node_id").to_pylist())
    assert (f"{LAMPS}/sec_1", f"{LAMPS}/sec_2", "section 2") in set(read.edges(data="words"))
    nodes, edges = export(tables, tmp_path, "cypher")
    with edges.open(encoding="utf-8") as file:
        ends = {(e[":START_ID"], e[":END_ID"], e[":TYPE"]) for e in csv.DictReader(file)}
    assert (f"{LAMPS}/sec_2", "wicks-act-1920", "cites") in ends
    with nodes.open(encoding="utf-8") as file:
        assert {n["node_id:ID"] for n in csv.DictReader(file)} == set(read.nodes)


def test_the_neighbourhood_counts_what_is_said_twice() -> None:
    rows = [
        law.provision(LAMPS, "1", "section 2, and again section 2"),
        law.provision(LAMPS, "2", "x", heading="Oil"),
    ]
    tables = make_graph(law.tables(rows))
    edges = {(e["direction"], e["kind"]): e for e in neighbourhood(tables, f"{LAMPS}/sec_1")}
    assert edges["out", "cites"]["times"] == 2
    assert edges["out", "cites"]["label"] == "section 2, Oil (The Lamps Act, 2011)"
    assert neighbourhood(tables, f"{LAMPS}/sec_2")[-1]["direction"] == "in"


def test_an_act_that_is_not_at_hand_is_called_as_people_cite_it() -> None:
    note = law.note("Subs. by Act 26 of 1955, s. 117.", "26 of 1955")
    text = "Lamps shall burn. [Vide Assam Act 7 of 1989, s. 3]"
    tables = make_graph(law.tables([law.provision(LAMPS, "1", text, notes=[note])]))
    labels = [e["label"] for e in neighbourhood(tables, f"{LAMPS}/sec_1") if e["kind"] == "amended_by"]
    assert sorted(labels) == ["Act 26 of 1955", "Assam Act 7 of 1989"]
