"""Parameters of ``estimate``, and what was learned by which it estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.paths import located
from citegrain.tasks.offline.models import read_learned
from citegrain.tasks.online.fuse import FuseConfig, Trees, ranker_of

METHODS = ("none", "learned")
FOLDER = "data:models/ranker_statutes"

HEAD = 20
"""Regressions are fitted on the first so many candidates, and the share of each is that of the first."""

POOL = 200
"""Candidates from which conformal sets are taken."""

ESTIMATES_SHA256 = "18947fa90ba48177654cb44cf3ee42b667e8ced811fdf4cf1b5188a1d2f2db43"
"""Digest of the estimates that ship with the ranker."""

GLOSSED_SHA256 = "c6ae7305b69924fa818b806d9c1abd940d9cfd301819bf70b913edda09a144d7"
"""Digest of what was learned of questions in Hindi."""

SHORT_SHA256 = "43f0caa41f41d139c1c3a376322a9f9150a5c29e62033221e5e8f117b3f4f2e4"
"""Digest of what was learned of short questions."""

Vector = npt.NDArray[np.float64]
KINDS = ("legal", "everyday", "foreign", "vague", "nonsense")
"""What a question may be. Only the first is a question of Indian law."""

MANNERS = ("asked", "question", "story", "short")
"""How a question may be worded: like those that people asked, like written ones, stories or short ones."""


@dataclass(frozen=True)
class EstimateConfig:
    """How probabilities come about, and when a question is declined.

    Attributes
    ----------
    method
        ``learned`` where a ranker orders the candidates; ``none`` estimates nothing and declines nothing.
    model, model_sha256
        File of what was learned beside the ranker, and its digest.
    vectors
        File of the vectors of the catalogue; their digest stands in the model.
    decline_below
        A question of which it is less probable than this that anything applies is declined; 0 declines none.
    """

    method: str = "none"
    model: str = f"{FOLDER}/estimates.json"
    model_sha256: str = ESTIMATES_SHA256
    vectors: str = f"{FOLDER}/catalogue.safetensors"
    decline_below: float = 0.3  # chosen on complaints_dev and real_choose: docs/asking.md
    short: str = "data:models/short_scope.json"
    short_sha256: str = SHORT_SHA256
    glossed: str = "data:models/glossed_scope.json"
    glossed_sha256: str = GLOSSED_SHA256

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"estimate.method={self.method}: one of {', '.join(METHODS)}")
        if not 0 <= self.decline_below <= 1:
            raise ValueError("estimate.decline_below lies in 0 to 1")

    @property
    def on(self) -> bool:
        """Whether anything is estimated."""
        return self.method != "none"

    def parameters(self) -> dict[str, Any]:
        """The parameters that the method reads."""
        names = ("model_sha256", "short_sha256", "glossed_sha256", "decline_below")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Logistic:
    """A logistic regression on standardised columns.

    ``mean``, ``scale``: of each column; what has no value is taken as the mean. ``weights``, ``bias``: by
    class, shape (classes, columns) and (classes,); of two classes those of the second.
    """

    mean: Sequence[float]
    scale: Sequence[float]
    weights: Sequence[Sequence[float]]
    bias: Sequence[float]

    def logits(self, rows: npt.NDArray[Any]) -> Vector:
        """Of each row: shape (rows, classes)."""
        standard = np.nan_to_num((np.asarray(rows, np.float64) - np.array(self.mean)) / np.array(self.scale))
        return np.asarray(standard @ np.array(self.weights).T + np.array(self.bias))

    def probability(self, rows: npt.NDArray[Any]) -> Vector:
        """Of the second of two classes: shape (rows,)."""
        return sigmoid(self.logits(rows)[:, 0])


def sigmoid(odds: Vector) -> Vector:
    """Probabilities from the logarithms of odds."""
    return np.asarray(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True)
class Estimates:
    """What ships beside a ranker.

    Attributes
    ----------
    ranker, space, catalogue
        Digests of the ranker whose scores these read, of the space of the queries and of the vectors of
        the catalogue.
    kinds
        From the vector of a question to ``KINDS``.
    manners
        From the vector of a question to ``MANNERS``.
    scope
        From the features of a question to the odds that anything applies.
    applies, primary
        From the features of a candidate to whether it applies, and is the primary provision.
    conformal
        By target (``primary``, ``all``) and manner the scores of questions that were kept apart, ascending:
        one less the probability of the target, or of its least probable part; 2 where it is not among the
        candidates.
    bare, written
        As ``applies`` and ``primary``, of candidates of an Act of which nothing was learned, without lay
        texts and with them; empty where they are taken for others.
    short
        From the odds that ``scope`` gives a question of few words, and its features, to better ones; None
        leaves them.
    new_acts
        The same of a question of any length whose first candidates are mostly of Acts of which nothing was
        learned; it reads the shares of these, too.
    glossed
        From the vector of a question in Hindi, as it is read in English, to odds that are added to those of
        ``scope``; None adds nothing.
    """

    ranker: str
    space: str
    catalogue: str
    kinds: Logistic
    manners: Logistic
    scope: Trees
    applies: Logistic
    primary: Logistic
    conformal: Mapping[str, Mapping[str, Sequence[float]]]
    bare: Sequence[Logistic] = ()
    written: Sequence[Logistic] = ()
    short: Logistic | None = None
    new_acts: Logistic | None = None
    glossed: Logistic | None = None

    @classmethod
    def from_json(cls, described: Mapping[str, Any]) -> Estimates:
        """From the content of a file."""
        models = {name: Logistic(**described[name]) for name in ("kinds", "manners", "applies", "primary")}
        new = {name: [Logistic(**model) for model in described[name]] for name in ("bare", "written")}
        return cls(**{**described, **models, **new, "scope": Trees(described["scope"])})

    def alike(self, target: str, vectors: npt.NDArray[np.float32]) -> list[Sequence[float]]:
        """For each question the conformal scores of those that are worded like it.

        ``vectors``: of the questions, shape (questions, dimension).
        """
        manners = np.argmax(self.manners.logits(vectors), axis=1)
        return [self.conformal[target][MANNERS[manner]] for manner in manners]


@lru_cache(maxsize=4)
def read_estimates(path: Path, sha256: str) -> Estimates:
    """Read the file of what was learned.

    Raises ModelError if it is not there, has another digest or is something else.
    """
    return read_learned(path, sha256, "estimate.model_sha256", Estimates.from_json)


@lru_cache(maxsize=4)
def read_regressions(path: Path, sha256: str, setting: str) -> tuple[str, dict[str, Logistic]]:
    """Read a file of regressions that were learned beside a ranker: the digest of that, and each by its name.

    Raises ModelError if it is not there, has another digest or is something else.
    """

    def regressions(described: dict[str, Any]) -> tuple[str, dict[str, Logistic]]:
        return described.pop("ranker"), {name: Logistic(**model) for name, model in described.items()}

    return read_learned(path, sha256, f"estimate.{setting}_sha256", regressions)


def estimates_of(config: EstimateConfig, fusion: FuseConfig, space: str) -> Estimates | None:
    """What a configuration names, if it was learned with this ranker and this space of queries; else None."""
    ranker = ranker_of(fusion) if config.on else None
    return _learned_with(ranker.sha256, config, space) if ranker else None


@lru_cache(maxsize=4)
def _learned_with(ranker: str, config: EstimateConfig, space: str) -> Estimates | None:
    learned = read_estimates(located(config.model), config.model_sha256)
    if (learned.ranker, learned.space) != (ranker, space):
        return None
    for name in ("short", "glossed"):
        if sha256 := getattr(config, f"{name}_sha256"):
            of_ranker, some = read_regressions(located(getattr(config, name)), sha256, name)
            more: dict[str, Any] = {{"scope": name}.get(key, key): model for key, model in some.items()}
            learned = replace(learned, **more) if of_ranker == ranker else learned
    return learned
