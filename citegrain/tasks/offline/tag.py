"""Declaration of ``tag`` and its one function."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import CHUNKS, PRECEDENTS, PROVISIONS, REFERENCES, TAGS, TEXTS
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.law.citations import CITABLE, DIVISION, PARAGRAPH, called
from citegrain.tasks.law.citing import Acts, Citing
from citegrain.tasks.law.numbers import find_dates
from citegrain.tasks.offline.corpus import Registry
from citegrain.tasks.offline.document import Artefacts, CorpusDocument, DocumentStage, Setup, kind_named

STAGE = Stage("tag", 13, (TAGS, REFERENCES, PRECEDENTS))
CitedBy = Callable[[Sequence[Mapping[str, Any]]], tuple[list[dict[str, Any]], list[dict[str, Any]]]]
Row = Mapping[str, Any]
_THESIS_SECTION = re.compile(r"Section\s+\d+[A-Z]*")


@dataclass(frozen=True)
class TagConfig:
    """Nothing decides what is tagged."""


def tag_document(
    texts: pa.Table,
    provisions: pa.Table,
    chunks: pa.Table,
    titles: Mapping[str, str],
    acts: Sequence[Mapping[str, Any]],
    cited: CitedBy | None = None,
) -> Tables:
    """Tag the chunks of one document and list the cross-references of its provisions, and the cases it cites.

    ``titles``: short title of each Act by act_id. ``acts``: rows of ``acts`` that references may name, those
    of the document among them. ``cited``: rows of ``references`` and of ``precedents`` of one that cites
    otherwise.
    """
    by_id = {row["provision_id"]: row for row in provisions.to_pylist()}
    spans = {row["act_id"]: (row["text"], row["page_spans"]) for row in texts.to_pylist()}
    tags = [_tag(chunk, by_id, spans, titles) for chunk in chunks.to_pylist()]
    rows = list(by_id.values())
    references, precedents = cited(rows) if cited else (_references(rows, acts), [])
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
        alone = node is cited and node["kind"] in CITABLE
        by_level = alone or node["kind"] == DIVISION
        label = f"{called(node).capitalize()} {node['number']}" if by_level else node["number"]
        parts.insert(0, label if alone or not node["heading"] else f"{label}, {node['heading']}")
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


def _references(rows: Sequence[Row], act_rows: Sequence[Row]) -> list[dict[str, Any]]:
    """What the provisions cite, as far as one document can tell: the build looks up the rest."""
    acts, there = Acts(act_rows), {row["provision_id"] for row in rows}
    citing = Citing(acts, rows, {text: acts.find(text) for text in {row["text"] for row in rows}})
    out = []
    for row in rows:
        for citation in citing.find(row) if row["kind"] in CITABLE else ():
            target = None if citation.kind == "act" else citation.cited_id or None
            same_act = citation.act == row["act_id"]
            out.append(
                {
                    "source_id": row["provision_id"],
                    "act_id": row["act_id"],
                    "text": citation.words,
                    "offset": row["text_start"] + citation.offset,
                    "target_act": citation.act,
                    "target_id": target,
                    "resolved": "provision" if target in there else "act" if same_act else "no",
                }
            )
    return out


def known_acts(registry: Registry) -> list[dict[str, Any]]:
    """Acts of the registry that references may name, as rows of ``acts``."""
    return [
        {"act_id": act.act_id, "title": act.title, "aliases": list(act.aliases), "number": act.number}
        | {"kind": act.kind or "act"}
        for act in registry.acts.values()
    ]


def _acts_of(document: CorpusDocument, registry: Registry) -> list[dict[str, Any]]:
    """Those of the registry and of the document itself."""
    acts_by_id = {act["act_id"]: act for act in known_acts(registry)}
    defaults: dict[str, Any] = {"aliases": [], "number": ""}
    for act in document.acts:
        identified = {"act_id": act.act_id, "title": act.title, "kind": act.kind}
        acts_by_id[act.act_id] = defaults | acts_by_id.get(act.act_id, {}) | identified
    return list(acts_by_id.values())


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    parameters = {"references": True, "titles": document.titles}  # the first is of older keys
    return parameters | {"known": _acts_of(document, setup.registry)}, {}


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    structured, chunks = artefacts["structure"], artefacts["chunk"].table(CHUNKS)
    tables = structured.table(TEXTS), structured.table(PROVISIONS), chunks
    kind = kind_named(document.acts[0].kind)
    tag = kind.tag if kind else None
    cited = (lambda rows: tag(rows, setup.registry)) if tag else None
    return tag_document(*tables, document.titles, _acts_of(document, setup.registry), cited)


DOCUMENT_STAGE = DocumentStage(
    STAGE, TagConfig, ("structure", "chunk"), _shape, _make, (TAGS, REFERENCES, PRECEDENTS), "tagged"
)
