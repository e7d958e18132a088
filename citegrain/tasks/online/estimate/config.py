"""Parameters of ``estimate``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

METHODS = ("none", "learned")
FOLDER = "data:models/ranker_statutes"

HEAD = 20
"""Regressions are fitted on the first so many candidates, and the share of each is that of the first."""

POOL = 200
"""Candidates from which conformal sets are taken."""

ESTIMATES_SHA256 = "2117c59d2a1e8c24388cfda3439b803d08f41bfc27069225f48f9b43e9674300"
"""Digest of the estimates that ship with the ranker."""


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
    decline_below: float = 0.4  # chosen on complaints_dev and real_choose: docs/asking.md

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
        return {"model_sha256": self.model_sha256, "decline_below": self.decline_below}
