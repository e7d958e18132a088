"""Learning to read complaints: sentence-transformers' trainer, and a softmax over the law itself.

The passages stay where they are: only what reads a query learns. Every step compares a batch of texts with
the stored vectors of all provisions, so each provision that does not apply is a wrong answer, the hard ones
included, at the cost of encoding the queries alone; and an index needs nothing embedded anew.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset, disable_progress_bars
from safetensors.torch import load_file, save_file
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
from transformers import PrinterCallback, TrainerCallback
from transformers.utils import logging as transformers_logging

from tasks.models import ADAPTER, DOWN, UP, WEIGHTS, WHOLE, Adapter, ModelFiles
from tasks.train.config import TrainConfig
from tasks.train.examples import HELD, SPLITS, TRAIN, Example, Examples, Matrix, ranks

_BEST = "best.safetensors"
_STATE = "history.json"
_MEASURED = 600  # texts of a split that are measured on the way; all of them at the end


class LawSoftmax(torch.nn.Module):
    """Cross-entropy of each answer against every provision that was law and does not apply.

    Of several answers each counts alike, and none is a wrong answer to the text of another. Of a provision
    cut into several chunks any may match.
    """

    def __init__(self, model: Any, passages: Matrix, examples: Examples, temperature: float) -> None:
        super().__init__()
        self.model = model
        self._passages = torch.from_numpy(np.ascontiguousarray(passages))
        self._wrong = [torch.from_numpy(mask & examples.shown) for mask in examples.law]
        self._items = examples.items
        self._temperature = temperature

    def forward(self, features: list[dict[str, Any]], labels: Any) -> Any:
        """Mean loss of a batch; ``labels`` are positions in the examples."""
        vectors = self.model(features[0])["sentence_embedding"]
        passages = self._passages.to(vectors.device)
        scores = torch.nn.functional.normalize(vectors.float(), dim=1) @ passages.T / self._temperature
        losses = []
        for row, number in zip(scores, labels.tolist(), strict=True):
            example: Example = self._items[number]
            wrong = self._wrong[example.day].to(row.device).clone()
            wrong[[r for rows in example.golds for r in rows]] = False
            against = torch.logsumexp(row[wrong], 0)
            right = torch.stack([torch.logsumexp(row[list(rows)], 0) for rows in example.golds])
            losses.append((torch.logaddexp(right, against) - right).mean())
        return torch.stack(losses).mean()


class ByLength:
    """Batches of texts of like length, in an order drawn anew each epoch: padding is not computed."""

    def __init__(self, lengths: Sequence[int], size: int, seed: int) -> None:
        self._lengths = lengths
        self._size = size
        self._seed = seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Which pass it is: the trainer tells, a resumed one too."""
        self._epoch = epoch

    def __len__(self) -> int:
        return math.ceil(len(self._lengths) / self._size)

    def __iter__(self) -> Iterator[list[int]]:
        rng = np.random.default_rng([self._seed, self._epoch])
        order = rng.permutation(len(self._lengths))
        block = 16 * self._size
        batches: list[list[int]] = []
        for at in range(0, len(order), block):
            part = sorted(order[at : at + block].tolist(), key=lambda i: self._lengths[i])
            batches += [part[i : i + self._size] for i in range(0, len(part), self._size)]
        yield from (batches[i] for i in rng.permutation(len(batches)))


class Measured(SentenceEvaluator):
    """Where the answers of texts stand that were not learned from; keeps what it found.

    Attributes
    ----------
    history
        One row a metric: ``step``, ``epoch``, ``split``, ``metric``, ``value``, ``n``.
    """

    def __init__(self, encode: Callable[[list[str]], Matrix], passages: Matrix, examples: Examples) -> None:
        super().__init__()
        self._encode = encode
        self._passages = passages
        self._examples = examples
        self.history: list[dict[str, Any]] = []

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """Metrics by ``split_metric``; ``held_mrr`` decides which weights are kept."""
        found: dict[str, float] = {}
        for split in SPLITS:
            chosen = thinned(self._examples.of(split)) if split != TRAIN else []
            if chosen:
                vectors = self._encode([example.text for example in chosen])
                for metric, value in summary(ranks(vectors, self._passages, chosen, self._examples)).items():
                    found[f"{split}_{metric}"] = value
                    self.note(steps, epoch, split, metric, value, len(chosen))
        return found

    def note(self, step: int, epoch: float, split: str, metric: str, value: float, n: int) -> None:
        """Add a row to the history."""
        self.history.append(
            {"step": step, "epoch": epoch, "split": split, "metric": metric, "value": value, "n": n}
        )


def thinned(examples: Sequence[Example], most: int = _MEASURED) -> list[Example]:
    """At most so many of them, drawn alike each time; every third would be of one style."""
    if len(examples) <= most:
        return list(examples)
    drawn = np.random.default_rng(0).choice(len(examples), most, replace=False)
    return [examples[i] for i in sorted(drawn)]


def summary(found: Any) -> dict[str, float]:
    """``mrr`` and ``first`` of the primaries, ``in_20`` and ``set_in_20`` from ranks."""
    first = found[:, 0]
    return {
        "mrr": float((1 / first).mean()),
        "first": float((first == 1).mean()),
        "in_20": float((first <= 20).mean()),
        "set_in_20": float((found <= 20).all(axis=1).mean()),
    }


class _Keep(TrainerCallback):
    """Keeps the weights that measured best, tells the progress, and stops where nothing is gained."""

    def __init__(
        self,
        model: Any,
        measured: Measured,
        folder: Path,
        patience: int,
        progress: Callable[[int], None],
        begun: int,
    ) -> None:
        self._model = model
        self._measured = measured
        self._folder = folder
        self._patience = patience
        self._progress = progress
        state = folder / _STATE
        told = json.loads(state.read_text(encoding="utf-8")) if state.is_file() else {}
        # what was measured behind the checkpoint that the run goes on from is measured again
        measured.history[:] = [row for row in told.get("history", []) if row["step"] <= begun]
        self._best: float = told.get("best", -1.0)
        self._without: int = told.get("without", 0)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._progress(1)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        if logs and "loss" in logs:
            n = args.logging_steps * args.per_device_train_batch_size
            self._measured.note(state.global_step, state.epoch, TRAIN, "loss", float(logs["loss"]), n)

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any) -> None:
        rows = [r for r in self._measured.history if r["split"] == HELD and r["metric"] == "mrr"]
        value = rows[-1]["value"] if rows else float(state.global_step)  # nothing held back: the last
        self._without = 0 if value > self._best else self._without + 1
        if value > self._best:
            self._best = value
            weights = learning_weights(self._model)
            save_file({n: w.detach().cpu().contiguous() for n, w in weights.items()}, self._folder / _BEST)
        told = {"history": self._measured.history, "best": self._best, "without": self._without}
        (self._folder / _STATE).write_text(json.dumps(told), encoding="utf-8")
        if self._patience and self._without >= self._patience:
            control.should_training_stop = True


class _Trainer(SentenceTransformerTrainer):
    """The trainer with batches of our own; told to its arguments they would have to be pickled."""

    def __init__(self, batches: ByLength, **told: Any) -> None:
        self._batches = batches
        super().__init__(**told)

    def get_batch_sampler(self, *told: Any, **kwargs: Any) -> Any:
        return self._batches


def learning_weights(model: Any) -> dict[str, Any]:
    """The weights that learn, by name: all of the transformer but its embeddings of words and places."""
    named = model[0].auto_model.named_parameters()
    return {name: weight for name, weight in named if not name.startswith("embeddings.")}


def train(
    base: ModelFiles,
    passages: Matrix,
    examples: Examples,
    config: TrainConfig,
    work: Path,
    progress: Callable[[int], None] = lambda n: None,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Train; a run that was killed goes on from its last checkpoint in ``work``.

    Parameters
    ----------
    passages
        Vectors of all chunks by ``base``: float32, shape (chunks, dimension).
    progress
        Called with the number of steps done.

    Returns
    -------
    tuple
        The weights that learned, as they measured best on what was held back, in float32, and the history.
    """
    torch.manual_seed(config.seed)
    transformers_logging.disable_progress_bar()
    disable_progress_bars()
    model = SentenceTransformer(
        str(base.folder),
        device=_device(config),
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"use_safetensors": True},
    )
    model.max_seq_length = min(config.max_tokens, model.max_seq_length or config.max_tokens)
    for parameter in model.parameters():
        parameter.requires_grad = False
    for parameter in learning_weights(model).values():
        parameter.requires_grad = True
    learned = [n for n, example in enumerate(examples.items) if example.split == TRAIN]
    lengths = [len(examples.items[n].text) for n in learned]
    data = Dataset.from_dict({"text": [examples.items[n].text for n in learned], "label": learned})
    measured = Measured(lambda texts: _encode(model, texts, config), passages, examples)
    checkpoints = work / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    steps = max(1, math.ceil(len(learned) / config.batch) // config.checks)
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=config.epochs,
        per_device_train_batch_size=config.batch,
        learning_rate=config.learning_rate,
        warmup_steps=config.warmup,
        bf16=config.precision == "bf16",
        use_cpu=_device(config) == "cpu",
        seed=config.seed,
        data_seed=config.seed,
        eval_strategy="steps",
        eval_steps=steps,
        save_strategy="steps",
        save_steps=steps,
        save_total_limit=1,
        logging_steps=max(1, steps // 4),
        report_to="none",
        disable_tqdm=True,
    )
    last = _last(checkpoints)
    keep = _Keep(model, measured, work, config.patience, progress, _step(last) if last else 0)
    trainer = _Trainer(
        ByLength(lengths, config.batch, config.seed),
        model=model,
        args=arguments,
        train_dataset=data,
        loss=LawSoftmax(model, passages, examples, config.temperature),
        evaluator=measured,
        callbacks=[keep],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    return load_file(work / _BEST), measured.history


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _last(checkpoints: Path) -> Path | None:
    """The last checkpoint that is whole: the trainer writes its own state at the end of each."""
    whole = [p for p in checkpoints.glob("checkpoint-*") if (p / "trainer_state.json").is_file()]
    return max(whole, key=_step, default=None)


def _device(config: TrainConfig) -> str:
    if config.device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return config.device


def _encode(model: Any, texts: list[str], config: TrainConfig) -> Matrix:
    """Unit vectors of texts by the model as it stands."""
    kind = "cuda" if _device(config) == "cuda" else "cpu"
    with torch.autocast(kind, torch.bfloat16, enabled=config.precision == "bf16"):
        made = model.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(made, dtype=np.float32)


def write_adapter(folder: Path, base: ModelFiles, found: dict[str, Any], config: TrainConfig) -> None:
    """Write what training added to the weights, and to which.

    Of a matrix the part of rank ``config.rank`` that comes nearest to the difference (Eckart and Young
    1936) is kept as two factors, in half precision; of vectors the difference itself.
    """
    before = load_file(base.folder / WEIGHTS)
    added: dict[str, Any] = {}
    for name, after in sorted(found.items()):
        difference = after.float() - before[name].float()
        if difference.ndim == 2 and config.rank < min(difference.shape):
            up, sizes, down = torch.linalg.svd(difference, full_matrices=False)
            root = sizes[: config.rank].sqrt()
            added[f"{name}{UP}"] = up[:, : config.rank] * root
            added[f"{name}{DOWN}"] = root[:, None] * down[: config.rank]
        else:
            added[f"{name}{WHOLE}"] = difference
    halves = {key: value.to(torch.float16).contiguous() for key, value in added.items()}
    save_file(halves, folder / ADAPTER)
    Adapter(base.name, base.sha256).write(folder)


def clear(work: Path) -> None:
    """Take away the checkpoints of a run that is done."""
    shutil.rmtree(work, ignore_errors=True)
