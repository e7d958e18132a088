"""From planned documents to a build: vectors of what has none, and the files of the build."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import ACTS, ALL, CHUNKS, PROVISIONS, TRANSLATIONS, TableSchema
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.tables import read_tables, write_parts
from citegrain.tasks.offline import chain, embed, index
from citegrain.tasks.offline.chunk import text_hash
from citegrain.tasks.offline.document_plan import DocumentPlan, Representation, vector_key
from citegrain.tasks.offline.merge import MERGED, merge_tables
from citegrain.tasks.offline.models import Encoder, Matrix, TokenMatrix
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan

EncodeRemotely = Callable[
    [embed.Encoding, Mapping[str, embed.ChunkText], Callable[[int], None]], embed.Embedded
]
"""Encodes passages in other processes."""


def embed_missing(
    plan: IndexPlan,
    setup: BuildSetup,
    progress: Callable[[int], None],
    remotely: EncodeRemotely | None = None,
) -> embed.Embedded:
    """Encode the passages of a plan that have no vector yet, by one encoder after another.

    ``remotely``: where passages are encoded; None: in this process, as token vectors always are, and what
    is behind an API.
    """

    @cache
    def loaded(name: str) -> Encoder:
        return by_name[name].encoder()

    by_name = {encoding.space.name: encoding for encoding in setup.encodings.values()}
    encoded, long = 0, 0
    for representation in plan.representations(setup):
        missing, encoding = representation.missing(plan.indexed), representation.encoding
        if not missing:
            continue
        if representation.tokens:
            embed.embed_tokens(representation.rows, missing, loaded(encoding.space.name), progress)
            continue
        if remotely and not encoding.endpoint:
            part = remotely(encoding, missing, progress)
        else:
            encoder, how = loaded(encoding.space.name), encoding.config
            part = embed.embed_passages(
                representation.rows, missing, encoder, how.long, progress, bool(how.late)
            )
        encoded, long = encoded + part.encoded, max(long, part.long)
    return embed.Embedded(encoded, long)


def translate_missing(
    plan: IndexPlan, setup: BuildSetup, progress: Callable[[int], None]
) -> tuple[int, list[str]]:
    """Translate the texts in Hindi that never were: how many are translated, and why others are not."""
    if setup.translator is None:
        return 0, []
    foreign = plan.foreign()
    _, before = setup.translator.cached(foreign)
    _, errors = setup.translator.translate(foreign, progress)
    return before - len(errors), errors


@dataclass(frozen=True)
class BuildContents:
    """What a build is written from.

    ``tables``: the tables of the build by name. ``chunk_ids``: ids of the searched chunks, in the order of
    the rows of the indexes. ``texts``: what each of them is indexed by. ``english``: rows of
    ``translations``.
    """

    plan: IndexPlan
    setup: BuildSetup
    tables: Tables
    chunk_ids: Sequence[str]
    texts: Sequence[str]
    english: Sequence[dict[str, object]]

    def vectors(self, encoding: embed.Encoding) -> Iterator[Matrix]:
        """Vectors of the searched chunks, those of a shard at a time."""
        keys = Representation(encoding, self.plan.translations).vector_keys(self.plan.indexed)
        for at in range(0, max(1, len(self.chunk_ids)), index.SHARD_ROWS):
            part = [keys[chunk] for chunk in self.chunk_ids[at : at + index.SHARD_ROWS]]
            yield embed.read_vectors(encoding.vector_rows, part, encoding.model.dimension)

    def text_vectors(self, texts: Sequence[str]) -> dict[str, Matrix]:
        """Vectors of layer texts, by the name of each vector space."""
        keys = [text_hash("", text) for text in texts]
        return {
            name: embed.read_vectors(encoding.vector_rows, keys, encoding.model.dimension)
            for name, encoding in self.setup.encodings.items()
        }

    def token_vectors(self) -> Iterator[TokenMatrix]:
        encoding = self.setup.encoding
        bare = Representation(encoding, self.plan.translations, tokens=True)
        keys = bare.vector_keys(self.plan.indexed)
        return embed.iterate_tokens(
            bare.rows, [keys[chunk] for chunk in self.chunk_ids], encoding.model.dimension
        )


def _contents(plan: IndexPlan, setup: BuildSetup) -> BuildContents:
    """The joined tables of the documents and those made from them, and what each chunk is indexed by."""
    sources = [
        {"document_id": d.source.document_id, "file": d.source.path.name, "path": d.source.relative}
        for d in plan.ordered
    ]
    published = _published(plan.ordered)
    acts = plan.act_rows(setup.documents.registry)
    tables = published | merge_tables(published, acts, sources, setup.stories)
    for stage in chain.CORPUS_STAGES:
        tables |= stage.make(tables, setup.store)
    rows = index.searched_rows(tables[CHUNKS.name])
    before = {chunk: text for document in plan.indexed for chunk, text in document.before.items()}
    texts: list[str] = []
    english: list[dict[str, object]] = []
    model = setup.translator.endpoint.model if setup.translator else ""
    for row in rows:
        passage = embed.ChunkText(row["header"], row["text"]).behind(before.get(row["chunk_id"], ""))
        translated = plan.translations.get(row["text_hash"], "")
        texts.append(passage.joined + (f"\n{translated}" if translated else ""))
        if translated:
            english.append({"chunk_id": row["chunk_id"], "english": translated, "model": model})
    tables[CHUNKS.name] = _keyed(tables[CHUNKS.name], plan.translations)
    return BuildContents(plan, setup, tables, [row["chunk_id"] for row in rows], texts, english)


def _published(documents: Sequence[DocumentPlan]) -> Tables:
    """The tables of documents that go into the build, each joined in their order."""
    paths: dict[str, list[Path]] = {schema.name: [] for schema in MERGED}
    for document in documents:
        for stage in document.stages:
            for schema in stage.published:
                paths.setdefault(schema.name, []).append(document.done[stage.name].path / schema.file)
    return {name: read_tables(files, ALL[name]) for name, files in paths.items()}


def _keyed(chunks: pa.Table, translations: Mapping[str, str]) -> pa.Table:
    """Chunks with the key of the vector that each has in this build."""
    if not translations:
        return chunks
    keys = [vector_key(key, translations.get(key, "")) for key in chunks.column("text_hash").to_pylist()]
    at = chunks.schema.get_field_index("text_hash")
    return chunks.set_column(at, chunks.schema.field(at), pa.array(keys, pa.string()))


def make_build(plan: IndexPlan, setup: BuildSetup) -> Path:
    """Write the build of a plan whose documents and vectors are all there, and publish it.

    Raises StoreError if a stage before it is missing, or it cannot be written.
    """
    if plan.key is None:
        raise StoreError("the build has no key yet: a stage before it is missing")
    contents = _contents(plan, setup)
    of_acts = setup.lay_of(contents.tables[ACTS.name].to_pylist())
    lay, unknown = index.expansion_table(of_acts, contents.tables[PROVISIONS.name])
    facts = _facts(contents)
    if setup.lay is not None:
        with_texts = pc.count_distinct(lay.column("provision_id")).as_py()
        facts["expansion"] = {"texts": lay.num_rows, "provisions": with_texts, "unknown_labels": unknown}

    def write(folder: Path) -> None:
        _write_indexes(folder, contents, lay)
        _write_further_tables(folder, contents)
        for stage in _with_context(plan):
            stage.write(folder, contents)
        for name, part in setup.parts.items():
            part.write(folder, contents, getattr(setup.index, name))

    folder = index.write_build(setup.folder.parent, setup.name, plan.key, write, facts)
    publish(folder, plan, setup)
    return folder


def _with_context(plan: IndexPlan) -> list[Any]:
    stages = plan.indexed[0].stages if plan.indexed else []
    return [stage.context for stage in stages if stage.context]


def _write_indexes(folder: Path, contents: BuildContents, lay: pa.Table) -> None:
    """The tables and indexes of every build, in the vector space of each encoder."""
    setup = contents.setup
    config = setup.index.settled(len(contents.chunk_ids))
    first = contents.vectors(setup.encoding), _query_vectors(setup, setup.encoding, setup.stories)
    tokens = contents.token_vectors() if setup.encoding.config.tokens else None
    expansion = lay, _query_vectors(setup, setup.encoding, lay.column("text").to_pylist())
    index.write_files(folder, contents.tables, contents.texts, *first, config, tokens, expansion)
    for name, encoding in setup.further_encodings.items():
        stories = _query_vectors(setup, encoding, setup.stories)
        index.write_vectors(folder / index.SPACES / name, contents.vectors(encoding), stories, config)


def _write_further_tables(folder: Path, contents: BuildContents) -> None:
    documents = contents.plan.indexed
    further: list[TableSchema] = [schema for stage in chain.CORPUS_STAGES for schema in stage.stage.outputs]
    merged = {schema.name for schema in MERGED}
    further += [
        schema
        for stage in (documents[0].stages if documents else [])
        for schema in stage.published
        if schema.name not in merged and contents.tables[schema.name].num_rows
    ]
    for schema in further:
        write_parts(folder / schema.file, contents.tables[schema.name], schema)
    if contents.english:
        write_parts(folder / TRANSLATIONS.file, TRANSLATIONS.rows(list(contents.english)), TRANSLATIONS)


def publish(folder: Path, plan: IndexPlan, setup: BuildSetup) -> None:
    """Make a build current, where the run is meant to, copy its PDFs, and note where they are."""
    index.copy_documents(folder, {d.source.document_id: d.source.path for d in plan.indexed})
    if corpus := setup.corpus.noted:
        index.note_corpus(folder.parent, corpus)
        index.note_origin(folder, index.Origin(str(corpus), str(Path.cwd()), list(setup.overrides)))
    if setup.publish:
        index.publish(folder)


def _facts(contents: BuildContents) -> dict[str, Any]:
    """What the manifest of the build says of how it came about."""
    plan, setup = contents.plan, contents.setup
    spaces = {name: _space_facts(encoding) for name, encoding in setup.further_encodings.items()}
    further = [context.facts(contents.tables, setup.documents) for context in _with_context(plan)]
    return {
        "name": setup.name,
        "uses": sorted(f"{s}/{d.done[s].path.name}" for d in plan.indexed for s in d.done),
        **_space_facts(setup.encoding),
        **({"spaces": spaces} if spaces else {}),
        "verdicts": Counter(verdict for d in plan.indexed if (verdict := d.verdict()[0])),
        "counts": {name: table.num_rows for name, table in contents.tables.items()},
        **{name: value for facts in further for name, value in facts.items()},
    }


def _space_facts(encoding: embed.Encoding) -> dict[str, Any]:
    """What the manifest says of an encoder and its vector space."""
    embedding = asdict(encoding.config)
    del embedding["also"]
    if not encoding.endpoint:
        del embedding["api"]
    return {
        "embed": embedding,
        "weights": encoding.model.sha256,
        "space": encoding.space.digest,
        "query_space": encoding.query_space,
        "query_weights": (encoding.reader or encoding.model).sha256,
        "dimension": encoding.model.dimension,
    }


def _query_vectors(setup: BuildSetup, encoding: embed.Encoding, texts: Sequence[str]) -> Matrix:
    """Vectors of texts that read like queries, encoded where they neither ship nor are stored."""
    encoder = cache(partial(encoding.encoder, query=True))
    prefix = encoding.config.query_prefix
    shipped_by_key = setup.shipped if encoding is setup.encoding else {}
    shipped = embed.shipped_vectors(shipped_by_key, [prefix + text for text in texts])
    return embed.cached_vectors(
        lambda missing: encoder().encode(missing, query=True), texts, encoding.query_rows, shipped
    )
