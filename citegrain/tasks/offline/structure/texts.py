"""Provisions of a corpus of texts: each text is one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import CLASSIFICATION, PROVISIONS, REPORTS, TEXTS
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.law.citations import TEXT


def structure_texts(lines: pa.Table, document_id: str, act_id: str) -> Tables:
    """The texts of one file as ``texts`` and ``provisions``, one behind the other; always law.

    Parameters
    ----------
    lines
        As ``parse_texts`` wrote them: id, title and text of each page.
    act_id
        What they all count to.
    """
    words = lines.column("text").to_pylist()
    provisions: list[dict[str, Any]] = []
    offset = 0
    for number, (name, title, text) in enumerate(zip(words[::3], words[1::3], words[2::3], strict=True)):
        row = {
            "provision_id": f"{act_id}/{name}",
            "version_date": None,
            "act_id": act_id,
            "kind": TEXT,
            "number": name,
            "heading": title,
            "text": text,
            "status": "in_force",
            "parent_id": None,
            "depth": 1,
            "ordinal": number,
            "char_start": offset,
            "text_start": offset,
            "char_end": offset + len(text),
            "page_start": number + 1,
            "page_end": number + 1,
            "document_id": document_id,
            "valid_from": None,
            "valid_to": None,
            "validity_evidence": "",
            "notes": [],
        }
        provisions.append(row)
        offset += len(text) + 1
    running: dict[str, Any] = {
        "document_id": document_id,
        "act_id": act_id,
        "text": "\n".join(row["text"] for row in provisions),
        "page_spans": [{"page": r["page_start"], "char_start": r["char_start"]} for r in provisions],
    }
    return {
        TEXTS.name: TEXTS.rows([running]),
        PROVISIONS.name: PROVISIONS.rows(provisions),
        CLASSIFICATION.name: CLASSIFICATION.empty(),
        REPORTS.name: REPORTS.empty(),
    }
