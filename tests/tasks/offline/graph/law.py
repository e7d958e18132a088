"""A little law of our own as tables: two Acts, rules under one of them, and a judgment."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import ACTS, JUDGMENTS, PRECEDENTS, PROVISIONS, REFERENCES

LAMPS, OIL, RULES, CASE, OLD = (
    "lamps-act-2011",
    "oil-code-1999",
    "lamps-rules-2012",
    "ram-v-state",
    "lamps-act-1950",
)
_SHORT = {"section": "sec", "rule": "rule", "paragraph": "para", "schedule": "sched", "article": "art"}
_OF_ACTS = {"page_start": 1, "n_sections": 1, "version_evidence": "none", "title_evidence": "registry"}


def act(act_id: str, title: str, number: str = "", kind: str = "act", **more: Any) -> dict[str, Any]:
    names = {"act_id": act_id, "title": title, "number": number, "kind": kind, "document_id": act_id.upper()}
    empty: dict[str, Any] = {
        "version_date": None,
        "aliases": [],
        "in_force_from": None,
        "in_force_to": None,
        "replaced_by": None,
    }
    return {**ACTS.added, **_OF_ACTS, **empty, **names, **more}


def provision(act_id: str, number: str, text: str, kind: str = "section", **more: Any) -> dict[str, Any]:
    columns = {
        "provision_id": f"{act_id}/{_SHORT[kind]}_{number}",
        "act_id": act_id,
        "kind": kind,
        "number": number,
    }
    rest: dict[str, Any] = {
        "version_date": None, "heading": "", "text": text, "status": "in_force", "parent_id": None, "depth": 1,
        "ordinal": 1, "char_start": 0, "text_start": 0, "char_end": len(text), "page_start": 3, "page_end": 3,
        "document_id": act_id.upper(), "valid_from": None, "valid_to": None, "validity_evidence": "", "notes": [],
    }  # fmt: skip
    return rest | columns | more


def note(text: str, by_act: str) -> dict[str, Any]:
    day = date(2015, 1, 1)
    return {
        "offset": 0, "label": "1", "page": 4, "text": text, "action": "substituted", "by_act": by_act, "effective": day,
    }  # fmt: skip


def tables(
    provisions: list[dict[str, Any]],
    acts: list[dict[str, Any]] | None = None,
    precedents: list[dict[str, Any]] | None = None,
    references: list[dict[str, Any]] | None = None,
) -> dict[str, pa.Table]:
    """The tables of a build that ``make_graph`` reads."""
    acts = acts if acts is not None else usual()
    judgment = {
        "document_id": CASE.upper(), "case_name": "Ram v. State", "court": "", "bench": ["A.B. Bose"],
        "date": date(2019, 5, 3), "citations": [], "also_reported": [], "docket": "", "print": "court",
    }  # fmt: skip
    return {
        "acts": ACTS.rows(acts),
        "provisions": PROVISIONS.rows(provisions),
        "references": REFERENCES.rows(references or []),
        "precedents": PRECEDENTS.rows(precedents or []),
        "judgments": JUDGMENTS.rows([judgment]),
    }


def usual() -> list[dict[str, Any]]:
    return [
        act(LAMPS, "The Lamps Act, 2011", "4 of 2011"),
        act(OIL, "The Oil Code, 1999", "45 of 1999"),
        act(RULES, "The Lamps Rules, 2012", kind="rules"),
        act(CASE, "Ram v. State", kind="judgment"),
    ]
