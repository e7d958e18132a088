"""Parameters of ``chunk``."""

from __future__ import annotations

from dataclasses import dataclass

STRATEGIES = ("statutory", "parent_child", "fixed", "recursive", "page")
HEADERS = ("none", "heading", "full")


@dataclass(frozen=True)
class ChunkConfig:
    """How running text is cut into retrieval units.

    Attributes
    ----------
    strategy
        ``statutory``, ``parent_child``, ``fixed``, ``recursive`` or ``page``.
    size, overlap
        Target length and overlap: tokens of the encoder for ``statutory``, ``parent_child`` and
        ``fixed``, characters for ``recursive`` and ``page``.
    header
        Line of context put before the text when it is embedded and indexed: ``none``,
        ``heading`` (number and heading of the cited provision) or ``full`` (title of the Act too).
    """

    strategy: str = "statutory"
    size: int = 1000
    overlap: int = 0
    header: str = "full"

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise ValueError(f"chunk.strategy={self.strategy}: one of {', '.join(STRATEGIES)}")
        if self.header not in HEADERS:
            raise ValueError(f"chunk.header={self.header}: one of {', '.join(HEADERS)}")
        if self.size < 8 or not 0 <= self.overlap < self.size:
            raise ValueError("chunk.size must be at least 8 and chunk.overlap less than it")
