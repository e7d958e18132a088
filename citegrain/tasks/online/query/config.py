"""Parameters of ``query``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from citegrain.tasks.online.query.glossary import load_glossary

REWRITES = ("none", "sentences")


@dataclass(frozen=True)
class QueryConfig:
    """What is searched for a complaint.

    Attributes
    ----------
    rewrites
        ``none`` searches the complaint as it is; ``sentences`` each of its sentences besides.
    weight
        Weight of a sentence; the complaint itself weighs 1.
    glossary
        YAML file of everyday phrases and the words of the law for them, searched besides; empty for none.
    glossary_weight
        Weight of the words of the law for phrases of the complaint.
    """

    rewrites: str = "none"
    weight: float = 0.5
    glossary: str = ""
    glossary_weight: float = 0.3

    def __post_init__(self) -> None:
        if self.rewrites not in REWRITES:
            raise ValueError(f"query.rewrites={self.rewrites}: one of {', '.join(REWRITES)}")
        if min(self.weight, self.glossary_weight) <= 0:
            raise ValueError("query.weight and query.glossary_weight must be positive")

    def parameters(self) -> dict[str, Any]:
        """The parameters that are read."""
        read: dict[str, Any] = {"rewrites": self.rewrites}
        if self.rewrites != "none":
            read["weight"] = self.weight
        if self.glossary:
            read |= {"glossary": load_glossary(self.glossary)[1], "glossary_weight": self.glossary_weight}
        return read
