"""What became current and what did not: one line a decision, beside the builds of a name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.store.artefacts import explain

RECORD = "promotions.jsonl"
FIRST, PROMOTED, REFUSED, ROLLED_BACK = "first build", "promoted", "refused", "rolled back"


def write_record(
    folder: Path,
    at: str,
    state: str,
    build: str,
    before: str,
    reasons: Sequence[str] = (),
    forced: bool = False,
    judged_by: str = "",
) -> None:
    """Add a decision.

    Parameters
    ----------
    folder
        Of the builds of a name.
    at
        When, ISO 8601.
    state
        ``first build``, ``promoted``, ``refused`` or ``rolled back``.
    build, before
        What the decision is on, or what is current by a rollback; and what was current.
    judged_by
        Digest of the benchmark and of what was asked of it.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    told: Mapping[str, Any] = {
        "at": at,
        "build": build,
        "before": before,
        "state": state,
        "forced": forced,
        "judged_by": judged_by,
        "reasons": list(reasons),
    }
    try:
        with (folder / RECORD).open("a", encoding="utf-8") as file:
            file.write(json.dumps(told, ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreError(explain(error, folder)) from error


def standing(folder: Path, build: str, current: str, judged_by: str) -> list[str]:
    """Why a build is not to take the place of the current one, as decided before; empty where nothing was.

    A build that was refused beside the same current one by the same benchmark stays refused, and one that
    was rolled back is not promoted again by a schedule.
    """
    told = _last(folder)
    of = (told.get("state"), told.get("build"), told.get("before"))
    if of == (REFUSED, build, current) and told.get("judged_by") == judged_by:
        return [str(reason) for reason in told.get("reasons", ())]
    if of == (ROLLED_BACK, current, build):
        return [f"rolled back at {told.get('at')}: --force promotes it again"]
    return []


def _last(folder: Path) -> Mapping[str, Any]:
    """The newest line; empty where there is none that can be read."""
    try:
        lines = (folder / RECORD).read_text(encoding="utf-8").splitlines()
        told = json.loads(lines[-1]) if lines else {}
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}
