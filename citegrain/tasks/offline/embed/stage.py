"""Declaration of ``embed``: a vector for each text, computed once."""

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.stage import Stage, digest
from citegrain.tasks.core.store import RowStore, StoreError
from citegrain.tasks.core.store.artefacts import explain
from citegrain.tasks.core.store.files import temporary_name
from citegrain.tasks.offline.embed.passages import ChunkText, late_vectors
from citegrain.tasks.offline.embed.queries import CHECKPOINT, EmbedConfig, load_encoder, query_rows
from citegrain.tasks.offline.models import (
    Encoder,
    Matrix,
    ModelFiles,
    Tokenizer,
    TokenMatrix,
)

STAGE = Stage("embed", 1, ())
LONGEST = 1_000_000  # characters a segment: workers share the long texts too
_TOKEN_CHECKPOINT = 512

_COLUMNS = [("key", pa.string()), ("header", pa.string()), ("text", pa.string())]
_SCHEMA = pa.schema([*_COLUMNS, ("context", pa.string()), ("at", pa.int64())])


@dataclass(frozen=True, slots=True)
class Embedded:
    """How many texts were encoded, and how many of them are longer than the encoder reads."""

    encoded: int = 0
    long: int = 0


@dataclass(frozen=True)
class VectorSpace:
    """What vectors depend on beside their text; ``name`` is the folder of their rows."""

    name: str
    digest: str


def vector_space(model: ModelFiles, tokenizer_sha256: str, config: EmbedConfig) -> VectorSpace:
    """The space of a model under a configuration: weights, precision, prefixes, length.

    That of ``auto`` is the one of bf16 on every machine, so that machines share vectors and keys.
    """
    precision = "bf16" if config.precision == "auto" else config.precision
    parts = {
        "version": STAGE.version,
        "weights": model.sha256,
        "tokenizer": tokenizer_sha256,
        "long": config.long,
        "precision": precision,
        "max_tokens": config.max_tokens,
        "passage_prefix": config.passage_prefix,
    }
    if config.late:
        parts["late"] = config.late
    short = digest(parts)[:12]
    return VectorSpace(f"{model.name.rpartition('/')[2]}-{precision}-{short}", short)


def query_space(space: str, reader: ModelFiles | None) -> str:
    """Digest of what queries are encoded with: the passages' space, and the reader's weights."""
    return digest([space, reader.sha256])[:12] if reader else space


def vector_rows(store: Path, space: VectorSpace, dimension: int) -> RowStore:
    """The rows of sentence vectors: ``text_hash``, ``vector`` (float32, ``dimension``)."""
    schema = pa.schema([("text_hash", pa.string()), ("vector", pa.list_(pa.float32(), dimension))])
    return RowStore(store, "embed", space.name, schema, "text_hash")


def token_rows(store: Path, space: VectorSpace) -> RowStore:
    """The rows of token vectors: ``text_hash``, ``tokens`` (count), ``vectors`` (float16 bytes)."""
    schema = pa.schema([("text_hash", pa.string()), ("tokens", pa.int32()), ("vectors", pa.binary())])
    return RowStore(store, "embed", f"{space.name}-tokens", schema, "text_hash")


def missing_passages(rows: RowStore, passages: Mapping[str, ChunkText]) -> dict[str, ChunkText]:
    """Passages (by text hash) that have no row yet."""
    present = rows.keys()
    return {key: passage for key, passage in passages.items() if key not in present}


def windows(passage: ChunkText, tokenizer: Tokenizer, max_tokens: int) -> list[str]:
    """A passage as the encoder can read it: itself, or windows of it with the header before each.

    ``max_tokens`` counts two special tokens. A header that fills more than half of it stands
    before the first window only.
    """
    offsets = tokenizer.offsets(passage.text)
    header = len(tokenizer.offsets(passage.header)) if passage.header else 0
    room = max_tokens - 2
    if len(offsets) + header <= room:
        return [passage.joined]
    repeated = header <= room // 2
    size = room - header if repeated else max(1, room // 2)
    out = []
    for at in range(0, len(offsets), size):
        part = passage.text[offsets[at][0] : offsets[min(len(offsets), at + size) - 1][1]]
        out.append(ChunkText(passage.header if repeated or not at else "", part).joined)
    return out


def embed_passages(
    rows: RowStore,
    passages: Mapping[str, ChunkText],
    encoder: Encoder,
    long: str = "windows",
    progress: Callable[[int], None] = lambda n: None,
    late: bool = False,
) -> Embedded:
    """Encode the passages that have no vector yet, a segment at a time.

    ``long``: ``truncate`` or ``windows``, see ``offline.embed.EmbedConfig``. ``progress``: called with
    what is done since the last call, in passages of middle length: the longest come first, and counted one by
    one they would promise many times the time that is left. ``late``: whether a passage is read in its
    context (``offline.embed.passages``), where there is room for some.
    """
    todo = missing_passages(rows, passages)
    progress(len(passages) - len(todo))
    advance = _in_passages(todo, progress)
    too_long = 0
    for part in segments(todo, late):
        vectors, alone = np.zeros((len(part), encoder.dimension), np.float32), list(range(len(part)))
        if late:
            vectors, alone = late_vectors([passage for _, passage in part], encoder)
            advance(sum(map(_length, part)) - sum(_length(part[i]) for i in alone))
        pieces = [windows(part[i][1], encoder.tokenizer, encoder.max_tokens) for i in alone]
        too_long += sum(len(p) > 1 for p in pieces)
        if long == "truncate":
            pieces = [[part[i][1].joined] for i in alone]
        vectors[alone] = _combined(pieces, encoder, sum(_length(part[i]) for i in alone), advance)
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), encoder.dimension)
        rows.append(pa.table({"text_hash": [key for key, _ in part], "vector": column}))
        _give_back_memory()
    return Embedded(len(todo), too_long)


def _give_back_memory() -> None:
    """Give freed memory back to the system.

    Batches are of many lengths, and what glibc keeps of them for later came to 2 GB over 34,000 texts.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's alone
    if trim is not None:
        trim(0)


def segments(passages: Mapping[str, ChunkText], late: bool = False) -> list[list[tuple[str, ChunkText]]]:
    """Passages by length, so that their batches carry little padding, cut into segments."""
    ordered = _by_length(passages)
    if late:  # those of one context together
        ordered.sort(key=lambda item: (item[1].context, item[1].at, item[0]))
    out: list[list[tuple[str, ChunkText]]] = []
    length = 0
    for key, passage in ordered:
        length += len(passage.text)
        if not out or len(out[-1]) == CHECKPOINT or length > LONGEST:
            out.append([])
            length = len(passage.text)
        out[-1].append((key, passage))
    return out


def _length(item: tuple[str, ChunkText]) -> int:
    return 1 + len(item[1].text)


def _in_passages(todo: Mapping[str, ChunkText], progress: Callable[[int], None]) -> Callable[[float], None]:
    """Reports lengths that are done, in passages of middle length; all lengths together are all passages."""
    total, done = sum(map(_length, todo.items())), 0.0

    def advance(length: float) -> None:
        nonlocal done
        before, done = round(done / total * len(todo)), done + length
        progress(round(done / total * len(todo)) - before)

    return advance


def _combined(
    pieces: Sequence[Sequence[str]], encoder: Encoder, length: int, advance: Callable[[float], None]
) -> Matrix:
    """One vector a passage: its window's, or half way between the first and the mean of all.

    ``length`` of all goes to ``advance`` by and by; an encoder takes the longest texts first.
    """
    flat = [window for windows_ in pieces for window in windows_]
    lengths = sorted((1 + len(window) for window in flat), reverse=True)
    ends, share = np.cumsum([0, *lengths]), length / max(1, sum(lengths))
    done = 0

    def encoded_more(count: int) -> None:
        nonlocal done
        before, done = done, done + count
        advance(float(ends[done] - ends[before]) * share)

    encoded = encoder.encode(flat, progress=encoded_more)
    out = np.zeros((len(pieces), encoder.dimension), dtype=np.float32)
    at = 0
    for i, windows_ in enumerate(pieces):
        vectors = encoded[at : at + len(windows_)]
        out[i] = vectors[0] if len(vectors) == 1 else _unit(vectors[0] + _unit(vectors.mean(axis=0)))
        at += len(windows_)
    return np.ascontiguousarray(out)


def _unit(vector: Matrix) -> Matrix:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float32)


def embed_tokens(
    rows: RowStore,
    passages: Mapping[str, ChunkText],
    encoder: Encoder,
    progress: Callable[[int], None] = lambda n: None,
) -> int:
    """Encode token vectors of the passages that have none yet; returns how many.

    Of a passage longer than the encoder reads the first window is kept.
    """
    todo = _by_length(missing_passages(rows, passages))
    for at in range(0, len(todo), _TOKEN_CHECKPOINT):
        part = todo[at : at + _TOKEN_CHECKPOINT]
        matrices = encoder.token_vectors([p.joined for _, p in part], progress=progress)
        rows.append(
            pa.table(
                {
                    "text_hash": [key for key, _ in part],
                    "tokens": pa.array([len(m) for m in matrices], pa.int32()),
                    "vectors": pa.array([m.tobytes() for m in matrices], pa.binary()),
                }
            )
        )
    return len(todo)


def _by_length(passages: Mapping[str, ChunkText]) -> list[tuple[str, ChunkText]]:
    """Longest first, so that the batches of a segment carry little padding."""
    return sorted(passages.items(), key=lambda item: (-len(item[1].text), item[0]))


def read_vectors(rows: RowStore, keys: Sequence[str], dimension: int) -> Matrix:
    """Vectors of ``keys``, in order: float32, shape (len(keys), dimension).

    Raises KeyError if one is missing.
    """
    unique = list(dict.fromkeys(keys))
    table = rows.read(unique)
    if table.num_rows != len(unique):
        raise KeyError(f"{len(unique) - table.num_rows} of {len(unique)} vectors are missing")
    column: Any = table.column("vector").combine_chunks()
    matrix = np.asarray(column.flatten(), dtype=np.float32).reshape(-1, dimension)
    at = {key: i for i, key in enumerate(unique)}
    return matrix[[at[key] for key in keys]]


def iterate_tokens(rows: RowStore, keys: Sequence[str], dimension: int) -> Iterator[TokenMatrix]:
    """Token vectors of ``keys``, in order, a bounded number in memory at a time.

    Raises KeyError if one is missing.
    """
    for at in range(0, len(keys), _TOKEN_CHECKPOINT):
        part = list(keys[at : at + _TOKEN_CHECKPOINT])
        table = rows.read(list(dict.fromkeys(part)))
        by_key = dict(zip(table.column("text_hash").to_pylist(), table.column("vectors"), strict=True))
        for key in part:
            yield np.frombuffer(by_key[key].as_buffer(), dtype=np.float16).reshape(-1, dimension)


@dataclass(frozen=True)
class Encoding:
    """With what passages are encoded, and where their vectors go. It is small, and can be pickled.

    ``threads``: of the encoder; 0: one a core. ``reader``: the model that encodes queries, where it is
    another. ``endpoint``: where the encoder is, if it is behind an API. It has the key, and goes to no other
    process.
    """

    store: Path
    space: VectorSpace
    model: ModelFiles
    config: EmbedConfig
    threads: int = 0
    reader: ModelFiles | None = None
    endpoint: Endpoint | None = None

    def encoder(self, query: bool = False) -> Encoder:
        model = self.reader or self.model if query else self.model
        return load_encoder(model, self.config, self.endpoint, self.threads)

    @property
    def vector_rows(self) -> RowStore:
        return vector_rows(self.store, self.space, self.model.dimension)

    @property
    def token_rows(self) -> RowStore:
        return token_rows(self.store, self.space)

    @property
    def query_space(self) -> str:
        """What the vectors of queries depend on beside their text."""
        return query_space(self.space.digest, self.reader)

    @property
    def query_rows(self) -> RowStore:
        return query_rows(self.store, self.query_space, self.config.query_prefix, self.model.dimension)


def write_shards(store: Path, passages: Mapping[str, ChunkText], late: bool) -> dict[Path, int]:
    """Write each segment of some passages as a temporary file of the store: their numbers by file."""
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
    return embed_passages(encoding.vector_rows, passages, encoder, config.long, late=bool(config.late))


_encoder = lru_cache(maxsize=1)(Encoder)
