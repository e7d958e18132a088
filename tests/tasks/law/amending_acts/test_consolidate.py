"""Instructions applied to a text: exactly, or with the reason why not."""

from __future__ import annotations

from typing import Any

import pytest

from citegrain.tasks.law.amending_acts.consolidate import Text, consolidated, occurrences
from citegrain.tasks.law.amending_acts.places import sections_in
from citegrain.tasks.law.editions_compared.units import read_words
from tests import typeset
from tests.tasks.law.amending_acts.amenders import (
    OLD,
    PRINCIPAL,
    Row,
    amending_act,
    build_tables,
    instructions_of,
    structured,
)

ACT = "In section {} of the Lantern Keepers (Welfare) Act, 2011, "


@pytest.fixture(scope="module")
def provisions() -> list[Row]:
    return structured(typeset.india_code(), PRINCIPAL, OLD)


def after(provisions: list[Row], number: str, *paragraphs: str) -> Any:
    """A section after an amending section of these words."""
    lead, *rest = paragraphs
    rows = instructions_of(build_tables(amending_act(("Amendment", [ACT.format(number) + lead, *rest]))))
    row = next(r for r in provisions if r["provision_id"] == f"{PRINCIPAL}/sec_{number}")
    parts = [r for r in provisions if r["provision_id"].startswith(f"{row['provision_id']}__")]
    return consolidated(Text(row, parts), rows)


def test_words_in_a_part(provisions: list[Row]) -> None:
    result = after(
        provisions,
        "2",
        "in clause (b), for the word “vessels”, the words “ships and boats” shall be substituted.",
    )
    assert result.exact
    assert "guidance of ships and boats, and includes" in result.text


def test_parts_that_come_and_go(provisions: list[Row]) -> None:
    result = after(
        provisions,
        "2",
        "—",
        "(i) after clause (a), the following clause shall be inserted, namely:—",
        "“(aa) “owner” includes a lessee;”;",
        "(ii) in clause (b), sub-clause (i) shall be omitted.",
    )
    assert result.exact, result.skipped
    lines = result.text.splitlines()
    assert lines[2] == "(aa) “owner” includes a lessee;"
    assert not any(line.startswith("(i)") for line in lines)
    assert lines[-1].startswith("(ii) its lens")


def test_a_proviso_and_a_section_as_a_whole(provisions: list[Row]) -> None:
    result = after(
        provisions, "3", "for the proviso, the following proviso shall be substituted, namely:—",
        "“Provided that no wages are paid at night.”.",
    )  # fmt: skip
    assert "earned:\nProvided that no wages are paid at night.\nExplanation" in result.text
    result = after(provisions, "4", "the words “, or with both” shall be omitted.")
    assert read_words(result.text).keys[-2:] == ("with", "fine")


@pytest.mark.parametrize(
    ("number", "words", "reason"),
    [
        ("4", "for the words “six months”, the words “a year” shall be substituted.", "does not stand there"),
        ("4", "for the word “with”, the word “by” shall be substituted.", "stands there"),
        ("2", "clause (f) shall be omitted.", "was not found"),
    ],
)
def test_what_is_not_exact_is_left_and_said(
    provisions: list[Row], number: str, words: str, reason: str
) -> None:
    result = after(provisions, number, words)
    was = next(r["text"] for r in provisions if r["provision_id"] == f"{PRINCIPAL}/sec_{number}")
    assert result.text == was
    assert reason in next(iter(result.skipped.values()))


def test_words_are_found_whatever_the_print_puts_between_them() -> None:
    text = "the [Central] Govern­ment may, by “order”, appoint"
    assert occurrences("a fine of [two hundred]\nrupees, or both", "two hundred rupees,") == [(11, 31)]
    assert occurrences(text, "Board") == []


@pytest.mark.parametrize(
    ("paragraphs", "doubt"),
    [
        (
            [
                "—",
                "(a) for the words “three months”, the words “two months” shall be substituted;",
                "(b) for the words “two years”, the words “three years” sha11 be substituted.",
            ],
            "quotes words of which nothing was read",
        ),
        (["the words “or with both shall be omitted."], "do not pair"),
        (["after the words “three months”, the words “or shall” shall be inserted."], "stands there twice"),
        (
            ["for the words “three months”, the words “the “long” term” shall be substituted."],
            "within a quot",
        ),
        (["for the words “three months”, the words “two months” shall be substituted. It is so."], ""),
    ],
)
def test_what_is_applied_and_may_not_be_the_law_says_why(
    provisions: list[Row], paragraphs: list[str], doubt: str
) -> None:
    result = after(provisions, "4", *paragraphs)
    assert result.applied and result.exact == (not doubt)
    assert doubt in "; ".join(result.doubts)


def test_words_at_the_beginning_and_a_text_that_breaks_off(provisions: list[Row]) -> None:
    result = after(
        provisions, "2", "in clause (b), the words “in a lighthouse,” shall be inserted at the beginning."
    )
    assert result.exact and "\n(b) in a lighthouse, " in result.text
    lead = "the following proviso shall be inserted, namely:—"
    assert "breaks off" in after(provisions, "4", lead, "“Provided that he asks”.").doubts[0]
    broken = after(provisions, "4", lead, "“Provided that he asks;”.")
    assert list(broken.skipped.values()) == ["where the new text goes is not certain"]


def test_a_part_that_stands_there_already_is_not_put_in_again(provisions: list[Row]) -> None:
    result = after(
        provisions, "2", "after clause (a), the following clause shall be inserted, namely:—", "“(b) new;”."
    )  # fmt: skip
    assert list(result.skipped.values()) == ["there is a clause b already"]


def test_sections_of_a_quoted_text() -> None:
    block = "12A. Title of one.—(1) First.\n(2) Second.\n12B. It has no title."
    assert sections_in(block) == [
        ("12A", "Title of one", "(1) First.\n(2) Second."),
        ("12B", "", "It has no title."),
    ]
    (section,) = sections_in("12A. The owner may, by order, ask for oil—\n(a) of fish; or\n(b) of seed.")
    assert section[1] == "" and section[2].startswith("The owner may")
    ran_on = "12A. Made by rules under section 12. 12B. (1) Nothing in section 12. 12C. It is no section."
    assert [number for number, _, _ in sections_in(ran_on)] == ["12A"]
    assert [number for number, _, _ in sections_in(ran_on.replace("12. 12B", "that Act, or rules. 12B"))] == [
        "12A",
        "12B",
    ]
    ran_on = "12A. One may. 12B. No person who holds a permit shall be barred. 12A. It is cited."
    assert [number for number, _, _ in sections_in(ran_on)] == ["12A"]
    ran_on = ran_on.replace("One may", "The Government may make rules")
    assert [number for number, _, _ in sections_in(ran_on)] == ["12A", "12B"]
