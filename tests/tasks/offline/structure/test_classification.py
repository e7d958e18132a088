"""The Schedule that says which offences are bailable and cognizable."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure.notes import read_classification

EDGES = (60, 100, 200, 290, 370, 450)


def line(page: int, row: int, **cells: str) -> list[dict[str, Any]]:
    return [
        {"page": page, "row": row, "x0": 0.0, "column": int(name[1:]), "text": text}
        for name, text in cells.items()
    ]


def entries(*rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    heading = line(1, 0, c0="I.—OFFENCES UNDER THE LAMP SANHITA")
    entries = read_classification([*heading, *(cell for row in rows for cell in row)])
    return [(e.number, e.answer(4, "cognizable"), e.answer(5, "bailable")) for e in entries]


def test_entries_by_hand() -> None:
    numbers = line(1, 1, c1="1", c2="2", c3="3", c4="4", c5="5", c6="6")
    theft = line(1, 2, c1="303(2)", c2="Theft", c3="Fine.", c4="Cognizable.", c5="Non-", c6="Any Magistrate.")
    rest = line(1, 3, c2="of a lamp.", c5="bailable.")
    second = line(1, 4, c2="Theft of oil.", c3="Fine.", c4="Non-cognizable.", c5="Bailable.", c6="Any.")
    depends = line(2, 1, c1="49", c2="Abetment.", c3="Same.", c4="According as offence", c5="According as")
    ditto = line(2, 2, c1="50", c2="More.", c3="Ditto", c4="Ditto", c5="Bailable")
    assert entries(numbers, theft, rest, second, depends, ditto) == [
        ("303(2)", "Yes", "No"),
        ("303(2)", "No", "Yes"),
        ("49", "", ""),
        ("50", "", "Yes"),
    ]


def test_other_laws_and_other_tables_are_left_out() -> None:
    other = line(2, 0, c0="II.—CLASSIFICATION OF OFFENCES AGAINST OTHER LAWS")
    row = line(2, 1, c1="7", c2="x", c3="y", c4="Cognizable.", c5="Bailable.")
    assert entries(other, row) == []
    assert read_classification(row) == []


def schedule_page() -> bytes:
    """A page whose cells stand so close that MuPDF joins them."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((120, 60), "OFFENCES UNDER THE LAMP SANHITA", fontname="tiro")
    middles = (75, 140, 235, 320, 400, 480)
    for number, x in enumerate(middles, 1):
        page.insert_text((x, 80), str(number), fontname="tiro")
    rows = [("12", "Stealing a lamp.", "Fine.", "Cognizable.", "Non-bailable.", "Any court.")] * 4
    for k, cells in enumerate(rows):
        # one text a row, its words set at the columns: what a word processor's table becomes
        writer = pymupdf.TextWriter(page.rect)
        for x, cell in zip(EDGES, cells, strict=True):
            writer.append((x, 110 + 30 * k), cell + " ", fontsize=11)
        writer.write_text(page)
    return bytes(document.tobytes())


def test_cells_that_stand_close_are_cut_at_the_columns() -> None:
    lines = parse_document(schedule_page(), "d", ParseConfig(ocr="off"))["lines"].to_pylist()
    cells = [(r["column"], r["text"]) for r in lines if r["column"]]
    assert cells[:6] == [
        (1, "12"),
        (2, "Stealing a lamp."),
        (3, "Fine."),
        (4, "Cognizable."),
        (5, "Non-bailable."),
        (6, "Any court."),
    ]


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
def test_against_the_compiled_table(shared: Path, real_acts: dict[str, Tables]) -> None:
    """Sections of which no row of the compiled table is suspect or without an answer."""
    ours: dict[str, list[tuple[str, str]]] = {}
    for row in real_acts["bharatiya-nagarik-suraksha-sanhita-2023"]["classification"].to_pylist():
        ours.setdefault(row["number"], []).append((row["cognizable"], row["bailable"]))

    def answer(words: str, word: str) -> str:
        plain = words.lower().replace("-", "").replace(" ", "").strip(".")
        return {word: "Yes", f"non{word}": "No"}.get(plain, "")

    gold: dict[str, list[tuple[str, str]]] = {}
    suspect = set()
    for row in csv.DictReader((shared / "gold" / "bnss_first_schedule.csv").open(encoding="utf-8")):
        answers = (answer(row["cognizable"], "cognizable"), answer(row["bailable"], "bailable"))
        gold.setdefault(row["section"], []).append(answers)
        slipped = len(row["bailable"]) > 14 and not row["bailable"].startswith(("According", "Bailable if"))
        if row["suspect"] or slipped:  # words of the next column, not always marked
            suspect.add(row["section"])
    judged = [n for n in gold if n not in suspect]
    same = [n for n in judged if sorted(gold[n]) == sorted(ours.get(n, []))]
    assert len(judged) > 300 and len(same) >= 0.99 * len(judged), sorted(set(judged) - set(same))
