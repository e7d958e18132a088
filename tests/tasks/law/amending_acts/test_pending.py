"""Amendments that are known and not yet in the text: marked where they are named, and nowhere else."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import ACTS, PROVISIONS
from citegrain.tasks.law.amending_acts.pending import PendingAmendments
from tests.tasks.law.amending_acts.amenders import (
    AMENDING,
    ENACTED,
    PRINCIPAL,
    Row,
    act_row,
    amending_act,
    build_tables,
    instructions_of,
    principal_row,
)
from tests.tasks.law.editions_compared.acts import note

GONE = "may ask to be paid weekly"
TITLE = "the Lantern Keepers (Welfare) Act, 2011"
SECTION = f"In section {{}} of {TITLE}, "
CHANGES = amending_act(
    (
        "Amendment of section 3",
        [
            "In section 3 of the Lantern Keepers (Welfare) Act, 2011 (hereinafter referred to as the principal Act), "
            "for the words “seventh day”, the words “fifth day” shall be substituted."
        ],
    ),
    (
        "Insertion of new section 4A",
        [
            "After section 4 of the principal Act, the following section shall be inserted, namely:—",
            "“4A. Whoever withholds the oil allowance shall be punished with fine.”.",
        ],
    ),
    ("Omission of section 5", ["Section 5 of the principal Act shall be omitted."]),
)


@pytest.fixture(scope="module")
def tables() -> Any:
    return build_tables(CHANGES)


def sections(tables: Any) -> dict[str, Row]:
    rows = tables[PROVISIONS.name].to_pylist()
    return {r["number"]: r for r in rows if r["act_id"] == PRINCIPAL and r["kind"] == "section"}


def marked(tables: Any, day: date | None = None, act: Row | None = None, **more: Any) -> dict[str, str]:
    amendments = PendingAmendments(instructions_of(tables))
    marks = {n: amendments.find(r | more, act or principal_row(), day) for n, r in sections(tables).items()}
    return {number: one.since for number, one in marks.items() if one}


def test_only_what_is_named_is_marked(tables: Any) -> None:
    assert marked(tables) == {"3": "2018-08-09", "5": "2018-08-09"}


def test_before_the_amendment_nothing_has_changed(tables: Any) -> None:
    assert marked(tables, date(2018, 8, 8)) == {}
    assert set(marked(tables, date(2018, 8, 9))) == {"3", "5"}


def test_a_later_edition_carries_it(tables: Any) -> None:
    assert marked(tables, act=principal_row(version_date=date(2019, 1, 1))) == {}


def test_the_words_decide_where_the_day_of_the_edition_is_that_of_its_file(tables: Any) -> None:
    printed = principal_row(version_date=date(2026, 1, 1), version_evidence="pdf_date")
    assert set(marked(tables, act=printed)) == {"3", "5"}
    text = sections(tables)["3"]["text"].replace("seventh", "fifth")
    assert "3" not in marked(tables, act=printed, text=text)


def test_a_footnote_that_cites_the_act_says_that_it_is_carried(tables: Any) -> None:
    assert marked(tables, notes=[note("Subs. by Act 71 of 2018, s. 2.", "substituted", "71 of 2018")]) == {}


def test_a_new_section_is_announced_beside_the_one_before_it(tables: Any) -> None:
    amendments, four = PendingAmendments(instructions_of(tables)), sections(tables)["4"]
    one = amendments.find(four, principal_row(), None, has=lambda name: not name.endswith("4A"))
    assert one is not None
    assert (one.since, one.amended_by, one.inserted) == ("2018-08-09", "71 of 2018", ("4A",))
    later = principal_row(version_date=date(2019, 1, 1))
    assert amendments.find(four, principal_row(), None, has=lambda _: True) is None
    assert amendments.find(four, later, None, has=lambda _: False) is None  # it was there and is no more
    inserting = amendments.inserting(f"{PRINCIPAL}/sec_4A")
    assert inserting is not None
    assert inserting["amended_by"] == "71 of 2018"
    assert amendments.inserting(f"{PRINCIPAL}/sec_4B") is None


def test_a_section_that_comes_with_the_one_that_is_substituted() -> None:
    lead = "For section 4 of the Lantern Keepers (Welfare) Act, 2011, the following sections shall be substituted, namely:—"
    new = ["“4. Penalty.—It is a fine.", "4A. Oil.—The owner pays for it.”."]
    tables = build_tables(
        amending_act(
            ("Substitution of section 4", [lead, *new]), commencement="It shall come into force at once."
        )
    )
    rows = instructions_of(tables)
    inserting = PendingAmendments(rows).inserting
    assert [bool(inserting(f"{PRINCIPAL}/sec_{number}")) for number in ("4", "4A", "4B")] == [
        False,
        True,
        False,
    ]
    assert {row["since"] for row in rows} == {ENACTED}


def test_a_new_chapter_is_announced_beside_the_section_before_its_first() -> None:
    chapter = (
        "Insertion of new Chapter",
        [
            "After Chapter II of the Lantern Keepers (Welfare) Act, 2011, the following Chapter shall be inserted, "
            "namely:—",
            "“CHAPTER IIA",
            "PENSIONS",
            "5-A. Pension of keepers.—A keeper has a pension.",
            "5-B. Rate.—It is half his wages.”.",
        ],
    )
    tables = build_tables(amending_act(chapter), printed=False)
    amendments, rows = PendingAmendments(instructions_of(tables)), sections(tables)
    lacks = {n: amendments.find(row, principal_row(), None, has=lambda _: False) for n, row in rows.items()}
    assert {number: one.inserted for number, one in lacks.items() if one} == {"5": ("5A", "5B")}


def test_an_act_that_was_not_read_marks_the_whole(tables: Any) -> None:
    vague = build_tables(
        amending_act(
            ("Amendment", ["The Lantern Keepers (Welfare) Act, 2011 shall be amended as the rules say."])
        )
    )
    amendments = PendingAmendments(instructions_of(vague))
    one = amendments.find(sections(vague)["4"], principal_row(), None)
    assert one is not None
    assert one.is_whole


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("Act 23 of 2025, section 4, 2025-08-01", {"4": "2025-08-01"}),
        (
            "amended by Act 23 of 2025, not in this print",
            dict.fromkeys(["1", "2", "3", "3A", "4", "5"], "2025"),
        ),
    ],
)
def test_a_line_of_the_registry(tables: Any, line: str, numbers: dict[str, str]) -> None:
    registered = principal_row(amended_by=[line])
    alone = {**tables, ACTS.name: ACTS.rows([{n: registered[n] for n in ACTS.arrow.names}])}
    assert marked(alone) == numbers


def test_an_act_that_does_something_else_amends_nothing(tables: Any) -> None:
    other = act_row("bell-act-2019", "The Bell Act, 2019", "3 of 2019", ENACTED)
    assert other["act_id"] not in {row["act_id"] for row in instructions_of(tables)}
    assert PRINCIPAL not in {row["act_id"] for row in instructions_of(tables)}


def test_a_number_within_another_is_no_footnote_of_it(tables: Any) -> None:
    assert set(marked(tables, notes=[note("Subs. by Act 171 of 2018, s. 2.", "", "171 of 2018")])) == {
        "3",
        "5",
    }


def test_what_comes_may_be_the_beginning_of_what_goes() -> None:
    shorter = build_tables(
        amending_act(
            (
                "Amendment of section 2",
                [
                    "In section 2 of the Lantern Keepers (Welfare) Act, 2011, for clause (a), the following clause shall be "
                    "substituted, namely:—",
                    "“(a) “keeper” means a person who tends a lantern;”.",
                ],
            )
        )
    )
    undated = principal_row(version_date=date(2018, 1, 1), version_evidence="pdf_date")
    assert set(marked(shorter, act=undated)) == {"2"}


def test_carried_amendments_by_day() -> None:
    changes = amending_act(
        (
            "Amendment",
            [f"{SECTION.format(3)}for the words “seventh day”, the words “fifth day” shall be substituted."],
        ),
        (
            "Amendment",
            [
                f"After section 4 of {TITLE}, the following section shall be inserted, namely:—",
                "“4A. Oil.—The owner pays for the oil of each lantern.”.",
            ],
        ),
        (
            "Amendment",
            [
                "—",
                f"(1) {SECTION.format(5)}the words “{GONE}” shall be omitted.",
                "(2) Nothing in sub-section (1) shall affect what is due.",
            ],
        ),
    )
    tables = build_tables(changes)
    day, name = date(2019, 1, 1), f"{PRINCIPAL}/sec_"
    rows = tables[PROVISIONS.name].to_pylist()
    later = {
        r["provision_id"]: r | {"version_date": day, "document_id": "later"}
        for r in rows
        if r["act_id"] == PRINCIPAL
    }
    for row in later.values():
        row["text"] = row["text"].replace("seventh", "fifth").replace(GONE, "")
    new = later[f"{name}4"] | {
        "provision_id": f"{name}4A",
        "text": "The owner pays for the oil of each lantern.",
    }
    acts = [act | {"active": True} for act in tables[ACTS.name].to_pylist()]
    acts += [acts[0] | {"version_date": day, "document_id": "later"}]

    def carried(*provisions: Row) -> dict[str, date]:
        law = {
            ACTS.name: pa.Table.from_pylist(acts, ACTS.arrow),
            PROVISIONS.name: PROVISIONS.rows([*rows, *provisions]),
        }
        return {row["provision_id"]: row["carried"] for row in instructions_of(law) if row["carried"]}

    assert carried() == {}
    assert carried(*later.values(), new) == {f"{AMENDING}/sec_2": day, f"{AMENDING}/sec_3": day}
    assert carried(*later.values()) == {f"{AMENDING}/sec_2": day}
