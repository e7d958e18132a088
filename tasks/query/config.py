"""Parameters of ``query``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

REWRITES = ("none", "sentences")


@dataclass(frozen=True)
class QueryConfig:
    """What is searched for a complaint.

    Attributes
    ----------
    rewrites
        ``none`` searches the complaint as it is told; ``sentences`` each of its sentences besides.
    weight
        Weight of a rewrite; the complaint itself weighs 1.
    """

    rewrites: str = "none"
    weight: float = 0.5

    def __post_init__(self) -> None:
        if self.rewrites not in REWRITES:
            raise ValueError(f"query.rewrites={self.rewrites}: one of {', '.join(REWRITES)}")
        if self.weight <= 0:
            raise ValueError("query.weight must be positive")

    def parameters(self) -> dict[str, Any]:
        """The parameters that are read."""
        return asdict(self) if self.rewrites != "none" else {"rewrites": "none"}
