"""Vectors of texts that are encoded as queries: complaints, background stories, lay texts of provisions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.offline.embed.stage import CHECKPOINT
from citegrain.tasks.offline.models import Matrix

_FOLDER = "retrieve"  # of the store: the stage that first searched by these vectors


def query_rows(store: Path, space: str, prefix: str, dimension: int) -> RowStore:
    """The rows of query vectors: ``text_hash``, ``vector`` (float32, ``dimension``).

    Parameters
    ----------
    space
        Digest of what queries are encoded with, see :func:`query_space`.
    prefix
        What the encoder puts before a query.
    """
    name = digest([space[:32], prefix])[:32]
    schema = pa.schema([("text_hash", pa.string()), ("vector", pa.list_(pa.float32(), dimension))])
    return RowStore(store, _FOLDER, name, schema, "text_hash")


def cached_vectors(
    encode: Callable[[Sequence[str]], Matrix],
    texts: Sequence[str],
    rows: RowStore,
    known: Mapping[int, Matrix] = MappingProxyType({}),
) -> Matrix:
    """The vector of each text, shape (texts, dimension). Texts that have no row yet are encoded and added.

    Parameters
    ----------
    known
        Vectors from elsewhere, by position in ``texts``. They are neither looked up nor added.
    """
    keys = {i: hashlib.sha256(text.encode()).hexdigest() for i, text in enumerate(texts) if i not in known}
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
    for i, vector in known.items():
        vectors[i] = vector
    return vectors
