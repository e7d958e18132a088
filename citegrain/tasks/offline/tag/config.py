"""Parameters of ``tag``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TagConfig:
    """What is tagged.

    Attributes
    ----------
    references
        Whether cross-references are looked for.
    """

    references: bool = True
