"""What an index run reads before anything is made: registry, models, lay texts, documents.

A corpus over HTTP is fetched into its folder here: the only place where a run goes out for documents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citegrain.flows.shared.asking import endpoint_of
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings, indexing_overrides
from citegrain.tasks.core.errors import printable
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import PROVISIONS, SOURCES, WITHOUT_PAGES
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.evaluation.benchmark import load_benchmark
from citegrain.tasks.law.citations import Citations
from citegrain.tasks.offline import embed, index
from citegrain.tasks.offline.corpus import (
    REGISTRY,
    CorpusError,
    Registry,
    Source,
    find_sources,
    load_registry,
    text_source,
    typeset_demo,
)
from citegrain.tasks.offline.corpus.remote import (
    FetchedDocument,
    HttpConfig,
    Secret,
    listed_sources,
    read_list,
    refresh,
)
from citegrain.tasks.offline.document import Setup
from citegrain.tasks.offline.document_plan import DocumentPlan, document_acts
from citegrain.tasks.offline.embed import EmbedConfig, Encoding
from citegrain.tasks.offline.lay_texts import LAY_TEXTS
from citegrain.tasks.offline.models import ModelError, Tokenizer, find_model
from citegrain.tasks.offline.plan import BuildSetup, CorpusPaths, IndexPlan
from citegrain.tasks.offline.translate import Translator
from citegrain.tasks.train import read_lay_queries


def prepare(settings: Settings, publish: bool = True) -> BuildSetup:
    """Everything that a run reads beside its documents, checked before anything is made. Raises Expected."""
    corpus, vectors = corpus_paths(settings), settings.embed.query_vectors
    expansion = list(map(located, settings.index.expansion))
    if expansion and (beside_documents := lay_texts_of(corpus)):
        expansion.append(beside_documents)
    encoders = {"": settings.embed, **settings.embed.others()}
    encodings = {name: _encoding(settings, config) for name, config in encoders.items()}
    background = [load_benchmark(p, p.stem, "dev") for p in map(located, settings.index.background)]
    stories = list(dict.fromkeys(record.text for b in background for record in b.records))  # never a label
    registry = _registry(corpus)
    lay_queries = (one for path in expansion for one in read_lay_queries(path))
    lay = [(one.act, one.section, text) for one in lay_queries for _, text in one.texts]
    shipped = _shipped(located(vectors), encodings[""]) if lay and vectors else {}
    summaries = settings.documents["summarise"].method == "llm"
    headings = settings.documents["structure"].headings == "llm"
    documents_endpoint = endpoint_of(
        settings, "summarise=llm" if summaries else "structure.headings=llm", summaries or headings
    )
    translation_endpoint = endpoint_of(settings, "translate=llm", settings.translate.kind == "llm")
    return BuildSetup(
        Setup(settings.store_folder, settings.documents, registry, encodings[""].model, documents_endpoint),
        settings.corpus.name,
        settings.builds_folder / settings.corpus.name,
        settings.index,
        encodings,
        corpus,
        stories=stories,
        lay=lay if expansion else None,
        shipped=shipped,
        publish=publish,
        translator=Translator(translation_endpoint, settings.translate, settings.store_folder)
        if translation_endpoint
        else None,
        overrides=indexing_overrides(settings),
    )


def unread_lay_texts(settings: Settings, build: Path) -> str:
    """What of ``lay_texts.jsonl`` beside the documents a build does not search; empty where it has all."""
    if not (file := lay_texts_of(corpus_paths(settings))):
        return ""
    if not settings.index.expansion:
        return f"{LAY_TEXTS}: not read, as index.expansion is empty"
    labels = [(item.act, item.section) for item in read_lay_queries(file)]
    table = read_table(build / PROVISIONS.file, PROVISIONS)
    rows = table.select(["kind", "act_id", "provision_id", "number"])
    citations = Citations(zip(*rows.to_pydict().values(), strict=True))
    lost = [" ".join(label) for label in labels if not citations.labelled(*label)]
    return (
        f"{LAY_TEXTS}: {len(lost)} of {len(labels)} are of no provision here, first {lost[0]}" if lost else ""
    )


def lay_texts_of(corpus: CorpusPaths, name: str = LAY_TEXTS) -> Path | None:
    """The file of lay texts beside the documents of a folder; None where there is none, or nothing in it."""
    file = corpus.folder / name
    return file if corpus.kind == "folder" and file.is_file() and file.stat().st_size else None


def corpus_paths(settings: Settings) -> CorpusPaths:
    """Where the corpus of a run is; each path is absolute."""
    corpus = settings.corpus
    return CorpusPaths(
        corpus.kind,
        located(corpus.path),
        settings.builds_folder / corpus.name,
        located(corpus.registry),
        located(corpus.sources),
        located(corpus.recipe),
    )


def _encoding(settings: Settings, config: EmbedConfig) -> Encoding:
    """An encoder with its reader, and the vector space that they make."""
    model = embed.passage_model(config, settings.models_folder)
    reader = None
    if config.query_model:
        reader = find_model(config.query_model, settings.models_folder, config.query_sha256)
        if reader.dimension != model.dimension:
            raise ModelError(
                f"{reader.name} has vectors of {reader.dimension} numbers and {model.name} of "
                f"{model.dimension}: embed.query_model must be a model that was trained towards embed.model"
            )
    config = embed.with_prompts(config, model, reader)
    space = embed.vector_space(model, Tokenizer(model).sha256, config)
    endpoint = embed.endpoint_of(config, Build.account)
    return Encoding(settings.store_folder, space, model, config, settings.runner.threads, reader, endpoint)


def _registry(corpus: CorpusPaths) -> Registry:
    """The registry, with the entries of ``registry.yaml`` in the folder of the corpus where it has one."""
    registry, local_registry = load_registry(corpus.registry), corpus.folder / REGISTRY
    if corpus.kind != "folder" or not local_registry.is_file():
        return registry
    return Registry({**registry.acts, **load_registry(local_registry).acts})


def _shipped(path: Path, encoding: Encoding) -> Mapping[bytes, Any]:
    """The vectors of lay texts that ship with the model of the queries."""
    vectors = embed.read_shipped(path, encoding.config.query_vectors_sha256, encoding.query_space)
    if any(vector.shape != (encoding.model.dimension,) for vector in vectors.values()):
        raise ModelError(f"{path}: its vectors are not of {encoding.model.dimension} numbers")
    return vectors


def fetch_corpus(corpus: CorpusPaths, http: HttpConfig, progress: Progress) -> list[FetchedDocument]:
    """Bring the folder of a corpus over HTTP up to date; what became of each document, for others nothing.

    A document that could not be fetched keeps the file it has, so that a build does not lose it. Raises
    CorpusError, StoreError.
    """
    if corpus.kind != "http":
        return []
    listed = read_list(corpus.sources)
    secret = read_secret(http)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with progress.step("fetch", len(listed)) as done:
        fetched = refresh(listed, corpus.folder, http, secret, now, done, progress.say)
    for one in fetched:
        if one.status != "unchanged":
            progress.say(one.line)
    return fetched


def read_secret(config: HttpConfig) -> Secret | None:
    """The secret of the environment, where the configuration names one. Raises CorpusError if it is wrong."""
    if not config.auth:
        return None
    value = os.environ.get(config.auth_env, "").strip()
    if not value:
        raise CorpusError(f"corpus.http.auth_env={config.auth_env}: the environment has no such variable")
    if not value.isascii() or not value.isprintable() or (config.auth == "basic" and ":" not in value):
        secret = "user:password" if config.auth == "basic" else "a token"
        raise CorpusError(f"corpus.http.auth_env={config.auth_env}: must be {secret} of ASCII signs")
    return Secret(config.auth, config.auth_host, value)


def corpus_sources(corpus: CorpusPaths) -> list[Source]:
    """The files of the corpus, as they were fetched or published last. Raises CorpusError."""
    if corpus.kind == "published":
        return published_sources(corpus)
    if corpus.kind == "http":
        return listed_sources(read_list(corpus.sources), corpus.folder)
    if corpus.kind == "texts":
        return [text_source(corpus.folder)]
    if corpus.kind == "demo":
        typeset_demo(corpus.recipe, corpus.folder)
    return find_sources(corpus.folder)


def published_sources(corpus: CorpusPaths) -> list[Source]:
    """The documents of the current build of a name, whose files are not at hand. Raises CorpusError."""
    folder = corpus.builds
    current = index.read_pointer(folder / "current")
    if not current:
        near = index.alike(folder.parent, folder.name)
        raise CorpusError(f"{folder.name}: no build of this name is published in {folder.parent}{near}")
    rows = read_table(folder / current / SOURCES.file, SOURCES).to_pylist()
    return [Source(Path(r["path"]), r["path"], r["document_id"]) for r in rows]


@dataclass(frozen=True)
class IndexResult:
    """What became of a run.

    Attributes
    ----------
    line
        The plan as it was before the run.
    build
        The published build; None if there is none.
    computed
        Stage runs that were computed, by stage.
    long_texts
        How many of the texts embedded are longer than the encoder reads at once.
    untranslated
        Why texts that were to be translated are not, one line each.
    """

    plan: IndexPlan
    setup: BuildSetup
    line: str
    build: Path | None = None
    started_flow: bool = False
    computed: Mapping[str, int] = field(default_factory=dict)
    long_texts: int = 0
    untranslated: Sequence[str] = ()
    lost_workers: Sequence[str] = ()

    def report(self) -> dict[str, Any]:
        """What was indexed, what was not and why, as plain data."""
        indexed = [
            facts
            | {name: row[name] for name in ("act_id", "title", "version_date", "language")}
            | {"sections": row["n_sections"]}
            for document in self.plan.indexed
            for facts in [_facts(document)]
            for row in document_acts(document, self.setup.documents.registry)
        ]
        refused = [
            {
                "file": source.relative,
                "reason": f"the same bytes as {printable(first.relative)}: " * (source != first) + why,
                "is_document": source.is_document,
            }
            for document in self.plan.documents
            for why in filter(None, [document.refusal])
            for first in document.files[:1]
            for source in document.files
        ]
        config = self.setup.index
        return {
            "corpus": self.setup.name,
            "plan": self.line,
            "made": dict(self.computed),
            "build": str(self.build) if self.build else None,
            "texts_longer_than_encoder": self.long_texts,
            "texts_translated": len(self.plan.translations),
            "texts_untranslated": list(self.untranslated),
            **({"index": config.reason(self.plan.searched)} if config.dense == "auto" and self.build else {}),
            "workers_lost": list(self.lost_workers),
            "indexed": indexed,
            "refused": refused,
        }


def _facts(document: DocumentPlan) -> dict[str, Any]:
    """What is reported of a document, whichever of its Acts it is."""
    (verdict, reason), row = document.verdict(), document.row
    return {
        "file": document.source.relative,
        # as a person counts them
        "pages": row["n_pages"] if row and row["layout"] not in WITHOUT_PAGES else 0,
        "verdict": verdict,
        "verdict_reason": reason,
        "account": document.account,
        "warnings": document.warnings,
        "pages_not_read": [{"pages": p, "reason": r} for p, r in document.page_problems()],
        "same_bytes": [source.relative for source in document.files[1:]],
    }
