"""Sections of two small codes: kept, merged, split, dropped, new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.law.counterparts import Section, match_sections

THEFT = "Whoever takes dishonestly any movable lantern out of the possession of its keeper is said to commit theft"
PENALTY = (
    "Whoever commits theft of a lantern shall be punished with imprisonment which may extend to three years"
)
OIL = "Every owner shall supply the keeper with oil of the quality prescribed by the lamp commissioner"
TOWER = "The lens and the tower shall be painted white and cleaned before every monsoon by the harbour master"
CHESS = "No person shall play chess upon a lighthouse stair while vessels approach the reef at night"
DRONE = "An unmanned aircraft shall not hover within a furlong of a beacon without leave of the coast guard"
BELL = "The bell shall be rung in fog at intervals of two minutes and the ringer relieved every hour"

OLD = [
    Section("Theft of lantern", THEFT),
    Section("Punishment for theft of lantern", PENALTY),
    Section("Oil allowance", OIL),
    Section("Chess", CHESS),
    Section("Paint and bells", f"{TOWER}. {BELL}"),
]
NEW = [
    Section("Supply of oil", OIL.replace("Every", "An")),
    Section("Theft of lantern", f"{THEFT}. {PENALTY}", (THEFT, PENALTY)),
    Section("Paint of tower", TOWER),
    Section("Bells in fog", BELL),
    Section("Unmanned aircraft", DRONE),
]


def pairs(old: list[Section], new: list[Section]) -> set[tuple[int, int]]:
    return {link[:2] for link in match_sections(old, new)}


def test_kept_merged_split_dropped_and_new() -> None:
    assert pairs(OLD, NEW) == {(0, 1), (1, 1), (2, 0), (4, 2), (4, 3)}


def test_an_act_against_nothing_and_against_itself() -> None:
    assert match_sections([], NEW) == [] == match_sections(OLD, [])
    assert pairs(OLD, OLD) == {(i, i) for i in range(len(OLD))}
    assert match_sections([Section("", "")], [Section("", "")]) == []


@given(st.permutations(range(len(OLD))))
def test_order_does_not_decide(order: list[int]) -> None:
    links = pairs([OLD[i] for i in order], NEW)
    assert {(order[i], j) for i, j in links} == pairs(OLD, NEW)
