"""Vectors that ship with a model, for texts that every build searches. Nobody has to encode them again.

A file in safetensors: ``keys``, the first 16 bytes of each text's SHA-256, and ``vectors`` in half precision.
Its metadata name their vector space. A text that is not in the file, or of another space, is encoded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models import Matrix, ModelError

_KEY_BYTES = 16


def write_shipped(path: Path, texts: Sequence[str], vectors: Matrix, space: str) -> None:
    """Write the vectors of texts, each text once, in an order that depends on the texts only.

    Parameters
    ----------
    texts
        With the prefix of queries, if they have one.
    vectors
        One a text, of length 1, shape (texts, dimension).
    space
        Digest of the space of queries, ``offline.embed.stage.query_space``.
    """
    from safetensors.numpy import save_file

    at = {text_key(text): i for i, text in enumerate(texts)}
    order = sorted(at)
    keys = np.frombuffer(b"".join(order), dtype=np.uint8).reshape(-1, _KEY_BYTES)
    halves = vectors[[at[key] for key in order]].astype(np.float16)
    save_file({"keys": keys, "vectors": halves}, path, metadata={"space": space})


def read_shipped(path: Path, sha256: str, space: str) -> Mapping[bytes, Matrix]:
    """The vectors that ship for a space, by key; empty where they are of another space.

    Raises
    ------
    ModelError
        If the file is missing, has another digest, or is not what :func:`write_shipped` writes.
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
            keys, vectors = file.get_tensor("keys"), file.get_tensor("vectors").astype(np.float32)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path}: cannot be read as vectors that ship with a model: {error}") from error
    if keys.dtype != np.uint8 or vectors.ndim != 2 or keys.shape != (len(vectors), _KEY_BYTES):
        raise ModelError(f"{path}: its keys do not fit its vectors")
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}


def shipped_vectors(shipped: Mapping[bytes, Matrix], texts: Sequence[str]) -> dict[int, Matrix]:
    """Vector of each of ``texts`` that ships, by its position."""
    keys = [text_key(text) for text in texts] if shipped else []
    return {i: shipped[key] for i, key in enumerate(keys) if key in shipped}


def text_key(text: str) -> bytes:
    """By what a text stands in a file that ships: the first 16 bytes of its SHA-256."""
    return hashlib.sha256(text.encode()).digest()[:_KEY_BYTES]
