"""What replaced the law of a charge: for the answer as JSON, and as a line of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citegrain.flows.shared.library import Build
from citegrain.tasks.law.counterparts import SUCCESSOR, TABLE, replacement

_FIELDS = ("section", "heading", "provision_id", "relation", "source")


def with_counterparts(build: Build, charge: Mapping[str, Any]) -> dict[str, Any]:
    """A charge with what replaced its Act, or was replaced by it, and with its counterparts there.

    Returns
    -------
    dict
        The charge with ``replacement``, as :func:`law.counterparts.replacement` gives it, and with
        ``counterparts``, a list of {act, section, heading, provision_id, relation, source}, nearest first.
    """
    act = str(charge["provision_id"]).partition("/")[0]
    nearest_first = build.counterparts(str(charge["provision_id"]))
    rows = [{"act": c.act_id} | {name: getattr(c, name) for name in _FIELDS} for c in nearest_first]
    other = replacement(build.acts, act, nearest_first[0] if nearest_first else None)
    return dict(charge) | {"replacement": other, "counterparts": rows}


def counterpart_line(charge: Mapping[str, Any]) -> str:
    """The counterparts of a charge on one line; empty where its Act was not replaced and replaced none."""
    other = charge["replacement"]
    if other is None:
        return ""
    old, since = other["relation"] == SUCCESSOR, other["since"]
    lead = f"{'since' if old else 'before'} {since}" if since else f"{'replaced by' if old else 'replaced'}"
    rows = [c for c in charge["counterparts"] if c["act"] == other["act"]]
    if not rows:
        why = "no similar section found" if other["in_build"] else "not in this build"
        return f"{lead}: {other['title']}, {why}"
    numbers = ", ".join(c["section"] for c in rows)
    by_table = all(c["source"] == TABLE for c in rows)
    how = "by your table" if by_table else "matched by heading and text"
    return f"{lead}: {other['title']}, section{'s' if len(rows) > 1 else ''} {numbers} ({how})"
