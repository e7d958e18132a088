"""Parameters of ``embed``; how questions and texts that read like them are encoded, and where vectors lie."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models import (
    ApiConfig,
    ApiEncoder,
    ApiModel,
    Encoder,
    EncoderSettings,
    Matrix,
    ModelError,
    ModelFiles,
    TwoEncoders,
    api_model,
    find_model,
)

LATE = ("", "section", "document")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class EmbedConfig:
    """Which encoder, and how it is run.

    Attributes
    ----------
    model
        Name on the hub, ``NAME@COMMIT`` for a revision of it, or a folder.
    sha256
        Digest the weights must have; empty: that of the packaged model, or none.
    precision
        ``fp32``, ``bf16``, or ``auto``: bf16 where the processor has instructions for it,
        else fp32. Vectors of both agree (cosine .9999); ``auto`` has the vector space of bf16. Up to
        ``models.FEW`` queries at a time are in fp32 unless it is ``bf16``.
    max_tokens
        Longest input; 0 for the limit of the model.
    long
        How a text longer than the encoder reads is encoded: ``truncate`` leaves out the rest;
        ``windows`` reads it in windows, the header before each, and takes the direction half way
        between the first window's vector and the mean of all.
    late
        Late chunking: a chunk is read among those of its ``section``, or of its Act (``document``), as far as
        the encoder reads, and its vector is the mean of its own tokens. Empty: it is read alone.
    batch_size
        Texts a forward pass.
    query_prefix, passage_prefix
        For models trained with them; empty: the prompts that the model's own files name, if any.
    query_model, query_sha256
        A separate model for queries (the reader), trained towards the vectors of ``model``: name or
        folder, and the digest its weights must have. Empty: ``model`` reads both.
    query_vectors, query_vectors_sha256
        File of vectors that ship with the reader (``offline.embed.queries``), and its digest. Empty: none.
    tokens
        Whether token vectors are kept for late interaction (two bytes a number).
    also
        Further encoders by name, each with parameters as these. The build has a vector space of each, and the
        channel ``dense_NAME`` searches it.
    api
        Of an encoder behind an API: the vendor, and how it is called; ``model`` is then its name there.
    """

    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    sha256: str = ""
    precision: str = "auto"
    max_tokens: int = 0
    long: str = "windows"
    late: str = ""
    batch_size: int = 32
    query_prefix: str = ""
    passage_prefix: str = ""
    query_model: str = ""
    query_sha256: str = ""
    query_vectors: str = ""
    query_vectors_sha256: str = ""
    tokens: bool = False
    also: dict[str, Any] = field(default_factory=dict)
    api: ApiConfig = field(default_factory=ApiConfig)

    def __post_init__(self) -> None:
        if isinstance(self.api, Mapping):  # of a manifest
            object.__setattr__(self, "api", ApiConfig(**self.api))
        if self.api.vendor and (self.late or self.tokens or self.query_model or self.sha256):
            raise ValueError("embed.api: late, tokens, query_model and sha256 are of weights on this machine")
        if self.api.vendor and not self.max_tokens:
            raise ValueError("embed.max_tokens is missing: add what the model behind the API reads")
        for name, values in self.also.items():
            if not _NAME.fullmatch(name) or values.get("also") or values.get("tokens"):
                raise ValueError(
                    f"embed.also.{name}: a name of small letters, without also and tokens of its own"
                )
        self.others()
        if self.long not in ("truncate", "windows"):
            raise ValueError(f"embed.long={self.long}: truncate or windows")
        if self.late not in LATE:
            raise ValueError(f"embed.late={self.late}: section, document or empty")
        self.settings()

    def others(self) -> dict[str, EmbedConfig]:
        """The further encoders.

        Raises ValueError if one has an unknown key, or a value out of range.
        """
        try:
            return {name: EmbedConfig(**values) for name, values in self.also.items()}
        except TypeError as error:
            raise ValueError(f"embed.also: {error}") from error

    def settings(self) -> EncoderSettings:
        """The part of it that the encoder reads."""
        return EncoderSettings(
            self.precision, self.max_tokens, self.batch_size, self.query_prefix, self.passage_prefix
        )


CHECKPOINT = 1024  # texts a segment: what a killed run loses at most
_FOLDER = "retrieve"  # of the store: the stage that first searched by these vectors

_KEY_BYTES = 16


_load = lru_cache(maxsize=2)(Encoder)

Account = Callable[[str], tuple[str, str]]
"""Address and key of a vendor by its name; both may be empty."""


def load_encoder(
    model: ModelFiles, config: EmbedConfig, endpoint: Endpoint | None, threads: int = 0
) -> Encoder:
    """The encoder of some files, or of a model behind an API."""
    if isinstance(model, ApiModel) and endpoint:
        return ApiEncoder(model, config.settings(), config.api, endpoint)
    return Encoder(model, config.settings(), threads)


def endpoint_of(config: EmbedConfig, account: Account) -> Endpoint | None:
    """Where the encoder is, if it is behind an API. Raises EndpointError if its key is missing."""
    vendor = config.api.vendor
    return config.api.endpoint(config.model, "embed=api", account(vendor)) if vendor else None


def with_prompts(config: EmbedConfig, model: ModelFiles, reader: ModelFiles | None) -> EmbedConfig:
    """The parameters with the prompts of the models' own files, where they name no prefixes."""
    if config.api.vendor:
        return config
    return replace(
        config,
        query_prefix=config.query_prefix or (reader or model).prompt("query"),
        passage_prefix=config.passage_prefix or model.prompt("document", "passage", "corpus"),
    )


def passage_model(config: EmbedConfig, models: Path) -> ModelFiles:
    """The model of the passages: its files, or a vendor's with a tokenizer that counts for it.

    Raises ModelError if something is missing.
    """
    if config.api.vendor:
        return api_model(config.model, config.api, models)
    return find_model(config.model, models, config.sha256)


def encoder_of(
    config: EmbedConfig, weights: str, query_weights: str, models: Path, account: Account
) -> Encoder | TwoEncoders:
    """What encodes passages and queries: two models where a separate reader reads the queries.

    Raises ModelError if weights are missing or have another digest; of two models, when each is first used.
    Raises EndpointError if it is behind an API and the key is missing.

    ``weights`` and ``query_weights``: SHA-256 that the two must have.
    """
    if endpoint := endpoint_of(config, account):
        return load_encoder(passage_model(config, models), config, endpoint)

    def _checked(name: str, sha256: str, expected: str) -> ModelFiles:
        files = find_model(name, models, sha256)
        if expected not in ("", files.sha256):
            raise ModelError(f"{name}: not the weights of this build; run citegrain index")
        return files

    @cache
    def passages() -> Encoder:
        return _load(_checked(config.model, config.sha256, weights), config.settings())

    @cache
    def queries() -> Encoder:
        return _load(_checked(config.query_model, config.query_sha256, query_weights), config.settings())

    return TwoEncoders(passages, queries) if config.query_model else passages()


def query_rows(store: Path, space: str, prefix: str, dimension: int) -> RowStore:
    """The rows of query vectors: ``text_hash``, ``vector`` (float32, ``dimension``).

    ``space``: digest of what queries are encoded with, see :func:`query_space`. ``prefix``: what the encoder
    puts before a query.
    """
    name = digest([space[:32], prefix])[:32]
    schema = pa.schema([("text_hash", pa.string()), ("vector", pa.list_(pa.float32(), dimension))])
    return RowStore(store, _FOLDER, name, schema, "text_hash")


def cached_vectors(
    encode: Callable[[Sequence[str]], Matrix],
    texts: Sequence[str],
    rows: RowStore,
    shipped_at: Mapping[int, Matrix] = MappingProxyType({}),
) -> Matrix:
    """The vector of each text, shape (texts, dimension). Texts that have no row yet are encoded and added.

    ``shipped_at``: vectors from elsewhere, by position in ``texts``. They are neither looked up nor added.
    """
    keys = {
        i: hashlib.sha256(text.encode()).hexdigest() for i, text in enumerate(texts) if i not in shipped_at
    }
    present = set(rows.read(list(keys.values())).column("text_hash").to_pylist())
    missing = [i for i, key in keys.items() if key not in present]
    for at in range(0, len(missing), CHECKPOINT):
        part = missing[at : at + CHECKPOINT]
        columns = {"text_hash": [keys[i] for i in part], "vector": list(encode([texts[i] for i in part]))}
        rows.append(pa.table(columns, schema=rows.schema))
    dimension = rows.schema.field("vector").type.list_size
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    cached = rows.read(list(keys.values())).column("vector").combine_chunks().flatten()
    vectors[list(keys)] = cached.to_numpy(zero_copy_only=False).reshape(len(keys), dimension)
    for i, vector in shipped_at.items():
        vectors[i] = vector
    return vectors


def write_shipped(path: Path, texts: Sequence[str], vectors: Matrix, space: str) -> None:
    """Write the vectors of texts, each text once, in an order that depends on the texts only.

    ``texts``: with the prefix of queries, if they have one. ``vectors``: one a text, of length 1, shape
    (texts, dimension). ``space``: digest of the space of queries, ``offline.embed.stage.query_space``.
    """
    from safetensors.numpy import save_file

    at = {text_key(text): i for i, text in enumerate(texts)}
    order = sorted(at)
    keys = np.frombuffer(b"".join(order), dtype=np.uint8).reshape(-1, _KEY_BYTES)
    halves = vectors[[at[key] for key in order]].astype(np.float16)
    save_file({"keys": keys, "vectors": halves}, path, metadata={"space": space})


def read_shipped(path: Path, sha256: str, space: str) -> Mapping[bytes, Matrix]:
    """The vectors that ship for a space as they are written, by key; empty where they are of another space.

    Raises ModelError if the file is missing, has another digest, or is not what :func:`write_shipped` writes.
    """
    from safetensors import SafetensorError, safe_open

    try:
        digest = hash_file(path)
        if digest != sha256:
            expected = sha256 or "missing: set embed.query_vectors_sha256"
            raise ModelError(f"{path}: its SHA-256 is {digest}, the expected one is {expected}")
        with safe_open(path, framework="numpy") as file:
            if (file.metadata() or {}).get("space") != space:
                return {}
            keys, vectors = file.get_tensor("keys"), file.get_tensor("vectors")
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read as vectors that ship with a model: {error}") from error
    if keys.dtype != np.uint8 or vectors.ndim != 2 or keys.shape != (len(vectors), _KEY_BYTES):
        raise ModelError(f"{path}: its keys do not fit its vectors")
    return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}


def shipped_vectors(shipped: Mapping[bytes, Matrix], texts: Sequence[str]) -> dict[int, Matrix]:
    """Vector of each of ``texts`` that ships, by its position; of length 1."""
    at = {i: key for i, key in enumerate(map(text_key, texts if shipped else ())) if key in shipped}
    if not at:
        return {}
    vectors = np.stack([shipped[key] for key in at.values()]).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return dict(zip(at, vectors, strict=True))


def shipped_digest(shipped: Mapping[bytes, Matrix], texts: Sequence[str]) -> str:
    """Digest of the vectors that ship of some texts."""
    rows = (key + shipped[key].tobytes() for key in map(text_key, texts) if key in shipped)
    return hashlib.sha256(b"".join(rows)).hexdigest()


def text_key(text: str) -> bytes:
    """By what a text stands in a file that ships: the first 16 bytes of its SHA-256."""
    return hashlib.sha256(text.encode()).digest()[:_KEY_BYTES]
