"""Decisions on new builds: one line each, in a file beside the builds of a name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.store.files import explain

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
        Folder of the builds of a name.
    at
        Time of the decision, ISO 8601.
    state
        ``first build``, ``promoted``, ``refused`` or ``rolled back``.
    build, before
        Build decided on, or current after a rollback; and the build that was current.
    judged_by
        Digest of the benchmark and of the settings of the gate.

    Raises
    ------
    StoreError
        If the file cannot be written.
    """
    decision: Mapping[str, Any] = {
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
            file.write(json.dumps(decision, ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreError(explain(error, folder)) from error


def earlier_refusal(folder: Path, build: str, current: str, judged_by: str) -> list[str]:
    """Why an earlier decision keeps a build from becoming current; empty where none does.

    A build that was refused beside the same current one by the same benchmark stays refused, and one that
    was rolled back is not promoted again by a schedule.
    """
    last = _last(folder)
    decided = (last.get("state"), last.get("build"), last.get("before"))
    if decided == (REFUSED, build, current) and last.get("judged_by") == judged_by:
        return [str(reason) for reason in last.get("reasons", ())]
    if decided == (ROLLED_BACK, current, build):
        return [f"rolled back at {last.get('at')}: --force promotes it again"]
    return []


def _last(folder: Path) -> Mapping[str, Any]:
    """The newest line; empty where there is none that can be read."""
    try:
        lines = (folder / RECORD).read_text(encoding="utf-8").splitlines()
        decision = json.loads(lines[-1]) if lines else {}
    except (OSError, ValueError):
        return {}
    return decision if isinstance(decision, dict) else {}
