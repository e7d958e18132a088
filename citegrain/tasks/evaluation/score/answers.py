"""What an answer cites."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Predicted:
    """What an answer says.

    Attributes
    ----------
    charges
        (provision_id, act_id) of each charge in order, once each. A charge without a
        provision has an id that no label has: it counts against the answer.
    verified
        Share of the charges that were verified; None without a charge.
    confidence
        Probability that the first charge is the primary provision; None where it was not estimated.
    elsewhere
        Act or State subject that is said to govern instead, empty for none; None where it was not estimated
        whether anything applies.
    failed
        Whether there is no answer at all.
    """

    charges: tuple[tuple[str, str], ...] = ()
    verified: float | None = None
    confidence: float | None = None
    elsewhere: str | None = None
    abstained: bool = False
    failed: bool = False


def predicted(row: Mapping[str, Any] | None) -> Predicted:
    """Read a row of ``answers``; None stands for a query that failed on the way."""
    if row is None or row["error"] or not row["answer"]:
        return Predicted(failed=True)
    answer = json.loads(row["answer"])
    listed = answer["charges"]
    charges: dict[str, str] = {}
    for number, charge in enumerate(listed):
        provision = charge["provision_id"] or f"?{number}"
        charges.setdefault(provision, charge["act"] or provision.split("/")[0])
    verified = sum(c["verification"] == "verified" for c in listed)
    return Predicted(
        tuple(charges.items()),
        verified / len(listed) if listed else None,
        listed[0].get("primary") if listed else None,
        None if answer.get("probability") is None else answer["elsewhere"],
        bool(row["abstained"]),
    )
