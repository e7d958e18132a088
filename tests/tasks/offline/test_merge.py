"""First days by brackets around several provisions and by what encloses them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.offline.merge import beginnings, fill_validity

DAY = date(2013, 2, 3)


def row(number: str, text: str = "Text.", **more: Any) -> dict[str, Any]:
    return {
        "provision_id": f"a/sec_{number}", "act_id": "a", "version_date": None, "ordinal": 0, "kind": "section",
        "number": number, "parent_id": None, "text": text, "char_start": 0, "valid_from": None,
        "validity_evidence": "", "notes": [],
    } | more  # fmt: skip


def inserted(number: str, text: str = "Text.", **more: Any) -> dict[str, Any]:
    noted = {"notes": [note()], "valid_from": DAY, "validity_evidence": "footnote 2"}
    return row(number, text, **(noted | more))


def note(text: str = "Ins. by Act 13 of 2013.", action: str = "inserted", **more: Any) -> dict[str, Any]:
    return {
        "offset": 0,
        "action": action,
        "text": text,
        "by_act": "13 of 2013",
        "effective": DAY,
        "page": 1,
        "label": "1",
    } | more


def replacing(number: str, words: str) -> dict[str, Any]:
    return inserted(
        number, notes=[note(f"Subs. by Act 13 of 2013, {words} (w.e.f. 3-2-2013).", "substituted")]
    )


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


def test_a_bracket_of_what_replaces_sections() -> None:
    struck = row("66A", "Text.]", notes=[note("Section 66A was struck down.", "")])
    rows = [
        replacing("66", "for sections 66 and 67"),
        struck,
        row("67"),
        row("67A", "Text.]"),
        row("67B"),
        row("68"),
    ]
    assert first_days(*rows) == dict.fromkeys(("66A", "67", "67A"), DAY)
    evidence = {
        i: why for i, (_, why) in beginnings([r | {"ordinal": i} for i, r in enumerate(rows)]).items()
    }
    assert evidence[1].startswith("Inserted in one bracket with 66") and evidence[2].startswith(
        "in one bracket"
    )


def test_what_a_note_names_as_replaced_needs_no_bracket_and_may_hold_newer_provisions() -> None:
    rows = [replacing("375", "for ss. 375, 376 and 376B to 376D"), row("376", notes=[note(offset=9)])]
    rows += [
        inserted("376AB", "Text.]"),
        row("376C"),
        row("376D"),
        row("376E", "[More].]", notes=[note(offset=9)]),
        row("377"),
    ]
    assert first_days(*rows) == dict.fromkeys(("376", "376C", "376D", "376E"), DAY)
    assert first_days(replacing("15", "for sections 15 to 17"), row("16"), row("17"), row("18", "]")).keys() == {"16", "17"}  # fmt: skip
    assert first_days(replacing("15", "for “shall”"), row("15A"), row("16", "Text.]")) == {}


def test_what_an_act_of_a_year_inserted_was_not_law_before_that_year() -> None:
    undated = [note("Ins. by Act 46 of 1983, s. 2.", by_act="46 of 1983", effective=None)]
    chapter = row("XXA", kind="chapter", provision_id="a/ch", notes=undated)
    assert first_days(chapter, row("498A", parent_id="a/ch"), row("499")) == dict.fromkeys(
        ("XXA", "498A"), date(1983, 12, 31)
    )
    ever = [undated[0] | {"text": "Ins. by Act 46 of 1983 (with retrospective effect)."}]
    assert first_days(row("31A", notes=ever)) == {}


def stages(words: str, *numbers: str) -> dict[str, date]:
    return first_days(row("1", notes=[note(words, "", effective=None)]), *map(row, numbers))


def test_a_note_that_tells_plainly_which_sections_began_when() -> None:
    words = (
        "1st May, 2016, vide S.O. 1544(E), Section 2, Sections 5 to 7 dated 26th April, 2016, see Gazette of India, "
        "Part II, sec. 3(ii). 1st May 2017, vide S.O. 1216(E), Section 3 to 4, Sections 8, see Gazette, sec. 9."
    )
    days = stages(words, "2", "3", "4", "4A", "5", "8", "9")
    assert {n: day.year for n, day in days.items()} == {"2": 2016, "3": 2017, "4": 2017, "5": 2016, "8": 2017}


@pytest.mark.parametrize("words", [
    "1st July, 1961, vide notification No. S.O. 1410, dated 20th June, 1961, see Gazette of India, sec. 3(ii).",
    "20th July, 2020.—S. 2 [Except clauses (4) and (13)], s. 3 to 9 (both inclusive), vide S.O. 2351(E).",
    "19th August, 2016—S. 3, cls. (1) and (5), ss. 4 and 5; vide S.O. 2746(E).",
    "23rd December, 1986, vide S.O. 75. 26th May, 1993, vide S.O. 333(E) (in respect of Part III), sections 3 and 4.",
])  # fmt: skip
def test_a_note_that_does_not_tell_it_plainly(words: str) -> None:
    assert stages(words, "2", "3", "4", "5") == {}


def test_what_a_court_struck_down_ends_the_day_before() -> None:
    by_number = note(
        "Section 66A has been struck down by Order dated 24th March, 2015 in A v. B, AIR 2015.", ""
    )
    by_amendment = note(
        "Ins. by Act 9 of 2014 (w.e.f. 13-4-2015). This amendment has been struck down on 16-10-2015."
    )
    of_words = note("Subs. by Act 9 of 2014 (w.e.f. 13-4-2015). This amendment has been struck down on 16-10-2015.", "substituted")  # fmt: skip
    undated = note("Section 9 is unconstitutional: A v. B, AIR 1980.", "")
    rows = [
        row(number, notes=[one])
        for number, one in (("66A", by_number), ("124A", by_amendment), ("128", of_words), ("9", undated))
    ]
    rows.append(rows[0] | {"provision_id": "a/sec_66A__subsec_1", "kind": "subsection", "notes": []})
    rest = {"document_id": "d", "heading": "", "status": "in_force"}
    numbers = dict.fromkeys(("depth", "text_start", "char_end", "page_start", "page_end"), 0)
    filled = [dict.fromkeys(PROVISIONS.arrow.names) | rest | numbers | r for r in rows]
    ends = [r["valid_to"] for r in fill_validity(PROVISIONS.rows(filled), []).to_pylist()]
    assert ends == [date(2015, 3, 23), date(2015, 10, 15), None, None, date(2015, 3, 23)]


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
