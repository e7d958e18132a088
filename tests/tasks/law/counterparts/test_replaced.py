"""Acts that replaced others, and what is told of it beside a charge."""

from __future__ import annotations

from datetime import date
from typing import Any

from citegrain.tasks.law.counterparts import changes_of, counterpart_line, replacement

CHANGE = date(2024, 7, 1)
ACTS: list[dict[str, Any]] = [
    {"act_id": "ipc", "title": "The Penal Code", "replaced_by": "bns", "in_force_to": date(2024, 6, 30)},
    {"act_id": "bns", "title": "The Sanhita", "replaced_by": None, "in_force_to": None},
    {"act_id": "fa", "title": "Factories", "replaced_by": "osh", "in_force_to": None},
]


def test_changes_and_replacements() -> None:
    assert changes_of(ACTS) == [CHANGE]
    assert replacement(ACTS, "ipc") == {
        "relation": "successor",
        "act": "bns",
        "title": "The Sanhita",
        "since": "2024-07-01",
        "held": True,
    }
    assert replacement(ACTS, "bns") == {
        "relation": "predecessor",
        "act": "ipc",
        "title": "The Penal Code",
        "since": "2024-07-01",
        "held": True,
    }
    assert replacement(ACTS, "fa") == {
        "relation": "successor",
        "act": "osh",
        "title": "osh",
        "since": "",
        "held": False,
    }
    assert replacement(ACTS, "mv") is None


def test_one_line_a_charge() -> None:
    def told(act: str, *found: tuple[str, str]) -> str:
        other = replacement(ACTS, act)
        counterparts = [{"act": other["act"], "section": n, "source": s} for n, s in found] if other else []
        return counterpart_line({"replacement": other, "counterparts": counterparts})

    assert (
        told("ipc", ("303", "matched"))
        == "since 2024-07-01: The Sanhita, section 303 (matched by heading and text)"
    )
    assert (
        told("bns", ("379", "table"), ("378", "table"))
        == "before 2024-07-01: The Penal Code, sections 379, 378 (by your table)"
    )
    assert told("bns") == "before 2024-07-01: The Penal Code, no like section found"
    assert told("fa") == "replaced by: osh, not held here" and told("mv") == ""
