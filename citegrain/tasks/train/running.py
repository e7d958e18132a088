"""What trainings share: the trainer's run, what is measured on the way, the weights kept, and what ships."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from datasets import Dataset, disable_progress_bars
from safetensors.torch import load_file, save_file
from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
from transformers import PrinterCallback, TrainerCallback
from transformers.utils import logging as transformers_logging

from citegrain.tasks.offline.models import ADAPTER, DOWN, FULL, NEW, UP, WEIGHTS, Adapter, ModelFiles
from citegrain.tasks.train.config import NetworkConfig
from citegrain.tasks.train.examples import HELD_OUT, SPLITS, TRAIN, Example, Examples

Weights = dict[str, Any]
History = list[dict[str, Any]]
Ranks = npt.NDArray[np.int64]
Progress = Callable[[int], None]

LOCAL: Mapping[str, Any] = {
    "local_files_only": True,
    "trust_remote_code": False,
    "model_kwargs": {"use_safetensors": True},
}
"""How a model is loaded: from its folder, without code or pickles of it."""

_BEST = "best.safetensors"
_STATE = "history.json"


class ByLength:
    """Batches of texts of like length: padding is not computed.

    ``mixed``: whether they come in an order drawn anew each epoch; else about in the order of the texts.
    """

    def __init__(self, lengths: Sequence[int], size: int, seed: int, mixed: bool = True) -> None:
        self._lengths = lengths
        self._size = size
        self._seed = seed
        self._mixed = mixed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Which pass it is: called by the trainer, also by one that goes on."""
        self._epoch = epoch

    def __len__(self) -> int:
        return math.ceil(len(self._lengths) / self._size)

    def __iter__(self) -> Iterator[list[int]]:
        rng = np.random.default_rng([self._seed, self._epoch])
        order = np.arange(len(self._lengths))
        order = rng.permutation(order) if self._mixed else order
        block = 16 * self._size
        blocks: list[list[list[int]]] = []
        for at in range(0, len(order), block):
            part = sorted(order[at : at + block].tolist(), key=lambda i: self._lengths[i])
            blocks.append([part[i : i + self._size] for i in range(0, len(part), self._size)])
        for batches in [[batch for some in blocks for batch in some]] if self._mixed else blocks:
            yield from (batches[i] for i in rng.permutation(len(batches)))


class NoCard(TrainerCallback):
    """In the place of the library's model card: ours says what was measured."""

    def __init__(self, trainer: Any) -> None:
        super().__init__()


class OwnBatches:
    """For a trainer: batches of our own. Among its arguments they would have to be pickled."""

    model_card_callback_class = NoCard

    def __init__(self, batches: ByLength, **arguments: Any) -> None:
        self._batches = batches
        super().__init__(**arguments)

    def get_batch_sampler(self, *args: Any, **kwargs: Any) -> Any:
        """What the trainer asks for."""
        return self._batches


class Measured(SentenceEvaluator):
    """Where the answers of texts stand that were not learned from, with the history of it.

    ``find``: ranks of the answers of some texts by the model as it stands, shape (texts, most answers).
    ``most``: texts of a split that are measured.

    ``history``: one row a metric: ``step``, ``epoch``, ``split``, ``metric``, ``value``, ``n``.
    """

    def __init__(self, find: Callable[[Sequence[Example]], Ranks], examples: Examples, most: int) -> None:
        super().__init__()
        self._most = most
        self._find = find
        self._examples = examples
        self.history: History = []

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """Metrics by ``split_metric``; ``held_out_mrr`` decides which weights are kept."""
        metrics: dict[str, float] = {}
        for split in SPLITS:
            measured = thinned(self._examples.split(split), self._most) if split != TRAIN else []
            if measured:
                for metric, value in summary(self._find(measured)).items():
                    metrics[f"{split}_{metric}"] = value
                    self.note(steps, epoch, split, metric, value, len(measured))
        return metrics

    def note(self, step: int, epoch: float, split: str, metric: str, value: float, n: int) -> None:
        """Add a row to the history."""
        self.history.append(
            {"step": step, "epoch": epoch, "split": split, "metric": metric, "value": value, "n": n}
        )


def thinned(examples: Sequence[Example], most: int) -> list[Example]:
    """At most so many of them, drawn alike each time; every third would be of one style."""
    if len(examples) <= most:
        return list(examples)
    drawn = np.random.default_rng(0).choice(len(examples), most, replace=False)
    return [examples[i] for i in sorted(drawn)]


def summary(ranks: Ranks) -> dict[str, float]:
    """``mrr`` and ``first`` of the primaries, ``in_20`` and ``set_in_20`` from ranks."""
    first = ranks[:, 0]
    return {
        "mrr": float((1 / first).mean()),
        "first": float((first == 1).mean()),
        "in_20": float((first <= 20).mean()),
        "set_in_20": float((ranks <= 20).all(axis=1).mean()),
    }


class _Keep(TrainerCallback):
    """Keeps the weights that measured best, and reports the progress."""

    def __init__(
        self, weights: Callable[[], Weights], measured: Measured, folder: Path, progress: Progress, begun: int
    ) -> None:
        self._weights = weights
        self._measured = measured
        self._folder = folder
        self._progress = progress
        state = folder / _STATE
        saved = json.loads(state.read_text(encoding="utf-8")) if state.is_file() else {}
        # what was measured behind the checkpoint that the run goes on from is measured again
        measured.history[:] = [row for row in saved.get("history", []) if row["step"] <= begun]
        self._best: float = saved.get("best", -1.0)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._progress(1)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        if logs and "loss" in logs:
            n = args.logging_steps * args.per_device_train_batch_size
            self._measured.note(state.global_step, state.epoch, TRAIN, "loss", float(logs["loss"]), n)

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any) -> None:
        rows = [r for r in self._measured.history if r["split"] == HELD_OUT and r["metric"] == "mrr"]
        value = rows[-1]["value"] if rows else float(state.global_step)  # nothing held back: the last
        if value > self._best:
            self._best = value
            weights = self._weights()
            save_file({n: w.detach().cpu().contiguous() for n, w in weights.items()}, self._folder / _BEST)
        saved = {"history": self._measured.history, "best": self._best}
        (self._folder / _STATE).write_text(json.dumps(saved), encoding="utf-8")


def prepare(config: NetworkConfig) -> None:
    """Seed what is drawn, a model's new weights among it, and keep the libraries quiet."""
    torch.manual_seed(config.seed)
    transformers_logging.disable_progress_bar()
    disable_progress_bars()


def freeze(model: Any, learning: Weights) -> None:
    """Let only the weights ``learning`` of a model learn."""
    model.requires_grad_(False)
    for parameter in learning.values():
        parameter.requires_grad = True


def run(
    trainer: tuple[Any, Any],
    model: Any,
    loss: Any,
    data: Dataset,
    batches: ByLength,
    measured: Measured,
    weights: Callable[[], Weights],
    config: NetworkConfig,
    work: Path,
    progress: Progress,
) -> tuple[Weights, History]:
    """Run a trainer; one that was killed goes on from its last checkpoint in ``work``.

    ``trainer``: its class, with :class:`OwnBatches`, and that of its arguments. ``data``, ``batches``: what
    is learned from, and its rows in batches. ``weights``: the weights that learn, by name, as they stand.

    Returns
    -------
    tuple
        The weights that learned, as they measured best on what was held back, in float32, and the history.
    """
    trainer_class, arguments = trainer
    checkpoints = work / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    last = _last(checkpoints)
    keep = _Keep(weights, measured, work, progress, _step(last) if last else 0)
    running = trainer_class(
        batches,
        model=model,
        args=arguments(output_dir=str(checkpoints), **_arguments(config, len(batches))),
        train_dataset=data,
        loss=loss,
        evaluator=measured,
        callbacks=[keep],
    )
    running.remove_callback(PrinterCallback)
    running.train(resume_from_checkpoint=str(last) if last else None)
    return load_file(work / _BEST), measured.history


def _arguments(config: NetworkConfig, batches: int) -> dict[str, Any]:
    """Arguments of the trainer: how it learns, how often it measures and keeps a checkpoint."""
    steps = max(1, batches // config.checks)
    return {
        "num_train_epochs": config.epochs,
        "per_device_train_batch_size": config.batch,
        "learning_rate": config.learning_rate,
        "warmup_steps": config.warmup,
        "bf16": config.precision == "bf16",
        "use_cpu": device(config) == "cpu",
        "seed": config.seed,
        "data_seed": config.seed,
        "eval_strategy": "steps",
        "eval_steps": steps,
        "save_strategy": "steps",
        "save_steps": steps,
        "save_total_limit": 1,
        "logging_steps": max(1, steps // 4),
        "report_to": "none",
        "disable_tqdm": True,
    }


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _last(checkpoints: Path) -> Path | None:
    """The last checkpoint that is whole: the trainer writes its state at the end of each."""
    complete = [p for p in checkpoints.glob("checkpoint-*") if (p / "trainer_state.json").is_file()]
    return max(complete, key=_step, default=None)


def device(config: NetworkConfig) -> str:
    """``cpu`` or ``cuda``."""
    if config.device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return config.device


def autocast(config: NetworkConfig) -> Any:
    """Half precision where the configuration says so, for what is measured on the way."""
    return torch.autocast(device(config), torch.bfloat16, enabled=config.precision == "bf16")


def write_adapter(
    folder: Path,
    base: ModelFiles,
    learned: Weights,
    rank: int,
    prefix: str = "",
    config: Mapping[str, Any] | None = None,
) -> None:
    """Write what training added to the weights, and to which.

    Of a matrix the part of rank ``rank`` that comes nearest to the difference (Eckart and Young 1936) is
    kept as two factors, in half precision; of vectors the difference itself; of a weight that the base has
    not, the weight.

    ``prefix``, ``config``: as ``offline.models.Adapter`` has them.
    """
    before = {prefix + name: weight for name, weight in load_file(base.folder / WEIGHTS).items()}
    added: dict[str, Any] = {}
    for name, after in sorted(learned.items()):
        if name not in before:
            added[f"{name}{NEW}"] = after.float()
            continue
        difference = after.float() - before[name].float()
        if difference.ndim == 2 and rank < min(difference.shape):
            up, sizes, down = torch.linalg.svd(difference, full_matrices=False)
            root = sizes[:rank].sqrt()
            added[f"{name}{UP}"] = up[:, :rank] * root
            added[f"{name}{DOWN}"] = root[:, None] * down[:rank]
        else:
            added[f"{name}{FULL}"] = difference
    halves = {key: value.to(torch.float16).contiguous() for key, value in added.items()}
    save_file(halves, folder / ADAPTER)
    Adapter(base.name, base.sha256, prefix, config or {}).write(folder)
