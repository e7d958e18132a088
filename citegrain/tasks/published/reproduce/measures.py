"""Our figure for each quantity of the thesis' Table 4.1, from the tables of a build."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from citegrain.tasks.core.schemas import CHUNKS, JUDGMENTS, PAGES, REFERENCES, TAGS
from citegrain.tasks.law.citations import CITABLE
from citegrain.tasks.offline.index import DENSE
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.reproduce.arithmetic import number

ENCODER_READS = 382
"""Word pieces of text that all-mpnet-base-v2, the thesis' encoder, reads of a passage."""


@dataclass(frozen=True)
class Measured:
    """A figure of ours; ``n`` where it counts a part of something."""

    value: float
    n: int | None = None
    digits: int = 0
    unit: str = ""

    @property
    def share(self) -> float:
        """The share of ``n``, else the figure itself; NaN of nothing."""
        if self.n is None:
            return self.value
        return self.value / self.n if self.n else math.nan

    @property
    def text(self) -> str:
        """``12,490``, or ``53 of 3,853 (1.4%)``."""
        text = f"{number(self.value, self.digits)} {self.unit}".strip()
        if self.n is None:
            return text
        return f"{text} of {self.n:,} ({number(100 * self.share, 2 if self.share < 0.01 else 1)}%)"


def measure(build: PublishedBuild) -> dict[str, Measured]:
    """Every figure by name; names are ids of ``data/published`` where a document prints the figure.

    Lengths are in tokens of the build's encoder; ``index_mb`` is the file of the dense index in 10^6
    bytes; ``with_pattern`` counts what the thesis' pattern ``Section <number>`` finds in the text.
    """
    return {
        **_documents(build), **_lengths(build), **_tags(build), **_references(build), **_graph(build),
    }  # fmt: skip


def _documents(build: PublishedBuild) -> dict[str, Measured]:
    status = build.table(PAGES).column("status").to_pylist()
    lost = sum(s in ("image_only", "unreadable") for s in status)
    counts = build.manifest["counts"]
    return {
        "documents": Measured(counts["documents"]),
        "pages": Measured(len(status)),
        "pages_without_text": Measured(lost, len(status)),
        "dimension": Measured(int(build.manifest["dimension"])),
        "index_mb": Measured(_bytes(build, DENSE) / 1e6, digits=1, unit="MB"),
        "vectors": Measured(len(build.chunk_ids), counts["chunks"]),
    }


def _bytes(build: PublishedBuild, folder: str) -> int:
    """Bytes of what a build has in one of its folders."""
    return sum(f["bytes"] for name, f in build.manifest["files"].items() if name.startswith(f"{folder}/"))


def _lengths(build: PublishedBuild) -> dict[str, Measured]:
    columns = build.table(CHUNKS).select(["n_tokens", "text"]).to_pydict()
    tokens = np.array(columns["n_tokens"], dtype=np.int64)
    total, chars = int(tokens.sum()), sum(map(len, columns["text"]))
    pages = build.table(PAGES).num_rows
    if not len(tokens):
        tokens = np.array([math.nan])
    return {
        "chunks": Measured(len(columns["text"])),
        "mean_tokens": Measured(float(tokens.mean())),
        "median_tokens": Measured(float(np.median(tokens))),
        "sd_tokens": Measured(float(tokens.std())),
        "tokens": Measured(total),
        "chars_a_page": Measured(chars / pages if pages else math.nan),
        "long_chunks": Measured(int((tokens > ENCODER_READS).sum()), len(columns["text"])),
        "unread_tokens": Measured(float(np.nansum(np.maximum(tokens - ENCODER_READS, 0))), total),
    }


def _tags(build: PublishedBuild) -> dict[str, Measured]:
    names = ["chunk_id", "act_id", "section", "kind", "thesis_section"]
    columns = build.table(TAGS).select(names).to_pydict()
    n = len(columns["chunk_id"])
    sections = [bool(s) for s in columns["section"]]
    numbered = [s for s, kind in zip(sections, columns["kind"], strict=True) if kind in CITABLE]
    searched = [s for s, c in zip(sections, columns["chunk_id"], strict=True) if c in build.rows]
    return {
        "with_act": Measured(sum(map(bool, columns["act_id"])), n),
        "with_section": Measured(sum(sections), n),
        "with_pattern": Measured(sum(s is not None for s in columns["thesis_section"]), n),
        "numbered_with_section": Measured(sum(numbered), len(numbered)),
        "searched_with_section": Measured(sum(searched), len(searched)),
    }


def _references(build: PublishedBuild) -> dict[str, Measured]:
    resolved = build.table(REFERENCES).column("resolved").to_pylist()
    return {"references_resolved": Measured(sum(r == "provision" for r in resolved), len(resolved))}


def _graph(build: PublishedBuild) -> dict[str, Measured]:
    """Provisions that can be cited, judgments, and edges that lead to the provision or judgment named."""
    nodes = build.graph_tables["nodes"].select(["node_id", "kind", "document_id"]).to_pylist()
    cases = {node["node_id"] for node in nodes if node["kind"] == "judgment"}
    provisions = {node["node_id"] for node in nodes if node["kind"] in CITABLE}
    edges = build.graph_tables["edges"].select(["source_id", "target_id", "kind", "reason"]).to_pylist()
    pairs = {(e["source_id"], e["target_id"], e["kind"]) for e in edges if not e["reason"] and e["target_id"]}
    kinds = Counter(kind for source, target, kind in pairs if {source, target} <= provisions)
    known = build.table(JUDGMENTS).to_pylist()
    return {
        "sections": Measured(len(provisions)),
        "has_section": Measured(sum(bool(n["document_id"]) for n in nodes if n["node_id"] in provisions)),
        "references": Measured(kinds["cites"]),
        "derived_from": Measured(kinds["derived_from"]),
        "cases": Measured(len(cases)),
        "case_edges": Measured(len({(s, t) for s, t, _ in pairs if {s, t} <= cases})),
        "cases_dated": Measured(sum(bool(row["date"]) for row in known), len(known)),
        "cases_with_bench": Measured(sum(bool(row["bench"]) for row in known), len(known)),
    }


def chunk_parameters(build: PublishedBuild, store: Path) -> dict[str, Any] | None:
    """Parameters of the chunks of a build, as the store recorded them; None if it did not."""
    uses: Sequence[str] = build.manifest.get("uses", ())
    for stage, _, key in (use.partition("/") for use in uses):
        if stage == "chunk":
            try:
                manifest = json.loads((store / stage / key / "manifest.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            return {k: v for k, v in manifest["key"]["params"].items() if k != "titles"}
    return None
