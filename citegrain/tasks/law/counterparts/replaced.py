"""Which Act replaced another and since when, and what a person is told of it beside a charge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from citegrain.tasks.law.counterparts.named import PREDECESSOR, SUCCESSOR, TABLE, Counterpart

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import Build


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
        The nearest counterpart of a provision of it: the Act of this one is told, since one Act may replace
        several, and since the user's table may name Acts of which the registry tells nothing.

    Returns
    -------
    dict or None
        ``relation`` of the other to this one, ``act`` and ``title`` of the other, ``since`` as ISO day,
        ``held`` whether the build has it.
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
            "held": other in titles,
        }
    if nearest is None:
        return None
    other = nearest.act_id
    return {"relation": nearest.relation, "act": other, "title": titles[other], "since": "", "held": True}


def with_counterparts(build: Build, charge: Mapping[str, Any]) -> dict[str, Any]:
    """A charge with what replaced its Act, or was replaced by it, and with its counterparts there.

    Returns
    -------
    dict
        The charge, and ``replacement`` as :func:`replacement` gives it, and ``counterparts``: a list of
        {act, section, heading, provision_id, relation, source}, the nearest first.
    """
    act = str(charge["provision_id"]).partition("/")[0]
    named = ("section", "heading", "provision_id", "relation", "source")
    found = build.counterparts(str(charge["provision_id"]))
    told = [{"act": c.act_id} | {name: getattr(c, name) for name in named} for c in found]
    other = replacement(build.acts, act, found[0] if found else None)
    return dict(charge) | {"replacement": other, "counterparts": told}


def counterpart_line(charge: Mapping[str, Any]) -> str:
    """What a person is told of the counterparts of a charge; nothing where its Act has no other."""
    other = charge["replacement"]
    if other is None:
        return ""
    old, since = other["relation"] == SUCCESSOR, other["since"]
    lead = f"{'since' if old else 'before'} {since}" if since else f"{'replaced by' if old else 'replaced'}"
    found = [c for c in charge["counterparts"] if c["act"] == other["act"]]
    if not found:
        return f"{lead}: {other['title']}, {'no like section found' if other['held'] else 'not held here'}"
    numbers = ", ".join(c["section"] for c in found)
    tables = {c["source"] == TABLE for c in found}
    how = "by your table" if tables == {True} else "matched by heading and text"
    return f"{lead}: {other['title']}, section{'s' if len(found) > 1 else ''} {numbers} ({how})"


def _first_day(replaced: Mapping[str, Any]) -> date | None:
    """First day of the law that replaced an Act."""
    last: date | None = replaced["in_force_to"]
    return last + timedelta(days=1) if last is not None else None
