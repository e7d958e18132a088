"""Parameters of ``summarise``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from citegrain.tasks.core.endpoint import CallConfig

METHODS = ("none", "extractive", "llm")
LEVELS = ("document", "section", "context")
LAYERS = ("document", "section")


@dataclass(frozen=True, kw_only=True)
class SummariseConfig(CallConfig):
    """What is said of documents, sections and chunks; how a model is called, ``CallConfig`` says.

    Attributes
    ----------
    method
        ``none``; ``extractive`` takes sentences of the text; ``llm`` asks a language model.
    prepend
        What stands before a chunk's text when it is embedded and indexed: ``document`` and ``section``,
        their summaries; ``context``, what the chunk is about. Of others ``document`` alone is made.
    layers
        Which summaries are embedded by themselves, as layers above the chunks: ``document``, ``section``.
    document_chars, section_chars
        Length of a summary.
    tolerance
        Characters that it may be longer; one that is still longer is asked for again, at 9/10 of the length.
    first
        Characters of a document that its summary is made of.
    fewest_words, most_words
        Of a context.
    price_in, price_out
        Price of a million tokens of prompt and reply, to count the cost; 0 where unknown.
    """

    group: ClassVar[str] = "summarise"

    method: str = "none"
    prepend: list[str] = field(default_factory=lambda: ["document"])
    layers: list[str] = field(default_factory=list)
    document_chars: int = 150
    section_chars: int = 75
    tolerance: int = 20
    first: int = 5000
    fewest_words: int = 50
    most_words: int = 100
    price_in: float = 0.0
    price_out: float = 0.0
    temperature: float = 0.3
    max_tokens: int = 300
    max_seconds: float = 3600.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method not in METHODS:
            raise ValueError(f"summarise.method={self.method}: one of {', '.join(METHODS)}")
        if unknown := [name for name in self.prepend if name not in LEVELS]:
            raise ValueError(f"summarise.prepend: {unknown[0]}: one of {', '.join(LEVELS)}")
        if not set(self.layers) <= set(LAYERS):
            raise ValueError(f"summarise.layers={list(self.layers)}: {' and '.join(LAYERS)}")
        if min(self.document_chars, self.section_chars, self.first) < 20 or self.tolerance < 0:
            raise ValueError("summarise: lengths must be at least 20, tolerance not negative")
        if not 0 < self.fewest_words <= self.most_words or min(self.price_in, self.price_out) < 0:
            raise ValueError("summarise: fewest_words must be 1 to most_words, prices not negative")

    @property
    def levels(self) -> tuple[str, ...]:
        """What is made."""
        return tuple(level for level in LEVELS if level in ("document", *self.prepend, *self.layers))

    def parameters(self) -> dict[str, Any]:
        """What shapes summaries; where they are put, and how a model is called, does not."""
        names = ["document_chars", "section_chars", "tolerance", "first", "fewest_words", "most_words"]
        parameters = {"method": self.method, "levels": self.levels} | {n: getattr(self, n) for n in names}
        return parameters | (self.of_reply() if self.method == "llm" else {})
