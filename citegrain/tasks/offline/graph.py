"""Declaration of ``graph``: its edges, the Acts that texts name, and the pages on which words stand."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core import schemas
from citegrain.tasks.core.stage import CorpusStage, Stage, Tables, digest
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.core.tables import grouped
from citegrain.tasks.law.citations import CITABLE, PARAGRAPH, TEXT
from citegrain.tasks.law.citing import ABSENT, NOT_INDEXED, NOUN, Acts, Citation, Citing, NamedAct
from citegrain.tasks.law.counterparts import SUCCESSOR, Counterparts, latest_sections
from citegrain.tasks.law.instruments import slug

STAGE = Stage("graph", 10, (schemas.NODES, schemas.EDGES, schemas.COUNTERPARTS))
CASE_NOT_INDEXED = "case_not_indexed"
_ABOVE = ("part", "chapter", "order", "schedule")
_READ = [
    "provision_id", "act_id", "version_date", "kind", "number", "heading", "text", "status", "parent_id",
    "ordinal", "char_start", "text_start", "page_start", "page_end", "document_id", "notes",
]  # fmt: skip
_BY = re.compile(r"\b(?:Rep|Repealed|Subs|Ins|Inserted|Omitted|Added|Amended)\b\.?\s+by\s+(?:the\s+)?$")
_ITS_SECTION = re.compile(r"\bss?\.\s*(?P<number>\d+[A-Z]*)")
LONGEST = 160
"""Characters of the words that are kept of a note."""

_VIDE = re.compile(
    rf"\[?\s*Vide\s+(?P<name>[A-Z][\w.&\s-]*?{NOUN}|{NOUN})\s*(?:No\.?\s*)?(?P<number>[IVXLC]+|\d{{1,3}})\s+of\s+"
    r"(?P<year>\d{4})(?P<rest>[^\]\n]{0,60})"
)
_ITS_SECTIONS = re.compile(r"\b(?:ss?|secs?)\.?\s*(?P<list>[\dA-Z]+(?:\s*(?:,|&|and)\s*[\dA-Z]+)*)")
Row = Mapping[str, Any]
Edge = dict[str, Any]
_PLACE = pa.struct(
    [("start", pa.int32()), ("end", pa.int32()), ("act_id", pa.string()), ("title", pa.string())]
)
_ROWS = pa.schema([("text", pa.string()), ("named", pa.list_(_PLACE))])


def make_graph(tables: Mapping[str, pa.Table], store: Path | None = None) -> Tables:
    """Nodes and edges of the tables of a build.

    A provision that stands in several versions says what its latest says, in English where there is one.

    ``tables``: ``acts``, ``provisions``, ``references``, ``precedents`` and ``judgments`` of a build.
    ``store``: folder of the store, in which the names of Acts that were found in texts are kept.
    """
    versions = tables[schemas.ACTS.name].to_pylist()
    acts = _latest(versions, "act_id")
    provisions = list(_provisions(tables[schemas.PROVISIONS.name], versions).values())
    rows = [row for row in provisions if row["kind"] in (*CITABLE, *_ABOVE)]
    judgments = {row["document_id"]: row["case_name"] for row in tables[schemas.JUDGMENTS.name].to_pylist()}
    names = Acts(acts.values())
    acts_by_text = find_acts((row["text"] for row in rows), names, store, STAGE.version)
    citing, places = Citing(names, rows, acts_by_text), Places(provisions)
    matched = Counterparts(versions, lambda act_id: latest_sections(versions, act_id, provisions)).rows()
    edges = [*_part_of(rows), *_cited(citing, rows), *noted(citing, rows)]
    edges += _replaced(acts, provisions, Counterparts(versions, lambda act_id: (), matched=matched))
    by_id = {row["provision_id"]: row for row in rows}
    edges += [*_by_judgments(tables, by_id, acts), *_precedents(tables[schemas.PRECEDENTS.name], by_id)]
    for edge in edges:
        edge["page"] = edge["page"] or places.page(edge["source_id"], edge["offset"])
    nodes = [*_nodes_of_acts(acts, judgments), *map(_node, rows)]
    absent = {edge["target_id"] for edge in edges if edge["target_id"]} - {node["node_id"] for node in nodes}
    nodes += [_row(act, "act", act, "", citing.title(act), "", 0) for act in sorted(absent)]
    return {
        "nodes": schemas.NODES.rows(nodes),
        "edges": schemas.EDGES.rows(edges),
        "counterparts": schemas.COUNTERPARTS.rows(matched),
    }


def cited_in(tables: Mapping[str, pa.Table], document_id: str, store: Path | None = None) -> list[Edge]:
    """What an edition cites, as edges: those of a build are of the latest edition of each Act."""
    versions, table = tables[schemas.ACTS.name].to_pylist(), tables[schemas.PROVISIONS.name]
    edition = table.filter(pc.equal(table.column("document_id"), document_id)).select(_READ).to_pylist()
    provisions = _provisions(table, versions) | {row["provision_id"]: row for row in edition}
    rows = [row for row in provisions.values() if row["kind"] in (*CITABLE, *_ABOVE)]
    names = Acts(_latest(versions, "act_id").values())
    citing = Citing(names, rows, find_acts((row["text"] for row in rows), names, store, STAGE.version))
    in_edition = [row for row in rows if row["document_id"] == document_id]
    return [edge for edge in _cited(citing, in_edition) if edge["kind"] == "cites"]


def _latest(rows: Sequence[Row], key: str) -> dict[str, Row]:
    """The row of the latest version by id, of several languages that in English."""
    out: dict[str, Row] = {}
    for row in rows:
        before = out.get(row[key])
        if before is None or _standing(row) >= _standing(before):
            out[row[key]] = row
    return out


def _standing(row: Row) -> tuple[bool, str]:
    return row.get("language", "en") == "en", str(row["version_date"] or "")


def _provisions(table: pa.Table, acts: Sequence[Row]) -> dict[str, Row]:
    languages = {act["document_id"]: act["language"] for act in acts}
    rows = [
        row | {"language": languages.get(row["document_id"], "en")} for row in table.select(_READ).to_pylist()
    ]
    return _latest(rows, "provision_id")


def _part_of(rows: Sequence[Row]) -> Iterator[Edge]:
    there = {row["provision_id"] for row in rows}
    for row in rows:
        parent = row["parent_id"] if row["parent_id"] in there else row["act_id"]
        if parent == row["act_id"] and row["kind"] == TEXT:
            continue  # records of a corpus of texts stand side by side
        start = row["page_start"]
        yield edge_of(row["provision_id"], parent, "part_of", "", row, page=start, offset=row["char_start"])


def _cited(citing: Citing, rows: Sequence[Row]) -> Iterator[Edge]:
    """What Acts and rules cite; judgments cite by other habits, and are tagged by them."""
    parents: dict[str, Edge] = {}
    for row in rows:
        act = citing.acts.rows.get(row["act_id"], {})
        if row["kind"] not in CITABLE or row["kind"] == TEXT or act.get("kind") == "judgment":
            continue
        parent = citing.usage(row["act_id"]).parent
        for citation in citing.find(row):
            unclosed = citation.words.count("(") - citation.words.count(")")
            edge = edge_of(
                row["provision_id"], citation.target, "cites", citation.words + ")" * unclosed, row,
                named=citation.cited_id, reason=citation.reason, offset=row["text_start"] + citation.offset,
            )  # fmt: skip
            if citation.kind == "act" and _BY.search(
                row["text"][max(0, citation.offset - 30) : citation.offset]
            ):
                yield edge | {"kind": "amended_by"} | _section_behind(citing, row, citation, edge["words"])
                continue
            yield edge
            if citing.conflicts(row, citation):
                yield edge | {"kind": "conflicts"}
            if parent and citation.act == parent:
                yield edge | {"kind": "derived_from"}
                act_edge = {"source_id": row["act_id"], "target_id": parent, "named": parent, "reason": ""}
                parents.setdefault(row["act_id"], edge | act_edge | {"kind": "derived_from"})
    yield from parents.values()


def _section_behind(citing: Citing, row: Row, citation: Citation, words: str) -> Edge:
    """What changes where a section stands behind the Act that amends: ``Omitted by the Oil Act, s. 5``."""
    start = citation.offset + len(citation.words)
    match = _ITS_SECTION.search(row["text"], start, start + 16)
    if match is None:
        return {}
    section_id = f"{citation.act}/sec_{match['number']}"
    reason = "" if section_id in citing.rows else ABSENT if citation.act in citing.acts.rows else NOT_INDEXED
    target = section_id if not reason else citation.act
    return {"named": section_id, "target_id": target, "reason": reason, "words": f"{words}, {match[0]}"}


def _replaced(
    acts: Mapping[str, Row], provisions: Sequence[Row], counterparts: Counterparts
) -> Iterator[Edge]:
    """Acts that replaced others, and the sections that took the place of theirs, by headings and texts."""
    by_act = grouped((row["act_id"], row) for row in provisions)
    for act_id, act in acts.items():
        if act["replaced_by"] not in acts:
            continue
        yield edge_of(act_id, act["replaced_by"], "replaced_by", "registry", act, named=act["replaced_by"])
        for row in by_act.get(act_id, []):
            for other in counterparts.find(row["provision_id"]) if row["kind"] == "section" else ():
                if other.relation == SUCCESSOR:
                    words = f"{other.source} by heading and text: {other.heading}"[:LONGEST]
                    target = other.provision_id
                    where = {"page": row["page_start"], "offset": row["char_start"]}
                    yield edge_of(
                        row["provision_id"], target, "replaced_by", words, row, named=target, **where
                    )


def _by_judgments(
    tables: Mapping[str, pa.Table], by_id: Mapping[str, Row], acts: Mapping[str, Row]
) -> Iterator[Edge]:
    """Provisions that judgments cite, as ``tag`` resolved them."""
    for cited in tables[schemas.REFERENCES.name].to_pylist():
        row = by_id.get(cited["source_id"])
        if row is None or acts.get(cited["act_id"], {}).get("kind") != "judgment":
            continue
        indexed = cited["target_act"] in acts
        target = cited["target_id"] if cited["target_id"] in by_id else cited["target_act"]
        reason = (
            "" if target == cited["target_id"] and target else "provision_absent" if indexed else NOT_INDEXED
        )
        yield edge_of(
            row["provision_id"], target, "cites", cited["text"], row, named=cited["target_id"] or "",
            reason=reason if cited["target_act"] else "act_not_named", offset=cited["offset"],
        )  # fmt: skip


def _precedents(table: pa.Table, by_id: Mapping[str, Row]) -> Iterator[Edge]:
    """Cases that judgments name, and what they say of them; from the paragraph and from the judgment."""
    for case in table.to_pylist():
        row = by_id.get(case["source_id"])
        if row is None:
            continue
        kind = "cites" if case["relation"] == "cited" else case["relation"]
        words = " ".join(part for part in (case["words"], case["name"], *case["citations"]) if part)[:LONGEST]
        reason = "" if case["target_act"] else CASE_NOT_INDEXED
        target = case["target_act"] or ""
        for source in dict.fromkeys((row["provision_id"], row["act_id"])):
            where = {"named": target, "reason": reason, "offset": case["offset"]}
            yield edge_of(source, case["target_act"], kind, words, row, **where)


def _nodes_of_acts(acts: Mapping[str, Row], judgments: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for act_id, act in acts.items():
        title = judgments.get(act["document_id"]) or act["title"]
        yield _row(act_id, act["kind"], act_id, act["number"], title, act["document_id"], act["page_start"])


def _node(row: Row) -> dict[str, Any]:
    names = row["provision_id"], row["kind"], row["act_id"], row["number"], row["heading"]
    return _row(*names, row["document_id"], row["page_start"])


def _row(node: str, kind: str, act: str, number: str, title: str, document: str, page: int) -> dict[str, Any]:
    values = (node, kind, act, number, title, document, page)
    return dict(zip(schemas.NODES.arrow.names, values, strict=True))


CORPUS_STAGE = CorpusStage(STAGE, make_graph)


def edge_of(source: str, target: str | None, kind: str, words: str, row: Row, **more: Any) -> Edge:
    """A row of ``edges``; ``row`` gives the document."""
    base = {"named": "", "reason": "", "page": 0, "offset": -1, "document_id": row["document_id"]}
    return base | {"source_id": source, "target_id": target, "kind": kind, "words": words} | more


def noted(citing: Citing, rows: Sequence[Row]) -> Iterator[Edge]:
    """Amendments: those that footnotes print, and those that editors note in the text (``[Vide ...]``)."""
    numbers = {act["number"]: act_id for act_id, act in citing.acts.rows.items() if act["number"]}
    for row in rows:
        seen = set()
        for note in row["notes"]:
            if note["by_act"] and row["kind"] != PARAGRAPH and note["by_act"] not in seen:
                seen.add(note["by_act"])
                act = numbers.get(note["by_act"]) or slug(
                    f"Act {note['by_act']}" if note["by_act"][:1].isdigit() else note["by_act"]
                )
                words, reason = note["text"][:LONGEST], "" if act in citing.acts.rows else NOT_INDEXED
                where = {"page": note["page"], "offset": note["offset"], "named": act, "reason": reason}
                yield edge_of(row["provision_id"], act, "amended_by", words, row, **where)
        for offset, words, title, section in amending(row["text"]) if row["kind"] in CITABLE else ():
            act = slug(title)
            target = f"{act}/sec_{section}" if section else act
            where = {"offset": row["text_start"] + offset, "reason": NOT_INDEXED}
            yield edge_of(row["provision_id"], act, "amended_by", words, row, named=target, **where)


def amending(text: str) -> Iterator[tuple[int, str, str, str]]:
    """(offset, words, title, section) of what editors note: ``[Vide Assam Act 7 of 1989, s. 2]``."""
    for match in _VIDE.finditer(text):
        title = re.sub(r"\s+", " ", f"{match['name']} {match['number']} of {match['year']}")
        words = re.sub(r"\s+", " ", match[0]).strip(" [")
        its = _ITS_SECTIONS.search(match["rest"])
        for section in re.findall(r"\d+[A-Z]*", its["list"]) if its else [""]:
            yield match.start("name"), words, title, section


def find_acts(
    texts: Iterable[str], acts: Acts, store: Path | None, version: int
) -> dict[str, list[NamedAct]]:
    """The Acts that each text names, by text; they are kept in the store, where one is given."""
    by_key = {hashlib.sha256(text.encode()).hexdigest()[:32]: text for text in texts}
    if store is None:
        return {text: acts.find(text) for text in by_key.values()}
    rows = RowStore(store, "graph", digest([version, acts.names])[:32], _ROWS, "text")
    stored = rows.read(list(by_key)).to_pylist()
    cached = {row["text"]: [NamedAct(**place) for place in row["named"]] for row in stored}
    computed = {key: acts.find(text) for key, text in by_key.items() if key not in cached}
    mentions = [[asdict(place) for place in places] for places in computed.values()]
    rows.append(pa.table([list(computed), mentions], schema=_ROWS))
    return {text: cached[key] if key in cached else computed[key] for key, text in by_key.items()}


class Places:
    """Where the provisions of Acts begin, down to clauses."""

    def __init__(self, provisions: Sequence[Mapping[str, Any]]) -> None:
        self._document = {row["provision_id"]: (row["document_id"], row["act_id"]) for row in provisions}
        starts: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for row in provisions:
            key = row["document_id"], row["act_id"]
            starts.setdefault(key, []).append((row["char_start"], row["page_start"]))
        self._starts = {key: sorted(pairs) for key, pairs in starts.items()}

    def page(self, provision_id: str, offset: int) -> int:
        """The page on which the clause begins that has an offset; 0 if there is none."""
        key = self._document.get(provision_id)
        if key is None or offset < 0:
            return 0
        starts = self._starts[key]
        at = bisect_right(starts, (offset, 10**9)) - 1
        return starts[at][1] if at >= 0 else 0
