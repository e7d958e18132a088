"""Parameters of ``train``: a dataclass for each kind of training."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, field
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from citegrain.tasks.train.texts import STYLES

READER, RERANKER, RANKER = "reader", "reranker", "ranker"
PARTS = 5
"""Of the questions, for priors, classifier and ranker: those of a question's own part do not count for it."""

_FILES = {"texts", "stories", "questions", "asked", "once", "short", "forum", "outside", "measured"}
_NOT_IN_THE_KEY = {"name", *_FILES}
"""The model's name, and files: their content is an input."""

Share = Annotated[float, Field(ge=0, le=1)]
ProperShare = Annotated[float, Field(ge=0, lt=1)]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
CountOrNone = Annotated[int, Field(ge=0)]


def _model_name(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"use lower-case letters, digits and _, not {name}")
    return name


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class TrainConfig:
    """What every training reads.

    Attributes
    ----------
    name
        Of the model: its folder below ``data/models``.
    questions, asked, once
        A file of questions with their provisions, written for learning; and files of questions that people
        really asked, labelled by two annotators and by one, of which those that are not there are left out.
    unseen
        Acts of which nothing is learned: no text, and no passage as a wrong answer.
    held_out
        Share of the provisions of the other Acts that are kept back likewise.
    start
        The model whose weights it starts from, a reader trained from the same base; empty for those of the
        base. Of a ranker the folder of the reader that it goes beside, which has learned from no question.
    seed
        Of everything drawn.
    """

    kind: str
    name: Annotated[str, AfterValidator(_model_name)]
    texts: str = "data:training/lay_queries.jsonl"
    stories: str = "data:training/lay_stories.jsonl"
    questions: str = ""
    asked: list[str] = field(default_factory=list)
    once: list[str] = field(default_factory=list)
    as_of: Annotated[str, AfterValidator(lambda text: str(date.fromisoformat(text)))] = "2026-11-01"
    unseen: list[str] = field(default_factory=list)
    held_out: ProperShare = 0.05
    start: str = ""
    seed: CountOrNone = 1

    @property
    def day(self) -> date:
        """Day whose law the undated texts are about."""
        return date.fromisoformat(self.as_of)

    def parameters(self) -> dict[str, Any]:
        """What shapes the weights."""
        return {key: value for key, value in asdict(self).items() if key not in _NOT_IN_THE_KEY}

    def steps(self, texts: Mapping[str, int]) -> int:
        """Steps at most, from the number of texts of each kind: those that are kept back are counted too."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class NetworkConfig(TrainConfig):
    """What the training of a network reads, be it a reader or a reranker.

    Attributes
    ----------
    epochs, batch, learning_rate, warmup
        Passes over the texts, texts a step, peak of the learning rate, share of the steps in which it rises.
    start_sha256
        The digest that the weights of ``start`` must have.
    rank
        Of what is kept of the difference that training makes to a matrix of weights.
    checks, measured
        Evaluations an epoch, and texts of each split that they take.
    """

    epochs: Count = 3
    batch: Count = 32
    learning_rate: Positive = 1e-4
    warmup: ProperShare = 0.1
    start_sha256: str = ""
    rank: Count = 64
    max_tokens: Count = 256
    precision: Literal["bf16", "fp32"] = "bf16"
    checks: Count = 2
    measured: Count = 600
    device: Literal["cpu", "cuda", "auto"] = "cpu"

    def steps(self, texts: Mapping[str, int]) -> int:
        """As of any training."""
        return math.ceil(sum(texts.values()) / self.batch) * self.epochs


@dataclass(frozen=True, kw_only=True)
class ReaderConfig(NetworkConfig):
    """How a reader of queries is trained towards the vectors of a build.

    ``temperature``: what cosines are divided by in the softmax. ``joined``: for each text that is learned
    from, pairs of lay texts of two provisions that are joined to one text with both as answers.
    """

    kind: Literal["reader"] = "reader"
    temperature: Positive = 0.05
    joined: NotNegative = 0.0

    def steps(self, texts: Mapping[str, int]) -> int:
        """As of any training."""
        joined = self.joined * sum(n for kind, n in texts.items() if kind in STYLES)
        return math.ceil((sum(texts.values()) + joined) / self.batch) * self.epochs


@dataclass(frozen=True, kw_only=True)
class RerankerConfig(NetworkConfig):
    """How a reranker is trained for the candidates of a build.

    Attributes
    ----------
    depth, wrong
        Wrong answers that are mined of a text by vectors, and as many by words; and how many of them, three
        quarters by vectors, stand beside an answer in a list.
    lay_texts
        Share of the passages that are read with a lay text of their provision before them.
    ramp
        Share of the training over which wrong answers drawn by chance give way to mined ones.
    """

    kind: Literal["reranker"] = "reranker"
    depth: Count = 15
    wrong: Count = 4
    lay_texts: Share = 0.0
    ramp: Share = 0.0


@dataclass(frozen=True, kw_only=True)
class RankerConfig(TrainConfig):
    """How a ranker of candidates is trained, with its classifier and estimates.

    Attributes
    ----------
    short
        A file of questions of a few words, which no reader learns from.
    forum
        A file of questions from which the classifier, the answered questions and the priors are made, and
        nothing else: of more of them the ranker itself learns nothing, and they take it long.
    outside
        A file of texts to which nothing applies.
    folds
        Acts by fold. On texts about those of a fold is measured what did without whatever was learned of
        them: how the ranker fares abroad.
    fold_reader
        Folder of the reader of each fold, ``{}`` standing for its number from 1. The one in ``start`` reads
        where it has learned nothing of a fold. Where there is no other the base encoder reads: it learned of
        no law, and what is measured is a lower bound.
    measured
        Files of benchmarks that it is measured on at home and abroad, by name.
    """

    kind: Literal["ranker"] = "ranker"
    short: str = ""
    forum: str = ""
    outside: str = ""
    rounds: Count = 200
    folds: list[list[str]] = field(default_factory=list)
    fold_reader: str = "data:models/abroad_{}"
    measured: dict[str, str] = field(default_factory=dict)

    def parameters(self) -> dict[str, Any]:
        """What shapes the weights; the folds of the Acts are an input, beside their readers."""
        shaping = super().parameters()
        return {key: value for key, value in shaping.items() if key not in ("folds", "fold_reader")}

    def steps(self, texts: Mapping[str, int]) -> int:
        """One ranker without each part of the texts, one without each fold of the Acts, and one of all."""
        return self.rounds * (PARTS + len(self.folds) + 1)


TRAININGS = {training.kind: training for training in (ReaderConfig, RerankerConfig, RankerConfig)}
"""The dataclass of each kind of training."""
