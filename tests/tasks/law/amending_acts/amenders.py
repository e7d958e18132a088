"""Amending Acts of our own, typeset, parsed and read into instructions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import ACTS, INSTRUCTIONS, PROVISIONS
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.amending_acts import make_instructions
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests import typeset
from tests.typeset import Act, Section

PRINCIPAL = "lantern-keepers-welfare-act-2011"
AMENDING = "lantern-keepers-welfare-amendment-act-2018"
OLD, ENACTED = date(2016, 3, 1), date(2018, 8, 9)
Row = dict[str, Any]


def amending_act(*sections: tuple[str, Sequence[str]], commencement: str = "") -> Act:
    """An amending Act of these sections, (heading, paragraphs), behind one with the short title."""
    first = ["(1) This Act may be called the Lantern Keepers (Welfare) Amendment Act, 2018."]
    first += [f"(2) {commencement}"] if commencement else []
    numbered = [Section(str(n), heading, text) for n, (heading, text) in enumerate(sections, 2)]
    return Act(
        "THE LANTERN KEEPERS (WELFARE) AMENDMENT ACT, 2018",
        "71 of 2018",
        [("I", "PRELIMINARY", [Section("1", "Short title and commencement", first), *numbered])],
    )


def structured(data: bytes, act_id: str, version: date | None) -> list[Row]:
    """Rows of ``provisions`` of a PDF."""
    parsed = parse_document(data, act_id, ParseConfig(ocr="off"))
    span = ActSpan(act_id, version, 1, 999)
    tables = structure_document(parsed["documents"], parsed["lines"], [span])
    rows: list[Row] = tables["provisions"].to_pylist()
    return rows


def act_row(act_id: str, title: str, number: str, version: date | None, **more: Any) -> Row:
    """A row of ``acts``."""
    row = dict.fromkeys(ACTS.arrow.names) | {"aliases": [], "language": "en", "kind": "act", "amended_by": []}
    row |= {
        "act_id": act_id,
        "document_id": act_id,
        "title": title,
        "number": number,
        "version_date": version,
    }
    return row | {"version_evidence": "published"} | more


def principal_row(**more: Any) -> Row:
    return act_row(PRINCIPAL, "The Lantern Keepers (Welfare) Act, 2011", "17 of 2011", OLD) | more


def amending_row(**more: Any) -> Row:
    title = "The Lantern Keepers (Welfare) Amendment Act, 2018"
    return act_row(AMENDING, title, "71 of 2018", ENACTED) | more


def build_tables(act: Act, printed: bool = True) -> Tables:
    """``acts`` and ``provisions`` of the Lantern Act and an Act that amends it."""
    pdf = typeset.gazette(act) if printed else typeset.india_code(act, contents=False)
    rows = structured(typeset.india_code(), PRINCIPAL, OLD) + structured(pdf, AMENDING, ENACTED)
    acts = [
        {n: v for n, v in row.items() if n in ACTS.arrow.names} for row in (principal_row(), amending_row())
    ]
    return {ACTS.name: pa.Table.from_pylist(acts, ACTS.arrow), PROVISIONS.name: PROVISIONS.rows(rows)}


def instructions_of(tables: Tables) -> list[Row]:
    """Rows of ``instructions``."""
    table = make_instructions(tables)[INSTRUCTIONS.name]
    assert table.schema.equals(INSTRUCTIONS.arrow)
    rows: list[Row] = table.to_pylist()
    return rows
