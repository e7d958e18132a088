"""Parameters of ``retrieve``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RetrieveConfig:
    """How deep each channel looks.

    Attributes
    ----------
    k
        Chunks a channel returns for a query (k_ret of the thesis).
    """

    k: int = 20

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError("retrieve.k must be positive")
