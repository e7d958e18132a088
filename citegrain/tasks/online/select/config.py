"""Parameters of ``select``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

METHODS = ("top", "mmr")
UNITS = ("chunk", "provision")
SCALES = ("raw", "min_max")


@dataclass(frozen=True)
class SelectConfig:
    """Which candidates are kept.

    Attributes
    ----------
    method
        ``top`` keeps the order, ``mmr`` trades relevance against likeness (Eq. 3.5).
    unit
        ``provision`` keeps one chunk a provision, its best; ``chunk`` may keep several.
    k
        How many are kept (k_2 of the thesis).
    balance
        lambda_mmr of Eq. 3.5: 1 is relevance alone.
    scale
        Scale of relevance in Eq. 3.5: ``raw`` (the thesis) or ``min_max``, 0..1 a query.
    gap
        Nothing is kept behind a drop of relevance (0..1 a query) greater than this; 0 for no such cut.
    per_act
        Most that are kept of one Act; 0 for no limit.
    tokens
        Most tokens that all kept chunks may have together; 0 for no limit. The first is always kept.
    """

    method: str = "top"
    unit: str = "provision"
    k: int = 5
    balance: float = 0.5
    scale: str = "min_max"
    gap: float = 0.0
    per_act: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        for name, value, known in (
            ("method", self.method, METHODS),
            ("unit", self.unit, UNITS),
            ("scale", self.scale, SCALES),
        ):
            if value not in known:
                raise ValueError(f"select.{name}={value}: one of {', '.join(known)}")
        if self.k < 1 or not 0 <= self.balance <= 1 or not 0 <= self.gap <= 1:
            raise ValueError("select: k must be positive, balance and gap lie in 0 to 1")
        if min(self.per_act, self.tokens) < 0:
            raise ValueError("select.per_act and select.tokens must not be negative")

    def parameters(self) -> dict[str, Any]:
        """The parameters that the method reads."""
        unread = () if self.method == "mmr" else ("balance", "scale")
        return {name: value for name, value in asdict(self).items() if name not in unread}
