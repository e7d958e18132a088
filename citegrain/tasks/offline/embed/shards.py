"""Segments of passages that another process encodes: they lie in the store until it has read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.store import RowStore, StoreError
from citegrain.tasks.core.store.artefacts import explain
from citegrain.tasks.core.store.files import temporary_name
from citegrain.tasks.offline.embed.config import EmbedConfig
from citegrain.tasks.offline.embed.passages import ChunkText
from citegrain.tasks.offline.embed.queries import query_rows
from citegrain.tasks.offline.embed.stage import (
    Embedded,
    VectorSpace,
    embed_passages,
    query_space,
    segments,
    token_rows,
    vector_rows,
)
from citegrain.tasks.offline.models import Encoder, EncoderSettings, ModelFiles, Tokenizer

_COLUMNS = [("key", pa.string()), ("header", pa.string()), ("text", pa.string())]
_SCHEMA = pa.schema([*_COLUMNS, ("context", pa.string()), ("at", pa.int64())])


@dataclass(frozen=True)
class Encoding:
    """With what passages are encoded, and where their vectors go. It is small, and can be pickled.

    Attributes
    ----------
    store
        Folder of the artefact store.
    model
        The encoder of the passages.
    threads
        Of the encoder; 0: one a core.
    reader
        The model that encodes queries, where it is another.
    """

    store: Path
    space: VectorSpace
    model: ModelFiles
    config: EmbedConfig
    threads: int = 0
    reader: ModelFiles | None = None

    @property
    def vector_rows(self) -> RowStore:
        """The rows of the vectors of passages."""
        return vector_rows(self.store, self.space, self.model.dimension)

    @property
    def token_rows(self) -> RowStore:
        """The rows of their token vectors."""
        return token_rows(self.store, self.space)

    @property
    def query_space(self) -> str:
        """What the vectors of queries depend on beside their text."""
        return query_space(self.space.digest, self.reader)

    @property
    def query_rows(self) -> RowStore:
        """The rows of the vectors of queries."""
        return query_rows(self.store, self.query_space, self.config.query_prefix, self.model.dimension)


def write_shards(store: Path, passages: Mapping[str, ChunkText], late: bool) -> dict[Path, int]:
    """Write each segment of some passages as a temporary file of the store: their numbers by file.

    Raises
    ------
    StoreError
        If one cannot be written.
    """
    folder, shards = store / "tmp", {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part in segments(passages, late):
            path = folder / f"{temporary_name('passages-')}.parquet"
            rows = [{"key": key, **asdict(passage)} for key, passage in part]
            pq.write_table(pa.Table.from_pylist(rows, _SCHEMA), path, compression="zstd")
            shards[path] = len(part)
    except OSError as error:
        raise StoreError(explain(error, folder)) from error
    return shards


def embed_shard(encoding: Encoding, shard: Path) -> Embedded:
    """Encode the passages of a file that have no vector yet: the segment that this machine would write."""
    rows = pq.read_table(shard).to_pylist()
    passages = {row.pop("key"): ChunkText(**row) for row in rows}
    model, config = encoding.model, encoding.config
    encoder = _encoder(model, config.settings(), encoding.threads)
    return embed_passages(
        encoding.vector_rows, passages, encoder, _tokenizer(model), config.long, late=bool(config.late)
    )


@lru_cache(maxsize=1)
def _encoder(model: ModelFiles, settings: EncoderSettings, threads: int) -> Encoder:
    return Encoder(model, settings, threads)


@lru_cache(maxsize=1)
def _tokenizer(model: ModelFiles) -> Tokenizer:
    return Tokenizer(model)
