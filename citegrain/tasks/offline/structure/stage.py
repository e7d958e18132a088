"""Declaration of ``structure`` and its one function."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.schemas import (
    CLASSIFICATION,
    COVERAGE,
    DOCUMENTS,
    LINES,
    PAGES,
    PARAGRAPHS,
    PROVISIONS,
    REPORTS,
    TEXTS,
    WITHOUT_PAGES,
)
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.core.store import Artefact
from citegrain.tasks.offline.document import (
    Artefacts,
    CorpusDocument,
    DocumentStage,
    Setup,
    Unfinished,
    kind_named,
)
from citegrain.tasks.offline.structure.act import (
    ActTree,
    AskHeadings,
    BodyReader,
    Heading,
    HeadingCalls,
    read_act,
    read_paragraphs,
)
from citegrain.tasks.offline.structure.coverage import account, doubt, merged
from citegrain.tasks.offline.structure.notes import read_classification
from citegrain.tasks.offline.structure.rows import PageText, read_rows
from citegrain.tasks.offline.structure.signs import missing_pages, page_doubts, unread_pages
from citegrain.tasks.offline.structure.soundness import (
    DOUBTFUL,
    FAILED,
    INCOMPLETE,
    SOUND,
    Report,
    cites_cases,
    count_heads,
    judge,
)
from citegrain.tasks.offline.structure.tables import (
    ActSpan,
    act_spans,
    provision_rows,
    structure_texts,
    text_row,
)

STAGE = Stage("structure", 48, (TEXTS, PROVISIONS, CLASSIFICATION, REPORTS, COVERAGE))


HIERARCHY = "hierarchy"
"""Name of the kind that reads what ``structure.hierarchy`` describes."""


@dataclass(frozen=True)
class Level:
    """A level of a hierarchy.

    ``name``: how a citation calls it: ``recommendation``. ``opens``: regular expression of the beginning of a
    line that opens a part; its group ``n`` is the number. ``cited``: whether a part is cited; else it is a
    heading over others, as a chapter.
    """

    name: str = ""
    opens: str = ""
    cited: bool = True

    def __post_init__(self) -> None:
        try:
            groups = re.compile(self.opens).groupindex
        except re.error as error:
            raise ValueError(f"structure.hierarchy: {self.opens}: {error}") from None
        if not re.fullmatch(r"[a-z]+(-[a-z]+)*", self.name) or "n" not in groups:
            raise ValueError(f"structure.hierarchy: {self.name}: needs a name and a pattern with (?P<n>...)")


PATTERNS, LLM = "patterns", "llm"
_PUBLISHED = "citegrain.tasks.published.headings"


@dataclass(frozen=True)
class StructureConfig:
    """What decides how the tree is read.

    ``headings``: ``patterns``; or ``llm``, which is asked for headings where sections must be missing.
    ``hierarchy``: the levels, the outermost first, of documents whose first pages name no Act.
    """

    headings: str = PATTERNS
    calls: HeadingCalls = field(default_factory=HeadingCalls)
    hierarchy: list[Level] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.hierarchy and not any(level.cited for level in self.hierarchy):
            raise ValueError("structure.hierarchy: no level is cited")
        if self.headings not in (PATTERNS, LLM):
            raise ValueError(f"structure.headings={self.headings}: {PATTERNS} or {LLM}")


def structure_document(
    documents: pa.Table,
    lines: pa.Table,
    acts: Sequence[ActSpan],
    ask: AskHeadings | None = None,
    reader: BodyReader | None = None,
    pages: pa.Table | None = None,
) -> Tables:
    """Read the Acts of one document into ``texts`` and ``provisions``.

    An Act in which no numbered provision is found yields no row. Where that leaves nothing of the document,
    its first Act is read by paragraphs.

    ``documents``, ``lines``, ``pages``: its tables, as ``parse`` wrote them. ``ask``: who is asked for the
    headings of Acts of which sections seem to be missing; None: nobody. ``reader``: how a kind that is
    printed otherwise is read; None: as Acts are.
    """
    row = documents.to_pylist()[0]
    texts: list[dict[str, Any]] = []
    classified: list[dict[str, Any]] = []
    provisions: list[dict[str, Any]] = []
    reports: list[dict[str, Any]] = []
    readings = _readings(row, lines, acts, ask, reader)
    coverage = account(row["document_id"], lines, merged(r.tree.places for r in readings), pages)
    of_document = [doubt(coverage.to_pylist()), missing_pages(lines)]  # stand with the first of its Acts
    for reading in readings:
        act, tree = reading.act, reading.tree
        first, last = tree.pages_of(act.unit)
        doubts = [*of_document, unread_pages(pages, act.page_start, act.page_end, last)]
        if row["layout"] not in WITHOUT_PAGES:
            doubts += page_doubts(lines, pages, reading.page_text, first, last)
        report, of_document = reading.report.doubted(*doubts), []
        texts.append(text_row(tree, act, row["document_id"]))
        provisions += provision_rows(tree, act, row["document_id"])
        classified += _classification(lines, act, row["document_id"])
        identity = {"document_id": row["document_id"], "act_id": act.act_id}
        heads = count_heads(lines, act.page_start, act.page_end)
        reports.append(identity | asdict(report) | heads)
    return {
        "texts": TEXTS.rows(texts),
        "provisions": PROVISIONS.rows(provisions),
        "classification": CLASSIFICATION.rows(classified),
        "reports": REPORTS.rows(reports),
        "coverage": coverage,
    }


@dataclass(frozen=True)
class _Reading:
    act: ActSpan
    tree: ActTree
    report: Report
    page_text: PageText


def _readings(
    document: Mapping[str, Any],
    lines: pa.Table,
    acts: Sequence[ActSpan],
    ask: AskHeadings | None,
    reader: BodyReader | None,
) -> list[_Reading]:
    """Each Act in which provisions are recognised; of none: the paragraphs of the document."""
    rows = partial(read_rows, lines, document["body_size"], paragraphs=document["layout"] in PARAGRAPHS)
    readings, note = [], ""
    for act in acts:
        page_text = rows(act.page_start, act.page_end)
        reading = _read(page_text, act, reader)
        if ask is not None and (reading is None or reading.report.verdict not in (SOUND, INCOMPLETE)):
            reading, note = _read_with(ask, page_text, act, reader, reading)
        if reading is not None:
            readings.append(reading)
    if acts and not readings:
        page_text = rows(acts[0].page_start, acts[-1].page_end)
        tree = read_paragraphs(page_text)
        if tree is not None:
            report = replace(_report(tree, acts[0]), model_note=note)
            readings.append(_Reading(acts[0], tree, report, page_text))
    return readings


def _read(
    page_text: PageText,
    act: ActSpan,
    reader: BodyReader | None,
    headings: Mapping[int, Heading] | None = None,
) -> _Reading | None:
    """An Act with numbered provisions."""
    tree = read_act(page_text, act.act_id, act.unit, act.entry_prefix, reader, headings)
    if tree is None or not any(n.kind == act.unit for n in tree.nodes):
        return None
    return _Reading(act, tree, _report(tree, act), page_text)


def _read_with(
    ask: AskHeadings,
    page_text: PageText,
    act: ActSpan,
    reader: BodyReader | None,
    before: _Reading | None,
) -> tuple[_Reading | None, str]:
    """An Act with the headings that a model reads, where it is read better so; and what it was asked."""
    answered = ask(page_text, act.act_id, act.unit, reader)
    after = _read(page_text, act, reader, answered.headings) if answered.headings else None
    taken = len(answered.headings)
    if after is None or not after.report.is_better(before.report if before else None):
        answered.refused["the Act is read no better with it"] += taken
        after, taken = before, 0
    note = answered.note(taken)
    if after is None:
        return None, note
    return replace(after, report=replace(after.report, n_by_model=taken, model_note=note)), note


def _report(tree: ActTree, act: ActSpan) -> Report:
    annexed = [(n.start, n.end) for n in tree.nodes if n.annexed]
    edges = [0, *(at for span in annexed for at in span), len(tree.running.text)]
    law = "".join(tree.running.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
    return _judged(tree, act).doubted(*tree.doubts, cites_cases(law))


def _judged(tree: ActTree, act: ActSpan) -> Report:
    pages = len(tree.running.pages)
    if not any(node.kind == act.unit for node in tree.nodes):  # what is no law need have none
        reason = f"no numbered provision was recognised on {pages} pages: read by paragraphs"
        return Report(FAILED if act.kind in ("act", "rules") else DOUBTFUL, reason)
    if act.kind == "rules":  # those of the forms behind them do not count
        of_rules = [n for n in tree.nodes if n.kind == act.unit]
        pages = 1 + tree.running.page_at(of_rules[-1].end - 1) - tree.running.page_at(of_rules[0].start)
    return judge(tree.nodes, act.unit, tree.listed, tree.running.text, pages, tree.before, act.last_section)


def _classification(lines: pa.Table, act: ActSpan, document_id: str) -> list[dict[str, Any]]:
    """Rows of ``classification`` of one Act; most Acts classify nothing."""
    if not pc.any(pc.greater(lines.column("column"), 0)).as_py():
        return []
    page, columns = pc.field("page"), ["page", "row", "column", "text"]
    inside = (page >= act.page_start) & (page <= act.page_end) & (pc.field("role") == "body")
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


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    spans = [asdict(span) for span in act_spans(document.acts)]
    config: StructureConfig = setup.configs["structure"]
    shape: dict[str, Any] = {"min_sections": 1, "acts": spans}  # the first is of older keys
    if _in_hierarchy(document, setup):
        shape["hierarchy"] = [asdict(level) for level in config.hierarchy]
    if model := _model(setup):
        shape["headings"] = [model.base_url, model.model, config.calls.of_reply()]
    return shape, {}


def _in_hierarchy(document: CorpusDocument, setup: Setup) -> bool:
    """Whether a document is read by the levels that the configuration describes: it names no Act."""
    evidence = {act.title_evidence for act in document.acts}
    return bool(setup.configs["structure"].hierarchy) and evidence == {"file_name"}


def _model(setup: Setup) -> Endpoint | None:
    """The language model that is asked for headings, if any."""
    return setup.endpoint if setup.configs["structure"].headings != PATTERNS else None


def structure_acts(
    document: CorpusDocument, parsed: Artefact, setup: Setup, reader: BodyReader | None = None
) -> Tables:
    """The tables of a document that is read as an Act is.

    Raises Unfinished if the language model that is asked for headings gave no reply.
    """
    config: StructureConfig = setup.configs["structure"]
    model = _model(setup)
    asker = import_module(_PUBLISHED).HeadingAsker(model, config.calls, setup.store) if model else None
    tables = parsed.table(DOCUMENTS), parsed.table(LINES)
    pages = parsed.table(PAGES)
    result = structure_document(*tables, act_spans(document.acts), asker, reader, pages)
    if asker and asker.errors:
        raise Unfinished(result, asker.errors[0])
    return result


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    parsed = artefacts["parse"]
    if document.is_texts:
        return structure_texts(parsed.table(LINES), document.document_id, document.acts[0].act_id)
    kind = kind_named(HIERARCHY if _in_hierarchy(document, setup) else document.acts[0].kind)
    return ((kind and kind.structure) or structure_acts)(document, parsed, setup)


DOCUMENT_STAGE = DocumentStage(
    STAGE,
    StructureConfig,
    ("parse",),
    _shape,
    _make,
    (PROVISIONS, CLASSIFICATION, REPORTS, COVERAGE),
    "structured",
)
