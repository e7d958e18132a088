"""Parameters of ``judge``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from citegrain.tasks.core.endpoint import CallConfig

SHOWN = ("ranked", "reversed", "shuffled")
MODEL = "data:models/judge/estimates.json"
MODEL_SHA256 = ""
"""Digest of what was learned of how far the judge is right."""


@dataclass(frozen=True, kw_only=True)
class JudgeConfig(CallConfig):
    """How a language model judges the candidates; how it is called, ``CallConfig`` says.

    Attributes
    ----------
    candidates
        Provisions that it reads, the first of the ranked list.
    chars
        Characters of each provision's text that it reads.
    shown
        Order in which it reads them: ``ranked``, ``reversed``, or ``shuffled`` by the text of the question.
    model, model_sha256
        File of what turns its word and the ranker's scores into probabilities, and its digest; without a
        digest the probabilities of ``estimate`` stay.
    price_in, price_out
        Price of a million tokens of prompt and reply, to count the cost; 0 where unknown.
    """

    group: ClassVar[str] = "rerank.judge"
    unreadable: ClassVar[int] = 2

    candidates: int = 20
    chars: int = 320
    shown: str = "ranked"
    model: str = MODEL
    model_sha256: str = MODEL_SHA256
    max_tokens: int = 600
    price_in: float = 0.0
    price_out: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shown not in SHOWN:
            raise ValueError(f"rerank.judge.shown={self.shown}: one of {', '.join(SHOWN)}")
        if min(self.candidates, self.chars) < 1 or min(self.price_in, self.price_out) < 0:
            raise ValueError("rerank.judge: candidates and chars must be positive, prices not negative")

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape a verdict."""
        return self.of_reply() | {name: getattr(self, name) for name in ("candidates", "chars", "shown")}
