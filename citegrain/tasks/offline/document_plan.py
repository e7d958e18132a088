"""What is known of one document of an index run: Acts, artefacts, what is embedded of it, and doubts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core import schemas
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import Artefact, RowStore
from citegrain.tasks.law.citations import PARAGRAPH, TEXT
from citegrain.tasks.law.in_force import noted_until
from citegrain.tasks.offline import chain, embed, parse, structure
from citegrain.tasks.offline.chunk import text_hash
from citegrain.tasks.offline.corpus import ActIdentity, Refusal, Registry, Source, identify
from citegrain.tasks.offline.document import ChunkContext, CorpusDocument, DocumentStage, Setup

_SAID_BY_ACT = (
    "act_id", "version_date", "version_evidence", "title", "number", "title_evidence", "page_start",
    "page_end", "kind", "document_type", "jurisdiction", "effective_date", "gazette_number", "source_url",
    "active", "language",
)  # fmt: skip
"""Columns of ``acts`` that are fields of an Act as it was identified."""

_UNNAMED = (("file_name", "act"), ("file_name", "other"))
_FEW = 25  # words; no Act, circular or order says anything in fewer
_LITTLE = 100  # characters that nothing claims and that are no loss: a heading


@dataclass(frozen=True)
class DocumentPlan:
    """One document on its way through the stages.

    ``files``: every file of the corpus with these bytes; the first gives the document its name. ``done``:
    artefact of each stage that is there. ``refusal``: why the document is not indexed; None if it is.
    ``repeats``: whether that is because another holds the same version of its Act. ``row``: of ``documents``,
    once it is parsed.
    """

    source: Source
    files: tuple[Source, ...]
    document: CorpusDocument
    setup: Setup
    done: Mapping[str, Artefact] = field(default_factory=dict)
    refusal: str | None = None
    repeats: bool = False
    row: Mapping[str, Any] | None = None

    @property
    def stages(self) -> list[DocumentStage]:
        """Those that the configuration asks for."""
        return [stage for stage in chain.DOCUMENT_STAGES if stage.chosen(self.setup)]

    @property
    def acts(self) -> tuple[ActIdentity, ...]:
        return self.document.acts

    @property
    def missing(self) -> list[str]:
        """Stages still to be made, in order."""
        return [] if self.refusal else [s.name for s in self.stages if s.name not in self.done]

    def with_artefact(self, stage: DocumentStage, artefact: Artefact) -> DocumentPlan:
        """The plan with the artefact of a stage, and with what it says of the document's Acts."""
        after = replace(self, done={**self.done, stage.name: artefact})
        if stage.name == parse.STAGE.name:
            return after._with_recognised_acts()
        return after._with_structured_acts() if stage.name == structure.STAGE.name else after

    def _with_recognised_acts(self) -> DocumentPlan:
        """With the Acts of a parsed document, or the reason why it is refused."""
        row = self.done[parse.STAGE.name].table(schemas.DOCUMENTS).to_pylist()[0]
        acts = identify(row, self.setup.registry, self.source.path.name)
        if isinstance(acts, Refusal):
            return replace(self, row=row, refusal=acts.reason)
        return replace(self, row=row, document=replace(self.document, acts=tuple(acts)))

    def _with_structured_acts(self) -> DocumentPlan:
        """Without the Acts in which no provision was found; a document without any is refused."""
        texts = self.done[structure.STAGE.name].table(schemas.TEXTS, ["act_id", "text"]).to_pylist()
        present = {row["act_id"] for row in texts}
        acts = tuple(act for act in self.acts if act.act_id in present)
        refusal = self.refusal if acts else "no paragraph of text in it"
        unnamed = all((act.kind, act.title_evidence) == ("other", "file_name") for act in acts)
        words = sum(len(row["text"].split()) for row in texts)
        if refusal is None and unnamed and words < _FEW and self._kinds == [PARAGRAPH]:
            refusal = f"too little text: {words} word{'s' * (words != 1)} in all"
        return replace(self, document=replace(self.document, acts=acts), refusal=refusal)

    @property
    def _context(self) -> ChunkContext | None:
        stages = (stage for stage in self.stages if stage.name in self.done)
        return next((stage.context for stage in stages if stage.context), None)

    @cached_property
    def before(self) -> Mapping[str, str]:
        """What stands before each searched chunk when it is embedded and indexed, by its id."""
        return self._context.before(self.done, self.setup) if self._context else {}

    @cached_property
    def layers(self) -> Mapping[str, Mapping[str, str]]:
        """Of each layer the text above each searched chunk that has one, by its id."""
        return self._context.layers(self.done, self.setup) if self._context else {}

    @property
    def warnings(self) -> list[str]:
        """What a user should know of it, one line each."""
        lines = list(self.row["warnings"]) if self.row else []
        if structure.STAGE.name in self.done:
            if self._kinds == [PARAGRAPH] and all(act.kind != "judgment" for act in self.acts):
                paged = self.row is None or self.row["layout"] not in schemas.WITHOUT_PAGES
                cited = "cited by paragraph and page" if paged else "cited by paragraph"
                lines.append(f"no sections, Articles or rules recognised: {cited}")
            elif any((act.title_evidence, act.kind) in _UNNAMED for act in self.acts) and (
                self.numbers and "1" not in self.numbers
            ):
                lines.append("section 1 is not there, and no page names the Act: join its parts to one PDF")
            lines += filter(None, map(self._stale_day, self.acts))
            lines += [row["model_note"] for row in self._reports if row["model_note"]]
        return lines

    def _stale_day(self, act: ActIdentity) -> str:
        """That an edition is later than the day which it prints, by the years of the Acts in its notes."""
        if act.version_evidence != "as_on":
            return ""
        table = self.done[structure.STAGE.name].table(schemas.PROVISIONS, ["act_id", "notes"])
        year, _ = noted_until(table.filter(pc.field("act_id") == act.act_id).to_pylist())
        stale = act.version_date and year > act.version_date.year
        return f"“As on” {act.version_date} is stale: its notes tell of an Act of {year}" if stale else ""

    @cached_property
    def provisions(self) -> pa.Table:
        """Act, kind and number of its provisions; a structured document is asked for them many times."""
        return self.done[structure.STAGE.name].table(schemas.PROVISIONS, ["act_id", "kind", "number"])

    @property
    def _kinds(self) -> list[str]:
        return list(self.provisions.column("kind").unique().to_pylist())

    @cached_property
    def read(self) -> tuple[int, int, int]:
        """How much of its first Act was read: numbered provisions, the better verdict, rows.

        Rows alone would prefer a damaged copy that is read by paragraphs, or in which parts stand twice.
        """
        rows = self.provisions["act_id"].to_pylist().count(self.acts[0].act_id)
        return len(self.numbers), -schemas.VERDICTS.index(self.verdict()[0]), rows

    @cached_property
    def numbers(self) -> set[str]:
        first = self.acts[0].act_id, self.acts[0].unit
        return {p["number"] for p in self.provisions.to_pylist() if (p["act_id"], p["kind"]) == first}

    @cached_property
    def searched_chunks(self) -> list[dict[str, Any]]:
        """Its chunks that are searched, with what late chunking asks of them."""
        columns = ["chunk_id", "indexed", "header", "text", "text_hash", "act_id", "citation", "unit_id"]
        table = self.done["chunk"].table(schemas.CHUNKS, [*columns, "char_start", "char_end"])
        return [row for row in table.to_pylist() if row["indexed"]]

    @cached_property
    def _reports(self) -> list[dict[str, Any]]:
        columns = ["verdict", "reason", "model_note"]
        rows: list[dict[str, Any]] = (
            self.done[structure.STAGE.name].table(schemas.REPORTS, columns).to_pylist()
        )
        return rows

    @property
    def account(self) -> str:
        """Where its characters went, in words; empty where all but a heading's worth is claimed."""
        if self.refusal or structure.STAGE.name not in self.done:
            return ""
        rows = self.done[structure.STAGE.name].table(schemas.COVERAGE, ["place", "n_chars"]).to_pylist()
        lost = sum(row["n_chars"] for row in rows if row["place"] == schemas.UNCLAIMED)
        return structure.account_in_words(rows) if lost > _LITTLE else ""

    def verdict(self) -> tuple[str, str]:
        """Whether its sections were read, and what speaks against it; of several Acts in it the worst."""
        if self.refusal or structure.STAGE.name not in self.done:
            return "", ""
        rows = [(row["verdict"], row["reason"]) for row in self._reports]
        return max(rows, key=lambda row: schemas.VERDICTS.index(row[0]), default=("", ""))

    def page_problems(self) -> list[tuple[str, str]]:
        """(pages, reason) of the pages that were not read, runs joined; none of a refused document."""
        if self.refusal or parse.STAGE.name not in self.done:
            return []
        out: list[tuple[int, int, str]] = []
        for row in self.done[parse.STAGE.name].table(schemas.PAGES, ["page", "status", "reason"]).to_pylist():
            if row["status"] in ("text", "ocr", "blank"):
                continue
            if out and out[-1][1] == row["page"] - 1 and out[-1][2] == row["reason"]:
                out[-1] = (out[-1][0], row["page"], row["reason"])
            else:
                out.append((row["page"], row["page"], row["reason"]))
        return [(str(a) if a == b else f"{a}-{b}", reason) for a, b, reason in out]


def document_acts(plan: DocumentPlan, registry: Registry) -> list[dict[str, Any]]:
    """Rows of ``acts`` of one document."""
    table, rows = plan.provisions.to_pydict(), []
    for act in plan.acts:
        entry = registry.acts.get(act.act_id)
        pairs = zip(table["act_id"], table["kind"], strict=True)
        commencement = act.effective_date if act.kind == "rules" else None
        of_registry = {
            "aliases": list(entry.aliases) if entry else [],
            "in_force_from": (entry and entry.in_force_from) or commencement,
            "in_force_to": entry.in_force_to if entry else None,
            "replaced_by": entry.replaced_by or None if entry else None,
            "staged": bool(entry and entry.staged),
            "amended_by": list(entry.amended_by) if entry else [],
        }
        sections = sum(a == act.act_id and k in (act.unit, TEXT, PARAGRAPH) for a, k in pairs)
        rows.append(
            {name: getattr(act, name) for name in _SAID_BY_ACT}
            | of_registry
            | {"document_id": plan.source.document_id, "n_sections": sections}
        )
    return rows


def vector_key(of_text: str, *added: str) -> str:
    """Key of the vector of a passage: the hash of its text, and of each thing added that is not empty."""
    for text in filter(None, added):
        of_text = hashlib.sha256(f"{of_text}\0{text}".encode()).hexdigest()
    return of_text


@dataclass(frozen=True)
class Representation:
    """How the searched chunks of documents are embedded.

    A chunk with a translation is embedded by that. Before it stands what a stage says of it, and it is read
    among other chunks where the encoder does late chunking. Token vectors are those of bare passages.
    """

    encoding: embed.Encoding
    english: Mapping[str, str] = field(default_factory=dict)
    tokens: bool = False

    @property
    def rows(self) -> RowStore:
        return self.encoding.token_rows if self.tokens else self.encoding.vector_rows

    def of_document(self, document: DocumentPlan) -> Iterator[tuple[str, str, embed.ChunkText]]:
        """Of each searched chunk its id, the key of its vector, and what is embedded of it."""
        late = "" if self.tokens else self.encoding.config.late
        before = {} if self.tokens else document.before
        contexts = embed.contexts_of(document.searched_chunks, late) if late else {}
        name_of = cache(digest)  # a context is as long as an Act, and that of all its chunks
        for row in document.searched_chunks:
            chunk, english = row["chunk_id"], self.english.get(row["text_hash"], "")
            passage = embed.ChunkText(row["header"], row["text"], *contexts.get(chunk, ()))
            if english:
                passage = embed.ChunkText("", english)
            context = f"{name_of(passage.context)} {passage.at}" if passage.context else ""
            prefix = before.get(chunk, "")
            yield chunk, vector_key(row["text_hash"], english, prefix, context), passage.behind(prefix)

    def passages(self, documents: Sequence[DocumentPlan]) -> dict[str, embed.ChunkText]:
        """What is embedded of all searched chunks, and of the layers above them, by the key of its vector."""
        passages = {key: passage for d in documents for _, key, passage in self.of_document(d)}
        layers = [] if self.tokens else [texts for d in documents for texts in d.layers.values()]
        texts = {text for by_chunk in layers for text in by_chunk.values()}
        return passages | {text_hash("", text): embed.ChunkText("", text) for text in texts}

    def missing(self, documents: Sequence[DocumentPlan]) -> dict[str, embed.ChunkText]:
        """Those of the passages that have no vector yet."""
        return embed.missing_passages(self.rows, self.passages(documents))

    def vector_keys(self, documents: Sequence[DocumentPlan]) -> dict[str, str]:
        """Key of the vector of each searched chunk, by its id."""
        return {chunk: key for d in documents for chunk, key, _ in self.of_document(d)}
