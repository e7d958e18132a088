"""Parameters of ``controller``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from citegrain.tasks.core.endpoint import CallConfig
from citegrain.tasks.core.plugins import Plugins

OFF = "off"
MINDS = Plugins("controller.kind", ("citegrain.tasks.online.controller.minds",))
MODEL = ("llm", "crag", "multihop")
"""Minds that may ask a language model."""


@dataclass(frozen=True)
class ControllerConfig(CallConfig):
    """How long a complaint is searched, and who plans it; how a model is called, ``CallConfig`` says.

    Attributes
    ----------
    kind
        ``off`` searches once; else a file of ``controller/minds``.
    rounds
        T_max: most rounds of searching.
    threshold
        tau: the loop ends at this confidence.
    coverage
        w_cov of h = w_cov coverage + w_agr agreement; w_agr is the rest to 1.
    passages
        k_2: how many passages of each query join the pool.
    queries, subquestions
        Most texts that are searched in a round, and most sub-questions of a complaint.
    max_tokens_in_all
        Tokens of prompts and replies that a batch may spend on a model; 0: no limit.
    options
        Parameters of the mind that are no fields here, by name.
    """

    group: ClassVar[str] = "controller"

    kind: str = OFF
    rounds: int = 3
    threshold: float = 0.8  # with the weight fitted on 286 questions: docs/published-systems.md
    coverage: float = 0.6
    passages: int = 10
    queries: int = 3
    subquestions: int = 6
    max_tokens_in_all: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind != OFF:
            MINDS.check([self.kind], self.options)
        if min(self.rounds, self.passages, self.queries, self.subquestions) < 1:
            raise ValueError("controller: rounds, passages, queries and subquestions must be positive")
        if not 0 <= self.coverage <= 1 or not 0 <= self.threshold <= 1:
            raise ValueError("controller.coverage and controller.threshold lie in 0 to 1")
        if self.max_tokens_in_all < 0:
            raise ValueError("controller.max_tokens_in_all must not be negative")

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape a course."""
        limits = ("kind", "rounds", "threshold", "coverage", "passages", "queries", "subquestions", "options")
        return {name: getattr(self, name) for name in limits} | (
            self.of_reply() if self.kind in MODEL else {}
        )
