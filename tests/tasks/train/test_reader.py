"""Learning on a tiny encoder: the loss by hand, batches, repeatability, resuming, what ships."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

from citegrain.tasks.offline.models import WEIGHTS, Encoder, EncoderSettings, ModelFiles, find_model
from citegrain.tasks.train.config import ReaderConfig
from citegrain.tasks.train.examples import TRAIN, UNSEEN, Example, Examples, ranks
from tests.tasks.train.tiny import TINY, Lazy
from tests.tiny_model import WORDS

if TYPE_CHECKING:
    from citegrain.tasks.train import neural, running
else:
    neural, running = Lazy("neural"), Lazy("running")

CONFIG = ReaderConfig(**TINY, epochs=4, held_out=0.0)


def examples(*texts: tuple[str, tuple[tuple[int, ...], ...], str], rows: int = 6) -> Examples:
    items = tuple(
        Example(str(n), "plain", text, golds, 0, split) for n, (text, golds, split) in enumerate(texts)
    )
    everything = np.ones(rows, dtype=bool)
    return Examples(items, (everything,), everything, np.arange(rows), 0)


def test_the_loss_is_that_of_the_formula() -> None:
    """Two answers, of one two chunks; one passage kept back; worked out in plain floats."""
    vector = np.array([1.0, 0.0], np.float32)
    cosines = [0.9, 0.5, 0.3, 0.7, 0.8, 0.2]
    passages = np.array([[c, math.sqrt(1 - c * c)] for c in cosines], np.float32)
    data = examples(("t", ((0, 1), (2,)), TRAIN))
    data.shown[4] = False  # of an Act kept back
    loss = neural.LawSoftmax(
        lambda features: {"sentence_embedding": torch.from_numpy(np.stack([3 * vector]))},
        passages,
        data,
        0.5,
    )
    value = float(loss([{}], torch.tensor([0])))
    e = [math.exp(c / 0.5) for c in cosines]
    wrong = e[3] + e[5]
    first, second = e[0] + e[1], e[2]
    wanted = (-math.log(first / (first + wrong)) - math.log(second / (second + wrong))) / 2
    assert value == pytest.approx(wanted, abs=1e-5)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=200), st.integers(1, 9), st.integers(0, 5))
@settings(max_examples=50)
def test_batches_hold_each_text_once_and_another_epoch_another_order(
    lengths: list[int], size: int, epoch: int
) -> None:
    batches = running.ByLength(lengths, size, 1)
    batches.set_epoch(epoch)
    first = list(batches)
    assert Counter(i for batch in first for i in batch) == Counter(range(len(lengths)))
    assert all(len(batch) <= size for batch in first)
    assert first == list(batches), "the same epoch, the same order"
    if len(lengths) <= 16 * size:
        assert len(first) == len(batches)


def texts(n: int, seed: int) -> list[str]:
    """Text n begins with a word that text n + 12 begins with too; the rest is chance."""
    rng = np.random.default_rng(seed)
    return [" ".join([WORDS[i % 12 + 12]] * 3 + list(rng.choice(WORDS[:12], 3))) for i in range(n)]


@pytest.fixture
def task(tiny_model: Path, tmp_path: Path) -> tuple[ModelFiles, np.ndarray[Any, Any], Examples]:
    """Twelve passages, texts that one word each tells apart, and some kept back."""
    base = find_model(str(tiny_model), tmp_path / "models")
    passages = np.random.default_rng(1).normal(size=(12, 32)).astype(np.float32)
    passages /= np.linalg.norm(passages, axis=1, keepdims=True)
    learned = [(text, ((n % 12,),), TRAIN) for n, text in enumerate(texts(36, 2))]
    held_out = [(text, ((n,),), UNSEEN) for n, text in enumerate(texts(12, 3))]
    return base, passages, examples(*learned, *held_out, rows=12)


def test_it_learns_what_it_is_shown_and_twice_the_same(task: Any, tmp_path: Path) -> None:
    base, passages, data = task
    first, history = neural.train_reader(base, passages, data, CONFIG, tmp_path / "a")
    again, same = neural.train_reader(base, passages, data, CONFIG, tmp_path / "b")
    assert history == same and history[0]["step"] > 0
    assert all(torch.equal(first[key], again[key]) for key in first)
    assert not any(key.startswith("embeddings.") for key in first)
    losses = [row["value"] for row in history if row["metric"] == "loss"]
    assert losses[-1] < losses[0] - 0.5
    measured = {(row["split"], row["metric"]) for row in history}
    assert {("unseen", "mrr"), ("unseen", "in_20"), ("unseen", "set_in_20"), (TRAIN, "loss")} <= measured


def test_what_ships_is_what_was_learned_but_for_its_rank(task: Any, tmp_path: Path) -> None:
    base, passages, data = task
    learned_weights, _ = neural.train_reader(base, passages, data, CONFIG, tmp_path / "work")
    full, cut = tmp_path / "whole", tmp_path / "cut"
    for folder, rank in ((full, 32), (cut, 4)):
        folder.mkdir()
        running.write_adapter(folder, base, learned_weights, rank)
    merged = find_model(str(full), tmp_path / "models")
    weights = load_file(merged.folder / WEIGHTS)
    for key, value in learned_weights.items():
        assert np.allclose(weights[key], value.numpy(), atol=2e-3), "half precision"
    learned = [e for e in data.items if e.split == TRAIN]

    def mean_reciprocal(model: ModelFiles) -> float:
        vectors = Encoder(model, EncoderSettings("fp32")).encode([e.text for e in learned], query=True)
        return float((1 / ranks(vectors, passages, learned, data)[:, 0]).mean())

    shipped, plain = mean_reciprocal(merged), mean_reciprocal(base)
    assert shipped > plain + 0.1
    assert mean_reciprocal(find_model(str(cut), tmp_path / "models")) > plain
    assert (cut / "adapter.safetensors").stat().st_size < (full / "adapter.safetensors").stat().st_size


def test_a_killed_run_goes_on_and_ends_like_one_that_was_not(task: Any, tmp_path: Path) -> None:
    base, passages, data = task
    wanted, _ = neural.train_reader(base, passages, data, CONFIG, tmp_path / "whole")

    def killed(done: list[int]) -> Any:
        def progress(n: int) -> None:
            done.append(n)
            if len(done) == 15:  # after the first of four passes, of nine steps each
                raise KeyboardInterrupt

        return progress

    with pytest.raises(KeyboardInterrupt):
        neural.train_reader(base, passages, data, CONFIG, tmp_path / "cut", killed([]))
    torn = tmp_path / "cut" / "checkpoints" / "checkpoint-99"
    torn.mkdir()  # of a kill in the middle of writing one
    state = tmp_path / "cut" / "history.json"
    saved = json.loads(state.read_text())
    ahead = [{**row, "step": 14} for row in saved["history"][:1]]  # measured, and no checkpoint behind it
    state.write_text(json.dumps({**saved, "history": saved["history"] + ahead}))
    steps: list[int] = []
    learned_weights, history = neural.train_reader(
        base, passages, data, CONFIG, tmp_path / "cut", steps.append
    )
    assert len(steps) == 4 * 9 - 9, "the first pass is not done again"
    assert all(torch.allclose(wanted[key], learned_weights[key], atol=1e-5) for key in wanted)
    assert sorted(row["step"] for row in history if row["metric"] == "mrr") == [9, 18, 27, 36]
