"""Nuggets: whether the words given are those of the day, by hand."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.tasks.evaluation.benchmark import Citation, Record
from citegrain.tasks.evaluation.score.gold import nugget_scores, says

OLD, NEW = date(2018, 10, 22), date(2025, 5, 21)
TEXTS = {
    ("mv/sec_185", OLD): "fine which may extend to two thousand\nrupees",
    ("mv/sec_185", NEW): "a 2[fine of ten thousand rupees]",
    ("mv/sec_184", NEW): "ten thousand rupees",
    ("bns/sec_303", NEW): "community service",
}
CHUNKS = {f"{p}@{day.year}": (p, day) for p, day in TEXTS}


def chunk(name: str) -> dict[str, Any]:
    if name.startswith("heading"):
        return {"citation": None, "version_date": None}
    provision, day = CHUNKS.get(name, (name, None))
    return {"citation": provision, "version_date": day}


def provision_row(provision: str, day: date | None) -> dict[str, Any]:
    act, _, number = provision.partition("/sec_")
    text = TEXTS.get((provision, day), "") if day else ""
    return {
        "provision_id": provision, "act_id": act, "number": number, "version_date": day, "heading": "", "text": text
    }  # fmt: skip


BUILD: Any = SimpleNamespace(chunk=chunk, provision_row=provision_row)
TEN = Record(
    id="ten",
    text="What fine?",
    must="fine of ten thousand rupees",
    must_not="two thousand",
    editions=(NEW,),
    instead=(Citation("bns", "303"),),
)


@pytest.mark.parametrize(
    ("ranking", "nugget", "version"),
    [
        (["mv/sec_185@2025"], 1, 1),
        (["mv/sec_185@2018"], 0, 0),  # the right provision in words of another day
        (["mv/sec_184@2025"], 0, None),  # the words of another provision do not count
        (["bns/sec_303@2025"], 0, 0),  # what stands in its place on other days
        (["bns/sec_303@2025", "mv/sec_185@2025"], 1, 0),  # it comes first
        (["mv/sec_185@2025", "bns/sec_303@2025"], 1, 1),
        (["a/sec_1", "a/sec_2", "a/sec_3", "a/sec_4", "mv/sec_185@2025"], 1, 1),
        (["a/sec_1", "a/sec_2", "a/sec_3", "a/sec_4", "a/sec_5", "mv/sec_185@2025"], 0, None),  # sixth
        (["a/sec_1", "a/sec_1", "heading", "a/sec_2", "a/sec_3", "a/sec_4", "mv/sec_185@2025"], 1, 1),
        ([], 0, None),
    ],
)
def test_scores_by_hand(ranking: list[str], nugget: int, version: int | None) -> None:
    expected = {"nugget_5": nugget} | ({} if version is None else {"version_5": version})
    assert nugget_scores(BUILD, TEN, {"mv/sec_185"}, ranking) == expected


def test_a_pattern_is_read_without_marks_line_breaks_and_case() -> None:
    assert says(TEN, "A 12[Fine of\n ten thousand] rupees")
    assert not says(TEN, "fine of ten thousand rupees, before two thousand")
    assert says(Record(id="any", text="?", must="ten"), "ten, or two thousand")
