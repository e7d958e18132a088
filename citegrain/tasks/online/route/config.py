"""Parameters of ``route``."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from citegrain.tasks.core.endpoint import CallConfig
from citegrain.tasks.online.expand import ExpandConfig

METHODS = ("none", "learned", "llm")
TYPES = ("fact", "cross_reference", "penalty", "temporal", "conflict")
"""What a question may ask for (CivicSetu 4); the first where nothing says otherwise."""

TEXTS_SHA256 = "7cb213b54a341593e6fcb2848e255271c3c3267e13fdcf31b8ce618c3e1fe4a3"
"""Digest of the questions with their types that ship."""


@dataclass  # OmegaConf fills in no values of frozen ones that stand in a mapping
class Route:
    """What differs for questions of a type.

    Attributes
    ----------
    weights
        Weights of channels, over those of ``fuse`` (read by fusion by ranks or scores); what only a channel
        of weight 0 found comes last.
    expand
        Values of ``expand``, over those of the configuration.
    words
        Words that are searched beside the question, with the weight of ``query.glossary_weight``.
    """

    weights: dict[str, float] = field(default_factory=dict)
    expand: dict[str, int] = field(default_factory=dict)
    words: str = ""


@dataclass(frozen=True)
class RouteConfig(CallConfig):
    """How the type of a question is recognised, and the route of each type.

    Attributes
    ----------
    method
        ``none`` sends all questions the same way; ``learned`` learns from ``texts`` which words a type has;
        ``llm`` asks a language model, as ``CallConfig`` says.
    texts, texts_sha256
        Of ``learned``: questions with their types, and the digest of their file.
    least
        Of ``learned``: a type that is less probable than this gives way to ``fact``.
    routes
        What differs, by type.
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
        known = {of.name for of in fields(ExpandConfig)}
        if wrong := {name for route in self.routes.values() for name in route.expand} - known:
            raise ValueError(f"route.routes: expand has no {', '.join(sorted(wrong))}")
        if not 0 <= self.least <= 1:
            raise ValueError("route.least must lie in 0 to 1")

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape the types."""
        learned = {"texts_sha256": self.texts_sha256, "least": self.least}
        return {"method": self.method} | (self.of_reply() if self.method == "llm" else learned)

    def differences(self, what: str) -> dict[str, Any]:
        """What differs in one respect, an attribute of :class:`Route`, by type; nothing without a method."""
        routes = {} if self.method == "none" else self.routes
        return {name: value for name, route in routes.items() if (value := getattr(route, what))}
