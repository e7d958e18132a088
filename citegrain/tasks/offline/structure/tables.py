"""From what was read of a document to rows of ``texts`` and ``provisions``."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import CLASSIFICATION, COVERAGE, PROVISIONS, REPORTS, TEXTS
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.law.citations import TEXT
from citegrain.tasks.law.instruments import slug
from citegrain.tasks.law.numbers import find_dates
from citegrain.tasks.offline.corpus import ActIdentity
from citegrain.tasks.offline.structure.act import ActTree
from citegrain.tasks.offline.structure.coverage import doubt
from citegrain.tasks.offline.structure.notes import Note
from citegrain.tasks.offline.structure.rows import RunningText
from citegrain.tasks.offline.structure.soundness import DOUBTFUL, Report, last_sections
from citegrain.tasks.offline.structure.tree import Node

_FRAMES = frozenset({"part", "chapter", "schedule", "order"})


@dataclass(frozen=True)
class ActSpan:
    """Which pages of a document contain which Act, and how that Act is cited; see :class:`ActIdentity`.

    ``last_section``: the number of its last section where that is known, else 0.
    """

    act_id: str
    version_date: date | None
    page_start: int
    page_end: int
    unit: str = "section"
    entry_prefix: str = ""
    kind: str = "act"
    last_section: int = 0


def act_spans(acts: Sequence[ActIdentity]) -> list[ActSpan]:
    """What is read of the identities of a document's Acts."""
    return [
        ActSpan(
            a.act_id,
            a.version_date,
            a.page_start,
            a.page_end,
            a.unit,
            a.entry_prefix,
            a.kind,
            last_sections().get(slug(a.title), 0) if a.kind == "act" else 0,
        )
        for a in acts
    ]


def text_row(tree: ActTree, act: ActSpan, document_id: str) -> dict[str, Any]:
    """Row of ``texts`` of one Act."""
    pages = [{"page": p, "char_start": c} for p, c in tree.running.pages]
    identity = {"document_id": document_id, "act_id": act.act_id}
    return identity | {"text": tree.running.text, "page_spans": pages}


def provision_rows(tree: ActTree, act: ActSpan, document_id: str) -> list[dict[str, Any]]:
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
    opening_notes = [n for offset, n in marks if offset <= node.start + 1 and opening in "[*"]
    if node.status != "in_force":
        body = text[node.start : node.end]
        if dates := find_dates(body[node.text_start - node.start :]) if "w.e.f" in body else []:
            return None, dates[-1] - timedelta(days=1), "text of the provision"
        for _, note in marks:
            if note.action in ("omitted", "repealed") and note.effective is not None:
                return None, note.effective - timedelta(days=1), _evidence(note)
        return None, None, ""
    for note in opening_notes:
        if note.action in ("inserted", "substituted") and note.effective:
            return note.effective, None, _evidence(note)
    return None, None, ""


def _evidence(note: Note) -> str:
    return f"footnote {note.label}, page {note.page}: {note.text}"[:200]


def structure_texts(lines: pa.Table, document_id: str, act_id: str) -> Tables:
    """The texts of one file as ``texts`` and ``provisions``, one behind the other; always law.

    ``lines``: as ``parse_texts`` wrote them: id, title and text of each page.
    """
    words = lines.column("text").to_pylist()
    nodes: list[Node] = []
    offset = 0
    for name, title, text in zip(words[::3], words[1::3], words[2::3], strict=True):
        nodes.append(Node(TEXT, name, name, title, offset, offset, offset + len(text)))
        offset += len(text) + 1
    pages = [(page, node.start) for page, node in enumerate(nodes, 1)]
    running = RunningText("\n".join(words[2::3]), [], [], pages)
    coverage = COVERAGE.empty()  # each is taken as it is
    return unjudged(ActTree(running, nodes, []), ActSpan(act_id, None, 1, len(pages)), document_id, coverage)


def unjudged(
    tree: ActTree | None, act: ActSpan, document_id: str, coverage: pa.Table, doubts: Iterable[str] = ()
) -> Tables:
    """The tables of a document whose numbers are not judged as those of an Act are.

    ``tree`` None: it has no provisions. ``doubts``: what speaks against its reading, in words.
    """
    reason = "; ".join(filter(None, (doubt(coverage.to_pylist()), *doubts))) if tree else ""
    identity = {"document_id": document_id, "act_id": act.act_id, "heads": 0, "heads_left": 0}
    report = identity | asdict(Report(DOUBTFUL, reason))
    return {
        TEXTS.name: TEXTS.rows([text_row(tree, act, document_id)] if tree else []),
        PROVISIONS.name: PROVISIONS.rows(provision_rows(tree, act, document_id) if tree else []),
        CLASSIFICATION.name: CLASSIFICATION.empty(),
        REPORTS.name: REPORTS.rows([report] if reason else []),
        COVERAGE.name: coverage,
    }
