"""Editions handed in that are older than those of the build."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from citegrain.flows.reindex.steps import older_editions

LAST, NEXT = date(2016, 6, 23), date(2023, 12, 1)


def build(day: date | None, evidence: str, noted: int) -> Any:
    document = f"{day} {noted}"
    act = {
        "act_id": "a", "title": "The Lamp Act, 1901", "version_date": day, "version_evidence": evidence,
        "document_id": document,
    }  # fmt: skip
    note = {"action": "inserted", "by_act": f"9 of {noted}" if noted else "", "effective": None}
    rows = pa.Table.from_pylist([{"act_id": "a", "document_id": document, "notes": [note]}])
    return SimpleNamespace(acts=[act], table=lambda schema: rows)


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ((NEXT, "as_on", 2023), (LAST, "as_on", 2016), "refused"),
        ((NEXT, "as_on", 2023), (LAST, "published", 0), "refused"),
        ((LAST, "pdf_date", 2016), (NEXT, "pdf_date", 2010), "refused"),
        ((NEXT, "pdf_date", 2023), (LAST, "pdf_date", 0), "refused"),
        ((NEXT, "pdf_date", 2010), (LAST, "pdf_date", 2010), "said"),
        ((NEXT, "as_on", 2016), (LAST, "as_on", 2023), ""),
        ((LAST, "as_on", 2016), (NEXT, "as_on", 2010), ""),
        ((LAST, "as_on", 2016), (NEXT, "as_on", 2023), ""),
        ((LAST, "as_on", 2016), (None, "none", 0), ""),
    ],
    ids=[
        "older",
        "first print",
        "printed anew",
        "PDF before the notes",
        "day of the PDF",
        "stale day",
        "without notes",
        "newer",
        "undated",
    ],
)
def test_an_older_edition_is_said_and_refused_where_it_takes_back_amendments(
    old: tuple[Any, ...], new: tuple[Any, ...], state: str
) -> None:
    amended = pa.Table.from_pylist([{"act_id": "a", "kind": "omitted"}, {"act_id": "a", "kind": "printing"}])
    lost, said = older_editions(amended, build(*old), build(*new))
    assert (bool(lost), bool(said)) == (state == "refused", state == "said")
    assert all("an older edition (of " in line for line in (*lost.values(), *said))
    assert all(line.endswith("amended provisions that it takes back: 1") for line in lost.values())
    lost, said = older_editions(amended.slice(1), build(*old), build(*new))
    assert not lost and bool(said) == bool(state), "what takes nothing back is no loss"
