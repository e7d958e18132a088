"""Tables of the offline stages: documents to a build."""

import pyarrow as pa

from citegrain.tasks.core.schemas.base import column, table

_S, _I, _F, _B, _D = pa.string(), pa.int32(), pa.float32(), pa.bool_(), pa.date32()

_ACT_FOUND = pa.struct(
    {
        "title": _S,
        "number": _S,
        "kind": _S,
        "page_start": _I,
        "as_on": _D,
        "published": _D,
        "jurisdiction": _S,
        "gazette_number": _S,
        "effective_date": _D,
    }
)

WITHOUT_PAGES = ("docx", "html", "plain", "xlsx")
"""Layouts of documents whose pages are ours alone: parts of 3,000 characters that nobody is shown."""
PARAGRAPHS = (*WITHOUT_PAGES, "pptx")
"""Layouts of documents of which each row is a paragraph, a blank row above it."""

DOCUMENTS = table(
    "documents",
    4,
    column("document_id", _S, "SHA-256 of the file's bytes, hex"),
    column("status", _S, "text, needs_ocr, unreadable or refused"),
    column("reason", _S, "why the status is not text; empty otherwise"),
    column("n_pages", _I, "pages in it; slides, or parts of 3,000 characters", "pages"),
    column("kind", _S, "act, rules, judgment, contract or other, as its pages say"),
    column("language", _S, "language of its text: en or hi"),
    column(
        "layout",
        _S,
        "of a PDF india_code, india_code_as_on, gazette, ocr or other; else docx, html, pdf2htmlex, "
        "pptx, xlsx or plain",
    ),
    column("body_size", _F, "font size of the running text", "points"),
    column("pdf_date", _D, "creation date of a PDF, last change of an Office file", null=True),
    column(
        "acts",
        pa.list_(_ACT_FOUND),
        "the Acts and rules recognised on the pages, in order; kind is act, bill, ordinance or rules",
    ),
    column("warnings", pa.list_(_S), "what a user should know of this file"),
    column("verdict", _S, "sound, incomplete, doubtful or failed: whether its sections were read, if judged"),
    column("verdict_reason", _S, "what speaks against its reading, in words; empty if nothing"),
    added={"kind": "act", "language": "en", "verdict": "", "verdict_reason": ""},
)

PAGES = table(
    "pages",
    2,
    column("document_id", _S, "the document"),
    column("page", _I, "1-based page of the PDF", "pages"),
    column("width", _F, "page width", "points"),
    column("height", _F, "page height", "points"),
    column("status", _S, "text, ocr, image_only, blank or unreadable"),
    column("reason", _S, "why the page was not read; empty if it was"),
    column("n_chars", _I, "characters of text and marks, white space left out", "characters"),
    column(
        "left_out",
        pa.list_(pa.struct({"reason": _S, "n_chars": _I})),
        "characters of the text layer that are no text of the page, and why",
    ),
    added={"left_out": []},
)

LINES = table(
    "lines",
    2,
    column("document_id", _S, "the document"),
    column("page", _I, "1-based page", "pages"),
    column("row", _I, "visual row within the page: segments of a row share it"),
    column("x0", _F, "left edge", "points"),
    column("y0", _F, "top edge, downwards from the top of the page", "points"),
    column("x1", _F, "right edge", "points"),
    column("y1", _F, "bottom edge", "points"),
    column("size", _F, "font size of most of its characters", "points"),
    column("bold", _I, "leading characters that are bold", "characters"),
    column("italic", _B, "most characters are italic"),
    column("role", _S, "body, header, footer, page_number, footnote, margin_note or rule"),
    column("column", _I, "column of a table whose columns are numbered, from 1; 0 elsewhere"),
    column("text", _S, "the text, raised footnote marks taken out"),
    column(
        "marks",
        pa.list_(pa.struct({"offset": _I, "label": _S})),
        "raised footnote marks: character offset in text, label",
    ),
)

_NOTE = pa.struct(
    {"offset": _I, "label": _S, "page": _I, "text": _S, "action": _S, "by_act": _S, "effective": _D}
)

TEXTS = table(
    "texts",
    1,
    column("document_id", _S, "the document"),
    column("act_id", _S, "the Act"),
    column("text", pa.large_string(), "running text of the Act: what spans point into"),
    column(
        "page_spans",
        pa.list_(pa.struct({"page": _I, "char_start": _I})),
        "where each page begins in text, ascending",
    ),
)

PROVISIONS = table(
    "provisions",
    1,
    column("provision_id", _S, "Akoma Ntoso style id, act_id first"),
    column("version_date", _D, "the date at which the text stood so", null=True),
    column("act_id", _S, "the Act"),
    column(
        "kind",
        _S,
        "part, chapter, section, article, order, rule, regulation, subsection, clause, proviso, "
        "explanation, illustration, schedule, entry or paragraph",
    ),
    column("number", _S, "as cited: 302, 66C, 21A, 3(2)(a), O39R1"),
    column("heading", _S, "heading or marginal note; empty if none"),
    column("text", _S, "text without number and heading"),
    column("status", _S, "in_force, omitted or repealed"),
    column("parent_id", _S, "provision_id of the enclosing provision", null=True),
    column("depth", _I, "levels below the Act; a Part is 1", "levels"),
    column("ordinal", _I, "position in the Act, in reading order"),
    column("char_start", _I, "start in texts.text, number and heading included", "chars"),
    column("text_start", _I, "start of the text proper in texts.text", "characters"),
    column("char_end", _I, "end in texts.text, exclusive", "characters"),
    column("page_start", _I, "first page, 1-based", "pages"),
    column("page_end", _I, "last page, 1-based", "pages"),
    column("document_id", _S, "the document"),
    column("valid_from", _D, "first day in force, where known", null=True),
    column("valid_to", _D, "last day in force, where known", null=True),
    column("validity_evidence", _S, "what the dates rest on; empty if unknown"),
    column("notes", pa.list_(_NOTE), "footnotes that concern it, as amendment notes"),
)

_OVERLAP = pa.struct({"provision_id": _S, "chars": _I})

CHUNKS = table(
    "chunks",
    2,
    column("chunk_id", _S, "id of the chunk within the build"),
    column("unit_id", _S, "the provision in which it begins, ~2 for a later part: as in other editions"),
    column("document_id", _S, "the document"),
    column("act_id", _S, "the Act"),
    column("version_date", _D, "version of the Act", null=True),
    column("ordinal", _I, "position in the document"),
    column("parent_chunk_id", _S, "the parent, for parent_child", null=True),
    column("indexed", _B, "searched; false for parents and bare headings"),
    column("citation", _S, "provision_id with most characters", null=True),
    column("overlaps", pa.list_(_OVERLAP), "citable provisions overlapped, characters"),
    column("char_start", _I, "start in texts.text", "characters"),
    column("char_end", _I, "end in texts.text, exclusive", "characters"),
    column("page_start", _I, "first page, 1-based", "pages"),
    column("page_end", _I, "last page, 1-based", "pages"),
    column("n_tokens", _I, "length of text by the encoder's tokenizer", "tokens"),
    column("header", _S, "line of context put before the text when it is embedded"),
    column("text", _S, "the text: texts.text[char_start:char_end]"),
    column("text_hash", _S, "SHA-256 of header and text: the key of its vector"),
    added={"unit_id": ""},
)

TAGS = table(
    "tags",
    1,
    column("chunk_id", _S, "the chunk"),
    column("act_id", _S, "the Act"),
    column("act", _S, "title of the Act"),
    column("section", _S, "number of the cited section, article or rule", null=True),
    column("heading", _S, "its heading"),
    column("kind", _S, "kind of the cited provision", null=True),
    column("path", _S, "the chain from Part to section, for people"),
    column("depth", _I, "depth of the cited provision", "levels"),
    column("page", _I, "first page", "pages"),
    column("position", _F, "share of the page above the chunk's start, 0 to 1"),
    column("status", _S, "status of the cited provision"),
    column("dates", pa.list_(_D), "dates named in the text, ascending"),
    column("amended", _B, "an amendment note concerns the cited provision"),
    column("thesis_section", _S, r"what the pattern Section\s+\d+[A-Z]* finds", null=True),
)

REFERENCES = table(
    "references",
    1,
    column("source_id", _S, "provision that makes the reference"),
    column("act_id", _S, "Act of the source"),
    column("text", _S, "the words of the reference"),
    column("offset", _I, "where they stand in texts.text", "characters"),
    column("target_act", _S, "Act referred to", null=True),
    column("target_id", _S, "provision referred to", null=True),
    column("resolved", _S, "provision, act or no"),
)

ACTS = table(
    "acts",
    4,
    column("act_id", _S, "the Act"),
    column("version_date", _D, "version", null=True),
    column("version_evidence", _S, "as_on, published, pdf_date or none"),
    column("document_id", _S, "the document"),
    column("title", _S, "short title with year"),
    column("number", _S, "number of year, as 45 of 1860; empty if unknown"),
    column("title_evidence", _S, "registry, first_pages or file_name"),
    column("aliases", pa.list_(_S), "other names"),
    column("in_force_from", _D, "commencement", null=True),
    column("in_force_to", _D, "last day in force", null=True),
    column("replaced_by", _S, "act_id of the successor", null=True),
    column("page_start", _I, "first page in the document", "pages"),
    column("page_end", _I, "last page in the document that is read; 0 if unknown", "pages"),
    column("n_sections", _I, "sections, articles, rules or paragraphs found", "sections"),
    column("kind", _S, "act, rules, judgment, contract or other: the registry's word, else the document's"),
    column("document_type", _S, "a finer word for kind: code, regulations, circular"),
    column("jurisdiction", _S, "central or the State, as maharashtra; empty if unknown"),
    column("effective_date", _D, "first day in force: the registry's, else the document's", null=True),
    column("gazette_number", _S, "number of the notification, as G.S.R. 757(E); empty if unknown"),
    column("source_url", _S, "where the registry says that the document comes from; empty if unknown"),
    column("active", _B, "searched; false only where the registry says so"),
    column("language", _S, "language of this version: en or hi"),
    column("amended_by", pa.list_(_S), "Acts that amend it and are not in its print, as the registry says"),
    added={
        "amended_by": [],
        "page_end": 0,
        "kind": "act",
        "document_type": "",
        "jurisdiction": "",
        "effective_date": None,
        "gazette_number": "",
        "source_url": "",
        "active": True,
        "language": "en",
    },
)

_LIST = pa.list_(_S)

JUDGMENTS = table(
    "judgments",
    1,
    column("document_id", _S, "the document"),
    column("case_name", _S, "as its cause title has it: A v. B"),
    column("court", _S, "the court; empty if no page names it"),
    column("bench", _LIST, "its judges, given names first"),
    column("date", _D, "day of the decision", null=True),
    column("citations", _LIST, "AIR, SCC, SCR, INSC and neutral citations, as printed"),
    column("also_reported", _LIST, "its citations in other reports"),
    column("docket", _S, "number of the case; empty if none was read"),
    column("print", _S, "court, judis, report or publisher: by which it was recognised"),
)

PRECEDENTS = table(
    "precedents",
    1,
    column("source_id", _S, "paragraph that cites, or headnote"),
    column("act_id", _S, "judgment of the source"),
    column("offset", _I, "where the name or citation stands in texts.text", "characters"),
    column("name", _S, "name of the case as printed; empty where only a citation stands"),
    column("citations", _LIST, "its citations as printed there or in the footnote"),
    column(
        "relation", _S, "overruled, reversed, doubted, distinguished, followed, approved, explained or cited"
    ),
    column("words", _S, "the words that say so; empty for cited"),
    column("target_act", _S, "the judgment cited, where it is in the build", null=True),
)

SUMMARIES = table(
    "summaries",
    1,
    column("level", pa.string(), "document, section or context: what is summarised, or given a context"),
    column("target_id", pa.string(), "its act_id, provision_id or chunk_id"),
    column("text", pa.string(), "the summary, or the context of the chunk"),
    column("tokens_in", pa.int64(), "of the prompts of a language model; 0 if none was asked", "tokens"),
    column("tokens_out", pa.int64(), "of its replies", "tokens"),
)
