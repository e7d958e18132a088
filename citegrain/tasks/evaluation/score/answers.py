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
    failed
        Whether there is no answer at all.
    """

    charges: tuple[tuple[str, str], ...] = ()
    verified: float | None = None
    abstained: bool = False
    failed: bool = False


def predicted(row: Mapping[str, Any] | None) -> Predicted:
    """Read a row of ``answers``; None stands for a query that failed on the way."""
    if row is None or row["error"] or not row["answer"]:
        return Predicted(failed=True)
    listed = json.loads(row["answer"])["charges"]
    charges: dict[str, str] = {}
    for number, charge in enumerate(listed):
        provision = charge["provision_id"] or f"?{number}"
        charges.setdefault(provision, charge["act"] or provision.split("/")[0])
    verified = sum(c["verification"] == "verified" for c in listed)
    return Predicted(
        tuple(charges.items()), verified / len(listed) if listed else None, bool(row["abstained"])
    )
