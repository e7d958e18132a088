"""Which version of a provision is law on a day, by editions whose dates and beginnings are written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.law.in_force import UNDATED, LawInForce, absence, commencement_doubt

OLD, NEW, LAST = date(2018, 10, 22), date(2025, 5, 21), date(2026, 1, 1)
BEGUN, AMENDED = date(1989, 7, 1), date(2019, 9, 1)
ROWS = [
    # (section, edition, status, first day, last day)
    ("1", OLD, "in_force", BEGUN, None),  # never amended
    ("1", NEW, "in_force", BEGUN, None),
    ("2", OLD, "in_force", BEGUN, date(2019, 8, 31)),  # amended between the editions, and a note tells when
    ("2", NEW, "in_force", AMENDED, None),
    ("3", OLD, "in_force", BEGUN, date(2025, 5, 20)),  # amended between them, and no note tells when
    ("3", NEW, "in_force", BEGUN, None),
    ("4", NEW, "in_force", AMENDED, None),  # inserted between them
    ("5", OLD, "in_force", BEGUN, date(2022, 3, 31)),  # omitted between them
    ("5", NEW, "omitted", None, date(2022, 3, 31)),
    ("6", OLD, "in_force", BEGUN, date(2025, 9, 30)),  # printed in the new edition before its day
    ("6", NEW, "in_force", date(2025, 10, 1), None),
    ("7", OLD, "in_force", AMENDED, None),  # amended before the first edition at hand
    ("7", NEW, "in_force", AMENDED, None),
]


def law(
    rows: Sequence[tuple[str, date | None, str, date | None, date | None]],
    language: str = "en",
    title: str = "The Motor Vehicles Act, 1988",
) -> LawInForce:
    editions = dict.fromkeys(version for _, version, *_ in rows)
    act = {"act_id": "a", "number": "59 of 1988", "active": True, "language": language, "title": title}
    acts = pa.Table.from_pylist([act | {"version_date": version} for version in editions])
    names = ("provision_id", "version_date", "status", "valid_from", "valid_to")
    plain = [dict(zip(names, row, strict=True)) | {"act_id": "a"} for row in rows]
    schema = pa.schema(
        [
            (n, pa.date32() if n in ("version_date", "valid_from", "valid_to") else pa.string())
            for n in plain[0]
        ]
    )
    return LawInForce(acts, pa.Table.from_pylist(plain, schema))


def versions(day: date | None) -> dict[str, date | None]:
    """Edition of each section that is law on a day."""
    lawful = [ROWS[row][:2] for row in range(len(ROWS)) if law(ROWS).mask(day)[row]]
    assert len(dict(lawful)) == len(lawful), "two versions of one section are law at once"
    return dict(lawful)


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2016, 1, 1), {"1": OLD, "2": OLD, "3": OLD, "5": OLD, "6": OLD}),  # the earliest edition
        (date(2019, 8, 31), {"1": OLD, "2": OLD, "3": OLD, "5": OLD, "6": OLD}),
        (date(2019, 9, 1), {"1": OLD, "2": NEW, "3": OLD, "4": NEW, "5": OLD, "6": OLD, "7": OLD}),
        (date(2022, 3, 31), {"1": OLD, "2": NEW, "3": OLD, "4": NEW, "5": OLD, "6": OLD, "7": OLD}),
        (date(2022, 4, 1), {"1": OLD, "2": NEW, "3": OLD, "4": NEW, "6": OLD, "7": OLD}),
        (date(2025, 6, 1), {"1": NEW, "2": NEW, "3": NEW, "4": NEW, "6": OLD, "7": NEW}),
        (date(2025, 10, 1), {"1": NEW, "2": NEW, "3": NEW, "4": NEW, "6": NEW, "7": NEW}),
        (
            None,
            {"1": NEW, "2": NEW, "3": NEW, "4": NEW, "6": NEW, "7": NEW},
        ),  # the latest, whatever its dates
    ],
)
def test_a_section_counts_from_its_amendment_not_from_the_next_edition(
    day: date | None, expected: dict[str, date]
) -> None:
    assert versions(day) == expected


def test_of_three_editions_only_the_next_one_counts_before_its_day() -> None:
    rows = [
        *ROWS[:2],
        ("1", LAST, "in_force", BEGUN, None),
        *ROWS[2:4],
        ("2", LAST, "in_force", AMENDED, None),
    ]
    mask = law(rows).mask(date(2020, 1, 1))
    assert [row[:2] for row, lawful in zip(rows, mask, strict=True) if lawful] == [("1", OLD), ("2", NEW)]


def test_a_text_without_a_date_gives_way_to_dated_editions_and_no_act_is_law_before_its_year() -> None:
    rows = [("1", None, "in_force", None, None), ("1", NEW, "in_force", None, None)]
    assert law(rows).mask(date(2020, 1, 1)).tolist() == [False, True] == law(rows).mask(None).tolist()
    assert law(rows[:1]).mask(None).tolist() == [True] == law(rows[:1]).mask(date(1988, 1, 1)).tolist()
    assert law(rows[:1]).mask(date(1987, 12, 31)).tolist() == [False]


def test_procedure_is_that_of_the_day_of_the_step() -> None:
    act, step = date(2016, 1, 1), date(2025, 12, 1)
    other, procedure = law(ROWS), law(ROWS, title="The Code of Boat Procedure, 1988")
    assert list(other.mask(act, step)) == list(other.mask(act)) != list(other.mask(step))
    assert list(procedure.mask(act, step)) == list(procedure.mask(step))
    assert procedure.rows("2", act, step) == [3] and procedure.holds("4", act, step)
    assert procedure.rows("2", act) == [2] and not procedure.holds("4", act)


def noted(evidence: str = "", since: date | None = None, **more: Any) -> dict[str, Any]:
    return {
        "number": "66A", "status": "in_force", "version_date": date(2019, 4, 8), "valid_from": since, "valid_to": None,
        "validity_evidence": evidence, "notes": [], "char_start": 0,
    } | more  # fmt: skip


SINCE = date(2009, 10, 27)
ORDER = "Section 66A has been struck down by Order dated 24th March, 2015."
ENDED = {"notes": [{"text": ORDER, "action": "", "offset": 0}], "valid_to": date(2015, 3, 23)}


@pytest.mark.parametrize(("row", "day", "kind", "words"), [
    (noted("footnote 1: Ins. by Act 10 of 2009", SINCE), "2009-10-26", "not_yet", "law since 2009-10-27"),
    (noted("of what it stands in: footnote 1: Part IXA ins. by an Act", SINCE), "2005-01-01", "not_yet", "law since"),
    (noted("Inserted in one bracket with 66: footnote 6: Subs. for section 66", SINCE), "2005-01-01", "not_yet", ""),
    (noted("note on commencement at section 1: 1st May 2017", SINCE), "2005-01-01", "not_yet", "law since"),
    (noted("registry: commencement of the Act", None), "1999-01-01", "not_yet", "law since 2000-10-17"),
    (noted(f"Ins. by Act 46 of 2003, s. 2.{UNDATED}; more", date(2003, 12, 31)), "2002-05-01", "not_yet", "of 2003"),
    (noted(f"Ins. by Act 46 of 2003, s. 2.{UNDATED}", date(2003, 12, 31)), "2003-05-01", "unknown", "not printed"),
    (noted("footnote 2: Subs. by s. 5, ibid., for section 6", SINCE), "2009-10-26", "unknown", "what stood there"),
    (noted("in one bracket with 66: footnote 6: Subs. by s. 32 (ins. 1998)", SINCE), "2005-01-01", "unknown", ""),
    (noted("notes on what was amended since the edition of 2007", SINCE), "2005-01-01", "unknown", "what stood"),
    (noted("", None, **ENDED), "2015-03-24", "struck_down", ORDER),
    (noted("", None, **ENDED | {"valid_to": None}), "2015-03-24", "struck_down", ORDER),
    (noted("", None, status="omitted"), "2018-01-01", "unknown", "whether it was law on 2018-01-01 is not known"),
    (noted("", None, status="omitted", valid_to=date(2005, 9, 8)), "2004-01-01", "unknown", "law until 2005-09-08"),
    (noted("", None, status="omitted", valid_to=date(2005, 9, 8)), "2006-01-01", "gone", ""),
    (noted("", None, status="repealed"), "2020-01-01", "gone", ""),
])  # fmt: skip
def test_why_a_provision_is_not_law_on_a_day(row: dict[str, Any], day: str, kind: str, words: str) -> None:
    said = absence(row, {"in_force_from": date(2000, 10, 17)}, date.fromisoformat(day))
    assert said[0] == kind and words in said[1]


FIRST = "1st July, 2024, except the provision of sub-section (2) of section 106, vide notification No. S.O. 850(E)."
LISTED = "20th July, 2020.—S. 2 [Except clauses (4)], s. 90 [Except sections 88, 89 and 92], s. 101, vide S.O. 2351(E)."
ENTRY = "1st July, 2024, [except the provisions of the entry relating to Section 106(2) in the First Schedule], vide S.O. 8."
STAGED = "5th August, 2016, vide S.O. 26(E) (ss. 188 to 194). 1st December, 2016—S. 2, Cl.(a), s. 60, vide S.O. 3(E)."


@pytest.mark.parametrize(("note", "number", "day", "words"), [
    (FIRST, "106", "2026-01-01", "“except the provision of sub-section (2) of section 106”"),
    (FIRST, "10", "2026-01-01", ""),
    (FIRST, "103", "2026-01-01", ""),
    (LISTED, "89", "2026-01-01", "“Except sections 88, 89 and 92”"),
    (LISTED, "2", "2026-01-01", ""),
    (LISTED, "101", "2026-01-01", ""),
    (ENTRY, "106", "2026-01-01", ""),
    (STAGED, "7", "2016-09-01", "in stages until 2016-12-01: whether it was law on 2016-09-01 is not known."),
    (STAGED, "7", "2016-12-01", ""),
])  # fmt: skip
def test_what_a_note_on_commencement_leaves_open(note: str, number: str, day: str, words: str) -> None:
    first = {"notes": [{"text": note, "action": ""}]}
    row = noted("registry: commencement of the Act", number=number)
    said = commencement_doubt(first, row, date.fromisoformat(day))
    assert words in said if words else said == ""
    of_its_own = noted("footnote 1: Ins. by Act 9 of 2016", number="7")
    assert commencement_doubt({"notes": [{"text": STAGED, "action": ""}]}, of_its_own, date(2016, 9, 1)) == ""
