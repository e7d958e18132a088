"""Parameters of ``train``."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

_NAME = re.compile(r"[a-z][a-z0-9_]*")
READER, RERANKER, RANKER = "reader", "reranker", "ranker"

_ELSEWHERE = (
    "name",
    "texts",
    "stories",
    "questions",
    "asked",
    "once",
    "short",
    "forum",
    "outside",
)  # the texts themselves are in the key
_NETWORK = (
    "epochs", "batch", "learning_rate", "warmup", "temperature", "start_sha256", "rank",
    "max_tokens", "precision", "checks", "measured", "patience", "device",
)  # fmt: skip
_ONLY = {
    READER: ("joined", "folds", "passes", "layers", *_NETWORK),
    RERANKER: ("depth", "wrong", "lay_texts", "ramp", "distil", *_NETWORK),
    RANKER: ("rounds",),
}
"""What is read by some kinds of training and not by all."""


@dataclass(frozen=True)
class TrainConfig:
    """How a reader of queries is trained towards the vectors of a build, or a reranker for its candidates.

    Attributes
    ----------
    kind
        ``reader``, ``reranker``, or ``ranker`` of the candidates that the channels find.
    name
        Of the model: its folder below ``data/models``.
    texts, stories
        Files of lay texts and of stories.
    questions, asked, once
        Of a reader: a file of questions with their provisions, written for learning; and files of questions
        that people really asked, labelled by two annotators and by one, of which those that are not there
        are left out.
    short
        Of a ranker: a file of questions of a few words, which no reader learns from.
    forum
        Of a ranker: a file of questions from which its classifier, its answered questions and its priors are
        made, and nothing else: of more of them the ranker itself learns nothing, and they take it long.
    outside
        Of a ranker: a file of texts to which nothing applies.
    as_of
        Day whose law the undated texts are about.
    unseen
        Acts of which nothing is learned: no text, and no passage as a wrong answer.
    held_out
        Share of the provisions of the other Acts that are kept back likewise.
    epochs, batch, learning_rate, warmup, temperature
        Passes over the texts, texts a step, peak of the learning rate, share of the steps in which it rises,
        and what cosines are divided by in the softmax.
    passes
        Of a reader: how often a pass takes a text, by its kind; 1 where it is not named. At .15 it takes 15%
        of the texts, drawn anew.
    folds
        Of a reader: in how many parts stories and questions are divided. As many readers are trained, each
        without one part, and their mean ships: each of these texts can be read by a reader that has not
        learned from it.
    joined
        Of a reader: for each text that is learned from, pairs of lay texts of two provisions that are joined
        to one text with both as answers.
    layers
        Of a reader: how many of its last layers learn; 0 all. Those below are run without gradients.
    start, start_sha256
        The model whose weights it starts from, a reader trained from the same base, and the
        digest they must have; empty for those of the base. Of a ranker the folder of the reader that it goes
        beside.
    depth, wrong
        Of a reranker: wrong answers that are mined of a text by vectors, and as many by words; and how many
        of them, three quarters by vectors, stand beside an answer in a list.
    lay_texts
        Of a reranker: share of the passages that are read with a lay text of their provision before them.
    ramp
        Of a reranker: share of the training over which wrong answers drawn by chance give way to mined ones.
    distil
        Of a reranker: share of the target that is the reader's softmax over the list.
    rounds
        Of a ranker: number of trees.
    rank
        Of what is kept of the difference that training makes to a matrix of weights.
    max_tokens
        Longest text that is read.
    precision
        ``bf16`` (torch's autocast) or ``fp32``.
    checks, measured, patience
        Evaluations an epoch, texts of each split that they take, and after how many of them without a gain
        training stops; 0 never.
    seed
        Of everything drawn.
    device
        ``cpu``, ``cuda``, or ``auto`` for a GPU where there is one.
    """

    kind: str = READER
    name: str = "reader"
    texts: str = "data:training/lay_queries.jsonl"
    stories: str = "data:training/lay_stories.jsonl"
    questions: str = ""
    asked: list[str] = field(default_factory=list)
    once: list[str] = field(default_factory=list)
    short: str = ""
    forum: str = ""
    outside: str = ""
    as_of: str = "2026-11-01"
    unseen: list[str] = field(default_factory=list)
    held_out: float = 0.05
    epochs: int = 3
    batch: int = 32
    learning_rate: float = 1e-4
    warmup: float = 0.1
    temperature: float = 0.05
    passes: dict[str, float] = field(default_factory=dict)
    folds: int = 1
    joined: float = 0.0
    layers: int = 0
    start: str = ""
    start_sha256: str = ""
    depth: int = 15
    wrong: int = 4
    lay_texts: float = 0.0
    ramp: float = 0.0
    distil: float = 0.0
    rounds: int = 200
    rank: int = 64
    max_tokens: int = 256
    precision: str = "bf16"
    checks: int = 2
    measured: int = 600
    patience: int = 0
    seed: int = 1
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"train.name={self.name}: use lower-case letters, digits and _")
        date.fromisoformat(self.as_of)
        if self.kind not in _ONLY:
            raise ValueError(f"train.kind={self.kind}: must be {', '.join(_ONLY)}")
        if self.precision not in ("bf16", "fp32"):
            raise ValueError(f"train.precision={self.precision}: must be bf16 or fp32")
        if self.device not in ("cpu", "cuda", "auto"):
            raise ValueError(f"train.device={self.device}: must be cpu, cuda or auto")
        shares = (self.held_out, self.warmup)
        least = min(self.joined, self.layers, self.patience, self.seed)
        if least < 0 or not all(0 <= share < 1 for share in shares):
            raise ValueError(
                "train: held_out and warmup must be shares; joined, layers, patience and seed 0 or more"
            )
        if not all(0 <= share <= 1 for share in (self.lay_texts, self.ramp, self.distil)):
            raise ValueError("train: lay_texts, ramp and distil must be shares")
        lengths = (self.epochs, self.batch, self.rank, self.max_tokens)
        if min(self.passes.values(), default=0) < 0:
            raise ValueError("train.passes must not be negative")
        counts = (*lengths, self.folds, self.rounds, self.checks, self.measured, self.depth, self.wrong)
        if min(counts) < 1 or min(self.learning_rate, self.temperature) <= 0:
            raise ValueError("train: counts, learning_rate and temperature must be positive")

    @property
    def day(self) -> date:
        """Day whose law the undated texts are about."""
        return date.fromisoformat(self.as_of)

    def parameters(self) -> dict[str, Any]:
        """What shapes the weights."""
        others = {name for names in _ONLY.values() for name in names}.difference(_ONLY[self.kind])
        return {key: value for key, value in asdict(self).items() if key not in (*_ELSEWHERE, *others)}
