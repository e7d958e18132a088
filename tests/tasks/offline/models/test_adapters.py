"""Adapters: merged as by hand, checked by digest, whole or absent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from citegrain.tasks.offline.models import (
    ADAPTER,
    DOWN,
    FULL,
    UP,
    WEIGHTS,
    Adapter,
    Encoder,
    EncoderSettings,
    ModelError,
    TwoEncoders,
    find_model,
)
from citegrain.tasks.offline.models import weights as module
from tests.tiny_adapter import NORM, QUERY, write_tiny_adapter

Make = Callable[..., Path]


@pytest.fixture
def make(tiny_model: Path, tmp_path: Path) -> Make:
    def write(name: str = "adapter", **factors: Any) -> Path:
        return write_tiny_adapter(tmp_path / name, tiny_model, **factors)

    return write


def test_what_was_learned_is_added(make: Make, tiny_model: Path, tmp_path: Path) -> None:
    folder = make()
    model = find_model(str(folder), tmp_path / "models")
    before, after = load_file(tiny_model / WEIGHTS), load_file(model.folder / WEIGHTS)
    learned = load_file(folder / ADAPTER)
    assert np.allclose(after[QUERY], before[QUERY] + learned[QUERY + UP] @ learned[QUERY + DOWN], atol=1e-6)
    assert np.allclose(after[NORM], before[NORM] + learned[NORM + FULL], atol=1e-6)
    assert set(before) == set(after)
    untouched = set(before) - {QUERY, NORM}
    assert all(np.array_equal(before[key], after[key]) for key in untouched)


def test_a_model_of_another_kind_than_its_base(make: Make, tiny_model: Path, tmp_path: Path) -> None:
    """The base's weights under another name, a new one, and another configuration."""
    folder, cache = make(), tmp_path / "models"
    learned = load_file(folder / ADAPTER)
    head = np.full((1, 32), 0.5, np.float16)
    save_file(
        {f"bert.{key}": value for key, value in learned.items()} | {"classifier.weight.new": head},
        folder / ADAPTER,
    )
    description = json.loads((folder / "adapter.json").read_text())
    plain = find_model(str(make("plain")), cache)
    (folder / "adapter.json").write_text(
        json.dumps(description | {"prefix": "bert.", "config": {"num_labels": 1}})
    )
    model = find_model(str(folder), cache)
    before, after = load_file(plain.folder / WEIGHTS), load_file(model.folder / WEIGHTS)
    assert set(after) == {f"bert.{key}" for key in before} | {"classifier.weight"}
    assert np.allclose(after[f"bert.{QUERY}"], before[QUERY], atol=1e-6)
    assert (after["classifier.weight"] == head).all() and model.sha256 != plain.sha256
    config = json.loads((tiny_model / "config.json").read_text())
    assert json.loads((model.folder / "config.json").read_text()) == config | {"num_labels": 1}


def test_it_is_merged_once_and_again_where_it_was_damaged(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = make(), tmp_path / "models"
    model = find_model(str(folder), cache)
    stamp = (model.folder / WEIGHTS).stat().st_mtime_ns
    assert find_model(str(folder), cache) == model
    assert (model.folder / WEIGHTS).stat().st_mtime_ns == stamp
    intact = (model.folder / WEIGHTS).read_bytes()
    (model.folder / WEIGHTS).write_bytes(intact[:-1])
    assert find_model(str(folder), cache) == model
    assert (model.folder / WEIGHTS).read_bytes() == intact
    assert [p.name for p in cache.iterdir()] == [model.folder.name], "nothing unfinished is left"


def test_digests_tell_base_and_adapter_apart(make: Make, tmp_path: Path) -> None:
    cache = tmp_path / "models"
    adapters = [make("a"), make("b", scale=2.0), make("c", seed=3)]
    assert len({find_model(str(folder), cache).sha256 for folder in adapters}) == 3
    with pytest.raises(ModelError, match="expected one is 0000"):
        find_model(str(adapters[0]), cache, "0" * 64)
    description = json.loads((adapters[0] / "adapter.json").read_text())
    (adapters[0] / "adapter.json").write_text(json.dumps(description | {"base_sha256": "1" * 64}))
    with pytest.raises(ModelError, match="expected one is 1111"):
        find_model(str(adapters[0]), cache)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "adapter.json").write_text("[]"), "not a description of an adapter"),
        (lambda f: (f / "adapter.json").write_text('{"base": "x"}'), "not a description of an adapter"),
        (lambda f: Adapter("x", "").write(f), "no digest of the base model"),
        (lambda f: (f / ADAPTER).rename(f / "adapter.bin"), "pickles"),
        (lambda f: (f / ADAPTER).write_bytes(b"\x80\x04 not safetensors"), "cannot be read as safetensors"),
        (
            lambda f: save_file({QUERY + UP: np.zeros((32, 2), np.float32)}, f / ADAPTER),
            "does not fit the base model",
        ),
        (
            lambda f: save_file({QUERY + FULL: np.zeros(32, np.float32)}, f / ADAPTER),
            "does not fit the base model",
        ),
        (
            lambda f: save_file({"x" + FULL: np.zeros((32, 32), np.float32)}, f / ADAPTER),
            "does not fit the base model",
        ),
        (
            lambda f: save_file({f"{QUERY}.new": np.zeros((32, 32), np.float32)}, f / ADAPTER),
            "already has the weight it calls new",
        ),
        (
            lambda f: (f / "adapter.json").write_text(
                json.dumps({"base": "x", "base_sha256": "0", "config": []})
            ),
            "and config a mapping",
        ),
    ],
)
def test_what_is_wrong_is_reported(
    make: Make, tmp_path: Path, spoil: Callable[[Path], Any], message: str
) -> None:
    folder = make()
    spoil(folder)
    with pytest.raises(ModelError, match=message):
        find_model(str(folder), tmp_path / "models")
    left = tmp_path / "models"
    assert not left.exists() or not list(left.iterdir())


def test_a_base_that_is_an_adapter_is_refused(make: Make, tmp_path: Path) -> None:
    first, second = make("first"), make("second")
    Adapter(str(first), "0" * 64).write(second)
    with pytest.raises(ModelError, match="is an adapter too"):
        find_model(str(second), tmp_path / "models")


def test_models_of_our_own_have_names(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make("tiny_statutes")
    monkeypatch.setattr(module, "SHIPPED", tmp_path)
    model = find_model("citegrain/tiny-statutes", tmp_path / "models")
    assert model.name == "citegrain/tiny-statutes" and model.dimension == 32
    for name in ("citegrain/other", "citegrain/../tiny-statutes", "citegrain/"):
        with pytest.raises(ModelError, match=r"there are: .*citegrain/tiny-statutes"):
            find_model(name, tmp_path / "models")


def test_queries_are_read_by_the_one_and_passages_by_the_other(
    make: Make, tiny_model: Path, tmp_path: Path
) -> None:
    cache, settings = tmp_path / "models", EncoderSettings("fp32")
    base = Encoder(find_model(str(tiny_model), cache), settings)
    reader = Encoder(find_model(str(make(scale=4.0)), cache), settings)
    loaded: list[str] = []

    def passages() -> Encoder:
        loaded.append("passages")
        return base

    two = TwoEncoders(passages, lambda: reader)
    texts = ["the wages of the keeper", "oil for the lamp"]
    assert np.array_equal(two.encode(texts, query=True), reader.encode(texts, query=True))
    assert not loaded, "a question needs the reader only"
    assert np.array_equal(two.encode(texts), base.encode(texts))
    assert not np.allclose(two.encode(texts), two.encode(texts, query=True), atol=1e-3)
    assert np.array_equal(
        two.token_vectors(texts[:1], query=True)[0], reader.token_vectors(texts[:1], query=True)[0]
    )
    assert np.array_equal(two.token_vectors(texts[:1])[0], base.token_vectors(texts[:1])[0])
