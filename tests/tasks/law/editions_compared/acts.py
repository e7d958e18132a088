"""Provisions written by hand and from invented Acts, to be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests import typeset

ACT = "lantern-keepers-welfare-act-2011"
OLD, NEW = date(2014, 1, 1), date(2020, 1, 2)


def note(text: str, action: str, by_act: str = "9 of 2015", effective: date | None = None) -> dict[str, Any]:
    return {
        "offset": 0,
        "label": "1",
        "page": 1,
        "text": text,
        "action": action,
        "by_act": by_act,
        "effective": effective,
    }


INSERTED = note("Ins. by Act 9 of 2015, s. 2.", "inserted")


def row(number: str, text: str, **more: Any) -> dict[str, Any]:
    """A row of ``provisions``: a section, unless it says otherwise."""
    return {
        "provision_id": f"{ACT}/sec_{number}",
        "version_date": None,
        "act_id": ACT,
        "kind": "section",
        "number": number,
        "heading": "",
        "text": text,
        "status": "in_force",
        "parent_id": None,
        "depth": 1,
        "ordinal": 0,
        "char_start": 0,
        "text_start": 0,
        "char_end": len(text),
        "page_start": 1,
        "page_end": 1,
        "document_id": "d",
        "valid_from": None,
        "valid_to": None,
        "validity_evidence": "",
        "notes": [],
    } | more


def table(rows: Sequence[Mapping[str, Any]], version: date | None = OLD) -> pa.Table:
    """Rows in their order as a table of one version."""
    placed = [{**r, "ordinal": i, "version_date": version} for i, r in enumerate(rows)]
    return PROVISIONS.rows(placed)


def sections(texts: Mapping[str, str], version: date | None = OLD) -> pa.Table:
    """Sections by number and text."""
    return table([row(n, t) for n, t in texts.items()], version)


def act(changed: Mapping[str, typeset.Section | None], notes: Sequence[str] | None = None) -> typeset.Act:
    """The Lantern Keepers Act with some sections changed, or left out where they are None."""
    chapters = [
        (number, heading, [changed.get(s.number, s) for s in sections])
        for number, heading, sections in typeset.LANTERN.chapters
    ]
    chapters_left = [(n, h, [s for s in sections if s is not None]) for n, h, sections in chapters]
    return replace(
        typeset.LANTERN, chapters=chapters_left, notes=typeset.LANTERN.notes if notes is None else notes
    )


def read(data: bytes, version: date = OLD) -> pa.Table:
    """Provisions of a typeset Act."""
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan(ACT, version, 1, 999)
    return structure_document(parsed["documents"], parsed["lines"], [span])["provisions"]
