"""Counterparts of the sections of two codes, matched and by the user's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from citegrain.tasks.core.schemas import COUNTERPARTS
from citegrain.tasks.law.correspondence import Correspondence
from citegrain.tasks.law.counterparts import Counterparts
from tests.tasks.law.counterparts.test_matching import BELL, CHESS, DRONE, NEW, OIL, OLD, TOWER


def act(act_id: str, successor: str | None = None) -> dict[str, Any]:
    return {
        "act_id": act_id,
        "title": f"The {act_id.title()} Act, 1999",
        "aliases": [act_id.upper()],
        "replaced_by": successor,
    }


def row(act_id: str, number: str, heading: str, text: str, **fields: Any) -> dict[str, Any]:
    return {
        "provision_id": f"{act_id}/sec_{number}", "kind": "section", "number": number, "heading": heading, "text": text,
        "status": "in_force", "parent_id": None,
    } | fields  # fmt: skip


PROVISIONS: Mapping[str, list[dict[str, Any]]] = {
    "old": [row("old", str(n), s.heading, s.text) for n, s in enumerate(OLD, 1)],
    "new": [row("new", str(n), s.heading, s.text) for n, s in enumerate(NEW, 1)]
    + [
        row("new", "2(1)", "", NEW[1].parts[0], provision_id="new/sec_2__sub_1", kind="subsection", parent_id="new/sec_2"),
        row("new", "(a)", "", NEW[1].parts[1], provision_id="new/a", kind="clause", parent_id="new/sec_2__sub_1"),
        row("new", "7", "Chess", CHESS, status="omitted"),
        row("new", "(b)", "", TOWER, provision_id="new/b", kind="clause", parent_id=None),
    ],
    "alone": [row("alone", "1", "Oil allowance", OIL)],
}  # fmt: skip
ACTS = [act("old", "new"), act("new"), act("alone"), act("widow", "absent")]
MATCHED = Counterparts(ACTS, lambda a: PROVISIONS[a])


def linked(counterparts: Counterparts, provision_id: str) -> list[tuple[str, str, str]]:
    return [(c.provision_id, c.relation, c.source) for c in counterparts.find(provision_id)]


def test_several_to_one_one_to_several_and_none() -> None:
    assert linked(MATCHED, "old/sec_1") == [("new/sec_2", "successor", "matched")]
    assert linked(MATCHED, "old/sec_3") == [("new/sec_1", "successor", "matched")]
    assert {p for p, _, _ in linked(MATCHED, "old/sec_5")} == {"new/sec_3", "new/sec_4"}
    assert linked(MATCHED, "new/sec_4") == [("old/sec_5", "predecessor", "matched")]
    assert DRONE and BELL and linked(MATCHED, "new/sec_5") == []  # new
    assert linked(MATCHED, "old/sec_4") == []  # dropped: what is omitted takes no one's place


def test_of_predecessors_the_one_that_punishes_comes_first() -> None:
    assert [c.section for c in MATCHED.find("new/sec_2")] == ["2", "1"]


def test_an_act_that_no_other_replaced_and_one_that_is_not_held() -> None:
    assert (
        linked(MATCHED, "alone/sec_1") == [] == linked(MATCHED, "widow/sec_1") == linked(MATCHED, "old/sec_9")
    )
    assert MATCHED.unknown() == []


def test_what_was_matched_before_is_not_matched_again() -> None:
    """Counterparts of rows as a build has them are those of headings and texts, in their order."""
    matched = COUNTERPARTS.rows(MATCHED.rows()).to_pylist()
    again = Counterparts(ACTS, lambda act: pytest.fail("no provision is needed"), matched=matched)
    ids = [row["provision_id"] for rows in PROVISIONS.values() for row in rows]
    assert matched and [again.find(one) for one in ids] == [MATCHED.find(one) for one in ids]
    table = Correspondence((("old", "1", "new", "5"),))
    with_table = [Counterparts(ACTS, lambda a: PROVISIONS[a], table, rows) for rows in (None, matched)]
    assert with_table[0].find("old/sec_1") == with_table[1].find("old/sec_1") != MATCHED.find("old/sec_1")


def test_the_users_table_goes_before_what_is_matched() -> None:
    rows = [
        ("OLD", "1", "The New Act, 1999", "5"),
        ("old", "3", "NEW", ""),
        ("OLD", "99", "NEW", "1"),
        ("IPC", "1", "BNS", "1"),
    ]
    by_table = Counterparts(ACTS, lambda a: PROVISIONS[a], Correspondence(tuple(rows)))
    assert linked(by_table, "old/sec_1") == [("new/sec_5", "successor", "table")]
    assert linked(by_table, "new/sec_5") == [("old/sec_1", "predecessor", "table")]
    assert (
        linked(by_table, "old/sec_3") == [] == linked(by_table, "new/sec_1")
    )  # the table says: no successor
    assert linked(by_table, "old/sec_2") == [
        ("new/sec_2", "successor", "matched")
    ]  # of which the table is silent
    assert by_table.unknown() == ["OLD 99", "IPC 1", "BNS 1"]
