"""Parameters of ``fuse``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FuseConfig:
    """How ranked lists are joined.

    Attributes
    ----------
    k
        Smoothing constant of reciprocal rank fusion (Eq. 3.3 of the thesis).
    depth
        Length of the fused list.
    """

    k: int = 60
    depth: int = 20

    def __post_init__(self) -> None:
        if self.k < 1 or self.depth < 1:
            raise ValueError("fuse.k and fuse.depth must be positive")
