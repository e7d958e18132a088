"""What is called inserted, substituted, renumbered, omitted, and what is none of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import AMENDMENTS
from citegrain.tasks.law.editions_compared import amendments
from tests import typeset
from tests.tasks.law.editions_compared.acts import (
    ACT,
    INSERTED,
    NEW,
    OLD,
    act,
    note,
    read,
    row,
    sections,
    table,
)

LANTERN = {s.number: s for s in typeset.LANTERN.sections}


def moved(old: pa.Table, new: pa.Table) -> list[tuple[str, str]]:
    amended = amendments(old, new)
    assert amended.schema.equals(AMENDMENTS.arrow)
    return [(r["kind"], r["number"]) for r in amended.to_pylist()]


def one(old: str, new: str, **more: Any) -> dict[str, Any] | None:
    """The row of a section that read ``old`` and now ``new``; the new edition notes amendments elsewhere."""
    noted = row("9", "A keeper shall be paid.", notes=[INSERTED])
    amended = amendments(
        table([row("1", old), noted], OLD), table([row("1", new, **more), noted], NEW)
    ).to_pylist()
    assert len(amended) <= 1
    return amended[0] if amended else None


def test_an_inserted_section() -> None:
    old, new = read(typeset.india_code(act({"3A": None}, notes=()))), read(typeset.india_code(), NEW)
    (amended,) = amendments(old, new).to_pylist()
    assert (amended["kind"], amended["unit"], amended["number"]) == ("inserted", "section", "3A")
    assert (amended["old_id"], amended["new_id"], amended["old_page"]) == (None, f"{ACT}/sec_3A", None)
    assert (amended["old_version"], amended["new_version"]) == (OLD, NEW)
    assert amended["evidence"].endswith("Ins. by Act 9 of 2015, s. 2 (w.e.f. 1-4-2016).")
    assert amended["changes"][0]["new"].startswith("Oil allowance Every owner shall supply")
    assert amended["new_page"] and amended["new_hash"] and amended["old_hash"] is None


def test_a_substituted_section_word_by_word() -> None:
    text = LANTERN["4"].paragraphs[0].replace("three months", "six months").replace("two years", "five years")
    changed = act({"4": replace(LANTERN["4"], paragraphs=[text])})
    (amended,) = amendments(read(typeset.india_code()), read(typeset.india_code(changed), NEW)).to_pylist()
    assert (amended["kind"], amended["number"], amended["old_number"]) == ("substituted", "4", "4")
    assert [(c["old"], c["new"]) for c in amended["changes"] if c["op"] == "replace"] == [
        ("three", "six"),
        ("two", "five"),
    ]
    assert 0.9 < amended["similarity"] < 1 and amended["old_hash"] != amended["new_hash"]


@pytest.mark.parametrize("stub", ["[Weekly payment.] Omitted by Act 9 of 2015, s. 3.", "* * * * *", None])
def test_an_omitted_section_however_it_is_printed(stub: str | None) -> None:
    gone = typeset.Section("5", "Weekly payment", [stub]) if stub else None
    old, new = read(typeset.india_code()), read(typeset.india_code(act({"5": gone})), NEW)
    amended = [r for r in amendments(old, new).to_pylist() if r["number"] == "5"]
    assert [(r["kind"], r["old_id"]) for r in amended] == [("omitted", f"{ACT}/sec_5")]
    assert (amended[0]["new_id"] is not None) == (stub is not None)


def test_a_renumbered_section() -> None:
    moved = replace(LANTERN["5"], number="7")
    old, new = read(typeset.india_code()), read(typeset.india_code(act({"5": moved})), NEW)
    (amended,) = amendments(old, new).to_pylist()
    assert (amended["kind"], amended["old_number"], amended["number"]) == ("renumbered", "5", "7")
    assert amended["changes"] == [] or {c["op"] for c in amended["changes"]} == {"keep"}


def test_a_number_given_to_another_text() -> None:
    wages = "Every keeper shall be paid his wages before the seventh day of the month that follows."
    oil = "The owner of a lantern must provide as much oil as is needed to burn it through all nights."
    amended = amendments(
        sections({"3": wages, "4": oil}),
        sections({"3": "Inspectors may enter a tower at dawn.", "4": wages}, NEW),
    ).to_pylist()
    assert [(r["kind"], r["number"], r["moved_from"]) for r in amended] == [
        ("substituted", "3", None),
        ("substituted", "4", "3"),
    ]


LAYOUTS: dict[str, Callable[[], bytes]] = {
    "no contents": lambda: typeset.india_code(contents=False),
    "no bold": lambda: typeset.india_code(bold=False),
    "as on": lambda: typeset.india_code(as_on="6th October, 2025"),
    "no amendment marks": lambda: typeset.india_code(
        act({"3A": replace(LANTERN["3A"], mark="", paragraphs=[LANTERN["3A"].paragraphs[0].rstrip("]")])}, ())
    ),
    "gazette": typeset.gazette,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_is_no_amendment(layout: str) -> None:
    plain, other = read(typeset.india_code()), read(LAYOUTS[layout](), NEW)
    assert moved(plain, other) == [] and moved(other, plain) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the keeper may ask", "The Keeper may ask"),
        ("under sub-section (2)", "under subsection (2)"),
        ("under sub-section (2)", "under sub section (2)"),
        ("a “keeper”—tends", 'a "keeper" - tends'),
        ("wages, and oil; or", "wages and oil: or"),
        ("the 1[owner] shall", "the 1owner shall"),
        ("he maybe paid forthelamp", "he may be paid for the lamp"),
        ("of the Penal Code (45 of 1860) and", "of the Penal Code and"),
        ("of the Code of Civil Procedure, 1908, applies", "of the Code of Civil Procedure, 1908 (5 of 1908), applies"),
        ("(a) oil; (b) * * * * (c) wicks", "(a) oil; (b) [Omitted]; (c) wicks"),
        ("(a) oil; [***] (c) wicks", "(a) oil; (c) wicks"),
        ("the keeper’s wages", "the keeper's wages"),
    ],
)  # fmt: skip
def test_print_is_no_amendment(old: str, new: str) -> None:
    assert one(f"Here {old} as it is prescribed.", f"Here {new} as it is prescribed.") is None


def test_a_heading_that_one_edition_leaves_in_the_text() -> None:
    in_text = row("1", "Wages of keepers. Every keeper shall be paid weekly.")
    as_heading = row("1", "Every keeper shall be paid weekly.", heading="Wages of keepers")
    bare = row("1", "Every keeper shall be paid weekly.")
    for old, new in [(in_text, as_heading), (as_heading, in_text), (as_heading, bare), (bare, as_heading)]:
        assert moved(table([old]), table([new], NEW)) == []


@pytest.mark.parametrize("capitals", [str, str.upper])
def test_a_new_heading_is_an_amendment_where_a_note_says_so(capitals: Callable[[str], str]) -> None:
    old = row("1", "Every keeper shall be paid weekly.", heading="Wages of keepers")
    new = old | {"heading": capitals("Wages of keepers and of owners of lamps")}
    assert moved(table([old]), table([new], NEW)) == [("printing", "1")]
    assert moved(table([old]), table([new | {"notes": [INSERTED]}], NEW)) == [("substituted", "1")]


def test_evidence_from_the_title_of_a_chapter() -> None:
    chapter = row("", "", provision_id=f"{ACT}/chp_II", kind="chapter", notes=[INSERTED])
    under = {"parent_id": chapter["provision_id"]}
    old = [row("1", "such event is told to the owner", **under), row("2", "a keeper who is gone", **under)]
    new = [chapter, row("1", "the said event is told to the owner", **under)]
    amended = amendments(table(old), table(new, NEW)).to_pylist()
    assert [(r["kind"], r["number"]) for r in amended] == [("substituted", "1"), ("omitted", "2")]
    assert all(r["evidence"].startswith("at the title above it: footnote 1") for r in amended)


def test_a_note_that_the_old_version_had_is_no_evidence() -> None:
    old = row("1", "The keeper asks the owner for oil.", notes=[INSERTED])
    new = old | {"text": "The keeper asks the owner for the oil."}
    assert moved(table([old]), table([new], NEW)) == [("printing", "1")]
    newer = old | {
        "text": new["text"],
        "notes": [note("Subs. by Act 3 of 2018.", "substituted", "3 of 2018")],
    }
    assert moved(table([old]), table([newer], NEW)) == [("substituted", "1")]


def test_what_was_repealed_before_is_not_reported_again() -> None:
    old = row("1", "Rep. by Act 3 of 1950.", status="repealed")
    assert moved(table([old]), table([old | {"text": "[Repealed.]"}], NEW)) == []
    assert moved(table([old]), table([], NEW)) == []
    assert moved(table([old]), table([row("1", "Every keeper shall be paid.")], NEW)) == [("inserted", "1")]


def test_schedules_and_what_is_cited_in_them() -> None:
    sched = row(
        "First Schedule", "Oil 5 rupees. Wicks 2 rupees.", provision_id=f"{ACT}/sched_1", kind="schedule"
    )
    assert moved(table([sched]), table([sched | {"text": "Wicks 2 rupees. Oil 5 rupees."}], NEW)) == []
    dearer = sched | {"text": "Oil 7 rupees. Wicks 2 rupees."}
    assert moved(table([sched]), table([dearer], NEW)) == [("substituted", "First Schedule")]
    rule = row(
        "O1R1",
        "A suit begins here.",
        provision_id=f"{ACT}/o1r1",
        kind="rule",
        parent_id=sched["provision_id"],
    )
    other = rule | {"text": "A suit begins elsewhere."}
    assert moved(table([sched, rule]), table([dearer, other], NEW)) == [("substituted", "O1R1")]


def test_the_latest_of_several_versions_is_compared() -> None:
    early, late = sections({"1": "Oil is free."}, OLD), sections({"1": "Oil is sold."}, NEW)
    both = pa.concat_tables([late, early])
    assert moved(both, both) == []
    assert moved(early, both) == [("substituted", "1")]
    undated = sections({"1": "Oil is gone."}, None)
    assert moved(pa.concat_tables([both, undated]), late) == []


def test_acts_of_one_side_alone_have_no_rows() -> None:
    other = table([row("1", "Bells.", act_id="bells-act-1901", provision_id="bells-act-1901/sec_1")])
    assert moved(other, sections({"1": "Oil."})) == []


def test_order_is_that_of_the_new_version() -> None:
    old = {"1": "Oil is burnt.", "2": "Wicks are trimmed by keepers.", "3": "Towers are white."}
    new = {"1": "Oil is sold.", "3": "Towers are red.", "3A": "Lenses are cleaned."}
    assert [n for _, n in moved(sections(old), sections(new, date(2020, 1, 1)))] == ["1", "2", "3", "3A"]
