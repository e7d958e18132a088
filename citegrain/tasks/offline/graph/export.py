"""The graph for other programs: GraphML for networkx and Gephi, CSV for Neo4j; and what is beside a node."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

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


def export(tables: Mapping[str, pa.Table], folder: Path, form: str) -> list[Path]:
    """Write the graph, edges without a target left out; the files.

    Parameters
    ----------
    form
        ``graphml``: one file. ``cypher``: two files of CSV with the heads of ``neo4j-admin database import``.
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
    columns = tables["edges"].to_pylist()
    out: dict[tuple[str, str, str], dict[str, Any]] = {}
    for edge in (e for e in columns if node in (e["source_id"], e["target_id"])):
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
    if row is None:
        return node
    act = names.get(row["act_id"], row)
    if act is row:
        return str(row["title"])
    numbered = row["number"] if row["number"][:1].isupper() else f"{row['kind']} {row['number']}"
    return ", ".join(part for part in (numbered, row["title"]) if part) + f" ({act['title']})"


def nodes_of(tables: Mapping[str, pa.Table], asked: Iterable[str]) -> list[str]:
    """Those of some ids that are nodes."""
    there = set(tables["nodes"].column("node_id").to_pylist())
    return [node for node in asked if node in there]
