"""Which Act replaced another, and since when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from citegrain.tasks.law.counterparts.named import PREDECESSOR, SUCCESSOR, Counterpart


def changes_of(acts: Iterable[Mapping[str, Any]]) -> list[date]:
    """First days of the Acts that replaced others, from rows of ``acts``, in order."""
    days = (_first_day(act) for act in acts if act["replaced_by"])
    return sorted({day for day in days if day is not None})


def replacement(
    acts: Sequence[Mapping[str, Any]], act_id: str, nearest: Counterpart | None = None
) -> dict[str, Any] | None:
    """Which Act replaced one, or was replaced by it, and since when; None for most Acts.

    Parameters
    ----------
    nearest
        The nearest counterpart of a provision of it. Its Act is returned: one Act may replace several, and
        the user's table may name Acts that the registry does not pair.

    Returns
    -------
    dict or None
        ``relation`` of the other to this one, ``act`` and ``title`` of the other, ``since`` as ISO day,
        ``in_build`` whether the build has it.
    """
    titles = {act["act_id"]: act["title"] for act in acts}
    for act in acts:
        pair = (act["act_id"], act["replaced_by"])
        if not act["replaced_by"] or act_id not in pair or (nearest and nearest.act_id not in pair):
            continue
        old = act_id == act["act_id"]
        other = act["replaced_by"] if old else act["act_id"]
        since = _first_day(act)
        return {
            "relation": SUCCESSOR if old else PREDECESSOR,
            "act": other,
            "title": titles.get(other, other),
            "since": since.isoformat() if since else "",
            "in_build": other in titles,
        }
    if nearest is None:
        return None
    other = nearest.act_id
    return {"relation": nearest.relation, "act": other, "title": titles[other], "since": "", "in_build": True}


def _first_day(replaced: Mapping[str, Any]) -> date | None:
    """First day of the law that replaced an Act."""
    last: date | None = replaced["in_force_to"]
    return last + timedelta(days=1) if last is not None else None
