"""What an index run reads before anything is made: registry, models, lay texts, documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citegrain.flows.shared.endpoint import endpoint
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import SOURCES
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.evaluation.benchmark import load_benchmark
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
from citegrain.tasks.offline.corpus.remote import listed_sources, read_list
from citegrain.tasks.offline.document import Setup
from citegrain.tasks.offline.embed import EmbedConfig, Encoding
from citegrain.tasks.offline.models import ModelError, Tokenizer, find_model
from citegrain.tasks.offline.plan import BuildSetup
from citegrain.tasks.offline.translate import Translator
from citegrain.tasks.train import read_lay_queries


def prepare(settings: Settings, publish: bool = True) -> BuildSetup:
    """Everything that a run reads beside its documents, checked before anything is made.

    Raises
    ------
    BenchmarkError, ModelError, RegistryError
        If something of it is not as it should be.
    """
    configs, store = settings.documents, settings.store_folder
    encoders = {"": settings.embed, **settings.embed.others()}
    encodings = {name: _encoding(settings, config) for name, config in encoders.items()}
    first = encodings[""]
    asking = [
        key
        for key, asks in (
            ("summarise=llm", configs["summarise"].method == "llm"),
            ("structure.headings=llm", configs["structure"].headings == "llm"),
        )
        if asks
    ]
    asked = endpoint(asking[0] if asking else "", bool(asking))
    english = endpoint("translate=llm", settings.translate.kind == "llm")
    lay_files = [located(path) for path in settings.index.expansion]
    lay = [lay for path in lay_files for lay in read_lay_queries(path)]
    return BuildSetup(
        Setup(store, configs, registry_of(settings), first.model, asked),
        settings.corpus.name,
        settings.builds_folder / settings.corpus.name,
        settings.index,
        encodings,
        corpus=None if settings.corpus.kind == "texts" else located(settings.corpus.path).resolve(),
        stories=_stories(settings.index.background),
        lay=[(item.citation.act, item.citation.section, text) for item in lay for _, text in item.texts],
        lay_files=[hash_file(path) for path in lay_files],
        shipped=_shipped(first) if lay else {},
        publish=publish,
        translator=Translator(english, settings.translate, store) if english else None,
    )


def _encoding(settings: Settings, config: EmbedConfig) -> Encoding:
    """An encoder with its reader, and the vector space that they make."""
    model = find_model(config.model, settings.models_folder, config.sha256)
    space = embed.vector_space(model, Tokenizer(model).sha256, config)
    reader = None
    if config.query_model:
        reader = find_model(config.query_model, settings.models_folder, config.query_sha256)
        if reader.dimension != model.dimension:
            raise ModelError(
                f"{reader.name} has vectors of {reader.dimension} numbers and {model.name} of "
                f"{model.dimension}: embed.query_model must be a model that was trained towards embed.model"
            )
    return Encoding(settings.store_folder, space, model, config, settings.runner.threads, reader)


def registry_of(settings: Settings) -> Registry:
    """The registry, with the entries of ``registry.yaml`` in the folder of the corpus where it has one."""
    registry = load_registry(located(settings.corpus.registry))
    beside = located(settings.corpus.path) / REGISTRY
    if settings.corpus.kind != "folder" or not beside.is_file():
        return registry
    return Registry({**registry.acts, **load_registry(beside).acts})


def _shipped(encoding: Encoding) -> Mapping[bytes, Any]:
    """The vectors of lay texts that ship with the model of the queries."""
    config = encoding.config
    if not config.query_vectors:
        return {}
    path = located(config.query_vectors)
    vectors = embed.read_shipped(path, config.query_vectors_sha256, encoding.query_space)
    if any(vector.shape != (encoding.model.dimension,) for vector in vectors.values()):
        raise ModelError(f"{path}: its vectors are not of {encoding.model.dimension} numbers")
    return vectors


def _stories(paths: list[str]) -> list[str]:
    """Texts of the benchmarks that are the background, each once, and never a label."""
    benchmarks = [load_benchmark(path, path.stem, "dev") for path in map(located, paths)]
    return list(dict.fromkeys(record.text for benchmark in benchmarks for record in benchmark.records))


def corpus_sources(settings: Settings) -> list[Source]:
    """The files of the corpus; of one given by its name alone those it was published from.

    The demo corpus is typeset if it is not there. A corpus over HTTP is as it was fetched last, see
    ``index.fetching``.

    Raises
    ------
    CorpusError
        If there are none.
    """
    kind, folder = settings.corpus.kind, located(settings.corpus.path)
    if kind == "published":
        return published_sources(settings)
    if kind == "http":
        return listed_sources(read_list(located(settings.corpus.sources)), folder)
    if kind == "texts":
        return [text_source(folder)]
    if kind == "demo":
        typeset_demo(located(settings.corpus.recipe), folder)
    return find_sources(folder)


def published_sources(settings: Settings) -> list[Source]:
    """The documents of the current build of a name; their files are not at hand.

    Raises
    ------
    CorpusError
        If there is no current build.
    """
    folder = settings.builds_folder / settings.corpus.name
    current = index.read_pointer(folder / "current")
    if not current:
        raise CorpusError(f"{settings.corpus.name}: no build of this name is published")
    rows = read_table(folder / current / SOURCES.file, SOURCES).to_pylist()
    return [Source(Path(r["path"]), r["path"], r["document_id"]) for r in rows]
