"""What stands around a node of the graph, as it is listed and drawn, and the whole for other programs."""

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.law.citations import called
from citegrain.tasks.law.instruments import title_of
from citegrain.tasks.online.graph.nearness import CASES

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
    numbered = row["number"] if row["number"][:1].isupper() else f"{called(row)} {row['number']}"
    return ", ".join(part for part in (numbered, row["title"]) if part) + f" ({act['title']})"


def nodes_of(tables: Mapping[str, pa.Table], requested: Iterable[str]) -> list[str]:
    """Those of some ids that are nodes."""
    there = set(tables["nodes"].column("node_id").to_pylist())
    return [node for node in requested if node in there]
