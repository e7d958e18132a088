"""The graph as matrices: who is near whom, and who is cited by whom."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import JUDGMENTS
from citegrain.tasks.law.citations import numbered
from citegrain.tasks.law.instruments import title_of
from citegrain.tasks.online.builds import PublishedBuild

Vector = npt.NDArray[np.float64]

LAW = ("cites", "derived_from", "replaced_by", "conflicts")
"""Kinds of edges that lead from a provision to what one reads with it."""
CASES = ("overruled", "reversed", "doubted", "distinguished", "followed", "approved", "explained")
BOTH = (*LAW, *CASES)
"""Kinds along which a search walks."""
ALPHA = 0.85
_TOLERANCE, _MOST_STEPS = 1e-10, 1000

FALLEN = ("overruled", "reversed")
SEEDS, BREADTH = 5, 3
"""KG-CiteRAG 8.3.1: of the first five, three that each cites and three that cite it."""


def pagerank(adjacency: Any, alpha: float = ALPHA, start: Vector | None = None) -> Vector:
    """Stationary probabilities of a reader who follows an edge with ``alpha``, else starts again.

    The power method; a node without edges starts again. Source: Page and others 1999; ``networkx.pagerank``.

    ``adjacency``: weights of the edges, from row to column: dense or sparse, shape (nodes, nodes). ``start``:
    where the reader starts, summing to 1, shape (nodes,); None: anywhere.
    """
    n = adjacency.shape[0]
    if n == 0:
        return np.zeros(0)
    start = np.full(n, 1.0 / n) if start is None else start
    totals = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel()
    dangling, inverse = totals == 0, np.divide(1.0, totals, out=np.zeros(n), where=totals != 0)
    back = np.ascontiguousarray(adjacency.T) if isinstance(adjacency, np.ndarray) else adjacency.T.tocsr()
    rank = start.copy()
    for _ in range(_MOST_STEPS):
        before = rank
        rank = alpha * (back @ (before * inverse) + before[dangling].sum() * start) + (1 - alpha) * start
        if np.abs(rank - before).sum() < _TOLERANCE:
            break
    return np.asarray(rank)


@dataclass(frozen=True, slots=True)
class ReachedNode:
    """A node that was reached from another in the given number of steps; seeds in none, from themselves."""

    node: int
    origin: int
    steps: int


class Graph:
    """Nodes by position, and the edges between them of some kinds, each pair once."""

    def __init__(self, nodes: pa.Table, edges: pa.Table, kinds: Collection[str] = BOTH) -> None:
        from scipy import sparse  # only for who searches or ranks the graph

        self.ids: list[str] = nodes.column("node_id").to_pylist()
        self.at: dict[str, int] = {node: i for i, node in enumerate(self.ids)}
        columns = edges.select(["source_id", "target_id", "kind", "reason"]).to_pydict()
        pairs = {
            (self.at[source], self.at[target])
            for source, target, kind, reason in zip(*columns.values(), strict=True)
            if kind in kinds and target in self.at and source in self.at and source != target and not reason
        }
        rows, targets = (np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)).T
        shape = (len(self.ids), len(self.ids))
        self.out = sparse.csr_matrix((np.ones(len(rows)), (rows, targets)), shape=shape)
        self.into = self.out.T.tocsr()

    @cached_property
    def pagerank(self) -> Vector:
        """PageRank of every node, shape (nodes,)."""
        return pagerank(self.out)

    @cached_property
    def _ordered(self) -> tuple[Mapping[int, Sequence[int]], Mapping[int, Sequence[int]]]:
        """What each node cites, and what cites it: the highest PageRank first."""
        return self._by_rank(self.out), self._by_rank(self.into)

    def _by_rank(self, matrix: Any) -> dict[int, Sequence[int]]:
        rank, ends = self.pagerank, matrix.indptr
        lists = {}
        for node in np.flatnonzero(np.diff(ends)).tolist():
            near = matrix.indices[ends[node] : ends[node + 1]]
            lists[node] = near[np.lexsort((near, -rank[near]))].tolist()
        return lists

    def neighbours(self, node: int, breadth: int, both: bool = True) -> list[int]:
        """At most ``breadth`` nodes that a node cites, and where ``both`` as many that cite it."""
        out, into = self._ordered
        back = into.get(node, ())[:breadth] if both else ()
        return list(dict.fromkeys([*out.get(node, ())[:breadth], *back]))

    def walk(
        self, seeds: Iterable[int], breadth: int, depth: int, back: int | None = None
    ) -> list[ReachedNode]:
        """What is reached from ``seeds``, breadth first; seeds first, each node once.

        ``back``: how many steps go to what cites as well; None: all.
        """
        steps = {seed: ReachedNode(seed, seed, 0) for seed in seeds}
        frontier = list(steps)
        for n in range(1, depth + 1):
            reached = []
            for node in frontier:
                for near in self.neighbours(node, breadth, both=back is None or n <= back):
                    if near not in steps:
                        steps[near] = ReachedNode(near, node, n)
                        reached.append(near)
            frontier = reached
        return list(steps.values())

    def near(self, nodes: Sequence[int], start: Mapping[int, float]) -> Vector:
        """Personalised PageRank among some nodes, along edges in both directions: shape (nodes,).

        ``start``: weight of each node at which the reader starts; at least one of ``nodes``.
        """
        at = np.asarray(nodes, dtype=np.int64)
        part = self.out[at][:, at].toarray()
        weights = np.array([start.get(node, 0.0) for node in nodes])
        return pagerank(np.maximum(part, part.T), start=weights / weights.sum())


class CaseLaw:
    """The judgments of a build that had been given on a day, and what cites and overrules them.

    ``decided``: day of each judgment by its id; one whose day is not known counts as given.
    """

    def __init__(self, tables: Mapping[str, pa.Table], decided: Mapping[str, date | None], day: date) -> None:
        nodes, edges = tables["nodes"], tables["edges"]
        later = pa.array([case for case, on in decided.items() if on and on > day], pa.string())
        cases = nodes.filter(pc.equal(nodes.column("kind"), "judgment"))
        cases = cases.filter(pc.invert(pc.is_in(cases.column("node_id"), later)))
        given = cases.column("node_id").combine_chunks()
        acts = pc.list_element(pc.split_pattern(edges.column("source_id"), "/", max_splits=1), 0)
        said = pc.and_(pc.is_in(acts, given), pc.equal(edges.column("reason"), ""))
        self.titles: dict[str, str] = dict(
            zip(*cases.select(["node_id", "title"]).to_pydict().values(), strict=True)
        )
        self._edges = edges.append_column("case", acts).filter(said)
        self.graph = Graph(cases, self._edges, BOTH)

    def landmarks(self, node_ids: Sequence[str], most: int) -> list[str]:
        """The judgments of highest PageRank among those that cite, or are cited by, what was given.

        ``node_ids``: provisions and paragraphs in their order; the first five different ones count, a
        paragraph as its judgment. A judgment is followed both ways, another provision to the judgments that
        cite it.
        """
        seeds = list(dict.fromkeys(self._case(node) or node for node in node_ids))[:SEEDS]
        near = {case for seed in seeds for case in self._near(seed)} - set(seeds)
        return sorted(near, key=self._place)[:most]

    def falls(self, node: str) -> list[dict[str, Any]]:
        """The edges from where other judgments say that that of a paragraph was overruled or reversed."""
        case, columns = self._case(node), self._edges
        if case is None:
            return []
        of_it = columns.filter(
            pc.and_(
                pc.equal(columns.column("target_id"), case),
                pc.is_in(columns.column("kind"), pa.array(FALLEN)),
            )
        )
        return [row for row in of_it.to_pylist() if "/" in row["source_id"] and row["case"] != case]

    def _case(self, node: str) -> str | None:
        case = node.partition("/")[0]
        return case if case in self.graph.at else None

    def _near(self, seed: str) -> Sequence[str]:
        graph = self.graph
        if seed in graph.at:
            return [graph.ids[node] for node in graph.neighbours(graph.at[seed], BREADTH)]
        targets = self._edges.column("target_id")
        citing = self._edges.filter(pc.equal(targets, seed)).column("case").unique().to_pylist()
        return sorted(citing, key=self._place)[:BREADTH]

    def _place(self, case: str) -> tuple[float, str]:
        return -float(self.graph.pagerank[self.graph.at[case]]), case


def case_law(build: PublishedBuild, day: date) -> CaseLaw:
    """The judgments of a build on a day; those of the last day are kept."""
    laws: dict[date, CaseLaw] = build.shared("case law", dict)
    if (law := laws.get(day)) is None:
        given = {act["document_id"]: act["act_id"] for act in build.acts if act["kind"] == "judgment"}
        decided = {given[row["document_id"]]: row["date"] for row in build.table(JUDGMENTS).to_pylist()}
        law = CaseLaw(build.graph_tables, decided, day)
        laws.clear()
        laws[day] = law
    return law


PART_OF = "part_of"
KINDS = ("conflicts", "replaced_by", "derived_from", *CASES, "cites", "amended_by")
"""Kinds of edges that are shown: where one node says several things of another, the first of these."""

GRAPHML, CYPHER = "graphml", "cypher"
FORMATS = (GRAPHML, CYPHER)
_NODE = {"node_id": "node_id:ID", "page": "page:int"}
_EDGE = {
    "source_id": ":START_ID",
    "target_id": ":END_ID",
    "kind": ":TYPE",
    "page": "page:int",
    "offset": "offset:int",
}


@dataclass(frozen=True, slots=True)
class Link:
    """One node and another; ``kinds`` of the edges from first to second, in the order of :data:`KINDS`."""

    source: str
    target: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Neighbourhood:
    """Some nodes and their neighbours.

    ``nodes``: rows by id, seeds first. ``links``: each pair and direction once. ``total``: of all neighbours.
    """

    seeds: list[str]
    nodes: dict[str, Mapping[str, Any]]
    links: list[Link]
    total: int


def around(tables: Mapping[str, pa.Table], requested: Sequence[str], most: int = 25) -> Neighbourhood:
    """Nodes and their neighbours, at most ``most`` in all: each seed's in turn.

    First come neighbours of several seeds, then by kind of edge, then those that most others cite. What is
    asked for and is no node, as a sub-section, stands for the node that it is part of.
    """
    names, edges = tables["nodes"], tables["edges"]
    there = set(names.column("node_id").to_pylist())
    seeds = list(dict.fromkeys(node for part in requested if (node := _node_of(part, there))))[:most]
    links = _links(edges, seeds)
    ends = {seed: _others(links, seed, set(seeds)) for seed in seeds}
    shared = Counter(other for others in ends.values() for other in others)
    counts = _among(edges, "target_id", shared).column("target_id").value_counts().to_pylist()
    cited = {row["values"]: row["counts"] for row in counts}

    def place(item: tuple[str, int]) -> tuple[Any, ...]:
        other, kind = item
        return -shared[other], kind, -cited.get(other, 0), other

    columns = [[other for other, _ in sorted(ends[seed].items(), key=place)] for seed in seeds]
    in_turn = dict.fromkeys(node for row in zip_longest(*columns) for node in row if node)
    shown = [*seeds, *in_turn][:most]
    rows = {row["node_id"]: row for row in _among(names, "node_id", shown).to_pylist()}
    shown_links = [link for link in links if link.source in rows and link.target in rows]
    return Neighbourhood(seeds, {node: rows[node] for node in shown}, shown_links, len(shared))


def _node_of(provision_id: str, nodes: Collection[str]) -> str:
    """The node of a provision: itself, or the next above it that is one; nothing where none is."""
    while provision_id and provision_id not in nodes:
        provision_id = provision_id.rpartition("__")[0]
    return provision_id


def _among(table: pa.Table, column: str, values: Collection[str]) -> pa.Table:
    return table.filter(pc.is_in(table.column(column), pa.array(list(values), pa.string())))


def _links(edges: pa.Table, seeds: Sequence[str]) -> list[Link]:
    """What seeds say of others and others of them, but for what only says where they stand."""
    columns = edges.select(["source_id", "target_id", "kind", "reason"])
    near = pa.concat_tables([_among(columns, end, seeds) for end in ("source_id", "target_id")])
    kinds: dict[tuple[str, str], set[str]] = {}
    for edge in near.to_pylist():
        pair, amends = (edge["source_id"], edge["target_id"]), edge["kind"] == "amended_by"
        if edge["kind"] != PART_OF and pair[1] and pair[0] != pair[1] and (amends or not edge["reason"]):
            kinds.setdefault(pair, set()).add(edge["kind"])
    return [
        Link(*pair, tuple(kind for kind in KINDS if kind in said)) for pair, said in sorted(kinds.items())
    ]


def _others(links: Sequence[Link], seed: str, seeds: Collection[str]) -> dict[str, int]:
    """The neighbours of a seed that are none, with the place in KINDS of what binds them."""
    out: dict[str, int] = {}
    for link in links:
        other = link.target if link.source == seed else link.source
        if seed in (link.source, link.target) and other not in seeds:
            out[other] = min(out.get(other, len(KINDS)), KINDS.index(link.kinds[0]))
    return out


def export(tables: Mapping[str, pa.Table], folder: Path, form: str) -> list[Path]:
    """Write the graph, edges without a target left out; the files.

    ``cypher``: two files of CSV with the heads of ``neo4j-admin database import``.
    """
    nodes = tables["nodes"].to_pylist()
    edges = [edge for edge in tables["edges"].to_pylist() if edge["target_id"]]
    folder.mkdir(parents=True, exist_ok=True)
    if form == CYPHER:
        labelled = [node | {":LABEL": node["kind"]} for node in nodes]
        return [_csv(folder / "nodes.csv", labelled, _NODE), _csv(folder / "edges.csv", edges, _EDGE)]
    import networkx

    graph = networkx.MultiDiGraph()
    for node in nodes:
        graph.add_node(node["node_id"], **{key: value for key, value in node.items() if key != "node_id"})
    for edge in edges:
        more = {key: value for key, value in edge.items() if key not in ("source_id", "target_id")}
        graph.add_edge(edge["source_id"], edge["target_id"], **more)
    path = folder / "graph.graphml"
    networkx.write_graphml(graph, path)
    return [path]


def _csv(path: Path, rows: Sequence[Mapping[str, Any]], heads: Mapping[str, str]) -> Path:
    names = list(rows[0]) if rows else []
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([heads.get(name, name) for name in names])
        writer.writerows([row[name] for name in names] for row in rows)
    return path


def neighbourhood(tables: Mapping[str, pa.Table], node: str) -> list[dict[str, Any]]:
    """The edges of a node, those that lead from it first; each once, with how often it is said.

    ``direction`` is ``out`` or ``in``, ``other`` the node at the other end, ``label`` what it is called.
    """
    names = {row["node_id"]: row for row in tables["nodes"].to_pylist()}
    out: dict[tuple[str, str, str], dict[str, Any]] = {}
    for edge in (e for e in tables["edges"].to_pylist() if node in (e["source_id"], e["target_id"])):
        away = edge["source_id"] == node
        other = (edge["target_id"] or "") if away else edge["source_id"]
        key = "out" if away else "in", edge["kind"], (edge["named"] or other) if away else other
        if key in out:
            out[key]["times"] += 1
        else:
            label = label_of(names, other) if other else edge["words"]
            out[key] = {"direction": key[0], "other": other, "label": label, "times": 1} | edge
    return sorted(out.values(), key=lambda e: (e["direction"] == "in", e["kind"]))


def label_of(names: Mapping[str, Mapping[str, Any]], node: str) -> str:
    """What a node is called: ``section 302, Punishment for murder (The Indian Penal Code, 1860)``."""
    row = names.get(node)
    if row is None or row["title"] == node:  # of an Act that is not at hand
        return title_of(node)
    act = names.get(row["act_id"], row)
    if act is row:
        return str(row["title"])
    return ", ".join(part for part in (numbered(row), row["title"]) if part) + f" ({act['title']})"


def nodes_of(tables: Mapping[str, pa.Table], requested: Iterable[str]) -> list[str]:
    """Those of some ids that are nodes."""
    there = set(tables["nodes"].column("node_id").to_pylist())
    return [node for node in requested if node in there]
