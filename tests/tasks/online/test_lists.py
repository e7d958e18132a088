"""The lists of a Schedule: an entry is that of the list which is named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.online.lists import in_lists, listed, number_in_list, said_of

HEADING = "List I—Union List"
TEXT = """1. Defence of the lighthouse.
2. Lamps.
List II—State List
1. Oil; wicks.
1. Entry 9 omitted by the Lamp (Amendment) Act, 2016.
3. Markets. 4. Boats.
List III - Concurrent List
1. Bells."""
SCHEDULE = "constitution-of-lanternia/sched_7"
AT = 1000  # where the text of the Schedule begins


def build() -> Any:
    def row(place: str, kind: str, number: str, words: str) -> dict[str, Any]:
        provision_id = f"{SCHEDULE}__{place}" if place else SCHEDULE
        number = f"Seventh Schedule, entry {number}" if number else "Seventh Schedule"
        start = AT + TEXT.index(words)
        row = {"provision_id": provision_id, "kind": kind, "number": number, "char_start": start}
        return row | {"text_start": start, "heading": "" if place else HEADING, "text": "" if place else TEXT}

    rows = [
        row("", "schedule", "", "1. Def"),
        row("entry_1", "entry", "1", "1. Def"),
        row("entry_2", "entry", "2", "2. Lamps"),
        row("series_2__entry_1", "entry", "1", "1. Oil"),
        row("series_3__entry_1", "entry", "1", "1. Entry 9"),
        row("series_4__entry_1", "entry", "1", "1. Bells"),
    ]
    shared: dict[str, Any] = {}
    return SimpleNamespace(
        rows=rows,
        table=lambda schema: pa.Table.from_pylist(rows),
        shared=lambda key, make: shared.setdefault(key, make()),
    )


def test_each_list_has_its_entries() -> None:
    lists = listed(build())[SCHEDULE]
    assert [(one.number, one.name, one.title) for one in lists] == [
        (1, "List I", "Union List"), (2, "List II", "State List"), (3, "List III", "Concurrent List"),
    ]  # fmt: skip
    first, second, third = (one.entries for one in lists)
    assert dict(first) == {"1": f"{SCHEDULE}__entry_1", "2": f"{SCHEDULE}__entry_2"}
    assert dict(second) == {"1": f"{SCHEDULE}__series_2__entry_1"}, "a footnote is no second entry 1"
    assert dict(third) == {"1": f"{SCHEDULE}__series_4__entry_1"}


@pytest.mark.parametrize(
    ("words", "ids", "acts", "meant"),
    [
        ("Entry 1 List II", [], [], ["series_2__entry_1"]),
        ("entry 1 of the State List", [SCHEDULE], [], ["series_2__entry_1"]),
        ("Entry 1, List 3", [SCHEDULE], ["constitution-of-lanternia"], ["series_4__entry_1"]),
        ("Entry 1 of the Schedule", [f"{SCHEDULE}__entry_1"], [], ["entry_1", "series_2__entry_1", "series_4__entry_1"]),
        ("Entry 3 List II", [], [], [""]),
        ("Entry 1 List II", [], ["another-act"], []),
        ("Entry 1 List II", ["another-act/sched_7"], [], []),
        ("Entry 1 of List II of the Moon Act", [], [], []),
        ("the Schedule", [SCHEDULE], [], []),
        ("Entry 1", [], [], []),
    ],
)  # fmt: skip
def test_the_list_that_is_named_is_meant(
    words: str, ids: list[str], acts: list[str], meant: list[str]
) -> None:
    expected = [f"{SCHEDULE}__{place}" if place else SCHEDULE for place in meant]
    assert in_lists(build(), words, ids, acts) == expected


def test_an_entry_that_is_only_in_the_text_is_quoted_and_one_that_is_not_is_not_invented() -> None:
    assert list(said_of(build(), SCHEDULE, "Entry 3 List II")) == ["List II—State List, entry 3: Markets."]
    assert list(said_of(build(), SCHEDULE, "Entry 4 List II")) == ["List II—State List, entry 4: Boats."]
    absent = ["List III—Concurrent List, entry 4 was not read in the text of this Schedule."]
    assert list(said_of(build(), SCHEDULE, "Entry 4 List III")) == absent
    assert not list(said_of(build(), SCHEDULE, "the Seventh Schedule"))


def test_an_entry_is_cited_with_its_list() -> None:
    given = build()
    numbers = [number_in_list(given, row) for row in given.rows]
    assert numbers == [
        "Seventh Schedule", "Seventh Schedule, List I, entry 1", "Seventh Schedule, List I, entry 2",
        "Seventh Schedule, List II, entry 1", "Seventh Schedule, entry 1", "Seventh Schedule, List III, entry 1",
    ]  # fmt: skip
