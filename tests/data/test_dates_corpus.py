"""Old and new codes: the law of each dated complaint, and counterparts against a published table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.law.correspondence import Correspondence
from citegrain.tasks.law.counterparts import Counterparts
from citegrain.tasks.law.in_force import LawInForce
from tests.data.complaints import ACTS, COMPLAINTS
from tests.tasks.offline.structure.test_gold import similarity
from tools.as_of import CODES, TABLE, TABLES_ERRORS, TABLES_INVENTIONS, agreement

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("gold")]
PAIRS = {a: e.replaced_by for a, e in ACTS.items() if e.replaced_by in ACTS}


@pytest.fixture(scope="module")
def counterparts(real_acts: dict[str, Tables]) -> Counterparts:
    acts = [asdict(ACTS[act]) for act in real_acts]
    return Counterparts(acts, lambda act: real_acts[act]["provisions"].to_pylist())


@pytest.fixture(scope="module")
def table(shared: Path) -> Correspondence:
    return Correspondence.load(shared / TABLE)


def test_on_the_day_of_a_dated_complaint_one_code_of_two_is_law(provisions: pa.Table) -> None:
    indexed = set(provisions.column("act_id").to_pylist())
    acts = pa.Table.from_pylist(
        [
            {"act_id": a, "version_date": None, "number": ACTS[a].number, "title": ACTS[a].title}
            | {"active": True, "language": "en"}
            for a in indexed
        ]
    )
    plain = provisions.set_column(
        provisions.schema.get_field_index("version_date"),
        "version_date",
        pa.nulls(len(provisions), pa.date32()),
    )
    law, act_ids = LawInForce(acts, plain), plain.column("act_id").to_pylist()
    days = {r.incident_date for r in COMPLAINTS.every if r.incident_date}
    for day in days:
        living = {act for act, lawful in zip(act_ids, law.mask(day), strict=True) if lawful}
        for old, _ in CODES.values():
            last = ACTS[old].in_force_to
            assert last is not None
            assert (old in living, PAIRS[old] in living) == (day <= last, day > last), (day, old)


@pytest.mark.parametrize(
    ("code", "least_named", "least_right"), [("IPC", 0.93, 0.94), ("CrPC", 0.97, 0.98), ("IEA", 0.96, 0.96)]
)
def test_matched_counterparts_against_a_table(
    counterparts: Counterparts, table: Correspondence, code: str, least_named: float, least_right: float
) -> None:
    old, new = CODES[code]
    begun = time.perf_counter()
    count = agreement(counterparts.find, table, (old, code), new)
    assert time.perf_counter() - begun < 3.0  # a third of a second on an idle machine
    assert (
        count["named"] >= least_named * count["tabulated"]
        and count["right"] >= least_right * count["tabulated"]
    )


@pytest.fixture(scope="module")
def text(real_acts: dict[str, Tables]) -> Callable[[str, str], str]:
    texts = {
        (act, p["number"]): f"{p['heading']} {p['text']}"
        for act in {*PAIRS, *PAIRS.values()} & real_acts.keys()
        for p in real_acts[act]["provisions"].to_pylist()
        if p["kind"] == "section"
    }
    return lambda act, number: texts[act, number]


@pytest.mark.parametrize("code", list(TABLES_ERRORS))
def test_the_errors_of_the_table_are_errors_by_the_texts(
    counterparts: Counterparts, table: Correspondence, text: Callable[[str, str], str], code: str
) -> None:
    old, new = CODES[code]
    tabulated = table.between([code], [new])
    for number in TABLES_ERRORS[code].split():
        ours = counterparts.find(f"{old}/sec_{number}")[0].section
        old_text = text(old, number)
        like = similarity(old_text, text(PAIRS[old], ours))
        others = [similarity(old_text, text(PAIRS[old], n)) for n in tabulated[number]]
        assert ours not in tabulated[number] and like > max(others) + 0.1, (number, ours, like, others)


@pytest.mark.parametrize("code", list(TABLES_INVENTIONS))
def test_what_the_table_says_took_the_place_is_unlike_it(
    counterparts: Counterparts, table: Correspondence, text: Callable[[str, str], str], code: str
) -> None:
    old, new = CODES[code]
    tabulated = table.between([code], [new])
    for number in TABLES_INVENTIONS[code]:
        assert counterparts.find(f"{old}/sec_{number}") == [], number
        assert all(similarity(text(old, number), text(PAIRS[old], n)) < 0.6 for n in tabulated[number]), (
            number
        )


@pytest.mark.parametrize(
    ("provision", "sections"),
    [
        ("indian-penal-code-1860/sec_379", ["303"]),
        ("bharatiya-nyaya-sanhita-2023/sec_303", ["379", "378"]),
        ("indian-penal-code-1860/sec_302", ["103"]),
        ("indian-penal-code-1860/sec_498A", ["85", "86"]),
        ("indian-penal-code-1860/sec_420", ["318"]),
        ("indian-penal-code-1860/sec_377", []),
        ("bharatiya-nyaya-sanhita-2023/sec_304", []),  # snatching is new
        ("code-of-criminal-procedure-1973/sec_154", ["173"]),
        ("code-of-criminal-procedure-1973/sec_438", ["482"]),
        ("bharatiya-nagarik-suraksha-sanhita-2023/sec_144", ["125"]),
        ("indian-evidence-act-1872/sec_65B", ["63"]),
        ("minimum-wages-act-1948/sec_12", ["5"]),
    ],
)
def test_well_known_counterparts(counterparts: Counterparts, provision: str, sections: list[str]) -> None:
    assert [c.section for c in counterparts.find(provision)] == sections


def test_the_change_of_codes() -> None:
    assert ACTS["indian-penal-code-1860"].in_force_to == date(2024, 6, 30)
    assert ACTS["bharatiya-nyaya-sanhita-2023"].in_force_from == date(2024, 7, 1)
