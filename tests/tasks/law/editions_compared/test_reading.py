"""Sections that one edition has read as part of others, numbers misread, State amendments, amending Acts."""

from __future__ import annotations

from typing import Any

from citegrain.tasks.law.editions_compared import amendments
from tests.tasks.law.editions_compared.acts import ACT, NEW, row, table

WAGES = "Every keeper shall be paid his wages before the seventh day of the month that follows."
OIL = "The owner shall give the keeper oil of the quality that is prescribed for towers."
LENS = "A lens shall be cleaned at sunset by the keeper or by one whom the keeper has named."


def kinds(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[tuple[str, str]]:
    rows = amendments(table(old), table(new, NEW)).to_pylist()
    return [(r["kind"], r["number"]) for r in rows]


def test_a_section_that_was_read_as_the_end_of_the_one_before() -> None:
    parted = [row("1", WAGES, heading="Wages"), row("2", OIL, heading="Oil"), row("3", LENS, heading="Lens")]
    run_on = [row("1", f"{WAGES} 2. Oil.—{OIL} l3. Lens.—{LENS}", heading="Wages")]
    assert kinds(parted, run_on) == kinds(run_on, parted) == []
    run_on = [row("1", f"{WAGES} 2. Oil.—{OIL.replace('shall', 'may')} 3. Lens.—{LENS}", heading="Wages")]
    assert kinds(parted, run_on) == [("substituted", "2")]


def test_a_section_that_is_gone_or_new_is_not_looked_for_elsewhere() -> None:
    other = [row("1", WAGES), row("2", LENS.replace("lens", "lamp and its wick").replace("sunset", "noon"))]
    assert kinds([row("1", WAGES), row("2", OIL), row("3", LENS)], other)[-1] == ("omitted", "3")


def test_a_number_that_one_edition_has_wrong() -> None:
    right = [row("10", WAGES), row("11", OIL), row("12", LENS)]
    wrong = [row("10", WAGES), row("77", OIL), row("12", LENS)]
    assert kinds(right, wrong) == [("printing", "77")] and kinds(wrong, right) == [("printing", "11")]
    # both numbers fit between their neighbours
    assert kinds(right, [row("10", WAGES), row("10A", OIL), row("12", LENS)]) == [("renumbered", "10A")]


def test_law_behind_a_footnote_of_the_page_is_law() -> None:
    footnote = " 1. Subs. by Act 31 of 1984, s. 3, for “oil” (w.e.f. 1-1-1985)."
    added = f"{WAGES}{footnote} Explanation.—For this section a firm is a person."
    assert kinds([row("1", WAGES)], [row("1", WAGES + footnote)]) == [("printing", "1")]
    assert kinds([row("1", WAGES)], [row("1", added)]) == [("substituted", "1")]


def test_what_a_state_made_of_a_section() -> None:
    state = (
        " STATE AMENDMENT Gujarat In section 1, after sub-section (1), the following shall be inserted, "
        "namely:— “(2) The owner shall pay twice.” [Vide Gujarat Act 23 of 1976, s. 4.]"
    )
    assert kinds([row("1", WAGES)], [row("1", WAGES + state)]) == []
    inline = (
        f"{WAGES} Gujarat.—In section 1, for “seventh” read “ninth”. [Vide Gujarat Act 23 of 1976, s. 4.]"
    )
    assert kinds([row("1", WAGES)], [row("1", inline)]) == [("printing", "1")]


def test_an_amending_act_in_the_corpus_is_evidence() -> None:
    amending = ACT.replace("act-2011", "amendment-act-2018")
    text = (
        "In section 2 of the principal Act, for the word “oil”, the words “oil or gas” shall be substituted."
    )
    of_it = row("5", text, act_id=amending, provision_id=f"{amending}/sec_5", page_start=3)
    new = table([row("2", OIL.replace("oil", "oil or gas")), of_it], NEW)
    (amended,) = amendments(table([row("2", OIL)]), new).to_pylist()
    assert amended["kind"] == "substituted"
    assert amended["evidence"] == f"amending Act: section 5 of {amending}, page 3"


def test_a_title_or_the_next_number_behind_the_last_sentence() -> None:
    assert kinds([row("1", WAGES)], [row("1", f"{WAGES} Of lamps and other goods")]) == [("printing", "1")]
    assert kinds([row("1", WAGES)], [row("1", f"{WAGES} 56.")]) == [("printing", "1")]
    assert kinds([row("1", WAGES)], [row("1", f"{WAGES} Keepers are exempt.")]) == [("substituted", "1")]


def test_a_word_on_a_repeal_is_no_law() -> None:
    gone = 'Definition of "harbour".] Rep. by the Penal Code (Amendment) Act, 1942 (8 of 1942), s. 3.'
    assert kinds([row("1", WAGES)], [row("1", WAGES), row("2", gone)]) == []
