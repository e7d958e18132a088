"""Numbers of provisions: order, Roman numerals, ranges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.law.numbers import letters_between, normal, numbers_between, order_of, roman, to_roman
from citegrain.tasks.offline.structure.body import expand_range
from citegrain.tasks.offline.structure.candidates import match_number


def test_order_is_that_of_the_statute_book() -> None:
    book = ["9", "10", "10A", "10AA", "10AB", "10B", "11", "243Z", "243ZA", "243ZT", "378ZU", "379"]
    assert sorted(book, key=order_of) == book


def test_hyphens_and_spaces_do_not_count() -> None:
    assert order_of("43-I") == order_of("43I")
    assert normal("66 A.") == "66A"
    with pytest.raises(ValueError, match="not a provision number"):
        order_of("A1")


@given(st.integers(1, 3999))
def test_roman_numerals_round_trip(value: int) -> None:
    assert roman(to_roman(value)) == value
    assert roman(to_roman(value).lower()) == value


@pytest.mark.parametrize("text", ["", "IIII", "IC", "ABC", "VX"])
def test_what_is_no_roman_numeral(text: str) -> None:
    assert roman(text) == 0


@pytest.mark.parametrize(
    ("a", "b", "skipped"),
    [("", "A", 0), ("A", "B", 0), ("A", "C", 1), ("A", "AA", 0), ("AB", "B", 0), ("", "C", 2)],
)
def test_letters_between(a: str, b: str, skipped: int) -> None:
    assert letters_between(a, b) == skipped


@pytest.mark.parametrize(
    ("row", "bold", "number"),
    [
        ("124A. Sedition.—Whoever", 0, "124A"),
        ("[124A. Sedition.—Whoever", 0, "124A"),
        ("12[124A. Sedition.—Whoever", 0, "124A"),
        ("7*[5. Certain laws", 0, "5"),
        ("[17 “Government”.—", 18, "17"),
        ("43-I. General norms", 0, "43I"),
        ("378Z-O. Disputes.—", 0, "378ZO"),
        ("[(3A). Prohibition of employment", 6, "3A"),
        ("66 A. Punishment", 0, "66A"),
        ("12.—(1) Nothing", 0, "12"),
        ("161 to 165A. Rep. by", 0, "161"),
    ],
)
def test_numbers_at_the_start_of_a_row(row: str, bold: int, number: str) -> None:
    match = match_number(row, bold)
    assert match is not None and match[0] == number


@pytest.mark.parametrize(
    "row",
    [
        "(1) This Act",
        "1.5 lakh rupees",
        "12.30 in the afternoon",
        "45 of 1860)",
        "2015—Unless",
        "3, 4 and 5",
        "Section 5.",
    ],
)
def test_rows_that_begin_no_section(row: str) -> None:
    match = match_number(row)
    assert match is None


def test_a_range_names_every_number() -> None:
    assert expand_range("161", "165A") == ["162", "163", "164", "165", "165A"]
    assert expand_range("5", "") == [] and expand_range("9", "5") == []


def test_a_range_holds_what_is_between_its_ends() -> None:
    ranges = {("378", "381"): "379 380", ("354A", "354D"): "354B 354C", ("O8R3", "O8R5"): "O8R4"}
    assert {ends: " ".join(numbers_between(*ends)) for ends in ranges} == ranges
    assert numbers_between("10", "10A") == numbers_between("65B", "66B") == []
