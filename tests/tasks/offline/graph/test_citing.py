"""What provisions cite, each case worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from citegrain.tasks.offline.graph import make_graph
from tests.tasks.offline.graph import law
from tests.tasks.offline.graph.law import LAMPS, OIL, RULES

OTHERS = [
    *(law.provision(LAMPS, n, "Lamps shall burn.") for n in ("2", "5", "6", "7", "8", "9", "12A")),
    *(law.provision(OIL, n, "Oil shall flow.") for n in ("3", "5", "300", "301", "302")),
    law.provision(RULES, "2", "In these rules, “Act” means the Lamps Act, 2011 (4 of 2011).", "rule"),
]


def cited(text: str, source: dict[str, Any] | None = None) -> list[tuple[str | None, str]]:
    """(target, reason) of what a section 1 of the Lamps Act cites, in order."""
    row = source or law.provision(LAMPS, "1", text)
    edges = make_graph(law.tables([row, *OTHERS]))["edges"].to_pylist()
    mine = [e for e in edges if e["source_id"] == row["provision_id"] and e["kind"] == "cites"]
    return [(e["target_id"], e["reason"]) for e in mine]


def resolved(*targets: str) -> list[tuple[str | None, str]]:
    return [(target, "") for target in targets]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("Subject to section 5 and sub-section (2) of section 6.", [f"{LAMPS}/sec_5", f"{LAMPS}/sec_6"]),
        (
            "under sections 5, [6] and 12-A of this Act",
            [f"{LAMPS}/sec_5", f"{LAMPS}/sec_6", f"{LAMPS}/sec_12A"],
        ),
        ("sections 5 to 8", [f"{LAMPS}/sec_{n}" for n in (5, 6, 7, 8)]),
        ("sections 5 (1), (2), 6 (1) and 7", [f"{LAMPS}/sec_{n}" for n in (5, 6, 7)]),
        ("section 5,6 and 7", [f"{LAMPS}/sec_{n}" for n in (5, 6, 7)]),
        ("within the meaning of section 3 of the Oil Code, 1999 (45 of 1999)", [f"{OIL}/sec_3"]),
        ("section 3, [section 300] or section 5 of the Oil Code", [f"{OIL}/sec_{n}" for n in (3, 300, 5)]),
        (
            "under sections 300 to 302 (both inclusive) of the Oil Code",
            [f"{OIL}/sec_{n}" for n in (300, 301, 302)],
        ),
        (
            "under sections 300 to 302 (both inclusive but excluding section 301) of the Oil Code",
            [f"{OIL}/sec_{n}" for n in (300, 301, 302, 301)],
        ),
        ("section 5 or section 300, as the case may be, of the Oil Code", [f"{OIL}/sec_5", f"{OIL}/sec_300"]),
        ("the Oil Code, 1999. Nothing in section 5 of the said Code", [OIL, f"{OIL}/sec_5"]),
        (
            "the Oil Code, 1999 (hereinafter called the Oily Code). Section 5 of the Oily Code",
            [OIL, f"{OIL}/sec_5"],
        ),
        ("the Oil Code, 1999, section 5", [f"{OIL}/sec_5"]),
        ("for the purposes of section 5 and Chapter XXVI of the Oil Code, 1999", [f"{OIL}/sec_5"]),
        ("punishable under section 302 as the Oil Code has it", [f"{OIL}/sec_302", OIL]),
        (
            "the Lamps Act, 2011 (hereinafter called the said Code) and the Oil Code; section 5, of the said Code",
            [OIL, f"{OIL}/sec_5"],
        ),
        ("as defined by Section - 5 (10)", [f"{LAMPS}/sec_5"]),
        ("In section 5 of the principal Act", [f"{LAMPS}/sec_5"]),
        ("Act 45 of 1999 applies", [OIL]),
        ("section 5 of the Lamp Act, 2011", [f"{LAMPS}/sec_5"]),
    ],
)
def test_a_provision_or_an_act_is_found(text: str, targets: list[str]) -> None:
    assert cited(text) == resolved(*targets)


@pytest.mark.parametrize(
    ("text", "target", "reason"),
    [
        ("section 9 of the Wicks Act, 1920", "wicks-act-1920", "act_not_indexed"),
        ("section 9 of the Oil Code, 1872", "oil-code-1872", "act_not_indexed"),
        ("section 9 of the Lamp Act, 2012", "lamp-act-2012", "act_not_indexed"),
        ("section 99", LAMPS, "provision_absent"),
        ("section 3 of the said Ordinance", None, "act_not_named"),
        ("Article 21 applies", None, "act_not_named"),
        ("rule 2 of the First Schedule", LAMPS, "in_a_schedule"),
    ],
)
def test_what_is_not_found_has_a_reason(text: str, target: str | None, reason: str) -> None:
    assert cited(text) == [(target, reason)]


def test_a_number_that_a_state_has_put_in_is_of_the_act_that_has_its_figures() -> None:
    assert cited("the Oil Code, 1999; section 300A") == [(OIL, ""), (OIL, "provision_absent")]


@pytest.mark.parametrize(
    "text",
    [
        "Articles 1 and 2 of the agreement",
        "sub-section (2)",
        "form 5",
        "5 of 1999",
        "section 2nd",
        "the oil code of a ship",
    ],
)
def test_what_is_no_reference_gives_none(text: str) -> None:
    assert cited(text) == []


def test_rules_cite_the_sections_of_the_act_they_are_made_under() -> None:
    rule = law.provision(RULES, "4", "An application under section 5 shall be made as rule 2 says.", "rule")
    assert cited("", rule) == resolved(f"{LAMPS}/sec_5", f"{RULES}/rule_2")
    edges = make_graph(law.tables([rule, *OTHERS]))["edges"].to_pylist()
    derived = {(e["source_id"], e["target_id"]) for e in edges if e["kind"] == "derived_from"}
    assert derived == {(f"{RULES}/rule_4", f"{LAMPS}/sec_5"), (RULES, LAMPS)}


def test_a_list_of_amendments_is_about_the_act_of_its_heading() -> None:
    schedule = law.provision(LAMPS, "1", "", "schedule", heading="AMENDMENTS TO THE OIL CODE, 1999")
    entry = law.provision(LAMPS, "1", "In section 3, after the words", parent_id=schedule["provision_id"])
    edges = make_graph(law.tables([schedule, entry, *OTHERS]))["edges"].to_pylist()
    assert next(e["target_id"] for e in edges if e["kind"] == "cites") == f"{OIL}/sec_3"


def test_a_conflict_is_declared_and_not_what_follows() -> None:
    text = "Notwithstanding anything contained in section 5 or section 6, the keeper may act under section 7."
    row = law.provision(LAMPS, "1", text)
    edges = make_graph(law.tables([row, *OTHERS]))["edges"].to_pylist()
    assert [e["target_id"] for e in edges if e["kind"] == "conflicts"] == [f"{LAMPS}/sec_5", f"{LAMPS}/sec_6"]
