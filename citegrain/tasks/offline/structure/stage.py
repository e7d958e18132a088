"""Declaration of ``structure`` and its one function."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.endpoint import Endpoint
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
from citegrain.tasks.offline.corpus import ActIdentity, slug
from citegrain.tasks.offline.document import Artefacts, CorpusDocument, DocumentStage, Setup, Unfinished
from citegrain.tasks.offline.parse import verbatim
from citegrain.tasks.offline.structure.act import ActTree, Heading, read_act
from citegrain.tasks.offline.structure.asked import Ask, Asker, HeadingCalls, ask_headings
from citegrain.tasks.offline.structure.classification import read_classification
from citegrain.tasks.offline.structure.contract import read_contract
from citegrain.tasks.offline.structure.fallback import read_paragraphs
from citegrain.tasks.offline.structure.judgment import structure_judgment
from citegrain.tasks.offline.structure.notes import Note
from citegrain.tasks.offline.structure.rows import PageText, read_rows
from citegrain.tasks.offline.structure.soundness import (
    SOUND,
    Report,
    count_heads,
    judge,
    last_sections,
    read_by_paragraphs,
)
from citegrain.tasks.offline.structure.text import join_rows
from citegrain.tasks.offline.structure.texts import structure_texts
from citegrain.tasks.offline.structure.tree import Node

STAGE = Stage("structure", 17, (TEXTS, PROVISIONS, CLASSIFICATION, REPORTS))
HEADINGS = ("patterns", "llm")
_FRAMES = frozenset({"part", "chapter", "schedule", "order"})


@dataclass(frozen=True)
class StructureConfig:
    """What decides how the tree is read.

    Attributes
    ----------
    min_sections
        An Act with fewer numbered provisions is reported as not recognised.
    headings
        ``patterns``; ``llm`` asks a language model where sections must be missing.
    calls
        How it is asked.
    """

    min_sections: int = 1
    headings: str = "patterns"
    calls: HeadingCalls = field(default_factory=HeadingCalls)

    def __post_init__(self) -> None:
        if self.headings not in HEADINGS:
            raise ValueError(f"structure.headings={self.headings}: one of {', '.join(HEADINGS)}")
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
    last_section
        The number of its last section where that is known, else 0.
    """

    act_id: str
    version_date: date | None
    page_start: int
    page_end: int
    unit: str = "section"
    entry_prefix: str = ""
    kind: str = "act"
    last_section: int = 0

    @property
    def rules(self) -> str:
        """Its id where it is rules, which are read by their name; else empty."""
        return self.act_id if self.kind == "rules" else ""


def structure_document(
    documents: pa.Table,
    lines: pa.Table,
    acts: Sequence[ActSpan],
    config: StructureConfig,
    ask: Ask | None = None,
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
    ask
        A language model, for Acts of which sections seem to be missing; None: none is asked.
    """
    row = documents.to_pylist()[0]
    texts: list[dict[str, Any]] = []
    classified: list[dict[str, Any]] = []
    provisions: list[dict[str, Any]] = []
    reports: list[dict[str, Any]] = []
    for reading in _readings(row, lines, acts, config, ask):
        act, tree = reading.act, reading.tree
        texts.append(_text(tree, act, row["document_id"]))
        provisions += _provisions(tree, act, row["document_id"])
        classified += _classification(lines, act, row["document_id"])
        named = {"document_id": row["document_id"], "act_id": act.act_id}
        heads = count_heads(lines, act.page_start, act.page_end)
        reports.append(named | asdict(reading.report) | heads)
    return {
        "texts": TEXTS.rows(texts),
        "provisions": PROVISIONS.rows(provisions),
        "classification": CLASSIFICATION.rows(classified),
        "reports": REPORTS.rows(reports),
    }


def structure_contract(documents: pa.Table, lines: pa.Table, act: ActSpan, text: str = "") -> Tables:
    """Read a contract into ``texts`` and ``provisions``; its numbers are judged by nobody.

    Parameters
    ----------
    text
        That of the file where it is a plain text: its running text is then the same, and on one page.
    """
    row = documents.to_pylist()[0]
    if text:
        tree = read_contract(text)
    else:
        paragraphs = row["layout"] in PARAGRAPHS
        rows = read_rows(lines, row["body_size"], act.page_start, act.page_end, paragraphs)
        running = join_rows(rows.rows, set(), rows.right, paragraphs)
        tree = read_contract(running.text, running.pages)
    return {
        "texts": TEXTS.rows([_text(tree, act, row["document_id"])] if tree else []),
        "provisions": PROVISIONS.rows(_provisions(tree, act, row["document_id"]) if tree else []),
        "classification": CLASSIFICATION.empty(),
        "reports": REPORTS.empty(),
    }


def _text(tree: ActTree, act: ActSpan, document_id: str) -> dict[str, Any]:
    """Row of ``texts`` of one Act."""
    pages = [{"page": p, "char_start": c} for p, c in tree.running.pages]
    return {
        "document_id": document_id,
        "act_id": act.act_id,
        "text": tree.running.text,
        "page_spans": pages,
    }


@dataclass(frozen=True)
class _Reading:
    """An Act as it was read, and how well."""

    act: ActSpan
    tree: ActTree
    report: Report


def _readings(
    document: Mapping[str, Any],
    lines: pa.Table,
    acts: Sequence[ActSpan],
    config: StructureConfig,
    ask: Ask | None,
) -> list[_Reading]:
    """Each Act in which provisions are recognised; of none: the paragraphs of the document."""
    rows = partial(read_rows, lines, document["body_size"], paragraphs=document["layout"] in PARAGRAPHS)
    readings, note = [], ""
    for act in acts:
        page_text = rows(act.page_start, act.page_end)
        reading = _read(page_text, act, config.min_sections)
        if ask is not None and (reading is None or reading.report.verdict != SOUND):
            reading, note = _read_with(ask, page_text, act, config.min_sections, reading)
        if reading is not None:
            readings.append(reading)
    if acts and not readings:
        tree = read_paragraphs(rows(acts[0].page_start, acts[-1].page_end))
        return [_Reading(acts[0], tree, replace(_report(tree, acts[0]), model_note=note))] if tree else []
    return readings


def _read(
    page_text: PageText, act: ActSpan, least: int, headings: Mapping[int, Heading] | None = None
) -> _Reading | None:
    """An Act with ``least`` provisions or more."""
    prefix, rules = act.entry_prefix, act.rules
    tree = read_act(page_text, unit=act.unit, entry_prefix=prefix, rules=rules, headings=headings)
    if tree is None or sum(n.kind == act.unit for n in tree.nodes) < least:
        return None
    return _Reading(act, tree, _report(tree, act))


def _read_with(
    ask: Ask, page_text: PageText, act: ActSpan, least: int, before: _Reading | None
) -> tuple[_Reading | None, str]:
    """An Act with the headings that a model reads, where it is read better so; and what it was asked."""
    answered = ask_headings(page_text, act.rules, act.unit, ask)
    after = _read(page_text, act, least, answered.headings) if answered.headings else None
    taken = len(answered.headings)
    if after is None or not after.report.is_better(before.report if before else None):
        answered.refused["the Act is read no better with it"] += taken
        after, taken = before, 0
    note = answered.note(taken)
    if after is None:
        return None, note
    return replace(after, report=replace(after.report, n_by_model=taken, model_note=note)), note


def _report(tree: ActTree, act: ActSpan) -> Report:
    """Whether an Act was read."""
    if not any(node.kind == act.unit for node in tree.nodes):
        return read_by_paragraphs(len(tree.running.pages), is_law=act.kind in ("act", "rules"))
    pages = len(tree.running.pages)
    if act.kind == "rules":  # those of the forms behind them do not count
        of_rules = [n for n in tree.nodes if n.kind == act.unit]
        pages = 1 + tree.running.page_at(of_rules[-1].end - 1) - tree.running.page_at(of_rules[0].start)
    return judge(tree.nodes, act.unit, tree.listed, tree.running.text, pages, tree.before, act.last_section)


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


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    spans = [asdict(span) for span in act_spans(document.acts)]
    config: StructureConfig = setup.configs["structure"]
    shape: dict[str, Any] = {"min_sections": config.min_sections, "acts": spans}
    if model := _model(setup):
        shape["headings"] = [model.base_url, model.model, config.calls.of_reply()]
    return shape, {}


def _model(setup: Setup) -> Endpoint | None:
    """The language model that is asked for headings, if any."""
    return setup.endpoint if setup.configs["structure"].headings == "llm" else None


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    parsed = artefacts["parse"]
    if document.is_texts:
        return structure_texts(parsed.table(LINES), document.document_id, document.acts[0].act_id)
    tables = parsed.table(DOCUMENTS), parsed.table(LINES)
    if document.acts[0].kind == "judgment":
        return structure_judgment(*tables, parsed.table(JUDGMENTS), act_spans(document.acts)[0])
    if document.acts[0].kind == "contract":
        text = verbatim(document.path.read_bytes()) if document.form == "plain" else ""
        return structure_contract(*tables, act_spans(document.acts)[0], text)
    config: StructureConfig = setup.configs["structure"]
    model = _model(setup)
    asker = Asker(model, config.calls, setup.store) if model else None
    result = structure_document(*tables, act_spans(document.acts), config, asker)
    if asker and asker.errors:
        raise Unfinished(result, asker.errors[0])
    return result


DOCUMENT_STAGE = DocumentStage(
    STAGE, StructureConfig, ("parse",), _shape, _make, (PROVISIONS, CLASSIFICATION, REPORTS), "structured"
)
