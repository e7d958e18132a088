"""The plan of an index run: what the store holds already and what has to be made.

The plan is read off the store by walking each document's chain of keys. Behind the first missing stage of
a document the keys are not known yet: its later stages are counted as missing, which makes the count an
upper bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from citegrain.tasks.core.errors import printable
from citegrain.tasks.core.stage import Key, digest
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.core.tables import grouped
from citegrain.tasks.law.citations import TEXT_CORPUS
from citegrain.tasks.offline import chain, embed, index, parse, structure
from citegrain.tasks.offline.corpus import Registry, Source
from citegrain.tasks.offline.document import BuildPart, CorpusDocument, DocumentStage, Setup
from citegrain.tasks.offline.document_plan import DocumentPlan, Representation, document_acts
from citegrain.tasks.offline.embed import Encoding
from citegrain.tasks.offline.index import IndexConfig
from citegrain.tasks.offline.translate import Translator


@dataclass(frozen=True)
class CorpusPaths:
    """Where a corpus is; each path is absolute.

    ``kind``: ``folder``, ``demo``, ``texts``, ``http`` or ``published``. ``folder``: of its documents; of
    ``texts`` their file. ``builds``: folder of the builds of its name. ``sources``: list of the URLs of a
    corpus over HTTP. ``recipe``: what the demo corpus is typeset from.
    """

    kind: str
    folder: Path
    builds: Path
    registry: Path
    sources: Path
    recipe: Path

    @property
    def noted(self) -> Path | None:
        """Folder of the PDFs, noted beside the builds; None where there are none."""
        return None if self.kind == "texts" else self.folder.resolve()


@dataclass(frozen=True)
class BuildSetup:
    """What the build of a run is made with, beside the setup of its documents.

    ``encodings``: the encoder of the passages, under the empty name, and further ones by the names of their
    spaces. ``lay``: lay texts (act, section, text) of any Acts; a build has those of its own. ``shipped``:
    vectors of lay texts that ship with the model of the queries, by key. ``overrides``: of the configuration,
    noted beside the build.
    """

    documents: Setup
    name: str
    folder: Path
    index: IndexConfig
    encodings: Mapping[str, Encoding]
    corpus: CorpusPaths
    stories: Sequence[str] = ()
    lay: Sequence[tuple[str, str, str]] | None = None
    shipped: Mapping[bytes, Any] = field(default_factory=dict)
    publish: bool = True
    translator: Translator | None = None
    overrides: Sequence[str] = ()

    @property
    def store(self) -> Path:
        return self.documents.store

    @property
    def encoding(self) -> Encoding:
        return self.encodings[""]

    @property
    def further_encodings(self) -> dict[str, Encoding]:
        return {name: encoding for name, encoding in self.encodings.items() if name}

    @property
    def tokens(self) -> bool:
        """Whether token vectors of the passages are needed."""
        return self.encoding.config.tokens or self.index.colbert > 0

    def lay_of(self, acts: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
        """The lay texts of rows of ``acts``; any label may be the id of a record of a corpus of texts."""
        ids = {act["act_id"] for act in acts}
        return [one for one in self.lay or () if one[0] in ids or TEXT_CORPUS in ids]

    @property
    def parts(self) -> dict[str, BuildPart]:
        """The parts of the build that its configuration asks for, by the parameter that does."""
        return chain.build_parts(asdict(self.index))


@dataclass(frozen=True)
class IndexPlan:
    """The plan of a run.

    ``missing_texts``: texts without a vector. ``translations``: English by text hash. ``untranslated``: texts
    to be translated that never were; None where nothing is. ``key``: of the build. All are None while chunks
    are missing. ``build``: its folder, if it is there and whole.
    """

    documents: Sequence[DocumentPlan]
    missing_texts: int | None = None
    translations: Mapping[str, str] = field(default_factory=dict)
    untranslated: int | None = None
    key: Key | None = None
    build: Path | None = None

    @property
    def indexed(self) -> list[DocumentPlan]:
        return [d for d in self.documents if d.refusal is None]

    @property
    def ordered(self) -> list[DocumentPlan]:
        """Indexed documents in the order of the build: by Act and version, never by file name."""
        return sorted(
            self.indexed,
            key=lambda d: (d.acts[0].act_id, str(d.acts[0].version_date), d.source.document_id),
        )

    def jobs(self, stage: DocumentStage) -> dict[str, tuple[CorpusDocument, Mapping[str, Artefact]]]:
        """What a stage is run on, by document_id: documents that need it, the largest file first."""
        missing = [d for d in self.documents if stage.name in d.missing]
        ready = [d for d in missing if all(name in d.done for name in stage.reads)]
        return {
            d.source.document_id: (d.document, {name: d.done[name] for name in stage.reads})
            for d in sorted(ready, key=lambda d: _file_size(d.source.path), reverse=True)
        }

    def with_outcomes(self, stage: DocumentStage, outcomes: Mapping[str, Artefact | str]) -> IndexPlan:
        """The plan after a stage's jobs: with their artefacts, or the reason why a document has none."""

        def after(document: DocumentPlan) -> DocumentPlan:
            outcome = outcomes.get(document.source.document_id)
            if isinstance(outcome, str):
                return replace(document, refusal=f"{stage.name}: {outcome}")
            if outcome is None or document.refusal is not None:
                return document
            return document.with_artefact(stage, outcome)

        return replace(self, documents=list(map(after, self.documents))).advanced()

    def advanced(self) -> IndexPlan:
        """The plan with all that the store holds, and without documents that another one repeats."""
        return replace(self, documents=_without_repeats(list(map(_advanced, self.documents))))

    @property
    def stage_runs(self) -> int:
        """Stage runs of the whole index: those keyed by document, ``embed`` and ``index``."""
        per_document = sum(len(d.done) + len(d.missing) for d in self.documents)
        return per_document + (2 if self.indexed else 0) + (self.untranslated is not None)

    @property
    def present(self) -> int:
        """Stage runs whose result is there."""
        per_document = sum(len(d.done) for d in self.documents)
        of_texts = (self.missing_texts == 0) + (self.untranslated == 0)
        return per_document + of_texts + (self.build is not None)

    @property
    def complete(self) -> bool:
        return self.stage_runs == self.present

    @property
    def in_words(self) -> str:
        return (
            f"1 configuration, {self.stage_runs} stage runs, {self.present} already present"
            f"{'' if self.complete else f', {self.stage_runs - self.present} to make'}"
        )

    def representations(self, setup: BuildSetup) -> list[Representation]:
        """How its chunks are embedded: by each encoder, and by the first as token vectors where needed."""
        vectors = [Representation(encoding, self.translations) for encoding in setup.encodings.values()]
        if not setup.tokens:
            return vectors
        return [*vectors, Representation(setup.encoding, self.translations, tokens=True)]

    @property
    def layers(self) -> dict[str, dict[str, str]]:
        """Of each layer the text above each searched chunk that has one, by its id."""
        layers: dict[str, dict[str, str]] = {}
        for document in self.indexed:
            for level, texts in document.layers.items():
                layers.setdefault(level, {}).update(texts)
        return layers

    @property
    def searched(self) -> int:
        return sum(len(document.searched_chunks) for document in self.indexed)

    def foreign(self) -> dict[str, str]:
        """Searched texts of the documents in Hindi, by text hash."""
        documents = [d for d in self.indexed if d.acts and d.acts[0].language == "hi"]
        return {
            row["text_hash"]: f"{row['header']}\n{row['text']}" if row["header"] else row["text"]
            for document in documents
            for row in document.searched_chunks
        }

    def act_rows(self, registry: Registry) -> list[dict[str, Any]]:
        """Rows of ``acts``: what the documents and the registry say of each Act."""
        rows = [row for document in self.indexed for row in document_acts(document, registry)]
        return sorted(rows, key=lambda r: (r["act_id"], str(r["version_date"])))


def _file_size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def new_plan(sources: Sequence[Source], setup: Setup) -> IndexPlan:
    """A plan in which nothing is known yet; files with the same bytes are one document.

    Its name and form are those of the first that no link leads to, of a PDF by the first that is named so.
    """
    files = grouped((f"error {n}" if s.error else s.document_id, s) for n, s in enumerate(sources))
    return IndexPlan(
        [
            DocumentPlan(
                first,
                tuple(same),
                CorpusDocument(first.document_id, first.path),
                setup,
                refusal=first.error or None,
            )
            for group in files.values()
            for same in [sorted(group, key=_rank_as_name) if len(group) > 1 else group]
            for first in same[:1]
        ]
    )


def _rank_as_name(source: Source) -> tuple[bool, bool]:
    """Sorts the files that should not name a document behind the others: misnamed ones, then links."""
    steps = (source.path, *source.path.parents)[: len(Path(source.relative).parts)]
    misnamed = False
    with suppress(OSError), source.path.open("rb") as file:  # of a corpus that is at hand
        misnamed = parse.is_pdf(file.read(1024)) != (source.path.suffix.lower() == ".pdf")
    return misnamed, any(step.is_symlink() for step in steps)


def _advanced(plan: DocumentPlan) -> DocumentPlan:
    """A document with what the store holds of it, stage by stage, up to the first that is missing."""
    store = Store(plan.setup.store)
    for stage in plan.stages:
        if plan.refusal:
            break
        if stage.name not in plan.done:
            artefact = store.find(stage.key(plan.document, plan.done, plan.setup))
            if artefact is None:
                break
            plan = plan.with_artefact(stage, artefact)
    return plan


def _without_repeats(plans: Sequence[DocumentPlan]) -> list[DocumentPlan]:
    """Refuse documents that hold an Act at a date another document holds already.

    Of several that stays of which most was read (:attr:`DocumentPlan.read`), the first by name among
    equals. Where a document holds more Acts than one it is judged by its first.
    """
    holders: dict[tuple[str, Any], DocumentPlan] = {}
    refused: dict[str, DocumentPlan] = {}
    for plan in plans:
        if plan.refusal or structure.STAGE.name not in plan.done:
            continue
        key = (plan.acts[0].act_id, plan.acts[0].version_date)
        before = holders.setdefault(key, plan)
        if before is plan:
            continue
        holder, repeat = (plan, before) if plan.read > before.read else (before, plan)
        holders[key] = holder
        refused[repeat.source.document_id] = _refused_as_repeat(repeat, holder, plan.acts[0].title)
    return [refused.get(plan.source.document_id, plan) if not plan.refusal else plan for plan in plans]


def _refused_as_repeat(repeat: DocumentPlan, holder: DocumentPlan, title: str) -> DocumentPlan:
    act = holder.acts[0]
    dated = f" of {act.version_date}" if act.version_date else ""
    other_language = act.language != repeat.acts[0].language
    why = " in another language; index it under another corpus.name" if other_language else ""
    if len(repeat.numbers & holder.numbers) <= 1 < len(repeat.numbers):
        why = ", though its sections are others; join the parts of an Act to one PDF"
    reason = f"the same Act and version{dated} as {printable(holder.source.relative)}{why}: {title}"
    return replace(repeat, repeats=True, refusal=reason)


def resolve(plan: IndexPlan, setup: BuildSetup) -> IndexPlan:
    """The plan as the store stands."""
    plan = plan.advanced()
    documents = plan.indexed
    if not documents or any(d.missing for d in documents):
        return plan
    if setup.translator and (foreign := plan.foreign()):
        translations, untranslated = setup.translator.cached(foreign)
        plan = replace(plan, translations=translations, untranslated=untranslated)
    missing = {key for how in plan.representations(setup) for key in how.missing(documents)}
    key = build_key(plan, setup)
    folder = setup.folder / key.digest
    build = folder if index.complete_build(folder) else None
    return replace(plan, missing_texts=len(missing), key=key, build=build)


def build_key(plan: IndexPlan, setup: BuildSetup) -> Key:
    """Key of the build: all document artefacts, the vector space, the index parameters."""
    acts = plan.act_rows(setup.documents.registry)
    lay = setup.lay_of(acts)
    params = asdict(setup.index.settled(plan.searched)) | {
        "tokens": setup.encoding.config.tokens,
        "background": digest(setup.stories),
        "acts": acts,
        "over_all": {one.stage.name: one.stage.version for one in chain.CORPUS_STAGES},
    }
    # their paths are in no key, and a build without them is what it was before there were any
    del params["expansion"]
    if setup.lay is not None:
        params["expansion"] = digest(lay)
    chosen = {name: params.pop(name) for name in chain.PARTS}
    params |= {name: list(part.parameters(chosen[name])) for name, part in setup.parts.items()}
    if setup.shipped:  # in half precision: equal to those encoded here but for the last bits
        texts = (*setup.stories, *(text for _, _, text in lay))
        prefix = setup.encoding.config.query_prefix
        params["shipped"] = embed.shipped_digest(setup.shipped, [prefix + text for text in texts])
    for stage in chain.DOCUMENT_STAGES:
        if stage.context and stage.chosen(setup.documents):
            params |= stage.context.parameters(setup.documents)
    if also := setup.further_encodings:
        params["also"] = {name: [e.space.digest, e.query_space] for name, e in also.items()}
    if plan.translations:
        params["translations"] = digest(plan.translations)
    contents = [[d.done[s.name].content for s in d.stages] for d in plan.ordered]
    encoding = setup.encoding
    inputs = {"documents": contents, "vectors": encoding.space.digest, "queries": encoding.query_space}
    return index.STAGE.key(params, inputs)
