"""The plan of an index run: what is there already and what has to be made.

The plan is read off the store by walking each document's chain of keys. Behind
the first missing stage of a document the keys are not known yet: its later
stages are counted as missing, which makes the count an upper bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.schemas import CHUNKS, DOCUMENTS, PAGES, PROVISIONS, TEXTS
from citegrain.tasks.core.stage import Key, digest
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.offline import documents as chain
from citegrain.tasks.offline import embed, index
from citegrain.tasks.offline.corpus import ActIdentity, Refusal, Registry, Source, identify
from citegrain.tasks.offline.models import ModelFiles, Tokenizer
from citegrain.tasks.offline.tag import KnownActs

STAGES = ("parse", "structure", "chunk", "tag")


@dataclass
class DocumentPlan:
    """One document on its way through the stages.

    Attributes
    ----------
    files
        Every file of the corpus with these bytes; the first gives the document its name.
    done
        Artefact of each stage that is there.
    refusal
        Why the document is not indexed; None if it is.
    repeats
        Whether that is because another holds the same version of its Act.
    row
        Its row of ``documents``, once it is parsed.
    acts_settled
        Whether ``identities`` has been cut down to the Acts in which provisions were found.
    """

    source: Source
    files: list[Source]
    identities: list[ActIdentity] = field(default_factory=list)
    done: dict[str, Artefact] = field(default_factory=dict)
    refusal: str | None = None
    repeats: bool = False
    row: Mapping[str, Any] | None = None
    acts_settled: bool = False

    @property
    def missing(self) -> list[str]:
        """Stages still to be made, in order."""
        return [] if self.refusal else [s for s in STAGES if s not in self.done]

    @property
    def titles(self) -> dict[str, str]:
        """Short title of each of its Acts by act_id."""
        return {i.act_id: i.title for i in self.identities}


@dataclass
class Context:
    """What the stages of a run share.

    Attributes
    ----------
    stories
        The background stories.
    reader
        The model that encodes queries, where it is another than the passages'.
    publish
        Whether the build is made current when it is there.
    lay
        Lay texts of provisions: act, section, text.
    lay_files
        SHA-256 of each file they were read from.
    shipped
        Vectors of lay texts that ship with the model of the queries, by key.
    """

    settings: Settings
    store: Store
    registry: Registry
    known: KnownActs
    model: ModelFiles
    tokenizer: Tokenizer
    space: embed.VectorSpace
    stories: Sequence[str] = ()
    reader: ModelFiles | None = None
    publish: bool = True
    lay: Sequence[tuple[str, str, str]] = ()
    lay_files: Sequence[str] = ()
    shipped: Mapping[bytes, Any] = field(default_factory=dict)

    @property
    def query_space(self) -> str:
        """What the vectors of queries depend on beside their text."""
        return embed.query_space(self.space.digest, self.reader)


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


def begin(sources: Sequence[Source]) -> list[DocumentPlan]:
    """One plan a document; files with the same bytes are one document."""
    plans: dict[str, DocumentPlan] = {}
    out: list[DocumentPlan] = []
    for source in sources:
        if source.error:
            out.append(DocumentPlan(source, [source], refusal=source.error))
        elif source.document_id in plans:
            plans[source.document_id].files.append(source)
        else:
            plans[source.document_id] = DocumentPlan(source, [source])
            out.append(plans[source.document_id])
    return out


def advance(plan: DocumentPlan, context: Context) -> None:
    """Take up what the store holds of a document, stage by stage, up to the first that is missing."""
    settings, store = context.settings, context.store
    if plan.refusal:
        return
    if "parse" not in plan.done:
        found = store.find(chain.parse_key(plan.source.document_id, settings.parse))
        if found is None:
            return
        plan.done["parse"] = found
    if plan.row is None:
        plan.row = plan.done["parse"].table(DOCUMENTS).to_pylist()[0]
        named = identify(plan.row, context.registry, plan.source.path.name)
        if isinstance(named, Refusal):
            plan.refusal = named.reason
            return
        plan.identities = named
    if "structure" not in plan.done:
        spans = chain.act_spans(plan.identities)
        found = store.find(chain.structure_key(plan.done["parse"], spans, settings.structure))
        if found is None:
            return
        plan.done["structure"] = found
    if not plan.acts_settled and not _any_act_found(plan):
        return
    if "chunk" not in plan.done:
        key = chain.chunk_key(plan.done["structure"], plan.titles, context.tokenizer.sha256, settings.chunk)
        found = store.find(key)
        if found is None:
            return
        plan.done["chunk"] = found
    if "tag" not in plan.done:
        key = chain.tag_key(
            plan.done["structure"], plan.done["chunk"], plan.titles, context.known, settings.tag
        )
        found = store.find(key)
        if found is not None:
            plan.done["tag"] = found


def _any_act_found(plan: DocumentPlan) -> bool:
    """Drop Acts in which no provision was found; refuse a document without any."""
    plan.acts_settled = True
    found = set(plan.done["structure"].table(TEXTS, ["act_id"]).column(0).to_pylist())
    plan.identities = [i for i in plan.identities if i.act_id in found]
    if not plan.identities:
        plan.refusal = "no numbered sections or Articles found: not recognised as an Act"
    return bool(plan.identities)


def settle_duplicates(plans: Sequence[DocumentPlan]) -> None:
    """Refuse documents that hold an Act at a date another document holds already.

    Of several the one with most provisions stays, the first by name among equals. Where a
    document holds more Acts than one it is judged by its first.
    """
    held: dict[tuple[str, Any], DocumentPlan] = {}
    size: dict[str, int] = {}
    for plan in plans:
        if plan.refusal or "structure" not in plan.done:
            continue
        identity = plan.identities[0]
        rows = plan.done["structure"].table(PROVISIONS, ["provision_id"]).num_rows
        size[plan.source.document_id] = rows
        key = (identity.act_id, identity.version_date)
        other = held.get(key)
        if other is None:
            held[key] = plan
            continue
        keep, drop = (other, plan) if size[other.source.document_id] >= rows else (plan, other)
        dated = f" of {identity.version_date}" if identity.version_date else ""
        drop.repeats = True
        drop.refusal = f"the same Act and version{dated} as {keep.source.relative}: {identity.title}"
        held[key] = keep


def resolve(plans: list[DocumentPlan], context: Context) -> IndexPlan:
    """The plan of the whole run as the store stands."""
    for document in plans:
        advance(document, context)
    settle_duplicates(plans)
    plan = IndexPlan(plans)
    if not plan.indexed or any(d.missing for d in plan.indexed):
        return plan
    settings = context.settings
    rows = embed.vector_rows(settings.store_folder, context.space, context.model.dimension)
    texts = set(passages(plan))
    present = rows.keys()
    missing = texts - present
    if settings.embed.tokens:
        missing |= texts - embed.token_rows(settings.store_folder, context.space).keys()
    plan.missing_texts = len(missing)
    plan.key = build_key(plan, context)
    folder = settings.builds_folder / settings.corpus.name / plan.key.digest
    plan.build = folder if index.whole_build(folder) else None
    return plan


def passages(plan: IndexPlan) -> dict[str, embed.Passage]:
    """What is embedded of all searched chunks, by text hash."""
    texts: dict[str, embed.Passage] = {}
    for document in plan.indexed:
        table = document.done["chunk"].table(CHUNKS, ["indexed", "header", "text", "text_hash"])
        for row in table.to_pylist():
            if row["indexed"]:
                texts[row["text_hash"]] = embed.Passage(row["header"], row["text"])
    return texts


def act_rows(plan: IndexPlan, registry: Registry) -> list[dict[str, Any]]:
    """Rows of ``acts``: what the documents and the registry say of each Act."""
    rows = []
    for document in plan.indexed:
        table = document.done["structure"].table(PROVISIONS, ["act_id", "kind"]).to_pydict()
        for identity in document.identities:
            entry = registry.acts.get(identity.act_id)
            pairs = zip(table["act_id"], table["kind"], strict=True)
            rows.append(
                {
                    "act_id": identity.act_id,
                    "version_date": identity.version_date,
                    "version_evidence": identity.version_evidence,
                    "document_id": document.source.document_id,
                    "title": identity.title,
                    "number": identity.number,
                    "title_evidence": identity.title_evidence,
                    "aliases": list(entry.aliases) if entry else [],
                    "in_force_from": entry.in_force_from if entry else None,
                    "in_force_to": entry.in_force_to if entry else None,
                    "replaced_by": entry.replaced_by or None if entry else None,
                    "page_start": identity.page_start,
                    "n_sections": sum(a == identity.act_id and k in ("section", "article") for a, k in pairs),
                    "staged": bool(entry and entry.staged),
                }
            )
    return sorted(rows, key=lambda r: (r["act_id"], str(r["version_date"])))


def ordered(plan: IndexPlan) -> list[DocumentPlan]:
    """Indexed documents in the order of the build: by Act and version, never by file name."""
    return sorted(
        plan.indexed,
        key=lambda d: (d.identities[0].act_id, str(d.identities[0].version_date), d.source.document_id),
    )


def build_key(plan: IndexPlan, context: Context) -> Key:
    """Key of the build: all document artefacts, the vector space, the index parameters."""
    settings = context.settings
    params = asdict(settings.index) | {
        "tokens": settings.embed.tokens,
        "background": digest(context.stories),
        "acts": act_rows(plan, context.registry),
    }
    # their paths are in no key, and a build without them is what it was before there were any
    del params["expansion"]
    if context.lay_files:
        params["expansion"] = {"texts": digest(context.lay), "files": list(context.lay_files)}
    if context.shipped:  # in half precision: equal to those encoded here but for the last bits
        params["shipped"] = settings.embed.query_vectors_sha256
    contents = [[d.done[s].content for s in STAGES] for d in ordered(plan)]
    inputs = {"documents": contents, "vectors": context.space.digest, "queries": context.query_space}
    return index.STAGE.key(params, inputs)


def page_problems(plan: DocumentPlan) -> list[tuple[str, str]]:
    """(pages, reason) of the pages of an indexed document that were not read, runs joined."""
    if plan.refusal or "parse" not in plan.done:
        return []
    table = plan.done["parse"].table(PAGES, ["page", "status", "reason"]).to_pylist()
    out: list[tuple[int, int, str]] = []
    for row in table:
        if row["status"] in ("text", "ocr", "blank"):
            continue
        if out and out[-1][1] == row["page"] - 1 and out[-1][2] == row["reason"]:
            out[-1] = (out[-1][0], row["page"], row["reason"])
        else:
            out.append((row["page"], row["page"], row["reason"]))
    return [(str(a) if a == b else f"{a}-{b}", reason) for a, b, reason in out]
