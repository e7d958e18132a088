"""Running heads, feet and marginal print are no text of the Act, whatever they say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.law.editions_compared import amendments
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from tests import typeset
from tests.tasks.law.editions_compared import prints
from tests.tasks.offline import editions

ACT = "constitution-of-lanternia-1950"


@cache
def read(heads: str, changed: tuple[int, ...] = (), dropped: tuple[int, ...] = ()) -> Tables:
    parsed = parse_document(
        editions.edition(heads, changed=changed, dropped=dropped), "d" * 64, ParseConfig(ocr="off")
    )
    span = ActSpan(ACT, date(2020 + bool(changed), 1, 2), 1, 999)
    return parsed | structure_document(parsed["documents"], parsed["lines"], [span])


def text(tables: Tables) -> str:
    return str(tables["texts"].to_pylist()[0]["text"])


@pytest.mark.parametrize("heads", editions.EDITIONS)
def test_the_text_is_that_of_the_edition_without_heads(heads: str) -> None:
    assert text(read(heads)) == text(read(""))


@pytest.mark.parametrize("heads", editions.EDITIONS)
def test_no_word_of_the_text_is_taken_for_a_head(heads: str) -> None:
    plain = {line["text"] for line in read("")["lines"].to_pylist()}
    taken = [r["text"] for r in read(heads)["lines"].to_pylist() if r["role"] in ("header", "footer")]
    assert taken and not plain & set(taken)
    assert {r["role"] for r in read("")["lines"].to_pylist()} == {"body"}


def elsewhere(data: bytes, sheet: tuple[float, float], place: tuple[float, float, float, float]) -> bytes:
    """The same pages, each drawn into a place on another sheet."""
    old, new = pymupdf.open("pdf", data), pymupdf.open()
    for number in range(old.page_count):
        page = new.new_page(width=sheet[0], height=sheet[1])
        page.show_pdf_page(pymupdf.Rect(*place), old, number)
    return typeset.saved(new)


SHEETS = {
    "letter": ((612, 792), (0, 0, 612, 792)),
    "a block in the middle of Letter": ((612, 792), (144, 144, 468, 648)),
    "a block at the foot of A3": ((842, 1191), (200, 600, 620, 1160)),
    "a narrow sheet": ((330, 470), (0, 0, 330, 470)),
}


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("heads", ["two_lines", "mirrored", "at_the_foot", "unnumbered"])
def test_heads_are_found_wherever_the_block_stands_on_the_sheet(heads: str, sheet: str) -> None:
    data = elsewhere(editions.edition(heads), *SHEETS[sheet])
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan(ACT, date(2020, 1, 2), 1, 999)
    tables = structure_document(parsed["documents"], parsed["lines"], [span])
    assert text(tables).split() == text(read("")).split()


PRINTS: dict[str, Callable[[], bytes]] = {
    "India Code": typeset.india_code,
    "Gazette": typeset.gazette,
    "small type": lambda: drawn_by_prints(prints.POCKET),
    "large type": lambda: drawn_by_prints(prints.LARGE),
}


def drawn_by_prints(style: prints.Print) -> bytes:
    sections = [s for _, _, sections in typeset.LANTERN.chapters for s in sections]
    fees = [f"{n}. Fee for a lamp of class {n}, {n * 100} rupees." for n in range(1, 9)]
    notes = {s.mark: "Ins. by Act 9 of 2015, s. 2." for s in sections} | dict.fromkeys(
        "123456789", "Vide s. 2."
    )
    return prints.typeset(prints.Edition("THE LANTERN ACT, 2011", "9 of 2011", sections, fees, notes), style)


@pytest.mark.parametrize("scale", [0.7, 1.5])
@pytest.mark.parametrize("name", PRINTS)
def test_a_print_that_is_scaled_reads_as_it_did(name: str, scale: float) -> None:
    data = PRINTS[name]()
    with pymupdf.open("pdf", data) as document:
        width, height = scale * document[0].rect.width, scale * document[0].rect.height
    span = ActSpan(ACT, date(2020, 1, 2), 1, 999)
    rows = []
    for drawn in (data, elsewhere(data, (width, height), (0, 0, width, height))):
        parsed = parse_document(drawn, "d" * 64, ParseConfig(ocr="off"))
        tables = structure_document(parsed["documents"], parsed["lines"], [span])
        rows.append([(r["number"], r["heading"], r["text"]) for r in tables["provisions"].to_pylist()])
    assert rows[0] == rows[1]


def with_first_rows(*texts: str, foot: str = "") -> list[tuple[str, str]]:
    """Role and text of the first and the last rows of pages with some rows of prose between them."""
    document = pymupdf.open()
    for number, text in enumerate(texts, 1):
        page = document.new_page()
        page.insert_text((72, 50 + number % 3 * 5), text, fontsize=10)
        for row in range(30):
            words = (
                f"The keeper of lamp {number}{row} shall trim wick {row}{number} and write this in the book."
            )
            page.insert_text((72, 90 + 14 * row), words, fontsize=10)
        page.insert_text((72, 510), foot if number == 3 else f"{chr(96 + number) * 4} is lit.", fontsize=10)
    lines = parse_document(typeset.saved(document), "d" * 64, ParseConfig(ocr="off"))["lines"].to_pylist()
    return [(line["role"], line["text"]) for line in lines if "keeper" not in line["text"]]


def test_heads_are_found_though_a_scan_misread_half_of_them() -> None:
    clean = [f"{n}  THE GAZETTE OF GOA : EXTRAORDINARY" for n in range(46, 62)]
    noise = ["giri IIT 3(i)] srr", "II-11w43 Mt VT", "qtr", "[3-117 IiRti SWOP"] * 4
    heads = [head if n % 5 < 3 else noise[n] for n, head in enumerate(clean)]
    read_rows = with_first_rows(*heads, foot="Lamp 3 is lit.")
    assert [role for role, text in read_rows if "lit" not in text] == ["header"] * len(heads)
    assert {role for role, text in read_rows if "lit" in text} == {"body"}


def test_a_mark_that_stands_alone_at_the_end_of_a_page_is_no_page_number() -> None:
    heads = [f"{n}  THE GAZETTE OF GOA" for n in range(46, 62)]
    assert [role for role, text in with_first_rows(*heads, foot="(4)") if text == "(4)"] == ["body"]


@pytest.mark.parametrize("heads", ["two_lines", "mirrored", "at_the_foot", "unnumbered"])
def test_two_pages_on_a_sheet_are_read_one_after_the_other(heads: str) -> None:
    old, new = pymupdf.open("pdf", editions.edition(heads)), pymupdf.open()
    for number in range(old.page_count):
        page = new.new_page(width=1190, height=842) if number % 2 == 0 else new[-1]
        page.show_pdf_page(pymupdf.Rect(595 * (number % 2), 0, 595 * (1 + number % 2), 842), old, number)
    parsed = parse_document(typeset.saved(new), "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan(ACT, date(2020, 1, 2), 1, 999)
    tables = structure_document(parsed["documents"], parsed["lines"], [span])
    assert text(tables).split() == text(read("")).split()


@pytest.mark.parametrize(
    ("old", "new"), [("two_lines", "mirrored"), ("at_the_foot", "in_the_margin"), ("", "unnumbered")]
)
def test_two_editions_differ_in_what_was_amended_alone(old: str, new: str) -> None:
    was, now = read(old), read(new, (7, 31), (44,))
    rows: list[dict[str, Any]] = amendments(was["provisions"], now["provisions"]).to_pylist()
    assert {(r["kind"], r["number"]) for r in rows} == {
        ("substituted", "7"), ("substituted", "31"), ("omitted", "44"),
    }  # fmt: skip
