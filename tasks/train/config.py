"""Parameters of ``train``."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ELSEWHERE = ("name", "texts", "stories")  # the texts themselves are in the key


@dataclass(frozen=True)
class TrainConfig:
    """How a reader of queries is trained towards the vectors of a build.

    Attributes
    ----------
    name
        Of the model: its folder below ``data/models``.
    texts, stories
        Files of lay texts and of stories.
    as_of
        Day whose law the undated texts are about.
    unseen
        Acts of which nothing is learned: no text, and no passage as a wrong answer.
    held
        Share of the provisions of the other Acts that are kept back likewise.
    epochs, batch, learning_rate, warmup, temperature
        Passes over the texts, texts a step, peak of the learning rate, share of the steps in which it rises,
        and what cosines are divided by in the softmax.
    joined
        Pairs of lay texts of two provisions, told as one with both as answers, a text that is learned from.
    rank
        Of what is kept of the difference that training makes to a matrix of weights.
    max_tokens
        Longest text that is read.
    precision
        ``bf16`` (torch's autocast) or ``fp32``.
    checks, patience
        Evaluations an epoch, and after how many without a gain training stops; 0 never.
    seed
        Of everything drawn.
    device
        ``cpu``, ``cuda``, or ``auto`` for a GPU where there is one.
    """

    name: str = "reader"
    texts: str = "data/training/lay_queries.jsonl"
    stories: str = "data/training/lay_stories.jsonl"
    as_of: str = "2026-11-01"
    unseen: list[str] = field(default_factory=list)
    held: float = 0.05
    epochs: int = 3
    batch: int = 32
    learning_rate: float = 1e-4
    warmup: float = 0.1
    temperature: float = 0.05
    joined: float = 0.0
    rank: int = 64
    max_tokens: int = 256
    precision: str = "bf16"
    checks: int = 2
    patience: int = 0
    seed: int = 1
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"train.name={self.name}: lower-case letters, digits and _ are wanted")
        date.fromisoformat(self.as_of)
        if self.precision not in ("bf16", "fp32"):
            raise ValueError(f"train.precision={self.precision}: bf16 or fp32")
        if self.device not in ("cpu", "cuda", "auto"):
            raise ValueError(f"train.device={self.device}: cpu, cuda or auto")
        shares = (self.held, self.warmup)
        if not all(0 <= share < 1 for share in shares) or min(self.joined, self.patience, self.seed) < 0:
            raise ValueError("train: held and warmup are shares; joined, patience, seed not negative")
        counts = (self.epochs, self.batch, self.rank, self.max_tokens, self.checks)
        if min(counts) < 1 or min(self.learning_rate, self.temperature) <= 0:
            raise ValueError("train: counts, learning_rate and temperature must be positive")

    @property
    def day(self) -> date:
        """Day whose law the undated texts are about."""
        return date.fromisoformat(self.as_of)

    def parameters(self) -> dict[str, Any]:
        """What shapes the weights."""
        return {key: value for key, value in asdict(self).items() if key not in _ELSEWHERE}
