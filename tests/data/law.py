"""The law that labels of data are checked against."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.tasks.evaluation.benchmark import Citation, Record
from citegrain.tasks.law.in_force import LawInForce
from tests.data.complaints import ACTS

TODAY = date(2026, 11, 22)
"""``as_of`` of the benchmarks over the 51 Acts."""

LABELLED = ("section", "article", "rule", "entry")


def ids_of(provisions: pa.Table) -> dict[Citation, dict[str, str]]:
    """Text of each provision that a label may mean, by citation and id; a section before an entry."""
    out: dict[Citation, dict[str, str]] = {}
    rows: list[dict[str, Any]] = provisions.select(
        ["act_id", "kind", "number", "provision_id", "text"]
    ).to_pylist()
    for row in sorted(rows, key=lambda r: LABELLED.index(r["kind"]) if r["kind"] in LABELLED else 9):
        if row["kind"] in LABELLED and row["number"].isalnum():
            texts = out.setdefault(Citation(act=row["act_id"], section=row["number"]), {})
            if not texts or row["kind"] in ("section", "article"):
                texts[row["provision_id"]] = row["text"]
    return out


def unlawful(records: Iterable[Record], provisions: pa.Table) -> list[str]:
    """Labels that are in no Act, or not law on the day of their record."""
    versions = dict(zip(*provisions.select(["act_id", "version_date"]).to_pydict().values(), strict=True))
    acts = pa.Table.from_pylist(
        [
            {"act_id": a, "version_date": v, "number": ACTS[a].number, "title": ACTS[a].title}
            | {"active": True, "language": "en"}
            for a, v in versions.items()
        ]
    )
    law, ids = LawInForce(acts, provisions), ids_of(provisions)
    return [
        f"{record.id}: {citation.label}"
        for record in records
        for citation in record.applicable
        if not any(law.holds(p, record.incident_date or TODAY) for p in ids.get(citation, ()))
    ]
