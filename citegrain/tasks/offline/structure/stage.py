"""Declaration of ``structure`` and its one function."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import (
    CLASSIFICATION,
    DOCUMENTS,
    JUDGMENTS,
    LINES,
    PARAGRAPHS,
    PROVISIONS,
    REPORTS,
    TEXTS,
)
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.law.dates import find_dates
from citegrain.tasks.offline.corpus import ActIdentity
from citegrain.tasks.offline.document import Artefacts, CorpusDocument, DocumentStage, Setup
from citegrain.tasks.offline.structure.act import ActTree, read_act
from citegrain.tasks.offline.structure.classification import read_classification
from citegrain.tasks.offline.structure.fallback import read_paragraphs
from citegrain.tasks.offline.structure.judgment import structure_judgment
from citegrain.tasks.offline.structure.notes import Note
from citegrain.tasks.offline.structure.rows import read_rows
from citegrain.tasks.offline.structure.soundness import Report, count_heads, judge, read_by_paragraphs
from citegrain.tasks.offline.structure.texts import structure_texts
from citegrain.tasks.offline.structure.tree import Node

STAGE = Stage("structure", 11, (TEXTS, PROVISIONS, CLASSIFICATION, REPORTS))
_FRAMES = frozenset({"part", "chapter", "schedule", "order"})


@dataclass(frozen=True)
class StructureConfig:
    """What decides how the tree is read.

    Attributes
    ----------
    min_sections
        An Act with fewer numbered provisions is reported as not recognised.
    """

    min_sections: int = 1

    def __post_init__(self) -> None:
        if self.min_sections < 1:
            raise ValueError("structure.min_sections must be positive")


@dataclass(frozen=True)
class ActSpan:
    """Which pages of a document contain which Act, and how that Act is cited.

    Attributes
    ----------
    act_id, version_date
        Identity of the Act and of this version of it.
    page_start, page_end
        1-based pages, both in.
    unit
        ``section``, ``article``, ``rule`` or ``regulation``.
    kind
        What the document is: ``act``, ``rules``, ``judgment`` or ``other``.
    entry_prefix
        Prefix with which entries of its Schedules are cited, or empty.
    """

    act_id: str
    version_date: date | None
    page_start: int
    page_end: int
    unit: str = "section"
    entry_prefix: str = ""
    kind: str = "act"


def structure_document(
    documents: pa.Table, lines: pa.Table, acts: Sequence[ActSpan], config: StructureConfig
) -> Tables:
    """Read the Acts of one document into ``texts`` and ``provisions``.

    An Act in which fewer than ``config.min_sections`` provisions are found yields no row. Where that leaves
    nothing of the document, its first Act is read by paragraphs.

    Parameters
    ----------
    documents, lines
        Tables of the document, as ``parse`` wrote them.
    acts
        The Acts in it, in order.
    """
    row = documents.to_pylist()[0]
    texts: list[dict[str, Any]] = []
    classified: list[dict[str, Any]] = []
    provisions: list[dict[str, Any]] = []
    reports: list[dict[str, Any]] = []
    for act, tree in _trees(row, lines, acts, config):
        texts.append(
            {
                "document_id": row["document_id"],
                "act_id": act.act_id,
                "text": tree.running.text,
                "page_spans": [{"page": p, "char_start": c} for p, c in tree.running.pages],
            }
        )
        provisions += _provisions(tree, act, row["document_id"])
        classified += _classification(lines, act, row["document_id"])
        named = {"document_id": row["document_id"], "act_id": act.act_id}
        heads = count_heads(lines, act.page_start, act.page_end)
        reports.append(named | asdict(_report(tree, act)) | heads)
    return {
        "texts": TEXTS.rows(texts),
        "provisions": PROVISIONS.rows(provisions),
        "classification": CLASSIFICATION.rows(classified),
        "reports": REPORTS.rows(reports),
    }


def _report(tree: ActTree, act: ActSpan) -> Report:
    """Whether an Act was read."""
    if not any(node.kind == act.unit for node in tree.nodes):
        return read_by_paragraphs(len(tree.running.pages), is_law=act.kind in ("act", "rules"))
    pages = len(tree.running.pages)
    if act.kind == "rules":  # those of the forms behind them do not count
        of_rules = [n for n in tree.nodes if n.kind == act.unit]
        pages = 1 + tree.running.page_at(of_rules[-1].end - 1) - tree.running.page_at(of_rules[0].start)
    return judge(tree.nodes, act.unit, tree.listed, tree.running.text, pages)


def _trees(
    document: Mapping[str, Any], lines: pa.Table, acts: Sequence[ActSpan], config: StructureConfig
) -> list[tuple[ActSpan, ActTree]]:
    """The tree of each Act in which provisions are recognised; of none: the paragraphs of the document."""
    rows = partial(read_rows, lines, document["body_size"], paragraphs=document["layout"] in PARAGRAPHS)
    trees = []
    for act in acts:
        page_text = rows(act.page_start, act.page_end)
        rules = act.act_id if act.kind == "rules" else ""
        tree = read_act(page_text, unit=act.unit, entry_prefix=act.entry_prefix, rules=rules)
        if tree is not None and sum(n.kind == act.unit for n in tree.nodes) >= config.min_sections:
            trees.append((act, tree))
    if acts and not trees:
        tree = read_paragraphs(rows(acts[0].page_start, acts[-1].page_end))
        return [(acts[0], tree)] if tree else []
    return trees


def _classification(lines: pa.Table, act: ActSpan, document_id: str) -> list[dict[str, Any]]:
    """Rows of ``classification`` of one Act; most Acts classify nothing."""
    if not pc.any(pc.greater(lines.column("column"), 0)).as_py():
        return []
    inside = pc.and_(
        pc.and_(
            pc.greater_equal(lines.column("page"), act.page_start),
            pc.less_equal(lines.column("page"), act.page_end),
        ),
        pc.equal(lines.column("role"), "body"),
    )
    columns = ["page", "row", "column", "text"]
    entries = read_classification(lines.filter(inside).select(columns).to_pylist())
    return [
        {
            "act_id": act.act_id,
            "version_date": act.version_date,
            "document_id": document_id,
            "law": entry.law,
            "number": entry.number,
            "offence": entry.words(2),
            "punishment": entry.words(3),
            "cognizable_text": entry.words(4),
            "bailable_text": entry.words(5),
            "court": entry.words(6),
            "cognizable": entry.answer(4, "cognizable"),
            "bailable": entry.answer(5, "bailable"),
            "page": entry.page,
        }
        for entry in entries
    ]


def _provisions(tree: ActTree, act: ActSpan, document_id: str) -> list[dict[str, Any]]:
    """Rows of ``provisions`` of one Act."""
    rows: list[dict[str, Any]] = []
    text = tree.running.text
    offsets = [offset for offset, _ in tree.marks]
    for ordinal, node in enumerate(tree.nodes):
        first = bisect_left(offsets, node.start)
        last = bisect_left(offsets, node.end + 1)
        marks = tree.marks[first:last] if node.end > node.start else []
        valid_from, valid_to, evidence = _validity(node, text, marks)
        row = {
            "provision_id": f"{act.act_id}/{node.eid}",
            "version_date": act.version_date,
            "act_id": act.act_id,
            "kind": node.kind,
            "number": node.number,
            "heading": node.heading,
            "text": text[node.text_start : node.end] if node.text is None else node.text,
            "status": node.status,
            "parent_id": f"{act.act_id}/{node.parent.eid}" if node.parent else None,
            "depth": node.depth,
            "ordinal": ordinal,
            "char_start": node.start,
            "text_start": node.text_start,
            "char_end": node.end,
            "page_start": tree.running.page_at(node.start),
            "page_end": tree.running.page_at(max(node.start, node.end - 1)),
            "document_id": document_id,
            "valid_from": valid_from,
            "valid_to": valid_to,
            "validity_evidence": evidence,
            # of a Part or a Chapter only those at its title, which concern the whole of it
            "notes": [
                {"offset": offset} | asdict(note)
                for offset, note in marks
                if node.kind not in _FRAMES or offset <= node.text_start
            ],
        }
        rows.append(row)
    return rows


def _validity(
    node: Node, text: str, marks: Sequence[tuple[int, Note]]
) -> tuple[date | None, date | None, str]:
    """First and last day in force as far as the document says, and the evidence."""
    opening = text[node.start : node.start + 1]
    whole = [n for offset, n in marks if offset <= node.start + 1 and opening in "[*"]
    if node.status != "in_force":
        body = text[node.start : node.end]
        dates = find_dates(body[node.text_start - node.start :]) if "w.e.f" in body else []
        if dates:
            return None, dates[-1] - timedelta(days=1), "text of the provision"
        for _, note in marks:
            if note.action in ("omitted", "repealed") and note.effective is not None:
                return None, note.effective - timedelta(days=1), _evidence(note)
        return None, None, ""
    for note in whole:
        if note.action in ("inserted", "substituted") and note.effective:
            return note.effective, None, _evidence(note)
    return None, None, ""


def _evidence(note: Note) -> str:
    return f"footnote {note.label}, page {note.page}: {note.text}"[:200]


def act_spans(acts: Sequence[ActIdentity]) -> list[ActSpan]:
    """What is read of the identities of a document's Acts."""
    return [
        ActSpan(a.act_id, a.version_date, a.page_start, a.page_end, a.unit, a.entry_prefix, a.kind)
        for a in acts
    ]


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    spans = [asdict(span) for span in act_spans(document.acts)]
    return asdict(setup.configs["structure"]) | {"acts": spans}, {}


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    parsed = artefacts["parse"]
    if document.is_texts:
        return structure_texts(parsed.table(LINES), document.document_id, document.acts[0].act_id)
    tables = parsed.table(DOCUMENTS), parsed.table(LINES)
    if document.acts[0].kind == "judgment":
        return structure_judgment(*tables, parsed.table(JUDGMENTS), act_spans(document.acts)[0])
    return structure_document(*tables, act_spans(document.acts), setup.configs["structure"])


DOCUMENT_STAGE = DocumentStage(
    STAGE, StructureConfig, ("parse",), _shape, _make, (PROVISIONS, CLASSIFICATION, REPORTS), "structured"
)
