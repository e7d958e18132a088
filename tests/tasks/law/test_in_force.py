"""Which version of a provision is law on a day, by editions whose dates and beginnings are written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pyarrow as pa
import pytest

from citegrain.tasks.law.in_force import LawInForce

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
