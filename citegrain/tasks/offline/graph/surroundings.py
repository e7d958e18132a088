"""What stands around some nodes of the graph: as many as a picture can show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.offline.graph.matrix import CASES

PART_OF = "part_of"
KINDS = ("conflicts", "replaced_by", "derived_from", *CASES, "cites", "amended_by")
"""Kinds of edges that are shown: where one node says several things of another, the first of these."""


@dataclass(frozen=True, slots=True)
class Link:
    """One node and another, and how the first relates to the second.

    Attributes
    ----------
    kinds
        Of its edges, in the order of :data:`KINDS`.
    """

    source: str
    target: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Around:
    """Some nodes and their neighbours.

    Attributes
    ----------
    seeds
        The nodes of what was asked for.
    nodes
        Rows of ``nodes`` by id, seeds first.
    links
        Between seeds and all others, each pair and direction once.
    total
        How many neighbours there are, those left out counted.
    """

    seeds: list[str]
    nodes: dict[str, Mapping[str, Any]]
    links: list[Link]
    total: int


def around(tables: Mapping[str, pa.Table], asked: Sequence[str], most: int = 25) -> Around:
    """Nodes and their neighbours, at most ``most`` in all: each seed's in turn.

    First come neighbours of several seeds, then by kind of edge, then those that most others cite. What is
    asked for and is no node, as a sub-section, stands for the node that it is part of.
    """
    names, edges = tables["nodes"], tables["edges"]
    there = set(names.column("node_id").to_pylist())
    seeds = list(dict.fromkeys(node for part in asked if (node := _node_of(part, there))))[:most]
    links = _links(edges, seeds)
    ends = {seed: _others(links, seed, set(seeds)) for seed in seeds}
    shared = Counter(other for others in ends.values() for other in others)
    cited = _times_cited(edges, shared)

    def place(item: tuple[str, int]) -> tuple[Any, ...]:
        other, kind = item
        return -shared[other], kind, -cited.get(other, 0), other

    columns = [[other for other, _ in sorted(ends[seed].items(), key=place)] for seed in seeds]
    in_turn = dict.fromkeys(node for row in zip_longest(*columns) for node in row if node)
    shown = [*seeds, *in_turn][:most]
    rows = {row["node_id"]: row for row in _among(names, "node_id", shown).to_pylist()}
    kept = [link for link in links if link.source in rows and link.target in rows]
    return Around(seeds, {node: rows[node] for node in shown}, kept, len(shared))


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
        pair, whole = (edge["source_id"], edge["target_id"]), edge["kind"] == "amended_by"
        if edge["kind"] != PART_OF and pair[1] and pair[0] != pair[1] and (whole or not edge["reason"]):
            kinds.setdefault(pair, set()).add(edge["kind"])
    return [
        Link(*pair, tuple(kind for kind in KINDS if kind in said)) for pair, said in sorted(kinds.items())
    ]


def _others(links: Sequence[Link], seed: str, seeds: Collection[str]) -> dict[str, int]:
    """The neighbours of a seed that are none, with the place in KINDS of what binds them."""
    out: dict[str, int] = {}
    for other, kind in _ends(links, seed):
        if other not in seeds:
            out[other] = min(out.get(other, len(KINDS)), KINDS.index(kind))
    return out


def _ends(links: Sequence[Link], seed: str) -> Iterator[tuple[str, str]]:
    for link in links:
        if seed in (link.source, link.target):
            yield (link.target if link.source == seed else link.source), link.kinds[0]


def _times_cited(edges: pa.Table, nodes: Collection[str]) -> dict[str, int]:
    counts = _among(edges, "target_id", nodes).column("target_id").value_counts().to_pylist()
    return {row["values"]: row["counts"] for row in counts}
