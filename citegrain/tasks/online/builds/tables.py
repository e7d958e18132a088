"""The tables of a published build: rows by id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from citegrain.tasks.core.schemas import (
    ACTS,
    CHUNKS,
    DOCUMENTS,
    PROVISIONS,
    SOURCES,
    TAGS,
    WITHOUT_PAGES,
    TableSchema,
)
from citegrain.tasks.core.tables import dates_in, read_table
from citegrain.tasks.law.citations import TEXTS_SUFFIX
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.law.instruments import jurisdiction_of
from citegrain.tasks.offline.index import read_corpus_folder

_ANCHORS = {"pptx": "#slide={}", "pdf2htmlex": "#pf{:x}"}
_MOST_ROWS = 50_000  # rows of tables in memory: 100 MB at most
ATTRIBUTES = ("bailable", "cognizable")
"""What the First Schedule of a Code of procedure says of an offence."""


class Tables:
    """Tables in the folder of a build, each read once.

    ``corpus``: folder of its documents when it was indexed; None if that is not known. It may be set.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.corpus = read_corpus_folder(folder.parent)
        self._tables: dict[str, pa.Table] = {}
        self._rows_read: dict[tuple[str, int], dict[str, Any]] = {}

    def has(self, schema: TableSchema) -> bool:
        """Whether the build has a table."""
        return (self.folder / schema.file).exists()

    def table(self, schema: TableSchema) -> pa.Table:
        """One of the build's tables, read once."""
        if schema.name not in self._tables:
            self._tables[schema.name] = read_table(self.folder / schema.file, schema)
        return self._tables[schema.name]

    def _row(self, schema: TableSchema, at: int) -> dict[str, Any]:
        """A row of a table; the cells of a study ask for the same ones over and over."""
        key = schema.name, at
        if key not in self._rows_read:
            if len(self._rows_read) >= _MOST_ROWS:
                self._rows_read.clear()
            self._rows_read[key] = self.table(schema).slice(at, 1).to_pylist()[0]
        return self._rows_read[key]

    @cached_property
    def _chunk_rows(self) -> dict[str, int]:
        return {c: i for i, c in enumerate(self.table(CHUNKS).column("chunk_id").to_pylist())}

    def chunk(self, chunk_id: str) -> dict[str, Any]:
        """Row of ``chunks`` by id."""
        return self._row(CHUNKS, self._chunk_rows[chunk_id])

    def parent(self, chunk_id: str) -> dict[str, Any]:
        """Row of ``chunks`` of the whole of which a chunk is a part (``parent_child``); else its own."""
        chunk = self.chunk(chunk_id)
        return self.chunk(chunk["parent_chunk_id"]) if chunk["parent_chunk_id"] else chunk

    @cached_property
    def _tag_rows(self) -> dict[str, int]:
        return {c: i for i, c in enumerate(self.table(TAGS).column("chunk_id").to_pylist())}

    def tag(self, chunk_id: str) -> dict[str, Any]:
        """Row of ``tags`` by chunk id."""
        return self._row(TAGS, self._tag_rows[chunk_id])

    @cached_property
    def _provision_rows(self) -> dict[tuple[str, date | None], int]:
        provisions = self.table(PROVISIONS)
        versions = dates_in(provisions.column("version_date"))
        pairs = zip(provisions.column("provision_id").to_pylist(), versions, strict=True)
        return {pair: i for i, pair in enumerate(pairs)}

    def provision_row(self, provision_id: str, version: date | None) -> dict[str, Any]:
        """Row of ``provisions`` by id and version."""
        return self._row(PROVISIONS, self._provision_rows[provision_id, version])

    @cached_property
    def _act_rows(self) -> dict[tuple[str, date | None], dict[str, Any]]:
        documents = self.table(DOCUMENTS).select(["document_id", "verdict", "verdict_reason"]).to_pylist()
        read = {d["document_id"]: f"{d['verdict']}: {d['verdict_reason']}".strip(": ") for d in documents}
        rows = [
            a | {"jurisdiction": jurisdiction_of(a), "reading": read.get(a["document_id"], "")}
            for a in self.table(ACTS).to_pylist()
        ]
        return {(a["act_id"], a["version_date"]): a for a in rows}

    @cached_property
    def jurisdictions(self) -> dict[str, str]:
        """``central`` or the State of each Act by its id; empty if unknown."""
        return {act: row["jurisdiction"] for (act, _), row in self._act_rows.items()}

    def act(self, act_id: str, version: date | None) -> dict[str, Any]:
        """Row of ``acts`` by id and version."""
        return self._act_rows[act_id, version]

    @property
    def acts(self) -> list[dict[str, Any]]:
        """Rows of ``acts``, one a version."""
        return list(self._act_rows.values())

    def names(self) -> list[tuple[str, str, list[str]]]:
        """(act_id, title, other names) of each Act, once."""
        rows = {a["act_id"]: (a["act_id"], a["title"], a["aliases"]) for a in self._act_rows.values()}
        return list(rows.values())

    def last_day(self, act_id: str) -> date | None:
        """Last day on which an Act was law; None while it is, or where the registry does not say."""
        days = [a["in_force_to"] for (act, _), a in self._act_rows.items() if act == act_id]
        return max((day for day in days if day is not None), default=None)

    @cached_property
    def paths(self) -> dict[str, str]:
        """Path of each document's file in the corpus folder, as it was when the build was published."""
        return {s["document_id"]: s["path"] for s in self.table(SOURCES).to_pylist()}

    @cached_property
    def _layouts(self) -> dict[str, str]:
        return {d["document_id"]: d["layout"] for d in self.table(DOCUMENTS).to_pylist()}

    def shown_page(self, document_id: str, page: int) -> int:
        """A page as a person counts it; 0 of a document without pages."""
        return 0 if self._layouts.get(document_id) in WITHOUT_PAGES else page

    def anchor(self, document_id: str, page: int) -> str:
        """What follows the name of a file to lead to a page: ``#page=N``; empty if it has no pages."""
        layout = self._layouts.get(document_id, "")
        pattern = "" if layout in WITHOUT_PAGES else _ANCHORS.get(layout, "#page={}")
        return pattern.format(page)

    def link(self, document_id: str, page: int) -> str:
        """``file.pdf#page=N``, the file name as it was when the build was published."""
        return quote(self.paths.get(document_id, document_id), safe="/") + self.anchor(document_id, page)

    def file(self, document_id: str) -> Path | None:
        """The file of a document if one of its name is at hand; its bytes may be others by now."""
        name = self.paths.get(document_id)
        path = self.corpus / name if self.corpus and name else None
        return path if path and path.suffix.lower() != TEXTS_SUFFIX and path.is_file() else None

    @cached_property
    def _places(self) -> dict[str, tuple[str, tuple[str, int]]]:
        columns = self.table(CHUNKS).select(["chunk_id", "act_id", "document_id", "page_start"]).to_pydict()
        return {c: (a, (d, p)) for c, a, d, p in zip(*columns.values(), strict=True)}

    def place(self, chunk_id: str) -> tuple[str, tuple[str, int]]:
        """Act of a chunk, and the document and page on which it begins."""
        return self._places[chunk_id]

    def span(self, chunk_id: str) -> tuple[str, int, int]:
        """Document of a chunk, and where its text begins and ends in the running text."""
        chunk = self.chunk(chunk_id)
        return chunk["document_id"], chunk["char_start"], chunk["char_end"]

    def cited_span(self, chunk_id: str) -> tuple[str, int, int]:
        """Document of a chunk, and where the provision that it cites begins and ends; its own, if none."""
        chunk = self.chunk(chunk_id)
        if chunk["citation"] is None:
            return self.span(chunk_id)
        provision = self.provision_row(chunk["citation"], chunk["version_date"])
        return chunk["document_id"], provision["char_start"], provision["char_end"]

    @cached_property
    def texts_by_document(self) -> dict[str, list[tuple[int, str]]]:
        """Where each chunk of a document begins in the running text, and its text."""
        out: dict[str, list[tuple[int, str]]] = {}
        for row in self.table(CHUNKS).select(["document_id", "char_start", "text"]).to_pylist():
            out.setdefault(row["document_id"], []).append((row["char_start"], row["text"]))
        return out

    def source(self, chunk_id: str) -> tuple[str, int]:
        """File of a chunk as it was named when the build was published, and the page on which it begins."""
        _, (document_id, page) = self.place(chunk_id)
        return self.paths.get(document_id, document_id), page


def classified(
    table: pa.Table,
    lexicon: Lexicon,
    cited: Callable[[str, str, str | None], Sequence[str]],
) -> dict[str, dict[str, str]]:
    """What :meth:`PublishedBuild.attributes` gives, by provision id.

    ``lexicon``: names of the Acts, by which the law of an entry is found. ``cited``: as that of the build.
    """
    entries_by_provision: dict[str, dict[str, set[str]]] = {}
    for row in table.to_pylist():
        number = row["number"].split("(")[0]
        acts = {act for place in lexicon.find(row["law"]) for act in place.act_ids}
        for provision_id in [p for act in acts for p in cited("section", number, act)]:
            entries = entries_by_provision.setdefault(provision_id, {})
            for name in ATTRIBUTES:
                entries.setdefault(name, set()).add(row[name])
    return {
        provision_id: {
            name: next(iter(values)) if len(values) == 1 else "Varies"
            for name, values in entries.items()
            if "" not in values
        }
        for provision_id, entries in entries_by_provision.items()
    }
