"""Headings as OCR reads them: misread numbers, lost dots, other dashes."""

from __future__ import annotations

import pytest

from citegrain.tasks.offline.structure.candidates import find_candidates
from citegrain.tasks.offline.structure.notes import inserted_rows
from citegrain.tasks.offline.structure.rows import Row
from citegrain.tasks.offline.structure.sequence import mend_gaps


def rows(*texts: str) -> list[Row]:
    return [Row(1, 72.0, 500.0, 20.0 * k, 11.0, 0, False, text) for k, text in enumerate(texts)]


def numbers(*texts: str, contents: dict[str, str] | None = None) -> list[str]:
    page = rows(*texts)
    series = [c for c in find_candidates(page) if c.has_dash and c.number in ("4", "12", "31")]
    return [c.number for c in mend_gaps(series, page, contents or {}, set(), len(page))]


@pytest.mark.parametrize("misread", ["S. Oil.—The", "S. Oil.-The", "5 Oil.—The", "5, Oil. -The", "5Oil.—The"])
def test_a_misread_number_in_a_gap_is_read(misread: str) -> None:
    assert numbers("4. Rope.—The owner shall give rope.", misread, "owner shall give oil.") == ["4", "5"]


def test_two_digits_and_a_letter() -> None:
    page = (
        "12. Rope.—The owner shall give rope.",
        "l2A. Oil.—The owner shall give oil.",
        "I3. Bell.—No bell shall ring.",
    )
    assert numbers(*page) == ["12", "13"]  # no contents say that there is a 12A
    assert numbers(*page, contents={"12": "Rope", "12A": "Oil", "13": "Bell"}) == ["12", "12A", "13"]


@pytest.mark.parametrize("hyphen", ["-", "\u2010", "\u2011", "\u2013", "\u2212"])
def test_a_number_with_any_hyphen_before_its_letter(hyphen: str) -> None:
    page = ("12. Rope.—The owner shall give rope.", f"l2{hyphen}A. Oil.—The owner shall give oil.")
    assert numbers(*page, contents={"12": "Rope", "12A": "Oil"}) == ["12", "12A"]


def test_a_heading_without_a_dash_needs_the_contents() -> None:
    page = ("4. Rope.—The owner shall give rope.", "S Oil of the lamp The owner shall give oil.")
    assert numbers(*page) == ["4"]
    assert numbers(*page, contents={"4": "Rope", "5": "Oil of the lamp"}) == ["4", "5"]


@pytest.mark.parametrize(
    "text",
    [
        "I. The owner shall give oil.",
        "S. Ins. by Act 9 of 2015",
        "5 persons shall meet.—They",
        "Oil.—The owner shall",
    ],
)
def test_what_is_no_heading_of_a_missing_number_stays_text(text: str) -> None:
    assert numbers("4. Rope.—The owner shall give rope.", text) == ["4"]


def test_a_reference_at_the_end_of_the_row_before_is_no_heading() -> None:
    assert numbers("4. Rope.—The owner shall give rope under section", "5. Oil.—The owner shall give.") == [
        "4"
    ]


def test_a_quotation_that_nothing_closes_swallows_no_section() -> None:
    """State amendments stand in an Act, their quotations often without an end."""
    quoted = rows(
        "2. In section 3 of the principal Act, after sub-section (1), the following shall be inserted, namely:—",
        "“3A. Advisers.—The Government may appoint",
        "an adviser.”.",
        "3. In section 4 of the principal Act, omit “fit”.",
    )
    assert inserted_rows(quoted) == {1, 2}
    unclosed = rows(
        "STATE AMENDMENT",
        "In section 3, after sub-section (1), the following shall be inserted, namely:—",
        "“(1A) The Government may appoint an adviser",
        "[Vide Assam Act 4 of 1960, s. 2]",
        "4. Duties.—He shall advise.",
        "5. Pay.—He shall be paid what is “fit”.",
    )
    assert inserted_rows(unclosed) == set()
