"""Real pairs of versions against a list written by hand from both PDFs. Needs the shared folder."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.law.editions_compared import AMENDING, amendments
from tests.conftest import ROOT, read_act

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("gold")]  # where most of them are read already

PAIRS = {
    "environment": "environment_protection_act_1986__v2016-06-23",
    "rera": "real_estate_regulation_and_development_act_2016__v2017-03-30",
    "motor_vehicles": "motor_vehicles_act_1988__v2018-10-22",
    "ipc": "indian_penal_code_1860__v2017-08-23",
    "dowry": "dowry_prohibition_act_1961__v2016-12-27",
    "hma": "hindu_marriage_act_1955__v2023-04-25",
    "bns": "bharatiya_nyaya_sanhita_2023__v2023-12-25_gazette",
    "dpdp": "digital_personal_data_protection_act_2023__v2023-08-11_gazette",
    "cpa": "consumer_protection_act_2019__v2019-08-09_gazette",
}
Key = tuple[str, str, str]
Row = Mapping[str, Any]


def name(row: Row) -> str:
    """How the list names a provision: 17, or schedule:second."""
    if row["unit"] != "schedule":
        return str(row["number"])
    return f"schedule:{str(row['number']).lower().replace('schedule', '').strip() or '1'}"


@pytest.fixture(scope="module")
def compared(shared: Path) -> dict[tuple[str, str], Row]:
    out: dict[tuple[str, str], Row] = {}
    for pair, stem in PAIRS.items():
        old = read_act(shared / "corpus" / "versions" / f"{stem}.pdf")["provisions"]
        new = read_act(shared / "corpus" / "acts" / f"{stem.partition('__v')[0]}.pdf")["provisions"]
        out |= {(pair, name(row)): row for row in amendments(old, new).to_pylist()}
    return out


@pytest.fixture(scope="module")
def listed() -> dict[tuple[str, str], Row]:
    """The list written by hand, ``typo`` rows included; they are no amendments."""
    with (ROOT / "tests" / "golden" / "amendments.csv").open(encoding="utf-8", newline="") as file:
        return {(r["pair"], r["section"]): r for r in csv.DictReader(file)}


def keys(rows: Mapping[tuple[str, str], Row]) -> set[Key]:
    return {(*at, row["kind"]) for at, row in rows.items() if row["kind"] in AMENDING}


def test_precision_and_recall(
    compared: dict[tuple[str, str], Row], listed: dict[tuple[str, str], Row]
) -> None:
    have, want = keys(compared), keys(listed)
    assert len(want) == 168
    both = len(have & want)
    assert both / len(have) >= 0.95, sorted(have - want)
    assert both / len(want) >= 0.95, sorted(want - have)


def test_layout_alone_is_no_substitution(
    compared: dict[tuple[str, str], Row], listed: dict[tuple[str, str], Row]
) -> None:
    """From the Gazette to India Code every page looks otherwise."""
    gazettes = {k for k in keys(compared) if k[0] in ("bns", "dpdp", "cpa")}
    assert gazettes <= keys(listed)
    assert {k for k in gazettes if k[2] == "substituted"} == {
        ("cpa", "38", "substituted"),
        ("cpa", "55", "substituted"),
    }


def test_slips_of_the_press_are_slips(
    compared: dict[tuple[str, str], Row], listed: dict[tuple[str, str], Row]
) -> None:
    printing = {at for at, row in compared.items() if row["kind"] == "printing"}
    assert len(printing) >= 10
    assert {listed[at]["kind"] if at in listed else "" for at in printing} == {"typo"}


def test_pages_are_those_of_the_list(
    compared: dict[tuple[str, str], Row], listed: dict[tuple[str, str], Row]
) -> None:
    both = compared.keys() & listed.keys()
    pages = [(compared[at][side], listed[at][side]) for at in both for side in ("old_page", "new_page")]
    right = sum(str(ours or "") == theirs for ours, theirs in pages)
    assert right >= 0.99 * len(pages)
