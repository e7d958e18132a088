"""Tables of documents joined into those of a build: references resolved, validity filled in."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
from citegrain.tasks.offline.index.beginnings import beginnings

_PLACED = [
    "provision_id", "act_id", "version_date", "ordinal", "kind", "number", "parent_id", "text", "char_start",
    "valid_from", "validity_evidence", "notes",
]  # fmt: skip


def resolve_references(references: pa.Table, provisions: pa.Table) -> pa.Table:
    """Say of each reference whether its target stands in the build.

    ``resolved`` becomes ``provision``, ``act`` (the Act is there, the provision is not) or ``no``.
    """
    targets = references.column("target_id")
    acts = references.column("target_act")
    there = pc.is_in(targets, value_set=pc.unique(provisions.column("provision_id")))
    act_there = pc.is_in(acts, value_set=pc.unique(provisions.column("act_id")))
    resolved = pc.if_else(there, "provision", pc.if_else(act_there, "act", "no"))
    at = references.column_names.index("resolved")
    return REFERENCES.conform(references.set_column(at, "resolved", resolved))


def fill_validity(provisions: pa.Table, acts: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Complete ``valid_from`` and ``valid_to`` from the Acts and from other versions in the build.

    What a provision's own footnotes say stands, then what :func:`beginnings` finds. Where they are silent the
    commencement of the Act holds; of one that came into force in stages that is its first day, before which
    no provision was law. A provision ends with its Act, and a version of it ends where a later version in
    the build reads otherwise.
    """
    by_key = {(a["act_id"], a["version_date"]): a for a in acts}
    columns = provisions.select(
        [
            "provision_id",
            "act_id",
            "version_date",
            "text",
            "valid_from",
            "valid_to",
            "validity_evidence",
            "status",
        ]
    ).to_pydict()
    ends, begins = _superseded(columns), beginnings(provisions.select(_PLACED).to_pylist())
    froms, tos, evidence = [], [], []
    for i, act_id in enumerate(columns["act_id"]):
        act = by_key.get((act_id, columns["version_date"][i]), {})
        first, last = columns["valid_from"][i], columns["valid_to"][i]
        said = columns["validity_evidence"][i]
        reasons = [said] if said else []
        if first is None and columns["status"][i] == "in_force" and i in begins:
            first, told = begins[i]
            reasons.append(told)
        if first is None and columns["status"][i] == "in_force" and act.get("in_force_from"):
            first = act["in_force_from"]
            stage = ", which came into force in stages" if act.get("staged") else ""
            reasons.append(f"registry: commencement of the Act{stage}")
        if act.get("in_force_to") and (last is None or last > act["in_force_to"]):
            last = act["in_force_to"]
            reasons.append("registry: the Act's last day in force")
        superseded = ends.get(i)
        if superseded and (last is None or superseded < last):
            last = superseded
            reasons.append("a later version in the build reads otherwise")
        froms.append(first)
        tos.append(last)
        evidence.append("; ".join(reasons))
    out = provisions
    for name, values, kind in (
        ("valid_from", froms, pa.date32()),
        ("valid_to", tos, pa.date32()),
        ("validity_evidence", evidence, pa.string()),
    ):
        out = out.set_column(out.column_names.index(name), name, pa.array(values, kind))
    return PROVISIONS.conform(out)


def _superseded(columns: Mapping[str, list[Any]]) -> dict[int, date]:
    """Last day of a row whose provision reads otherwise in the next later version."""
    versions: dict[str, list[tuple[date, int]]] = {}
    for i, provision_id in enumerate(columns["provision_id"]):
        if columns["version_date"][i] is not None:
            versions.setdefault(provision_id, []).append((columns["version_date"][i], i))
    ends: dict[int, date] = {}
    for rows in versions.values():
        rows.sort()
        for (_, i), (later, j) in itertools.pairwise(rows):
            if columns["text"][i].split() != columns["text"][j].split():
                begins = columns["valid_from"][j]
                changed = begins if begins and begins > columns["version_date"][i] else later
                ends[i] = changed - timedelta(days=1)
    return ends
