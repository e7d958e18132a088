"""The chain of stages that is keyed by document: parse, structure, chunk, tag.

For each stage one function that names its key and one that makes its artefact.
The makers take paths and plain values, so that a worker process can run them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from citegrain.tasks.core.schemas import CHUNKS, DOCUMENTS, LINES, PROVISIONS, TEXTS
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.offline import chunk, parse, structure, tag
from citegrain.tasks.offline.chunk import ChunkConfig
from citegrain.tasks.offline.corpus import ActIdentity, Registry, slug
from citegrain.tasks.offline.models import ModelFiles, Tokenizer
from citegrain.tasks.offline.parse import ParseConfig
from citegrain.tasks.offline.structure import ActSpan, StructureConfig
from citegrain.tasks.offline.tag import KnownActs, TagConfig


@dataclass(frozen=True)
class Made:
    """A job's result that crosses the border of a process: folder and content of an artefact."""

    path: Path
    files: Mapping[str, str]
    content: str

    def artefact(self) -> Artefact:
        """The artefact it stands for."""
        return Artefact(self.path, self.files, self.content)


def _made(artefact: Artefact) -> Made:
    return Made(artefact.path, dict(artefact.files), artefact.content)


def parse_key(document_id: str, config: ParseConfig) -> Key:
    """Key of ``parse`` for a document."""
    return parse.STAGE.key(parse.parameters(config), {"document": document_id})


def make_parse(store: Path, path: Path, document_id: str, config: ParseConfig) -> Made:
    """Parse a PDF into the store."""

    def run() -> dict[str, Any]:
        return parse.parse_pdf(path.read_bytes(), document_id, config)

    return _made(Store(store).make(parse.STAGE, parse_key(document_id, config), run))


def act_spans(identities: Sequence[ActIdentity]) -> list[ActSpan]:
    """What ``structure`` reads of the identities of a document's Acts."""
    return [
        ActSpan(i.act_id, i.version_date, i.page_start, i.page_end, i.unit, i.entry_prefix)
        for i in identities
    ]


def structure_key(parsed: Artefact, spans: Sequence[ActSpan], config: StructureConfig) -> Key:
    """Key of ``structure`` for a parsed document."""
    params = asdict(config) | {"acts": [asdict(span) for span in spans]}
    return structure.STAGE.key(params, {"parse": parsed.content})


def make_structure(store: Path, parsed: Made, spans: Sequence[ActSpan], config: StructureConfig) -> Made:
    """Read the provisions of a parsed document into the store."""
    source = parsed.artefact()

    def run() -> dict[str, Any]:
        return structure.structure_document(source.table(DOCUMENTS), source.table(LINES), spans, config)

    return _made(Store(store).make(structure.STAGE, structure_key(source, spans, config), run))


@lru_cache(maxsize=2)
def _tokenizer(model: ModelFiles) -> Tokenizer:
    return Tokenizer(model)


def chunk_key(
    structured: Artefact, titles: Mapping[str, str], tokenizer_sha256: str, config: ChunkConfig
) -> Key:
    """Key of ``chunk`` for a structured document."""
    params = asdict(config) | {"titles": dict(titles) if config.header == "full" else {}}
    return chunk.STAGE.key(params, {"structure": structured.content, "tokenizer": tokenizer_sha256})


def make_chunks(
    store: Path, structured: Made, titles: Mapping[str, str], model: ModelFiles, config: ChunkConfig
) -> Made:
    """Cut a structured document into chunks, in the store."""
    source = structured.artefact()
    tokenizer = _tokenizer(model)

    def run() -> dict[str, Any]:
        return chunk.chunk_document(source.table(TEXTS), source.table(PROVISIONS), titles, tokenizer, config)

    return _made(Store(store).make(chunk.STAGE, chunk_key(source, titles, tokenizer.sha256, config), run))


def known_acts(registry: Registry) -> KnownActs:
    """Acts that references may name: those of the registry."""
    entries = registry.acts.values()
    return KnownActs(
        {slug(e.title): e.act_id for e in entries}, {e.number: e.act_id for e in entries if e.number}
    )


def tag_key(
    structured: Artefact, chunked: Artefact, titles: Mapping[str, str], known: KnownActs, config: TagConfig
) -> Key:
    """Key of ``tag`` for a chunked document."""
    params = asdict(config) | {"titles": dict(titles)}
    if config.references:
        params["known"] = asdict(known)
    return tag.STAGE.key(params, {"structure": structured.content, "chunk": chunked.content})


def make_tags(
    store: Path,
    structured: Made,
    chunked: Made,
    titles: Mapping[str, str],
    known: KnownActs,
    config: TagConfig,
) -> Made:
    """Tag the chunks of a document, in the store."""
    source, chunks = structured.artefact(), chunked.artefact()

    def run() -> dict[str, Any]:
        return tag.tag_document(
            source.table(TEXTS), source.table(PROVISIONS), chunks.table(CHUNKS), titles, known, config
        )

    return _made(Store(store).make(tag.STAGE, tag_key(source, chunks, titles, known, config), run))
