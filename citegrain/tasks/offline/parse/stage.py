"""Declaration of ``parse`` and its functions."""

import codecs
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import pyarrow as pa
from pydantic import AfterValidator, BaseModel, Field, StrictStr, ValidationError

from citegrain.tasks.core.errors import faults, shown
from citegrain.tasks.core.schemas import DOCUMENTS, JUDGMENTS, LINES, PAGES
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.core.store.files import UTF_16, decoded
from citegrain.tasks.law.citations import TEXT_CORPUS
from citegrain.tasks.law.instruments import KINDS_BY_TITLE, classified
from citegrain.tasks.offline.document import (
    Artefacts,
    CorpusDocument,
    DocumentStage,
    Recognition,
    Setup,
    reader_of,
    recognised,
)
from citegrain.tasks.offline.pages import (
    Document,
    DocumentText,
    Page,
    PageStatus,
    RefusedError,
    Segment,
    TitledAct,
    n_printed,
)
from citegrain.tasks.offline.parse.document import (
    ParseConfig,
    is_pdf,
    read_document,
    settle_language,
    tesseract_version,
)
from citegrain.tasks.offline.parse.recognise import recognise_acts

ID_ROLE, TITLE_ROLE, TEXT_ROLE = "header", "margin_note", "body"
"""Roles of the lines of a text: its id stands above it and its title beside it, as on a page of an Act."""

STAGE = Stage("parse", 25, (DOCUMENTS, PAGES, LINES, JUDGMENTS))


def _identifier(text: str) -> str:
    if not text or not text.isprintable() or text != text.strip():
        raise ValueError(f"must be printable, without spaces at its ends, not {shown(text)}")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


class Text(BaseModel):
    """A line of the file; what else is on it is not read."""

    id: Annotated[StrictStr, AfterValidator(_identifier), Field(alias="_id")]
    text: Annotated[StrictStr, AfterValidator(_not_blank)]
    title: StrictStr = ""


def read_texts(data: bytes) -> list[Text]:
    """Every text of a file of JSON lines, in its order; blank lines are passed over.

    Raises RefusedError if a line is not ``{"_id": ..., "title": ..., "text": ...}``, an id is there twice, or
    there is no text. The message names the first line that is wrong.
    """
    texts: dict[str, Text] = {}
    lines: dict[str, int] = {}
    if data.startswith(UTF_16):
        try:
            data = decoded(data).encode()
        except UnicodeDecodeError as error:
            raise RefusedError("not UTF-16, though it begins so") from error
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            text = Text.model_validate_json(line)
        except ValidationError as error:
            wrong = ": ".join(part for part in next(faults(error)) if part)
            raise RefusedError(f"line {number}: {wrong}") from error
        if (first := lines.setdefault(text.id, number)) != number:
            raise RefusedError(f"line {number}: _id: {shown(text.id)} is already on line {first}")
        texts[text.id] = text
    if not texts:
        raise RefusedError("no text in it")
    return list(texts.values())


def text_page(number: int, text: Text) -> Page:
    """A text as a page of its own, a line each for id, title and text."""
    parts = ((ID_ROLE, text.id), (TITLE_ROLE, text.title.strip()), (TEXT_ROLE, text.text.strip()))
    segments = [
        Segment(0, 0, 0, 0, 0, 0, 0, False, words, row=row, role=role)
        for row, (role, words) in enumerate(parts)
    ]
    return Page(number, 0, 0, segments, PageStatus("text"))


def parameters(config: ParseConfig) -> dict[str, Any]:
    """The parameters of the key: the configuration and the OCR engine it would use."""
    engine = (tesseract_version() if config.ocr != "off" else None) or "none"
    return asdict(config) | {"ocr": f"redo by {engine}" if config.ocr == "redo" else engine}


def parse_document(data: bytes, document_id: str, config: ParseConfig, form: str = "pdf") -> Tables:
    """Read a file into ``documents`` (one row), ``pages`` and ``lines``, a judgment into ``judgments`` too.

    ``form``: what its ending says: ``pdf``, ``docx``, ``pptx``, ``xlsx``, ``html`` or ``plain``. A file that
    cannot be read at all yields one row with status ``refused`` and the reason; nothing is raised for it.
    """
    try:
        document = _read(data, form, config)
    except RefusedError as refusal:
        return _refused(document_id, refusal)
    settle_language(document)
    status, reason = _document_status(document)
    recognition = Recognition()
    if status == "text":
        pages = [p.segments if p.status.language == document.language else [] for p in document.pages]
        text = DocumentText(pages, document.language)
        recognition = recognised(text) or Recognition(recognise_acts(text))
    if recognition.warning:
        document.warnings.append(recognition.warning)
    row = _document_row(document_id, status, reason) | {
        "n_pages": len(document.pages),
        "kind": recognition.kind or _kind(recognition.titles),
        "language": document.language,
        "layout": _layout(document, recognition.titles),
        "body_size": document.body_size,
        "pdf_date": document.pdf_date,
        "acts": [asdict(act) for act in recognition.titles],
        "warnings": document.warnings,
    }
    judgments = [{"document_id": document_id, **recognition.judgment}] if recognition.judgment else []
    return {
        "documents": DOCUMENTS.rows([row]),
        "pages": PAGES.rows([_page_row(document_id, page) for page in document.pages]),
        "lines": _lines(document_id, document.pages),
        "judgments": JUDGMENTS.rows(judgments),
    }


def _read(data: bytes, form: str, config: ParseConfig) -> Document:
    """The pages of a file; a PDF that is none is shown to whoever knows what else it may be."""
    reader = None if form == "pdf" and is_pdf(data) else reader_of(form)
    return reader(data, form, config.max_pages) if reader else read_document(data, config)


def parse_texts(data: bytes, document_id: str) -> Tables:
    """Read a file of texts into the same tables, a page a text.

    A file with a line that is no text is refused as a whole: its corpus would not be the one that is meant.
    """
    try:
        pages = [text_page(number, text) for number, text in enumerate(read_texts(data), 1)]
    except RefusedError as refusal:
        return _refused(document_id, refusal)
    act = TitledAct(TEXT_CORPUS.replace("-", " ").capitalize(), "", "act", 1)
    row = _document_row(document_id, "text", "") | {"n_pages": len(pages), "acts": [asdict(act)]}
    return {
        "documents": DOCUMENTS.rows([row]),
        "pages": PAGES.rows([_page_row(document_id, page) for page in pages]),
        "lines": _lines(document_id, pages),
        "judgments": JUDGMENTS.empty(),
    }


def _refused(document_id: str, refusal: RefusedError) -> Tables:
    row = _document_row(document_id, "refused", str(refusal))
    tables = (PAGES, LINES, JUDGMENTS)
    return {"documents": DOCUMENTS.rows([row])} | {schema.name: schema.empty() for schema in tables}


def _document_row(document_id: str, status: str, reason: str) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "status": status,
        "reason": reason,
        "n_pages": 0,
        "kind": "other",
        "language": "en",
        "layout": "other",
        "body_size": 0.0,
        "pdf_date": None,
        "acts": [],
        "warnings": [],
        "verdict": "",
        "verdict_reason": "",
    }


def _document_status(document: Document) -> tuple[str, str]:
    """Status of the whole from that of its pages: mostly unread is not indexed."""
    pages = [
        p for p in document.pages if p.status.language == document.language or p.status.status != "unreadable"
    ]
    count = Counter(p.status.status for p in pages)
    read = count["text"] + count["ocr"]
    if count["unreadable"] > read:
        first = next(p for p in pages if p.status.status == "unreadable")
        return "unreadable", (
            f"{count['unreadable']} of {len(pages)} pages unreadable, "
            f"first page {first.number}: {first.status.reason}"
        )
    if count["image_only"] > read:
        return "needs_ocr", (
            f"needs OCR: {count['image_only']} of {len(pages)} pages are images without text; "
            "install Tesseract or supply a PDF with a text layer"
        )
    if not read:
        bare = all(not p.segments for p in pages)
        what = "no text and no image" if bare else "nothing but headers and page numbers"
        return "unreadable", f"all {len(pages)} pages are blank: {what}"
    return "text", ""


def _kind(acts: Sequence[TitledAct]) -> str:
    """What the document is, by the first title in it."""
    if not acts:
        return "other"
    by_title = acts[0].kind in KINDS_BY_TITLE
    printed = classified(acts[0].title)[0] if by_title else acts[0].kind
    return printed or "act"


def _layout(document: Document, acts: Sequence[TitledAct]) -> str:
    """Layout family: of a PDF for reports alone, else what the document is."""
    if document.form != "pdf":
        return document.form
    segments = [s for p in document.pages for s in p.segments if s.role != "rule"]
    if any(p.status.status == "ocr" for p in document.pages):
        return "ocr"
    off_size = sum(abs(s.size * 2 - round(s.size * 2)) > 0.15 for s in segments)
    sizes = {round(s.size, 1) for s in segments}
    if off_size > 0.3 * len(segments) and len(sizes) > 30:
        return "ocr"
    if sum(s.role == "margin_note" for s in segments) > 2 * len(document.pages):
        return "gazette"
    contents = any(
        s.text.upper().startswith(("ARRANG", "ARRENG")) for p in document.pages[:10] for s in p.segments
    )
    if contents:
        cover = document.pages[0].segments
        few = sum(s.role == "body" for s in cover) < 12
        return "india_code_as_on" if few and any(a.as_on for a in acts) else "india_code"
    return "other"


def _page_row(document_id: str, page: Page) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "page": page.number,
        "width": page.width,
        "height": page.height,
        "status": page.status.status,
        "reason": page.status.reason,
        "n_chars": n_printed(page.segments),
        "left_out": [{"reason": reason, "n_chars": n} for reason, n in page.left_out.items()],
    }


def _lines(document_id: str, pages: list[Page]) -> pa.Table:
    rows: list[tuple[int, Segment]] = [
        (p.number, s) for p in pages if p.status.status in ("text", "ocr") for s in p.segments
    ]
    names = ("row", "x0", "y0", "x1", "y1", "size", "bold", "italic", "role", "column", "text")
    columns: dict[str, list[Any]] = {name: [getattr(s, name) for _, s in rows] for name in names}
    columns["document_id"] = [document_id] * len(rows)
    columns["page"] = [page for page, _ in rows]
    columns["marks"] = [[{"offset": o, "label": m} for o, m in s.marks] for _, s in rows]
    return pa.table(columns, schema=LINES.arrow)


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    read = {"form": "texts"} if document.is_texts else parameters(setup.configs["parse"])
    if document.form not in ("texts", "pdf"):
        read = {"form": document.form, "max_pages": setup.configs["parse"].max_pages}
    return read, {"document": document.document_id}


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    data = document.path.read_bytes()
    if document.is_texts:
        return parse_texts(data, document.document_id)
    return parse_document(data, document.document_id, setup.configs["parse"], document.form)


DOCUMENT_STAGE = DocumentStage(
    STAGE, ParseConfig, (), _shape, _make, (DOCUMENTS, PAGES, JUDGMENTS), "documents parsed"
)
