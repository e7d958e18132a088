"""Slips of the press against amendments of a word."""

from __future__ import annotations

import pytest

from citegrain.tasks.law.amend import amendments
from tests.tasks.law.amend.acts import INSERTED, NEW, note, row, table

ELSEWHERE = row("9", "An employee or employer, five lawful fine agents.", notes=[INSERTED])
LATER = note("Subs. by Act 3 of 2018, s. 4.", "substituted", "3 of 2018")


def kind(old: str, new: str, *, annotated: bool = True, noted: bool = False) -> str:
    text = "Every keeper {} the owner of the lantern for wages."
    elsewhere = ELSEWHERE if annotated else ELSEWHERE | {"notes": []}
    was = [row("1", text.format(old)), elsewhere]
    now = [row("1", text.format(new), notes=[LATER] if noted else []), elsewhere]
    (amended,) = amendments(table(was), table(now, NEW)).to_pylist()
    return str(amended["kind"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("contraventing orders", "contravening orders"),
        ("asks", "asks asks"),
        ("asks of his own will", "asks of his own asks of his own will"),
        ("asks owner", "asks the owner"),
        ("asks, Illustrations", "asks"),
    ],
)
@pytest.mark.parametrize("annotated", [True, False])
def test_slips_in_any_edition(old: str, new: str, annotated: bool) -> None:
    assert kind(old, new, annotated=annotated) == kind(new, old, annotated=annotated) == "printing"


@pytest.mark.parametrize(
    ("old", "new"), [("asks Authority", "asks"), ("asks agent", "asks agents"), ("asks out gear", "asks")]
)
def test_what_an_edition_with_notes_does_not_note(old: str, new: str) -> None:
    assert kind(old, new) == kind(new, old) == "printing"
    assert kind(old, new, annotated=False) == kind(new, old, annotated=False) == "substituted"
    assert kind(old, new, noted=True) == kind(new, old, noted=True) == "substituted"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pays five", "pays fine"),
        ("pays 10", "pays 11"),
        ("pays under section 3(1)", "pays under section 3(2)"),
        ("pays", "pays not"),
        ("may ask", "shall ask"),
        ("asks and pays", "asks or pays"),
        ("asks an employer", "asks an employee"),
        ("asks a payer", "asks a payee"),
        ("does lawful acts for", "does unlawful acts for"),
        ("asks invalid carriage", "asks adapted vehicle"),
        ("asks", "asks in writing without delay"),
        ("pays one", "pays two"),
    ],
)
@pytest.mark.parametrize("annotated", [True, False])
@pytest.mark.parametrize("noted", [True, False])
def test_never_slips(old: str, new: str, annotated: bool, noted: bool) -> None:
    assert kind(old, new, annotated=annotated, noted=noted) == "substituted"
    assert kind(new, old, annotated=annotated, noted=noted) == "substituted"


def test_a_misprint_beside_a_note_is_what_the_note_says() -> None:
    assert kind("contraventing orders", "contravening orders", noted=True) == "substituted"
    assert kind("asks", "asks asks", noted=True) == "printing"


def test_one_amendment_among_slips_counts() -> None:
    assert kind("asks asks five", "asks six") == "substituted"


def test_many_small_differences_are_no_slip() -> None:
    assert (
        kind("asks lamp, tower, lens, wick and", "asks oil lamp, red tower, big lens, old wick and")
        == "substituted"
    )
