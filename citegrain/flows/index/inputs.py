"""What an index run reads before anything is made: registry, models, lay texts, documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citegrain.flows.index.plan import Context, DocumentPlan, begin
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import SOURCES
from citegrain.tasks.core.store import Store
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.evaluation.benchmark import load_benchmark
from citegrain.tasks.offline import documents as chain
from citegrain.tasks.offline import embed, index
from citegrain.tasks.offline.corpus import CorpusError, Source, find_sources, load_registry
from citegrain.tasks.offline.corpus.demo import typeset_demo
from citegrain.tasks.offline.corpus.remote import listed_sources, read_list
from citegrain.tasks.offline.models import ModelError, ModelFiles, Tokenizer, find_model
from citegrain.tasks.train import read_lay_queries


def prepare(settings: Settings, publish: bool = True) -> Context:
    """Registry, stories, lay texts, model and store of a run, checked before anything is made.

    Raises
    ------
    BenchmarkError, ModelError, RegistryError
        If one of them is not as it should be.
    """
    registry = load_registry(located(settings.corpus.registry))
    model = find_model(settings.embed.model, settings.models_folder, settings.embed.sha256)
    tokenizer = Tokenizer(model)
    space = embed.vector_space(model, tokenizer.sha256, settings.embed)
    reader = _reader(settings, model)
    return Context(
        settings,
        Store(settings.store_folder),
        registry,
        chain.known_acts(registry),
        model,
        tokenizer,
        space,
        _stories(settings),
        reader,
        publish,
        *_lay(settings),
        _shipped(settings, embed.query_space(space.digest, reader), model.dimension),
    )


def _reader(settings: Settings, model: ModelFiles) -> ModelFiles | None:
    """The model of the queries, where they have one of their own."""
    told = settings.embed
    if not told.query_model:
        return None
    reader = find_model(told.query_model, settings.models_folder, told.query_sha256)
    if reader.dimension != model.dimension:
        raise ModelError(
            f"{reader.name} has vectors of {reader.dimension} numbers and {model.name} of {model.dimension}: "
            "embed.query_model wants a model that was trained towards embed.model"
        )
    return reader


def _shipped(settings: Settings, space: str, dimension: int) -> Mapping[bytes, Any]:
    """The vectors that ship with the model of the queries, where lay texts are searched."""
    told = settings.embed
    if not told.query_vectors or not settings.index.expansion:
        return {}
    path = located(told.query_vectors)
    found = embed.read_shipped(path, told.query_vectors_sha256, space)
    if any(vector.shape != (dimension,) for vector in found.values()):
        raise ModelError(f"{path}: its vectors are not of {dimension} numbers")
    return found


def _stories(settings: Settings) -> list[str]:
    """Texts of the benchmarks that are the background, each once, and never a label."""
    told = [load_benchmark(located(path), Path(path).stem, "dev") for path in settings.index.background]
    return list(dict.fromkeys(record.text for benchmark in told for record in benchmark.records))


def _lay(settings: Settings) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Lay texts of provisions, as (act, section, text), and the digests of their files."""
    paths = [located(path) for path in settings.index.expansion]
    told = [lay for path in paths for lay in read_lay_queries(path)]
    texts = [(lay.citation.act, lay.citation.section, text) for lay in told for _, text in lay.texts]
    return texts, [hash_file(path) for path in paths]


def corpus_plans(settings: Settings) -> list[DocumentPlan]:
    """The documents of the corpus; the demo corpus is typeset if it is not there.

    Those of a corpus over HTTP are as they were fetched last: see ``index.fetching.fetch_corpus``.

    Raises
    ------
    CorpusError
        If there are none.
    """
    return begin(corpus_sources(settings))


def corpus_sources(settings: Settings) -> list[Source]:
    """The files of the corpus; of one told by its name alone those it was published from.

    Raises
    ------
    CorpusError
        If there are none.
    """
    corpus = settings.corpus
    folder = located(corpus.path)
    if corpus.kind == "published":
        return published_sources(settings)
    if corpus.kind == "http":
        return listed_sources(read_list(located(corpus.sources)), folder)
    if corpus.kind == "demo":
        typeset_demo(located(corpus.recipe), folder)
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
