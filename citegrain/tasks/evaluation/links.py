"""Are references predicted? Ranks of some that were held back, by vectors of the graph and by baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.evaluation.compare import MEAN, bca, paired
from citegrain.tasks.offline.graph import MARGINS, Relations, edges_said, train
from citegrain.tasks.online.builds import PublishedBuild

Scores = npt.NDArray[np.floating[Any]]
Ask = Callable[[int, bool], Scores]
"""From a node, and whether what cites it is asked for, to scores of all nodes, shape (nodes,)."""
CITES, TEXT, SEED, SHARE = "cites", "text", 0, 10
MEASURES: Mapping[str, Callable[[Scores], Scores]] = {
    "MRR": lambda ranks: 1 / ranks,
    "Hits@1": lambda ranks: (ranks <= 1).astype(float),
    "Hits@3": lambda ranks: (ranks <= 3).astype(float),
    "Hits@10": lambda ranks: (ranks <= 10).astype(float),
}


def predict(build: PublishedBuild, seed: int = SEED) -> list[dict[str, Any]]:
    """How well baselines and models predict references of a build, as :func:`measure` has it.

    Raises
    ------
    ValueError
        If the build has fewer than ten references between texts.
    """
    tables = build.graph_tables
    nodes = tables["nodes"].select(["node_id", "act_id"]).to_pylist()
    chunks = [next(iter(build.rows_of(node["node_id"])), -1) for node in nodes]
    held_back = hold_back(tables, [chunk >= 0 for chunk in chunks], seed)
    if not held_back.pairs:
        raise ValueError("fewer than ten references between provisions: too few to hold some back")
    texts = [row for row, chunk in enumerate(chunks) if chunk >= 0]
    vectors = np.zeros((len(nodes), int(build.manifest["dimension"])), dtype=np.float32)
    vectors[texts] = build.vectors([chunks[row] for row in texts])
    asks = baselines(held_back, vectors, [node["act_id"] for node in nodes])
    return measure(held_back, asks | trained(held_back, tables, seed), TEXT)


@dataclass(frozen=True)
class HeldBack:
    """References of provisions with a text to others with one, a tenth of them held back.

    Attributes
    ----------
    ids
        Of all nodes.
    known
        All references, by position.
    pairs
        Those that are held back, in order.
    candidates
        Nodes that may be answers: bool, shape (nodes,).
    """

    ids: list[str]
    known: set[tuple[int, int]]
    pairs: list[tuple[int, int]]
    candidates: npt.NDArray[np.bool_]

    @property
    def names(self) -> set[tuple[str, str]]:
        """Ids of the pairs."""
        return {(self.ids[source], self.ids[target]) for source, target in self.pairs}

    @property
    def learned(self) -> list[tuple[int, int]]:
        """References that are not held back."""
        return sorted(self.known - set(self.pairs))


def hold_back(tables: Mapping[str, pa.Table], with_text: Sequence[bool], seed: int = SEED) -> HeldBack:
    """One reference in ten, drawn by the seed.

    Parameters
    ----------
    with_text
        Whether a node has a text of its own, in the order of the table.
    """
    ids: list[str] = tables["nodes"].column("node_id").to_pylist()
    at, candidates = {node: row for row, node in enumerate(ids)}, np.asarray(with_text, dtype=bool)
    known = {(at[s], at[t]) for s, kind, t in edges_said(tables["edges"]) if kind == CITES}
    whole = sorted(pair for pair in known if candidates[list(pair)].all())
    drawn = np.random.default_rng(seed).permutation(len(whole))[: len(whole) // SHARE]
    return HeldBack(ids, known, sorted(whole[i] for i in drawn), candidates)


def ranks(held_back: HeldBack, ask: Ask) -> Scores:
    """Rank of the right answer to both questions of each reference: what it cites, and what cites it.

    Other right answers are left out (the filtered setting of Bordes and others 2013); a tie counts half.
    Shape (pairs, 2).
    """
    cited: dict[tuple[int, bool], list[int]] = {}
    for source, target in held_back.known:
        cited.setdefault((source, False), []).append(target)
        cited.setdefault((target, True), []).append(source)
    out = []
    for source, target in held_back.pairs:
        for node, back, right in ((source, False, target), (target, True, source)):
            scores, others = ask(node, back), held_back.candidates.copy()
            others[[node, *cited[node, back]]] = False
            rivals = scores[others]
            out.append(1 + (rivals > scores[right]).sum() + (rivals == scores[right]).sum() / 2)
    return np.array(out, dtype=np.float64).reshape(-1, 2)


def baselines(held_back: HeldBack, vectors: npt.NDArray[np.float32], acts: Sequence[str]) -> dict[str, Ask]:
    """Popularity, of all and within the Act; likeness of text; nearness in the order of the law.

    Parameters
    ----------
    vectors
        Of the nodes' texts, of length 1, shape (nodes, dimension).
    acts
        Act of each node.
    """
    ends = np.array(held_back.learned, dtype=np.int64).reshape(-1, 2)
    cites, cited = (np.bincount(end, minlength=len(acts)).astype(float) for end in ends.T)
    names, order = np.array(acts), np.arange(len(acts))
    return {
        "degree": lambda node, back: cites if back else cited,
        "degree in Act": lambda node, back: (cites if back else cited) + 1e6 * (names == names[node]),
        TEXT: lambda node, back: vectors @ vectors[node],
        "place in Act": lambda node, back: -np.abs(order - node).astype(float),
    }


def trained(held_back: HeldBack, tables: Mapping[str, pa.Table], seed: int = SEED) -> dict[str, Ask]:
    """The models, trained on what is not held back."""
    fitted = {m: train(tables["nodes"], tables["edges"], m, held_back.names, seed) for m in MARGINS}
    return {name: partial(_nearness, vectors) for name, vectors in fitted.items()}


def _nearness(vectors: Relations, node: int, back: bool) -> Scores:
    return vectors.nearness(node, CITES, back)


def measure(held_back: HeldBack, asks: Mapping[str, Ask], reference: str) -> list[dict[str, Any]]:
    """Rows of name and measures, each with its 95% interval, and MRR paired against one of the names."""
    by_name = {name: ranks(held_back, ask) for name, ask in asks.items()}
    return [
        {"name": name, "n": of.size}
        | {measure: _interval(value(of)) for measure, value in MEASURES.items()}
        | {"against": None if name == reference else _against(of, by_name[reference])}
        for name, of in by_name.items()
    ]


def _interval(values: Scores) -> tuple[float, float, float]:
    """Mean and bounds, by BCa; both questions of a reference are drawn together."""
    at = bca(values.mean(axis=1), SEED)
    return float(at.value), float(at.lo), float(at.hi)


def _against(of: Scores, other: Scores) -> dict[str, float]:
    a, b = (
        {str(i): float(v) for i, v in enumerate(MEASURES["MRR"](one).mean(axis=1))} for one in (of, other)
    )
    at = paired(b, a, MEAN, SEED)
    return {"difference": at.difference, "low": at.lo, "high": at.hi, "p": at.p}
