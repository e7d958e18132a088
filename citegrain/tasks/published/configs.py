"""Parameters of the stages that published systems add to the online chain."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from citegrain.tasks.core.endpoint import CallConfig
from citegrain.tasks.core.plugins import Plugins
from citegrain.tasks.online.fuse import TYPES

METHODS = ("none", "learned", "llm")
TEXTS_SHA256 = "7cb213b54a341593e6fcb2848e255271c3c3267e13fdcf31b8ce618c3e1fe4a3"
"""Digest of the questions with their types that ship."""


@dataclass(frozen=True)
class ExpandConfig:
    """What joins the fused candidates, each behind the one that brings it and with its score.

    ``family``: so many of the first candidates bring the other parts of their provisions (CivicSetu 7).
    ``cited``: so many of the first provisions bring what they cite and what cites them. ``punishing``: so
    many of the first provisions bring, of what they cite and what cites them, what punishes. ``breadth``:
    most provisions that one brings of those it cites, and of those that cite it; the most cited first.
    ``most``: length of the list after it.
    """

    family: int = 0
    cited: int = 0
    punishing: int = 0
    breadth: int = 5
    most: int = 40

    def __post_init__(self) -> None:
        if min(self.family, self.cited, self.punishing) < 0 or min(self.breadth, self.most) < 1:
            raise ValueError(
                "expand: family, cited and punishing must not be negative, breadth and most positive"
            )

    @property
    def on(self) -> bool:
        """Whether anything joins the candidates."""
        return bool(self.family or self.cited or self.punishing)


@dataclass  # OmegaConf fills in no values of frozen ones that stand in a mapping
class Route:
    """What differs for questions of a type.

    ``weights``: weights of channels, over those of ``fuse`` (read by fusion by ranks or scores); what only a
    channel of weight 0 found comes last. ``expand``: values of ``expand``, over those of the configuration.
    ``words``: words that are searched beside the question, with the weight of ``query.words_weight``.
    ``instead``: a channel that stands in place of all others, and of what ``expand`` brings, where the
    question names a provision and the channel finds something.
    """

    weights: dict[str, float] = field(default_factory=dict)
    expand: dict[str, int] = field(default_factory=dict)
    words: str = ""
    instead: str = ""


@dataclass(frozen=True)
class RouteConfig(CallConfig):
    """How the type of a question is recognised, and the route of each type.

    ``method``: ``none`` sends all questions the same way; ``learned`` learns from ``texts`` which words a
    type has; ``llm`` asks a language model, as ``CallConfig`` says. ``texts``, ``texts_sha256``: of
    ``learned``: questions with their types, and the digest of their file. ``least``: of ``learned``: a type
    that is less probable than this gives way to ``fact``.
    """

    group: ClassVar[str] = "route"

    method: str = "none"
    texts: str = "data:training/question_types.jsonl"
    texts_sha256: str = TEXTS_SHA256
    least: float = 0.5
    routes: dict[str, Route] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in METHODS:
            raise ValueError(f"route.method={self.method}: one of {', '.join(METHODS)}")
        if unknown := self.routes.keys() - set(TYPES):
            raise ValueError(f"route.routes: {', '.join(sorted(unknown))}: types are {', '.join(TYPES)}")
        allowed = {key.name for key in fields(ExpandConfig)}
        if wrong := {name for route in self.routes.values() for name in route.expand} - allowed:
            raise ValueError(f"route.routes: expand has no {', '.join(sorted(wrong))}")
        if not 0 <= self.least <= 1:
            raise ValueError("route.least must lie in 0 to 1")

    @property
    def on(self) -> bool:
        """Whether types are recognised."""
        return self.method != "none"

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return "route=llm" if self.method == "llm" else ""

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape the types."""
        learned = {"texts_sha256": self.texts_sha256, "least": self.least}
        return {"method": self.method} | (self.of_reply() if self.method == "llm" else learned)

    def differences(self, what: str) -> dict[str, Any]:
        """What differs in one respect, an attribute of :class:`Route`, by type; nothing without a method."""
        routes = self.routes if self.on else {}
        return {name: value for name, route in routes.items() if (value := getattr(route, what))}


OFF = "off"
POLICIES = Plugins("controller.kind", ("citegrain.tasks.published.controller.policies",))
MODEL = ("llm", "crag", "multihop", "crag_multihop")
"""Policies that ask a language model."""


@dataclass(frozen=True)
class ControllerConfig(CallConfig):
    """How long a complaint is searched, and who plans it; how a model is called, ``CallConfig`` says.

    ``kind``: ``off`` searches once; else a file of ``controller/policies``. ``rounds``: T_max: most rounds of
    searching. ``threshold``: tau: the loop ends at this confidence. ``coverage``: w_cov of h = w_cov coverage
    + w_agr agreement; w_agr is the rest to 1. ``passages``: k_2: how many passages of each query join the
    pool. ``queries``, ``subquestions``: most texts that are searched in a round, and most sub-questions of a
    complaint. ``max_tokens_in_all``: tokens of prompts and replies that a batch may spend on a model; 0: no
    limit. ``collection``, ``about``: what is searched, and for what, as ``crag`` and ``multihop`` call them
    in their prompts. ``options``: parameters of the policy that are no fields here, by name.
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
    collection: str = "statutes"
    about: str = "complaint"
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind != OFF:
            POLICIES.check([self.kind], self.options)
        if min(self.rounds, self.passages, self.queries, self.subquestions) < 1:
            raise ValueError("controller: rounds, passages, queries and subquestions must be positive")
        if not 0 <= self.coverage <= 1 or not 0 <= self.threshold <= 1:
            raise ValueError("controller.coverage and controller.threshold lie in 0 to 1")
        if self.max_tokens_in_all < 0:
            raise ValueError("controller.max_tokens_in_all must not be negative")

    @property
    def on(self) -> bool:
        """Whether a complaint is searched again."""
        return self.kind != OFF

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return f"controller={self.kind}" if self.kind in MODEL else ""

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape a search."""
        limits = ("kind", "rounds", "threshold", "coverage", "passages", "queries", "subquestions", "options")
        wording = {"collection": self.collection, "about": self.about}
        return {name: getattr(self, name) for name in limits} | (
            self.of_reply() | wording if self.kind in MODEL else POLICIES.source(self.kind)
        )
