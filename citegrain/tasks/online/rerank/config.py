"""Parameters of ``rerank``, and the scorer that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core import plugins
from citegrain.tasks.core.plugins import Plugins
from citegrain.tasks.core.stage import canonical_json
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.judge import JudgeConfig

NONE, JUDGE = "none", "judge"
SCORERS = Plugins("rerank.scorer", ("citegrain.tasks.online.rerank.scorers",))
SCALES = ("raw", "min_max", "logistic")
Scores = npt.NDArray[np.float32]


@dataclass(frozen=True)
class RerankConfig:
    """How the fused candidates are scored.

    Attributes
    ----------
    scorer
        ``none`` keeps the score of fusion, ``late_interaction`` is MaxSim over the token vectors of the
        build's encoder, ``cross_encoder`` a model that reads query and passage together; ``judge`` a language
        model that reads all candidates at once; or any other file of ``rerank/scorers``.
    model, sha256
        Of a cross-encoder: name on the hub or folder, and digest that its weights must have, if any.
    batch_size, max_tokens
        Of a cross-encoder: pairs a batch; tokens it reads of a pair, 0 for all it can.
    precision
        Of a cross-encoder: ``fp32``, ``bf16``, or ``auto``: one of both, as of ``embed.precision``.
    parents
        Whether of a chunk that is a part (``chunk=parent_child``) the whole provision is read.
    lay_texts
        Whether a passage is read with the first lay text of its provision before it, where it has any.
    fused
        Share of fusion's score in the scorer's, both on the scale of ``scale``.
    scale
        On which scale provenance is added: ``raw`` (the thesis), ``min_max``, 0..1 a query, or ``logistic``,
        0..1 of a logit by itself (what ``select.threshold`` and ``select.raw_gap`` of CivicSetu are about).
    provenance
        Weight lambda of Eq. 3.4; 0 leaves it out.
    section, act, consistent
        What a match of section number and of Act adds to phi; whether a section number counts only where the
        Act named with it is the chunk's.
    options
        Parameters of the scorer that are no fields here, by name.
    """

    scorer: str = "late_interaction"
    model: str = "cross-encoder/ms-marco-MiniLM-L6-v2"
    sha256: str = ""
    batch_size: int = 32
    max_tokens: int = 0
    precision: str = "fp32"
    parents: bool = False
    lay_texts: bool = False
    fused: float = 0.0
    scale: str = "min_max"
    provenance: float = 0.15
    section: float = 1.0
    act: float = 0.5
    consistent: bool = True
    options: dict[str, Any] = field(default_factory=dict)
    judge: JudgeConfig = field(default_factory=JudgeConfig)

    def __post_init__(self) -> None:
        if self.scorer not in (NONE, JUDGE):
            SCORERS.check([self.scorer], self.options)
        if self.scale not in SCALES:
            raise ValueError(f"rerank.scale={self.scale}: one of {', '.join(SCALES)}")
        if min(self.provenance, self.section, self.act, self.max_tokens) < 0 or self.batch_size < 1:
            raise ValueError("rerank: weights and max_tokens must not be negative, batch_size positive")
        if self.precision not in ("auto", "fp32", "bf16"):
            raise ValueError(f"rerank.precision={self.precision}: auto, fp32 or bf16")
        if not 0 <= self.fused <= 1:
            raise ValueError(f"rerank.fused={self.fused}: it must lie in 0 to 1")

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return "rerank=judge" if self.scorer == JUDGE else ""

    def without_model(self) -> RerankConfig:
        """The same as far as no model is asked."""
        return replace(self, scorer=NONE)

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape the order of the candidates; the scorer's identity stands for its own."""
        bonus = ("provenance", "section", "act", "consistent") if self.provenance else ("provenance",)
        scored = tuple(
            name for name in ("lay_texts", "parents", "fused") if self.scorer != NONE and getattr(self, name)
        )
        read = {name: getattr(self, name) for name in ("scorer", "scale", *scored, *bonus)}
        return read | SCORERS.source(self.scorer)


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate: its row in the build, the text that is read and that text's hash."""

    row: int
    text: str
    text_hash: str


class Scorer(Protocol):
    """Scores pairs. ``identity`` tells two scorers apart whose scores may differ."""

    identity: str

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One score a passage, higher is better."""
        ...

    def forget(self) -> None:
        """Drop what is cached of passages scored before, so that times can be measured."""
        ...


def make_scorer(build: PublishedBuild, config: RerankConfig) -> Scorer | None:
    """The scorer that ``config`` names, one for a build; None where none scores."""
    if config.scorer in (NONE, JUDGE):
        return None
    make = SCORERS.function(config.scorer)
    values = plugins.parameters(make, config)
    scorer: Scorer = build.shared((config.scorer, canonical_json(values)), partial(make, build, **values))
    return scorer
