"""The plan of an index run: what the store holds already and what has to be made.

The plan is read off the store by walking each document's chain of keys. Behind the first missing stage of
a document the keys are not known yet: its later stages are counted as missing, which makes the count an
upper bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from citegrain.tasks.core.stage import Key, digest
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.offline import chain, embed, graph, index, structure, summarise
from citegrain.tasks.offline.chunk import text_hash
from citegrain.tasks.offline.corpus import Registry, Source
from citegrain.tasks.offline.document import CorpusDocument, DocumentStage, Setup
from citegrain.tasks.offline.document_plan import DocumentPlan, document_acts
from citegrain.tasks.offline.embed import EmbedConfig, VectorSpace
from citegrain.tasks.offline.index import IndexConfig
from citegrain.tasks.offline.models import ModelFiles, Tokenizer
from citegrain.tasks.offline.translate import Translator, vector_key


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
    translator
        What translates passages in Hindi; None: they are searched as they are.
    also
        The same with each further encoder, by the name of its vector space.
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
    translator: Translator | None = None
    also: Mapping[str, BuildSetup] = field(default_factory=dict)

    @property
    def store(self) -> Path:
        """Folder of the artefact store."""
        return self.documents.store

    @property
    def model(self) -> ModelFiles:
        """The encoder of the passages."""
        return self.documents.model

    @property
    def tokens(self) -> bool:
        """Whether token vectors of the passages are needed."""
        return self.embed.tokens or self.index.colbert > 0

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
    translations
        English by text hash.
    untranslated
        Texts to be translated that never were; None while chunks are missing, or where nothing is.
    key
        Key of the build; None while anything before it is missing.
    build
        Folder of the build, if it is there and whole.
    """

    documents: list[DocumentPlan]
    missing_texts: int | None = None
    translations: dict[str, str] = field(default_factory=dict)
    untranslated: int | None = None
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
        return per_document + (2 if self.indexed else 0) + (self.untranslated is not None)

    @property
    def present(self) -> int:
        """Stage runs whose result is there."""
        per_document = sum(len(d.done) for d in self.documents)
        of_texts = (self.missing_texts == 0) + (self.untranslated == 0)
        return per_document + of_texts + (self.build is not None)

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

    def passages(self, prefixed: bool = True, late: str = "") -> dict[str, embed.Passage]:
        """What is embedded of all searched chunks, by the key of its vector.

        Parameters
        ----------
        prefixed
            Whether with the summaries that stand before them, and with those of the layers.
        late
            In what context each is read, see ``offline.embed.config.EmbedConfig``.
        """
        above = {of for texts in self.layers().values() for of in texts.values()} if prefixed else ()
        layers = {text_hash("", text): embed.Passage("", text) for text in above}
        return {key: passage for _, key, passage in self._embedded(prefixed, late)} | layers

    def layers(self) -> dict[str, dict[str, str]]:
        """Of each layer the summary above each searched chunk that has one, by its id."""
        levels = next((d.layers for d in self.indexed if d.layers), ())
        return {
            level: {c: text for d in self.indexed for c, text in d.summaries([level]).items() if text}
            for level in levels
        }

    def vector_keys(self, prefixed: bool = True, late: str = "") -> dict[str, str]:
        """Key of the vector of each searched chunk, by its id."""
        return {chunk: key for chunk, key, _ in self._embedded(prefixed, late)}

    def settled(self, config: IndexConfig) -> IndexConfig:
        """Parameters of ``index`` with the choice of ``auto`` in its place."""
        return config.settled(self.searched) if config.dense == "auto" else config

    @property
    def searched(self) -> int:
        """How many chunks are searched."""
        return sum(1 for _ in self._embedded(prefixed=False, late=""))

    def _embedded(self, prefixed: bool, late: str) -> Iterator[tuple[str, str, embed.Passage]]:
        """Of each searched chunk its id, the key of its vector, and what is embedded of it."""
        name_of = cache(digest)  # a context is as long as an Act, and that of all its chunks
        for document in self.indexed:
            for chunk, key, passage, prefix in _passages(document, late):
                english, before = self.translations.get(key, ""), prefix if prefixed else ""
                shown = embed.Passage("", english) if english else passage
                context = f"{name_of(shown.context)} {shown.at}" if shown.context else ""
                yield (
                    chunk,
                    vector_key(vector_key(vector_key(key, english), before), context),
                    shown.behind(before),
                )

    def prefixes(self) -> dict[str, str]:
        """What stands before each searched chunk when it is embedded and indexed, by its id."""
        return {chunk: text for document in self.indexed for chunk, text in document.prefixes().items()}

    def foreign(self) -> dict[str, str]:
        """Searched texts of the documents in Hindi, by text hash."""
        documents = [d for d in self.indexed if d.acts and d.acts[0].language == "hi"]
        return {key: passage.joined for document in documents for _, key, passage, _ in _passages(document)}

    def act_rows(self, registry: Registry) -> list[dict[str, Any]]:
        """Rows of ``acts``: what the documents and the registry say of each Act."""
        rows = [row for document in self.indexed for row in document_acts(document, registry)]
        return sorted(rows, key=lambda r: (r["act_id"], str(r["version_date"])))


def _passages(document: DocumentPlan, late: str = "") -> Iterator[tuple[str, str, embed.Passage, str]]:
    """The searched chunks of a document: id, text hash, text, and what stands before it."""
    prefixes, rows = document.prefixes(), document.searched_chunks
    contexts = embed.contexts_of(rows, late) if late else {}
    for row in rows:
        passage = embed.Passage(row["header"], row["text"], *contexts.get(row["chunk_id"], ()))
        yield row["chunk_id"], row["text_hash"], passage, prefixes.get(row["chunk_id"], "")


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
    plan.stages = [stage for stage in chain.DOCUMENT_STAGES if stage.chosen(setup)]
    summaries = setup.configs[summarise.STAGE.name]
    if summaries.method != "none":
        plan.prepend, plan.layers = summaries.prepend, summaries.layers
    for stage in plan.stages:
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
        rows = plan.provisions.num_rows
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
    if setup.translator and (foreign := plan.foreign()):
        plan.translations, plan.untranslated = setup.translator.kept(foreign)
    missing: set[str] = set()
    for of in (setup, *setup.also.values()):
        rows = embed.vector_rows(of.store, of.space, of.model.dimension)
        missing |= plan.passages(late=of.embed.late).keys() - rows.keys()
    if setup.tokens:
        missing |= plan.passages(prefixed=False).keys() - embed.token_rows(setup.store, setup.space).keys()
    plan.missing_texts = len(missing)
    plan.key = build_key(plan, setup)
    folder = setup.folder / plan.key.digest
    plan.build = folder if index.whole_build(folder) else None
    return plan


def build_key(plan: IndexPlan, setup: BuildSetup) -> Key:
    """Key of the build: all document artefacts, the vector space, the index parameters."""
    params = asdict(plan.settled(setup.index)) | {
        "tokens": setup.embed.tokens,
        "background": digest(setup.stories),
        "acts": plan.act_rows(setup.documents.registry),
        "over_all": {one.stage.name: one.stage.version for one in chain.CORPUS_STAGES},
    }
    # their paths are in no key, and a build without them is what it was before there were any
    del params["expansion"]
    if setup.lay_files:
        params["expansion"] = {"texts": digest(setup.lay), "files": list(setup.lay_files)}
    del params["relations"]
    if setup.index.relations:
        params["relations"] = [graph.RELATIONS_VERSION, *sorted(set(setup.index.relations))]
    del params["colbert"]
    if setup.index.colbert:
        params["colbert"] = [index.COLBERT_VERSION, setup.index.colbert]
    if setup.shipped:  # in half precision: equal to those encoded here but for the last bits
        params["shipped"] = setup.embed.query_vectors_sha256
    if prepend := next((list(d.prepend) for d in plan.indexed if d.prepend), []):
        params["prepend"] = prepend
    if layers := next((list(d.layers) for d in plan.indexed if d.layers), []):
        params["layers"] = layers
    if setup.also:
        params["also"] = {name: [of.space.digest, of.query_space] for name, of in setup.also.items()}
    if plan.translations:
        params["translations"] = digest(plan.translations)
    contents = [[d.done[s.name].content for s in d.stages] for d in plan.ordered]
    inputs = {"documents": contents, "vectors": setup.space.digest, "queries": setup.query_space}
    return index.STAGE.key(params, inputs)
