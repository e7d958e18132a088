"""Judgments beside others: those that the graph suggests, and those of which another says that they fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.offline.graph.matrix import BOTH, Graph

FALLEN = ("overruled", "reversed")
SEEDS, BREADTH = 5, 3
"""KG-CiteRAG 8.3.1: of the first five, three that each cites and three that cite it."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A judgment says of another that it is no longer law: ``source`` is the paragraph that says it."""

    source: str
    relation: str
    words: str
    page: int


class Judged:
    """The judgments of a build that had been given on a day, and what cites and overrules them.

    Parameters
    ----------
    tables
        ``nodes`` and ``edges``.
    decided
        Day of each judgment by its id; one whose day is not known counts as given.
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

    def landmarks(self, asked: Sequence[str], most: int) -> list[str]:
        """The judgments of highest PageRank among those that cite, or are cited by, what was given.

        Parameters
        ----------
        asked
            Provisions and paragraphs in their order; the first five different ones count, a paragraph as
            its judgment. A judgment is followed both ways, another provision to the judgments that cite it.
        most
            How many at most.
        """
        seeds = list(dict.fromkeys(self._case(node) or node for node in asked))[:SEEDS]
        near = {case for seed in seeds for case in self._near(seed)} - set(seeds)
        return sorted(near, key=self._place)[:most]

    def falls(self, node: str) -> list[Fall]:
        """Where other judgments say that the judgment of a paragraph was overruled or reversed."""
        case, columns = self._case(node), self._edges
        if case is None:
            return []
        of_it = columns.filter(
            pc.and_(
                pc.equal(columns.column("target_id"), case),
                pc.is_in(columns.column("kind"), pa.array(FALLEN)),
            )
        )
        rows = [row for row in of_it.to_pylist() if "/" in row["source_id"] and row["case"] != case]
        return [Fall(row["source_id"], row["kind"], row["words"], row["page"]) for row in rows]

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
