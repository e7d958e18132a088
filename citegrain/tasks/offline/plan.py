"""The plan of an index run: what the store holds already and what has to be made.

The plan is read off the store by walking each document's chain of keys. Behind the first missing stage of
a document the keys are not known yet: its later stages are counted as missing, which makes the count an
upper bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from citegrain.tasks.core.schemas import CHUNKS, DOCUMENTS, PAGES, PROVISIONS, REPORTS, TEXTS, VERDICTS
from citegrain.tasks.core.stage import Key, digest
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.law.citations import PARAGRAPH, TEXT
from citegrain.tasks.offline import chain, embed, index, parse, structure
from citegrain.tasks.offline.corpus import ActEntry, ActIdentity, Refusal, Registry, Source, identify
from citegrain.tasks.offline.document import CorpusDocument, DocumentStage, Setup
from citegrain.tasks.offline.embed import EmbedConfig, VectorSpace
from citegrain.tasks.offline.index import IndexConfig
from citegrain.tasks.offline.models import ModelFiles, Tokenizer


@dataclass(frozen=True)
class BuildSetup:
    """What the build of a run is made with, beside the setup of its documents.

    Attributes
    ----------
    name
        Of the corpus.
    folder
        Of the builds of this name.
    corpus
        Folder of the PDFs, noted beside the builds; None where there are none.
    threads
        Of the encoder; 0: one a core.
    stories
        The background stories.
    reader
        The model that encodes queries, where it is another than the passages'.
    lay
        Lay texts of provisions: act, section, text.
    lay_files
        SHA-256 of each file they were read from.
    shipped
        Vectors of lay texts that ship with the model of the queries, by key.
    publish
        Whether the build is made current when it is there.
    """

    documents: Setup
    name: str
    folder: Path
    embed: EmbedConfig
    index: IndexConfig
    tokenizer: Tokenizer
    space: VectorSpace
    corpus: Path | None = None
    threads: int = 0
    stories: Sequence[str] = ()
    reader: ModelFiles | None = None
    lay: Sequence[tuple[str, str, str]] = ()
    lay_files: Sequence[str] = ()
    shipped: Mapping[bytes, Any] = field(default_factory=dict)
    publish: bool = True

    @property
    def store(self) -> Path:
        """Folder of the artefact store."""
        return self.documents.store

    @property
    def model(self) -> ModelFiles:
        """The encoder of the passages."""
        return self.documents.model

    @property
    def query_space(self) -> str:
        """What the vectors of queries depend on beside their text."""
        return embed.query_space(self.space.digest, self.reader)


@dataclass
class DocumentPlan:
    """One document on its way through the stages.

    Attributes
    ----------
    files
        Every file of the corpus with these bytes; the first gives the document its name.
    document
        What the stages read of it.
    done
        Artefact of each stage that is there.
    refusal
        Why the document is not indexed; None if it is.
    repeats
        Whether that is because another holds the same version of its Act.
    row
        Its row of ``documents``, once it is parsed.
    """

    source: Source
    files: list[Source]
    document: CorpusDocument
    done: dict[str, Artefact] = field(default_factory=dict)
    refusal: str | None = None
    repeats: bool = False
    row: Mapping[str, Any] | None = None

    @property
    def acts(self) -> tuple[ActIdentity, ...]:
        """The Acts in it, once they are recognised."""
        return self.document.acts

    @property
    def missing(self) -> list[str]:
        """Stages still to be made, in order."""
        return [] if self.refusal else [s.name for s in chain.DOCUMENT_STAGES if s.name not in self.done]

    def ready_for(self, stage: DocumentStage) -> bool:
        """Whether a stage is missing and all that it reads is there."""
        return stage.name in self.missing and all(name in self.done for name in stage.reads)

    def take(self, stage: DocumentStage, artefact: Artefact, registry: Registry) -> None:
        """Note the artefact of a stage, and what it says of the document's Acts."""
        self.done[stage.name] = artefact
        if stage.name == parse.STAGE.name:
            self._recognise_acts(registry)
        elif stage.name == structure.STAGE.name:
            self._keep_acts_with_provisions()

    def _recognise_acts(self, registry: Registry) -> None:
        """Note the Acts of a parsed document, or why it is refused."""
        self.row = self.done[parse.STAGE.name].table(DOCUMENTS).to_pylist()[0]
        acts = identify(self.row, registry, self.source.path.name)
        if isinstance(acts, Refusal):
            self.refusal = acts.reason
        else:
            self.document = replace(self.document, acts=tuple(acts))

    def _keep_acts_with_provisions(self) -> None:
        """Drop Acts in which no provision was found; refuse a document without any."""
        present = set(self.done[structure.STAGE.name].table(TEXTS, ["act_id"]).column(0).to_pylist())
        self.document = replace(self.document, acts=tuple(a for a in self.acts if a.act_id in present))
        if not self.acts:
            self.refusal = "no paragraph of text in it"

    @property
    def warnings(self) -> list[str]:
        """What a user should know of it, one line each."""
        lines = list(self.row["warnings"]) if self.row else []
        if structure.STAGE.name in self.done:
            kinds = self.done[structure.STAGE.name].table(PROVISIONS, ["kind"]).column(0).unique().to_pylist()
            if kinds == [PARAGRAPH] and all(act.kind != "judgment" for act in self.acts):
                lines.append("no sections, Articles or rules recognised: cited by paragraph and page")
        return lines

    def verdict(self) -> tuple[str, str]:
        """Whether its sections were read, and what speaks against it; of several Acts in it the worst."""
        if self.refusal or structure.STAGE.name not in self.done:
            return "", ""
        table = self.done[structure.STAGE.name].table(REPORTS, ["verdict", "reason"])
        rows = [(row["verdict"], row["reason"]) for row in table.to_pylist()]
        return max(rows, key=lambda row: VERDICTS.index(row[0]), default=("", ""))

    def page_problems(self) -> list[tuple[str, str]]:
        """(pages, reason) of the pages that were not read, runs joined; none of a refused document."""
        if self.refusal or parse.STAGE.name not in self.done:
            return []
        out: list[tuple[int, int, str]] = []
        for row in self.done[parse.STAGE.name].table(PAGES, ["page", "status", "reason"]).to_pylist():
            if row["status"] in ("text", "ocr", "blank"):
                continue
            if out and out[-1][1] == row["page"] - 1 and out[-1][2] == row["reason"]:
                out[-1] = (out[-1][0], row["page"], row["reason"])
            else:
                out.append((row["page"], row["page"], row["reason"]))
        return [(str(a) if a == b else f"{a}-{b}", reason) for a, b, reason in out]


@dataclass
class IndexPlan:
    """The plan of a run.

    Attributes
    ----------
    missing_texts
        Texts without a vector; None while chunks are missing.
    key
        Key of the build; None while anything before it is missing.
    build
        Folder of the build, if it is there and whole.
    """

    documents: list[DocumentPlan]
    missing_texts: int | None = None
    key: Key | None = None
    build: Path | None = None

    @property
    def indexed(self) -> list[DocumentPlan]:
        """Documents that are not refused."""
        return [d for d in self.documents if d.refusal is None]

    @property
    def ordered(self) -> list[DocumentPlan]:
        """Indexed documents in the order of the build: by Act and version, never by file name."""
        return sorted(
            self.indexed,
            key=lambda d: (d.acts[0].act_id, str(d.acts[0].version_date), d.source.document_id),
        )

    def jobs(self, stage: DocumentStage) -> dict[str, tuple[CorpusDocument, dict[str, Artefact]]]:
        """What a stage is run on, by document_id: documents that need it, the largest file first."""
        ready = [d for d in self.documents if d.ready_for(stage)]
        return {
            d.source.document_id: (d.document, {name: d.done[name] for name in stage.reads})
            for d in sorted(ready, key=lambda d: _file_size(d.source.path), reverse=True)
        }

    def take(self, stage: DocumentStage, outcomes: Mapping[str, Artefact | str], setup: Setup) -> None:
        """Note what became of a stage's jobs: artefacts, or the reason why a document has none."""
        for document in self.documents:
            outcome = outcomes.get(document.source.document_id)
            if isinstance(outcome, str):
                document.refusal = f"{stage.name}: {outcome}"
            elif outcome is not None and document.refusal is None:
                document.take(stage, outcome, setup.registry)
        self.settle(setup)

    def settle(self, setup: Setup) -> None:
        """Bring all documents up to date with the store, and refuse those that another one repeats."""
        for document in self.documents:
            advance(document, setup)
        _refuse_repeats(self.documents)

    @property
    def stage_runs(self) -> int:
        """Stage runs of the whole index: those keyed by document, ``embed`` and ``index``."""
        per_document = sum(len(d.done) + len(d.missing) for d in self.documents)
        return per_document + (2 if self.indexed else 0)

    @property
    def present(self) -> int:
        """Stage runs whose result is there."""
        per_document = sum(len(d.done) for d in self.documents)
        return per_document + (self.missing_texts == 0) + (self.build is not None)

    @property
    def complete(self) -> bool:
        """Whether nothing has to be made."""
        return self.stage_runs == self.present

    def line(self) -> str:
        """The plan in one line."""
        return (
            f"1 configuration, {self.stage_runs} stage runs, {self.present} already present"
            f"{'' if self.complete else f', {self.stage_runs - self.present} to make'}"
        )

    def passages(self) -> dict[str, embed.Passage]:
        """What is embedded of all searched chunks, by text hash."""
        texts: dict[str, embed.Passage] = {}
        for document in self.indexed:
            table = document.done["chunk"].table(CHUNKS, ["indexed", "header", "text", "text_hash"])
            for row in table.to_pylist():
                if row["indexed"]:
                    texts[row["text_hash"]] = embed.Passage(row["header"], row["text"])
        return texts

    def act_rows(self, registry: Registry) -> list[dict[str, Any]]:
        """Rows of ``acts``: what the documents and the registry say of each Act."""
        rows = [row for document in self.indexed for row in document_acts(document, registry)]
        return sorted(rows, key=lambda r: (r["act_id"], str(r["version_date"])))


def _file_size(path: Path) -> int:
    """Bytes of a file; 0 where it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def begin(sources: Sequence[Source]) -> IndexPlan:
    """A plan in which nothing is known yet; files with the same bytes are one document."""
    plans: dict[str, DocumentPlan] = {}
    out: list[DocumentPlan] = []
    for source in sources:
        plan = DocumentPlan(source, [source], CorpusDocument(source.document_id, source.path))
        if source.error:
            plan.refusal = source.error
            out.append(plan)
        elif source.document_id in plans:
            plans[source.document_id].files.append(source)
        else:
            plans[source.document_id] = plan
            out.append(plan)
    return IndexPlan(out)


def advance(plan: DocumentPlan, setup: Setup) -> None:
    """Take up what the store holds of a document, stage by stage, up to the first that is missing."""
    store = Store(setup.store)
    for stage in chain.DOCUMENT_STAGES:
        if plan.refusal:
            return
        if stage.name not in plan.done:
            artefact = store.find(stage.key(plan.document, plan.done, setup))
            if artefact is None:
                return
            plan.take(stage, artefact, setup.registry)


def _refuse_repeats(plans: Sequence[DocumentPlan]) -> None:
    """Refuse documents that hold an Act at a date another document holds already.

    Of several the one with most provisions stays, the first by name among equals. Where a
    document holds more Acts than one it is judged by its first.
    """
    kept: dict[tuple[str, Any], DocumentPlan] = {}
    size: dict[str, int] = {}
    for plan in plans:
        if plan.refusal or structure.STAGE.name not in plan.done:
            continue
        act = plan.acts[0]
        rows = plan.done[structure.STAGE.name].table(PROVISIONS, ["provision_id"]).num_rows
        size[plan.source.document_id] = rows
        key = (act.act_id, act.version_date)
        other = kept.get(key)
        if other is None:
            kept[key] = plan
            continue
        keep, drop = (other, plan) if size[other.source.document_id] >= rows else (plan, other)
        dated = f" of {act.version_date}" if act.version_date else ""
        drop.repeats = True
        other_language = keep.acts[0].language != drop.acts[0].language
        why = " in another language; index it under another corpus.name" if other_language else ""
        drop.refusal = f"the same Act and version{dated} as {keep.source.relative}{why}: {act.title}"
        kept[key] = keep


def resolve(plan: IndexPlan, setup: BuildSetup) -> IndexPlan:
    """The plan as the store stands: brought up to date in place, and returned."""
    plan.settle(setup.documents)
    if not plan.indexed or any(d.missing for d in plan.indexed):
        return plan
    rows = embed.vector_rows(setup.store, setup.space, setup.model.dimension)
    texts = set(plan.passages())
    missing = texts - rows.keys()
    if setup.embed.tokens:
        missing |= texts - embed.token_rows(setup.store, setup.space).keys()
    plan.missing_texts = len(missing)
    plan.key = build_key(plan, setup)
    folder = setup.folder / plan.key.digest
    plan.build = folder if index.whole_build(folder) else None
    return plan


def build_key(plan: IndexPlan, setup: BuildSetup) -> Key:
    """Key of the build: all document artefacts, the vector space, the index parameters."""
    params = asdict(setup.index) | {
        "tokens": setup.embed.tokens,
        "background": digest(setup.stories),
        "acts": plan.act_rows(setup.documents.registry),
    }
    # their paths are in no key, and a build without them is what it was before there were any
    del params["expansion"]
    if setup.lay_files:
        params["expansion"] = {"texts": digest(setup.lay), "files": list(setup.lay_files)}
    if setup.shipped:  # in half precision: equal to those encoded here but for the last bits
        params["shipped"] = setup.embed.query_vectors_sha256
    contents = [[d.done[s.name].content for s in chain.DOCUMENT_STAGES] for d in plan.ordered]
    inputs = {"documents": contents, "vectors": setup.space.digest, "queries": setup.query_space}
    return index.STAGE.key(params, inputs)


def _commencement(act: ActIdentity, entry: ActEntry | None) -> date | None:
    """First day in force; rules say theirs themselves."""
    if entry and entry.in_force_from:
        return entry.in_force_from
    return act.effective_date if act.kind == "rules" else None


def document_acts(plan: DocumentPlan, registry: Registry) -> list[dict[str, Any]]:
    """Rows of ``acts`` of one document."""
    table = plan.done[structure.STAGE.name].table(PROVISIONS, ["act_id", "kind"]).to_pydict()
    rows = []
    for act in plan.acts:
        entry = registry.acts.get(act.act_id)
        pairs = zip(table["act_id"], table["kind"], strict=True)
        rows.append(
            {
                "act_id": act.act_id,
                "version_date": act.version_date,
                "version_evidence": act.version_evidence,
                "document_id": plan.source.document_id,
                "title": act.title,
                "number": act.number,
                "title_evidence": act.title_evidence,
                "aliases": list(entry.aliases) if entry else [],
                "in_force_from": _commencement(act, entry),
                "in_force_to": entry.in_force_to if entry else None,
                "replaced_by": entry.replaced_by or None if entry else None,
                "page_start": act.page_start,
                "page_end": act.page_end,
                "n_sections": sum(a == act.act_id and k in (act.unit, TEXT, PARAGRAPH) for a, k in pairs),
                "kind": act.kind,
                "document_type": act.document_type,
                "jurisdiction": act.jurisdiction,
                "effective_date": act.effective_date,
                "gazette_number": act.gazette_number,
                "source_url": act.source_url,
                "active": act.active,
                "language": act.language,
                "staged": bool(entry and entry.staged),
            }
        )
    return rows
