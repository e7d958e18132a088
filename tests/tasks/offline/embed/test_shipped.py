"""Vectors that ship with a model: what is written is read, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citegrain.tasks.core.store import hash_file
from citegrain.tasks.offline.embed import read_shipped, shipped_digest, shipped_vectors, write_shipped
from citegrain.tasks.offline.models import ModelError

TEXTS = ["they kept my pay", "the goat is gone", "they kept my pay"]
VECTORS = np.array([[0.6, 0.8, 0, 0], [0, 0, 1, 0], [0.6, 0.8, 0, 0]], dtype=np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_shipped(tmp_path / "v.safetensors", TEXTS, VECTORS, "space")
    return tmp_path / "v.safetensors"


def test_each_text_has_its_vector_and_an_unknown_one_none(path: Path) -> None:
    shipped = read_shipped(path, hash_file(path), "space")
    vectors = shipped_vectors(shipped, ["the goat is gone", "new", "they kept my pay"])
    assert sorted(vectors) == [0, 2] and len(shipped) == 2
    assert np.allclose(vectors[0], VECTORS[1], atol=1e-3) and np.allclose(vectors[2], VECTORS[0], atol=1e-3)
    assert all(
        v.dtype == np.float32 and np.linalg.norm(v) == pytest.approx(1, abs=1e-6) for v in vectors.values()
    )


def test_the_digest_is_of_the_vectors_that_are_taken(path: Path, tmp_path: Path) -> None:
    def digest_of(vectors: np.ndarray, *texts: str) -> str:
        write_shipped(tmp_path / "w", TEXTS, vectors, "space")
        return shipped_digest(read_shipped(tmp_path / "w", hash_file(tmp_path / "w"), "space"), texts)

    other = VECTORS[:, ::-1].copy()
    mixed = np.stack([other[0], VECTORS[1], other[2]])
    assert digest_of(VECTORS, TEXTS[1]) == digest_of(mixed, TEXTS[1], "new") != digest_of(other, TEXTS[1])
    assert digest_of(VECTORS, *TEXTS[:2]) != digest_of(VECTORS, *TEXTS[1::-1])
    assert digest_of(VECTORS, "new") == shipped_digest({}, TEXTS)


def test_the_order_of_the_texts_is_not_in_the_file(path: Path, tmp_path: Path) -> None:
    write_shipped(tmp_path / "other", TEXTS[::-1], VECTORS[::-1], "space")
    assert hash_file(tmp_path / "other") == hash_file(path)


def test_of_another_space_none_ship(path: Path) -> None:
    assert not read_shipped(path, hash_file(path), "another")
    assert not shipped_vectors({}, TEXTS)


@pytest.mark.parametrize("sha256", ["", "0" * 64])
def test_another_digest_is_refused(path: Path, sha256: str) -> None:
    with pytest.raises(ModelError, match="SHA-256"):
        read_shipped(path, sha256, "space")


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    bad = tmp_path / "bad"
    bad.write_bytes(b"\x80\x04 a pickle")
    with pytest.raises(ModelError, match="cannot be read"):
        read_shipped(bad, hash_file(bad), "space")
    save_file({"keys": np.zeros((1, 16), np.uint8)}, bad, metadata={"space": "space"})
    with pytest.raises(ModelError, match="cannot be read"):
        read_shipped(bad, hash_file(bad), "space")
    two = np.zeros((2, 4), np.float16)
    save_file({"keys": np.zeros((1, 16), np.uint8), "vectors": two}, bad, metadata={"space": "space"})
    with pytest.raises(ModelError, match="do not fit"):
        read_shipped(bad, hash_file(bad), "space")
    with pytest.raises(ModelError, match="cannot be read"):
        read_shipped(tmp_path / "none", "x", "space")
