"""Parameters of ``structure``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StructureConfig:
    """What decides how the tree is read.

    Attributes
    ----------
    min_sections
        An Act with fewer numbered provisions is reported as not recognised.
    """

    min_sections: int = 1

    def __post_init__(self) -> None:
        if self.min_sections < 1:
            raise ValueError("structure.min_sections must be positive")
