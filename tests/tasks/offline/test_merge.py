"""First days by brackets around several provisions and by what encloses them."""

from __future__ import annotations

from datetime import date
from typing import Any

from citegrain.tasks.offline.merge import beginnings

DAY = date(2013, 2, 3)


def row(number: str, text: str = "Text.", **more: Any) -> dict[str, Any]:
    return {
        "provision_id": f"a/sec_{number}", "act_id": "a", "version_date": None, "ordinal": 0, "kind": "section",
        "number": number, "parent_id": None, "text": text, "char_start": 0, "valid_from": None,
        "validity_evidence": "", "notes": [],
    } | more  # fmt: skip


def inserted(number: str, text: str = "Text.", **more: Any) -> dict[str, Any]:
    note = {"offset": 0, "action": "inserted"}
    noted = {"notes": [note], "valid_from": DAY, "validity_evidence": "footnote 2"}
    return row(number, text, **(noted | more))


def first_days(*rows: dict[str, Any]) -> dict[str, date]:
    placed = [r | {"ordinal": i} for i, r in enumerate(rows)]
    return {placed[i]["number"]: day for i, (day, _) in beginnings(placed).items()}


def test_a_bracket_around_several_sections() -> None:
    rows = [row("354"), inserted("354A"), row("354B"), row("354C"), row("354D", "Text.]"), row("355")]
    assert first_days(*rows) == {"354B": DAY, "354C": DAY, "354D": DAY}
    evidence = beginnings([r | {"ordinal": i} for i, r in enumerate(rows)])[2][1]
    assert evidence == "in one bracket with 354A: footnote 2"


def test_a_bracket_that_ends_at_its_first_or_whose_end_is_not_read() -> None:
    assert first_days(inserted("354A", "Text.]"), row("354B"), row("354C", "More.]")) == {}
    assert first_days(inserted("354A"), row("354B"), row("355"), row("356", "Text.]")) == {}
    assert first_days(inserted("354A"), inserted("354B", "Text.]"), row("354C", "[Words]")) == {}


def test_what_stands_in_a_provision_is_no_older() -> None:
    chapter = row("XVIA", kind="chapter", provision_id="a/ch", valid_from=DAY, validity_evidence="footnote 1")
    section = row("16A", parent_id="a/ch")
    clause = row("1", kind="subsection", provision_id="a/sec_16A__1", parent_id="a/sec_16A")
    assert first_days(chapter, section, clause, row("17")) == {"16A": DAY, "1": DAY}
    older = row("16A", parent_id="a/ch", valid_from=date(2000, 1, 1))
    assert first_days(chapter, older) == {}


def test_versions_and_acts_do_not_mix() -> None:
    other = row("354B", "Text.]", act_id="b")
    assert first_days(inserted("354A"), other) == {}
