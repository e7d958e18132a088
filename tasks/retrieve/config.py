"""Parameters of ``retrieve``."""

from __future__ import annotations

from dataclasses import dataclass, field

CHANNELS = ("dense", "sparse", "provision")


@dataclass(frozen=True)
class RetrieveConfig:
    """Which channels look, and how deep.

    Attributes
    ----------
    channels
        ``dense`` (vectors), ``sparse`` (BM25), ``provision`` (what the complaint names by number).
    k
        Chunks a channel returns for a query (k_ret of the thesis).
    family
        Whether a hit on a part of a provision brings its other parts, behind it.
    """

    channels: list[str] = field(default_factory=lambda: ["dense", "sparse", "provision"])
    k: int = 20
    family: bool = False

    def __post_init__(self) -> None:
        unknown = set(self.channels) - set(CHANNELS)
        if unknown or not self.channels or len(set(self.channels)) != len(self.channels):
            raise ValueError(
                f"retrieve.channels={list(self.channels)}: some of {', '.join(CHANNELS)}, each once"
            )
        if self.k < 1:
            raise ValueError("retrieve.k must be positive")
