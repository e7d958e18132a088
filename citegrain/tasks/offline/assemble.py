"""From planned documents to a build: vectors of what has none, and the files of the build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import ALL, CHUNKS, PROVISIONS, SUMMARIES, TRANSLATIONS
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.tables import read_tables, write_parts
from citegrain.tasks.offline import chain, embed, graph, index, summarise
from citegrain.tasks.offline.chunk import text_hash
from citegrain.tasks.offline.document_plan import DocumentPlan
from citegrain.tasks.offline.models import Encoder, Matrix, TokenMatrix
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan
from citegrain.tasks.offline.translate import vector_key

Elsewhere = Callable[[embed.Encoding, Mapping[str, embed.Passage], Callable[[int], None]], embed.Embedded]
"""Encodes passages in other processes."""


def embed_missing(
    plan: IndexPlan,
    setup: BuildSetup,
    progress: Callable[[int], None],
    elsewhere: Elsewhere | None = None,
) -> embed.Embedded:
    """Encode the passages of a plan that have no vector yet, by one encoder after another.

    Parameters
    ----------
    elsewhere
        Where passages are encoded; None: in this process, as token vectors always are.
    """
    done = _embed_missing(plan, setup, progress, elsewhere, setup.tokens)
    for of in setup.also.values():
        more = _embed_missing(plan, of, progress, elsewhere)
        done = embed.Embedded(done.encoded + more.encoded, max(done.long, more.long))
    return done


def _embed_missing(
    plan: IndexPlan,
    setup: BuildSetup,
    progress: Callable[[int], None],
    elsewhere: Elsewhere | None,
    with_tokens: bool = False,
) -> embed.Embedded:
    """As above by one encoder; token vectors are those of bare passages."""
    config = setup.embed
    rows = embed.vector_rows(setup.store, setup.space, setup.model.dimension)
    tokens = embed.token_rows(setup.store, setup.space)
    missing = embed.missing_passages(rows, plan.passages(late=config.late))
    bare = plan.passages(prefixed=False) if with_tokens else {}
    missing_tokens = embed.missing_passages(tokens, bare)
    if not missing and not missing_tokens:
        return embed.Embedded()

    @cache
    def encoder() -> Encoder:
        return Encoder(setup.model, config.settings(), setup.threads)

    if elsewhere:
        encoding = embed.Encoding(setup.store, setup.space, setup.model, config, setup.threads)
        done = elsewhere(encoding, missing, progress)
    else:
        late = bool(config.late)
        done = embed.embed_passages(rows, missing, encoder(), setup.tokenizer, config.long, progress, late)
    if missing_tokens:
        embed.embed_tokens(tokens, missing_tokens, encoder(), progress)
    return done


def make_build(plan: IndexPlan, setup: BuildSetup) -> Path:
    """Write the build of a plan whose documents and vectors are all there, and publish it.

    Raises
    ------
    StoreError
        If a stage before it is missing, or it cannot be written.
    """
    if plan.key is None:
        raise StoreError("the build has no key yet: a stage before it is missing")
    sources = [
        {"document_id": d.source.document_id, "file": d.source.path.name, "path": d.source.relative}
        for d in plan.ordered
    ]
    acts = plan.act_rows(setup.documents.registry)
    published = _published(plan.ordered)
    tables = index.merge_tables(published, acts, sources, setup.stories)
    for stage in chain.CORPUS_STAGES:
        tables |= stage.make(tables, setup.store)
    rows = index.searched_rows(tables[CHUNKS.name])
    pairs = [(r, plan.translations.get(r["text_hash"], "")) for r in rows]
    texts = _searched_texts(plan, pairs)
    chunk_ids = [r["chunk_id"] for r in rows]
    tables[CHUNKS.name] = _keyed(tables[CHUNKS.name], plan.translations)
    model = setup.translator.endpoint.model if setup.translator else ""
    english = [{"chunk_id": r["chunk_id"], "english": e, "model": model} for r, e in pairs if e]
    settled = setup.index.settled(len(rows))
    tokens = _tokens(plan, setup, chunk_ids) if setup.embed.tokens else None
    lay, unknown = index.expansion_table(setup.lay, tables[PROVISIONS.name])
    facts = _facts(plan, setup) | {"counts": {n: table.num_rows for n, table in tables.items()}}
    summaries = published.get(SUMMARIES.name, SUMMARIES.empty())
    if summaries.num_rows:
        config = setup.documents.configs[summarise.STAGE.name]
        facts["summaries"] = {"texts": summaries.num_rows} | summarise.cost(summaries, config)
    if setup.lay_files:
        facts["expansion"] = _lay_facts(setup, lay, unknown)

    def write(folder: Path) -> None:
        expansion = lay, _query_vectors(setup, lay.column("text").to_pylist())
        index.write_files(
            folder, tables, texts, *_vectors(plan, setup, chunk_ids), settled, tokens, expansion
        )
        for name, of in setup.also.items():
            index.write_vectors(folder / index.SPACES / name, *_vectors(plan, of, chunk_ids), settled)
        _write_layers(folder, plan, setup, chunk_ids)
        for schema in (schema for stage in chain.CORPUS_STAGES for schema in stage.stage.outputs):
            write_parts(folder / schema.file, tables[schema.name], schema)
        if summaries.num_rows:
            write_parts(folder / SUMMARIES.file, summaries, SUMMARIES)
        if english:
            write_parts(folder / TRANSLATIONS.file, TRANSLATIONS.rows(english), TRANSLATIONS)
        if setup.index.relations:
            graph.write_relations(folder / graph.RELATIONS, tables, setup.index.relations)
        if setup.index.colbert:
            matrices = partial(_tokens, plan, setup, chunk_ids)
            index.write_colbert(folder / index.COLBERT, matrices, setup.index.colbert)

    folder = index.write_build(setup.folder.parent, setup.name, plan.key, write, facts)
    publish(folder, setup)
    return folder


def _write_layers(folder: Path, plan: IndexPlan, setup: BuildSetup, chunk_ids: Sequence[str]) -> None:
    """The layers above the chunks, in the vector space of each encoder."""
    for level, above in plan.layers().items():
        texts = list(dict.fromkeys(above[chunk] for chunk in chunk_ids if chunk in above))
        at = {text: row for row, text in enumerate(texts)}
        index.write_layer_rows(folder, level, [at.get(above.get(chunk, ""), -1) for chunk in chunk_ids])
        for name, of in {"": setup, **setup.also}.items():
            vectors = _read_vectors(of, [text_hash("", text) for text in texts])
            space = folder / index.SPACES / name if name else folder
            index.write_layer_vectors(space, level, vectors, setup.index.settled(len(vectors)))


def _lay_facts(setup: BuildSetup, lay: pa.Table, unknown: int) -> dict[str, Any]:
    """What the manifest says of the lay texts."""
    return {
        "files": list(setup.lay_files),
        "texts": lay.num_rows,
        "provisions": pc.count_distinct(lay.column("provision_id")).as_py(),
        "unknown_labels": unknown,
    }


def _searched_texts(plan: IndexPlan, rows: Sequence[tuple[Mapping[str, Any], str]]) -> list[str]:
    """What each searched chunk is indexed by: summaries, header, text, and its English where it has some."""
    prefixes = plan.prefixes()
    texts = []
    for row, english in rows:
        passage = embed.Passage(row["header"], row["text"]).behind(prefixes.get(row["chunk_id"], ""))
        texts.append(passage.joined + (f"\n{english}" if english else ""))
    return texts


def _tokens(plan: IndexPlan, setup: BuildSetup, chunk_ids: Sequence[str]) -> Iterator[TokenMatrix]:
    """Token vectors of the searched chunks, which are those of the bare passages."""
    rows, keys = embed.token_rows(setup.store, setup.space), plan.vector_keys(prefixed=False)
    return embed.iterate_tokens(rows, [keys[chunk] for chunk in chunk_ids], setup.model.dimension)


def translate_missing(
    plan: IndexPlan, setup: BuildSetup, progress: Callable[[int], None]
) -> tuple[int, list[str]]:
    """Translate the texts in Hindi that never were: how many are translated, and why others are not."""
    if setup.translator is None:
        return 0, []
    _, before = setup.translator.kept(foreign := plan.foreign())
    plan.translations, errors = setup.translator.translate(foreign, progress)
    return before - len(errors), errors


def _keyed(chunks: pa.Table, translations: Mapping[str, str]) -> pa.Table:
    """Chunks with the key of the vector that each has in this build."""
    if not translations:
        return chunks
    keys = [vector_key(key, translations.get(key, "")) for key in chunks.column("text_hash").to_pylist()]
    at = chunks.schema.get_field_index("text_hash")
    return chunks.set_column(at, chunks.schema.field(at), pa.array(keys, pa.string()))


def publish(folder: Path, setup: BuildSetup) -> None:
    """Make a build current, where the run is meant to, and note where its PDFs are."""
    if setup.corpus:
        index.note_corpus(folder.parent, setup.corpus)
    if setup.publish:
        index.publish(folder)


def _published(documents: Sequence[DocumentPlan]) -> Tables:
    """The tables of documents that go into the build, each joined in their order."""
    paths: dict[str, list[Path]] = {schema.name: [] for schema in index.MERGED}
    for document in documents:
        for stage in document.stages:
            for schema in stage.published:
                paths.setdefault(schema.name, []).append(document.done[stage.name].path / schema.file)
    return {name: read_tables(files, ALL[name]) for name, files in paths.items()}


def _facts(plan: IndexPlan, setup: BuildSetup) -> dict[str, Any]:
    """What the manifest of the build says of how it came about."""
    spaces = {name: _space_facts(of) for name, of in setup.also.items()}
    return {
        "name": setup.name,
        "uses": sorted(f"{s}/{d.done[s].path.name}" for d in plan.indexed for s in d.done),
        **_space_facts(setup),
        **({"spaces": spaces} if spaces else {}),
        "verdicts": Counter(verdict for d in plan.indexed if (verdict := d.verdict()[0])),
    }


def _space_facts(setup: BuildSetup) -> dict[str, Any]:
    """What the manifest says of an encoder and its vector space."""
    embedding = asdict(setup.embed)
    del embedding["also"]
    return {
        "embed": embedding,
        "weights": setup.model.sha256,
        "space": setup.space.digest,
        "query_space": setup.query_space,
        "query_weights": (setup.reader or setup.model).sha256,
        "dimension": setup.model.dimension,
    }


def _vectors(plan: IndexPlan, setup: BuildSetup, chunk_ids: Sequence[str]) -> tuple[Iterator[Matrix], Matrix]:
    """Vectors of the searched chunks, those of a shard at a time, and of the background stories."""
    keys = plan.vector_keys(late=setup.embed.late)
    starts = range(0, max(1, len(chunk_ids)), index.SHARD_ROWS)
    parts = ([keys[chunk] for chunk in chunk_ids[at : at + index.SHARD_ROWS]] for at in starts)
    return (_read_vectors(setup, part) for part in parts), _query_vectors(setup, setup.stories)


def _read_vectors(setup: BuildSetup, keys: Sequence[str]) -> Matrix:
    rows = embed.vector_rows(setup.store, setup.space, setup.model.dimension)
    return embed.read_vectors(rows, keys, setup.model.dimension)


def _query_vectors(setup: BuildSetup, texts: Sequence[str]) -> Matrix:
    """Vectors of texts that read like queries, encoded where they neither ship nor are stored."""
    prefix = setup.embed.query_prefix
    rows = embed.query_rows(setup.store, setup.query_space, prefix, setup.model.dimension)

    @cache
    def encoder() -> Encoder:
        return Encoder(setup.reader or setup.model, setup.embed.settings(), setup.threads)

    def encode(missing: Sequence[str]) -> Any:
        return encoder().encode(missing, query=True)

    shipped = embed.shipped_vectors(setup.shipped, [prefix + text for text in texts])
    return embed.cached_vectors(encode, texts, rows, shipped)
