"""Parameters of ``verify``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class VerifyConfig:
    """What becomes of a charge that is not verified.

    Attributes
    ----------
    policy
        ``flag`` keeps it and says what is wrong, ``drop`` takes it out.
    """

    policy: str = "flag"

    def __post_init__(self) -> None:
        if self.policy not in ("flag", "drop"):
            raise ValueError(f"verify.policy={self.policy}: flag or drop")
