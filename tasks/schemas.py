"""Arrow schemas of every table that crosses a stage boundary.

One constant a table. Each column carries its description and unit in the Arrow
field metadata, so a Parquet file explains itself. Raise ``version`` when the
meaning of a table changes: readers refuse what is newer than they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa


class SchemaError(ValueError):
    """A table does not have the columns its schema promises."""


@dataclass(frozen=True, slots=True)
class TableSchema:
    """Name, version and columns of one table."""

    name: str
    version: int
    arrow: pa.Schema

    @property
    def file(self) -> str:
        """File name of the table inside an artefact or a build."""
        return f"{self.name}.parquet"

    def conform(self, table: pa.Table) -> pa.Table:
        """Return ``table`` with exactly the columns of this schema, in order.

        Raises
        ------
        SchemaError
            If a column is missing, unknown, of another type, or null where it may not be.
        """
        have, want = set(table.column_names), set(self.arrow.names)
        if have != want:
            raise SchemaError(
                f"table {self.name}: missing {sorted(want - have)}, unknown {sorted(have - want)}"
            )
        table = table.select(self.arrow.names)
        try:
            table = table.cast(self.arrow)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
            raise SchemaError(f"table {self.name}: {error}") from error
        for field in self.arrow:
            if not field.nullable and table.column(field.name).null_count:
                raise SchemaError(f"table {self.name}: null in column {field.name}")
        return table

    def empty(self) -> pa.Table:
        """A table of this schema without rows."""
        return self.arrow.empty_table()

    def rows(self, rows: list[dict[str, object]]) -> pa.Table:
        """A table of this schema from a list of mappings, one a row."""
        return pa.Table.from_pylist(rows, schema=self.arrow)


def _column(name: str, kind: pa.DataType, text: str, unit: str = "", *, null: bool = False) -> pa.Field:
    metadata = {"description": text} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=null, metadata=metadata)


_S, _I, _F, _B, _D = pa.string(), pa.int32(), pa.float32(), pa.bool_(), pa.date32()

_ACT_FOUND = pa.struct(
    [
        pa.field("title", _S),
        pa.field("number", _S),
        pa.field("kind", _S),
        pa.field("page_start", _I),
        pa.field("as_on", _D),
        pa.field("published", _D),
    ]
)

DOCUMENTS = TableSchema(
    "documents",
    1,
    pa.schema(
        [
            _column("document_id", _S, "SHA-256 of the PDF's bytes, hex"),
            _column("status", _S, "text, needs_ocr, unreadable or refused"),
            _column("reason", _S, "why the status is not text; empty otherwise"),
            _column("n_pages", _I, "pages in the PDF", "pages"),
            _column("layout", _S, "india_code, india_code_as_on, gazette, ocr or other"),
            _column("body_size", _F, "font size of the running text", "points"),
            _column("pdf_date", _D, "creation date in the PDF's metadata", null=True),
            _column(
                "acts",
                pa.list_(_ACT_FOUND),
                "the Acts recognised on the pages, in order; kind is act, bill or ordinance",
            ),
            _column("warnings", pa.list_(_S), "what a user should know of this file"),
        ]
    ),
)

PAGES = TableSchema(
    "pages",
    1,
    pa.schema(
        [
            _column("document_id", _S, "the document"),
            _column("page", _I, "1-based page of the PDF", "pages"),
            _column("width", _F, "page width", "points"),
            _column("height", _F, "page height", "points"),
            _column("status", _S, "text, ocr, image_only, blank or unreadable"),
            _column("reason", _S, "why the page was not read; empty if it was"),
            _column("n_chars", _I, "characters of text, white space left out", "characters"),
        ]
    ),
)

LINES = TableSchema(
    "lines",
    2,
    pa.schema(
        [
            _column("document_id", _S, "the document"),
            _column("page", _I, "1-based page", "pages"),
            _column("row", _I, "visual row within the page: segments of a row share it"),
            _column("x0", _F, "left edge", "points"),
            _column("y0", _F, "top edge, downwards from the top of the page", "points"),
            _column("x1", _F, "right edge", "points"),
            _column("y1", _F, "bottom edge", "points"),
            _column("size", _F, "font size of most of its characters", "points"),
            _column("bold", _I, "leading characters that are bold", "characters"),
            _column("italic", _B, "most characters are italic"),
            _column("role", _S, "body, header, footer, page_number, footnote, margin_note or rule"),
            _column("column", _I, "column of a table whose columns are numbered, from 1; 0 elsewhere"),
            _column("text", _S, "the text, raised footnote marks taken out"),
            _column(
                "marks",
                pa.list_(pa.struct([pa.field("offset", _I), pa.field("label", _S)])),
                "raised footnote marks: character offset in text, label",
            ),
        ]
    ),
)

_NOTE = pa.struct(
    [
        pa.field("offset", _I),
        pa.field("label", _S),
        pa.field("page", _I),
        pa.field("text", _S),
        pa.field("action", _S),
        pa.field("by_act", _S),
        pa.field("effective", _D),
    ]
)

TEXTS = TableSchema(
    "texts",
    1,
    pa.schema(
        [
            _column("document_id", _S, "the document"),
            _column("act_id", _S, "the Act"),
            _column("text", pa.large_string(), "running text of the Act: what spans point into"),
            _column(
                "page_spans",
                pa.list_(pa.struct([pa.field("page", _I), pa.field("char_start", _I)])),
                "where each page begins in text, ascending",
            ),
        ]
    ),
)

PROVISIONS = TableSchema(
    "provisions",
    1,
    pa.schema(
        [
            _column("provision_id", _S, "Akoma Ntoso style id, act_id first"),
            _column("version_date", _D, "the date at which the text stood so", null=True),
            _column("act_id", _S, "the Act"),
            _column(
                "kind",
                _S,
                "part, chapter, section, article, order, rule, subsection, clause, proviso, "
                "explanation, illustration, schedule or entry",
            ),
            _column("number", _S, "as cited: 302, 66C, 21A, 3(2)(a), O39R1"),
            _column("heading", _S, "heading or marginal note; empty if none"),
            _column("text", _S, "text without number and heading"),
            _column("status", _S, "in_force, omitted or repealed"),
            _column("parent_id", _S, "provision_id of the enclosing provision", null=True),
            _column("depth", _I, "levels below the Act; a Part is 1", "levels"),
            _column("ordinal", _I, "position in the Act, in reading order"),
            _column("char_start", _I, "start in texts.text, number and heading included", "chars"),
            _column("text_start", _I, "start of the text proper in texts.text", "characters"),
            _column("char_end", _I, "end in texts.text, exclusive", "characters"),
            _column("page_start", _I, "first page, 1-based", "pages"),
            _column("page_end", _I, "last page, 1-based", "pages"),
            _column("document_id", _S, "the document"),
            _column("valid_from", _D, "first day in force, where known", null=True),
            _column("valid_to", _D, "last day in force, where known", null=True),
            _column("validity_evidence", _S, "what the dates rest on; empty if unknown"),
            _column("notes", pa.list_(_NOTE), "footnotes that concern it, as amendment notes"),
        ]
    ),
)

_OVERLAP = pa.struct([pa.field("provision_id", _S), pa.field("chars", _I)])

CHUNKS = TableSchema(
    "chunks",
    1,
    pa.schema(
        [
            _column("chunk_id", _S, "id of the chunk within the build"),
            _column("document_id", _S, "the document"),
            _column("act_id", _S, "the Act"),
            _column("version_date", _D, "version of the Act", null=True),
            _column("ordinal", _I, "position in the document"),
            _column("parent_chunk_id", _S, "the parent, for parent_child", null=True),
            _column("indexed", _B, "searched; false for parents and bare headings"),
            _column("citation", _S, "provision_id with most characters", null=True),
            _column("overlaps", pa.list_(_OVERLAP), "citable provisions overlapped, characters"),
            _column("char_start", _I, "start in texts.text", "characters"),
            _column("char_end", _I, "end in texts.text, exclusive", "characters"),
            _column("page_start", _I, "first page, 1-based", "pages"),
            _column("page_end", _I, "last page, 1-based", "pages"),
            _column("n_tokens", _I, "length of text by the encoder's tokenizer", "tokens"),
            _column("header", _S, "line of context put before the text when it is embedded"),
            _column("text", _S, "the text: texts.text[char_start:char_end]"),
            _column("text_hash", _S, "SHA-256 of header and text: the key of its vector"),
        ]
    ),
)

TAGS = TableSchema(
    "tags",
    1,
    pa.schema(
        [
            _column("chunk_id", _S, "the chunk"),
            _column("act_id", _S, "the Act"),
            _column("act", _S, "title of the Act"),
            _column("section", _S, "number of the cited section, article or rule", null=True),
            _column("heading", _S, "its heading"),
            _column("kind", _S, "kind of the cited provision", null=True),
            _column("path", _S, "the chain from Part to section, for people"),
            _column("depth", _I, "depth of the cited provision", "levels"),
            _column("page", _I, "first page", "pages"),
            _column("position", _F, "share of the page above the chunk's start, 0 to 1"),
            _column("status", _S, "status of the cited provision"),
            _column("dates", pa.list_(_D), "dates named in the text, ascending"),
            _column("amended", _B, "an amendment note concerns the cited provision"),
            _column("thesis_section", _S, r"what the pattern Section\s+\d+[A-Z]* finds", null=True),
        ]
    ),
)

REFERENCES = TableSchema(
    "references",
    1,
    pa.schema(
        [
            _column("source_id", _S, "provision that makes the reference"),
            _column("act_id", _S, "Act of the source"),
            _column("text", _S, "the words of the reference"),
            _column("offset", _I, "where they stand in texts.text", "characters"),
            _column("target_act", _S, "Act referred to", null=True),
            _column("target_id", _S, "provision referred to", null=True),
            _column("resolved", _S, "provision, act or no"),
        ]
    ),
)

ACTS = TableSchema(
    "acts",
    1,
    pa.schema(
        [
            _column("act_id", _S, "the Act"),
            _column("version_date", _D, "version", null=True),
            _column("version_evidence", _S, "as_on, published, pdf_date or none"),
            _column("document_id", _S, "the document"),
            _column("title", _S, "short title with year"),
            _column("number", _S, "number of year, as 45 of 1860; empty if unknown"),
            _column("title_evidence", _S, "registry, first_pages or file_name"),
            _column("aliases", pa.list_(_S), "other names"),
            _column("in_force_from", _D, "commencement", null=True),
            _column("in_force_to", _D, "last day in force", null=True),
            _column("replaced_by", _S, "act_id of the successor", null=True),
            _column("page_start", _I, "first page in the document", "pages"),
            _column("n_sections", _I, "sections and articles found", "sections"),
        ]
    ),
)

SOURCES = TableSchema(
    "sources",
    1,
    pa.schema(
        [
            _column("document_id", _S, "SHA-256 of the bytes"),
            _column("file", _S, "file name when the build was published"),
            _column("path", _S, "where it was found, relative to the corpus folder"),
        ]
    ),
)

_MENTION = pa.struct([pa.field("kind", _S), pa.field("number", _S), pa.field("act_id", _S)])
_WEIGHTED = pa.struct([pa.field("text", _S), pa.field("weight", _F)])

CLASSIFICATION = TableSchema(
    "classification",
    1,
    pa.schema(
        [
            _column("act_id", _S, "the Code whose Schedule classifies"),
            _column("version_date", _D, "version", null=True),
            _column("document_id", _S, "the document"),
            _column("law", _S, "the law whose offences are classified, as the Schedule's heading names it"),
            _column("number", _S, "section as the Schedule prints it, as 59(b)"),
            _column("offence", _S, "what the offence is"),
            _column("punishment", _S, "its punishment"),
            _column("cognizable_text", _S, "the words of the column"),
            _column("bailable_text", _S, "the words of the column"),
            _column("court", _S, "by what court it is triable"),
            _column("cognizable", _S, "Yes, No, or empty where the words depend on something"),
            _column("bailable", _S, "Yes, No, or empty where the words depend on something"),
            _column("page", _I, "page on which the entry begins", "pages"),
        ]
    ),
)

QUERIES = TableSchema(
    "queries",
    2,
    pa.schema(
        [
            _column("query_id", _S, "the query"),
            _column("text", _S, "the complaint as it was told"),
            _column("as_of", _D, "day whose law is searched; none: each Act as it was last", null=True),
            _column("acts", pa.list_(_S), "act_id of each Act it names, in order"),
            _column(
                "mentions",
                pa.list_(_MENTION),
                "provisions it names: section, article or rule, the number as cited, the Act if told",
            ),
            _column("dates", pa.list_(_D), "days it names"),
            _column("amounts", pa.list_(pa.float64()), "sums of money it names", "rupees"),
            _column("texts", pa.list_(_WEIGHTED), "what is searched: the complaint and its rewrites"),
        ]
    ),
)

RUNS = TableSchema(
    "runs",
    1,
    pa.schema(
        [
            _column("query_id", _S, "the query"),
            _column("chunk_id", _S, "the chunk"),
            _column("rank", _I, "1 is best"),
            _column("score", pa.float64(), "score of the channel"),
            _column("channel", _S, "dense, sparse, provision, fused, ..."),
        ]
    ),
)

ANSWERS = TableSchema(
    "answers",
    1,
    pa.schema(
        [
            _column("query_id", _S, "the query"),
            _column("answer", _S, "the answer as JSON: roles, charges, note; empty if there is none"),
            _column("abstained", _B, "whether it says that no provision was found that applies"),
            _column("error", _S, "why there is no answer; empty if there is one"),
            _column("parse_pass", _I, "pass of the parser that read the reply; 0: no model was asked"),
            _column("attempts", _I, "calls to the model"),
            _column("tokens_in", _I, "size of the prompt", "tokens"),
            _column("tokens_out", _I, "size of the reply", "tokens"),
            _column("cost", pa.float64(), "price of the calls", "currency of the prices"),
            _column("n_charges", _I, "charges in the answer"),
            _column("n_verified", _I, "charges whose provision is in the context and in force"),
            _column("n_not_in_context", _I, "charges whose provision was not among those given"),
            _column("n_not_in_corpus", _I, "charges whose provision the build does not hold"),
            _column("n_not_in_force", _I, "charges whose provision is omitted, repealed or not of that day"),
        ]
    ),
)

ALL = {
    schema.name: schema
    for schema in (
        DOCUMENTS,
        PAGES,
        LINES,
        TEXTS,
        PROVISIONS,
        CHUNKS,
        TAGS,
        REFERENCES,
        ACTS,
        SOURCES,
        CLASSIFICATION,
        QUERIES,
        RUNS,
        ANSWERS,
    )
}
