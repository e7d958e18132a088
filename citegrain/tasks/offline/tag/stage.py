"""Declaration of ``tag`` and its one function."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import CHUNKS, PRECEDENTS, PROVISIONS, REFERENCES, TAGS, TEXTS
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.law.citations import CITABLE, PARAGRAPH
from citegrain.tasks.law.numbers import find_dates
from citegrain.tasks.offline.document import Artefacts, CorpusDocument, DocumentStage, Setup
from citegrain.tasks.offline.kinds import kind_named
from citegrain.tasks.offline.tag.references import KnownActs, find_references, known_acts

STAGE = Stage("tag", 5, (TAGS, REFERENCES, PRECEDENTS))
CitedBy = Callable[[Sequence[Mapping[str, Any]]], tuple[list[dict[str, Any]], list[dict[str, Any]]]]
_THESIS_SECTION = re.compile(r"Section\s+\d+[A-Z]*")


@dataclass(frozen=True)
class TagConfig:
    """What is tagged.

    Attributes
    ----------
    references
        Whether cross-references are looked for.
    """

    references: bool = True


def tag_document(
    texts: pa.Table,
    provisions: pa.Table,
    chunks: pa.Table,
    titles: Mapping[str, str],
    known: KnownActs,
    config: TagConfig,
    cited: CitedBy | None = None,
) -> Tables:
    """Tag the chunks of one document and list the cross-references of its provisions, and the cases it cites.

    Parameters
    ----------
    texts, provisions, chunks
        Tables of the document.
    titles
        Short title of each Act by act_id.
    known
        Acts that references may name.
    cited
        Rows of ``references`` and of ``precedents`` of a document that cites otherwise than Acts do.
    """
    by_id = {row["provision_id"]: row for row in provisions.to_pylist()}
    spans = {row["act_id"]: (row["text"], row["page_spans"]) for row in texts.to_pylist()}
    tags = [_tag(chunk, by_id, spans, titles) for chunk in chunks.to_pylist()]
    references = _references(by_id, known) if config.references else []
    precedents: list[dict[str, Any]] = []
    if config.references and cited:
        references, precedents = cited(list(by_id.values()))
    return {
        "tags": TAGS.rows(tags),
        "references": REFERENCES.rows(references),
        "precedents": PRECEDENTS.rows(precedents),
    }


def _tag(
    chunk: Mapping[str, Any],
    by_id: Mapping[str, Mapping[str, Any]],
    spans: Mapping[str, tuple[str, list[Mapping[str, int]]]],
    titles: Mapping[str, str],
) -> dict[str, Any]:
    cited = by_id.get(chunk["citation"] or "")
    section = _THESIS_SECTION.search(chunk["text"])
    return {
        "chunk_id": chunk["chunk_id"],
        "act_id": chunk["act_id"],
        "act": titles.get(chunk["act_id"], chunk["act_id"]),
        "section": cited["number"] if cited and cited["kind"] in CITABLE else None,
        "heading": cited["heading"] if cited else "",
        "kind": cited["kind"] if cited else None,
        "path": _path(cited, by_id),
        "depth": cited["depth"] if cited else 0,
        "page": chunk["page_start"],
        "position": _position(chunk, spans[chunk["act_id"]]),
        "status": cited["status"] if cited else "in_force",
        "dates": sorted(set(find_dates(chunk["text"]))),
        "amended": bool(cited and cited["notes"] and cited["kind"] != PARAGRAPH),
        "thesis_section": section[0] if section else None,
    }


def _path(cited: Mapping[str, Any] | None, by_id: Mapping[str, Mapping[str, Any]]) -> str:
    """``Chapter XVI, Of offences affecting the human body > Section 302``."""
    parts: list[str] = []
    node = cited
    while node is not None:
        numbered = node is cited and node["kind"] in CITABLE
        label = f"{node['kind'].capitalize()} {node['number']}" if numbered else node["number"]
        parts.insert(0, label if numbered or not node["heading"] else f"{label}, {node['heading']}")
        node = by_id.get(node["parent_id"] or "")
    return " > ".join(parts)


def _position(chunk: Mapping[str, Any], span: tuple[str, list[Mapping[str, int]]]) -> float:
    """Share of the page's text that stands above the chunk's start."""
    text, pages = span
    starts = [p["char_start"] for p in pages]
    at = max(0, bisect_right(starts, chunk["char_start"]) - 1)
    end = starts[at + 1] if at + 1 < len(starts) else len(text)
    length = max(1, end - starts[at])
    return float(min(1.0, max(0.0, (chunk["char_start"] - starts[at]) / length)))


def _references(by_id: Mapping[str, Mapping[str, Any]], known: KnownActs) -> list[dict[str, Any]]:
    kinds = ("article", "rule", "regulation")  # a rule of an Order is cited with it
    units = {
        row["act_id"]: row["kind"]
        for row in by_id.values()
        if row["kind"] in kinds and "order_" not in row["provision_id"]
    }
    rows = []
    for row in by_id.values():
        if row["kind"] not in CITABLE:
            continue
        act_id = row["act_id"]
        order = (row["parent_id"] or "").partition("order_")[2] if row["kind"] == "rule" else ""
        for ref in find_references(row["text"], act_id, units.get(act_id, "section"), order, known):
            resolved = "no"
            if ref.target_id in by_id:
                resolved = "provision"
            elif ref.target_act == act_id:
                resolved = "act"
            rows.append(
                {
                    "source_id": row["provision_id"],
                    "act_id": act_id,
                    "text": ref.text,
                    "offset": row["text_start"] + ref.offset,
                    "target_act": ref.target_act,
                    "target_id": ref.target_id,
                    "resolved": resolved,
                }
            )
    return rows


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    config = setup.configs["tag"]
    parameters = asdict(config) | {"titles": document.titles}
    if config.references:
        parameters["known"] = asdict(known_acts(setup.registry))
    return parameters, {}


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    structured, chunks = artefacts["structure"], artefacts["chunk"].table(CHUNKS)
    tables = structured.table(TEXTS), structured.table(PROVISIONS), chunks
    kind = kind_named(document.acts[0].kind)
    tag = kind.tag if kind else None
    cited = (lambda rows: tag(rows, setup.registry)) if tag else None
    return tag_document(*tables, document.titles, known_acts(setup.registry), setup.configs["tag"], cited)


DOCUMENT_STAGE = DocumentStage(
    STAGE, TagConfig, ("structure", "chunk"), _shape, _make, (TAGS, REFERENCES, PRECEDENTS), "tagged"
)
