"""Acts that replaced others."""

from __future__ import annotations

from datetime import date
from typing import Any

from citegrain.tasks.law.counterparts import changes_of, replacement

CHANGE = date(2024, 7, 1)
ACTS: list[dict[str, Any]] = [
    {"act_id": "ipc", "title": "The Penal Code", "replaced_by": "bns", "in_force_to": date(2024, 6, 30)},
    {"act_id": "bns", "title": "The Sanhita", "replaced_by": None, "in_force_to": None},
    {"act_id": "fa", "title": "Factories", "replaced_by": "osh", "in_force_to": None},
]


def test_changes_and_replacements() -> None:
    assert changes_of(ACTS) == {CHANGE: "The Penal Code"}
    assert replacement(ACTS, "ipc") == {
        "relation": "successor",
        "act": "bns",
        "title": "The Sanhita",
        "since": "2024-07-01",
        "in_build": True,
    }
    assert replacement(ACTS, "bns") == {
        "relation": "predecessor",
        "act": "ipc",
        "title": "The Penal Code",
        "since": "2024-07-01",
        "in_build": True,
    }
    assert replacement(ACTS, "fa") == {
        "relation": "successor",
        "act": "osh",
        "title": "osh",
        "since": "",
        "in_build": False,
    }
    assert replacement(ACTS, "mv") is None
