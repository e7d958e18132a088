"""The law that labels of data are checked against."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from citegrain.tasks.evaluation.benchmark import Citation

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
