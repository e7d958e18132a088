"""Acts in Hindi: sections, clauses and Chapters by the numbers that the English edition has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.law.numbers import normal
from citegrain.tasks.offline.corpus import Registry
from citegrain.tasks.offline.corpus.identity import ActEntry, load_registry
from citegrain.tasks.offline.structure.hindi import schedule_title
from tests import typeset, typeset_hindi
from tests.tasks.kinds.readings import structured

WELFARE = "lantern-keepers-welfare-act-2011"
LANTERN = ActEntry(WELFARE, "The Lantern Keepers (Welfare) Act, 2011", "17 of 2011")


def provisions(data: bytes, registry: Registry, name: str = "a.pdf") -> list[dict[str, Any]]:
    _, tables = structured(data, registry, name)
    rows: list[dict[str, Any]] = tables["provisions"].to_pylist()
    return rows


def ids(rows: list[dict[str, Any]]) -> set[str]:
    return {row["provision_id"] for row in rows}


def test_both_editions_of_an_act_share_their_ids() -> None:
    registry = Registry({LANTERN.act_id: LANTERN})
    hindi, english = (provisions(data, registry) for data in (typeset_hindi.hindi(), typeset.india_code()))
    in_hindi = {i.replace("chp_1", "chp_I").replace("chp_2", "chp_II") for i in ids(hindi)}
    assert in_hindi <= ids(english)
    # the Hindi edition of the test has none
    assert {i for i in ids(english) - ids(hindi) if "chp" not in i} == {f"{WELFARE}/sec_3__explanation_1"}
    section = next(row for row in hindi if row["number"] == "3A")
    assert (section["heading"], section["text"]) == ("तेल भत्ता", "प्रत्येक स्वामी रक्षक को विहित गुणता का तेल देगा ।")


def test_a_name_in_hindi_in_the_registry_is_enough() -> None:
    entry = ActEntry(LANTERN.act_id, LANTERN.title, aliases=("दीप रक्षक (कल्याण) अधिनियम",))
    assert provisions(typeset_hindi.hindi(), Registry({entry.act_id: entry}))[0]["act_id"] == entry.act_id


def test_of_two_acts_of_one_name_the_year_decides() -> None:
    registry = load_registry(Path("citegrain/data/registry.yaml"))
    matches = [registry.match(f"भारतीय साक्ष्य अधिनियम, {year}") for year in (1872, 2023, 1999)]
    assert [entry and entry.act_id for entry in matches] == [
        "indian-evidence-act-1872", "bharatiya-sakshya-adhiniyam-2023", None,
    ]  # fmt: skip


def test_an_act_that_is_not_registered_keeps_its_title() -> None:
    assert provisions(typeset_hindi.hindi(), Registry())[0]["act_id"] == "दीप-रक्षक-कल्याण-अधिनियम-2011"


def test_numbers_in_both_scripts_are_one() -> None:
    numbers = [normal(n) for n in ("४९८क", "498क", "498-A", "१२", "66A")]
    assert numbers == ["498A", "498A", "498A", "12", "66A"]


@pytest.mark.parametrize(
    ("row", "read"),
    [
        ("पहली अनुसूची", ("1", "")),
        ("द्वितीय अनुसूची", ("2", "")),
        ("अनुसूची", ("", "")),
        ("अनुसूची 3", ("3", "")),
        ("उक्त अनुसूची", None),
        ("अनुसूची में दी गई दरें", None),
    ],
)
def test_schedules(row: str, read: tuple[str, str] | None) -> None:
    assert schedule_title(row) == read


@pytest.mark.corpus
def test_every_section_of_a_real_act_is_read(shared: Path) -> None:
    path = shared / "corpus/hindi/posh_act_2013_hindi_unicode_visual_order.pdf"
    registry = load_registry(Path("citegrain/data/registry.yaml"))
    rows = provisions(path.read_bytes(), registry, path.name)
    assert {row["act_id"] for row in rows} == {"sexual-harassment-of-women-at-workplace-act-2013"}
    sections = [row for row in rows if row["kind"] == "section"]
    assert [row["number"] for row in sections] == [str(n) for n in range(1, 31)]
    assert all(row["heading"] for row in sections)
    chapters = [row["number"] for row in rows if row["kind"] == "chapter"]
    assert chapters == [f"Chapter {n}" for n in range(1, 9)]
