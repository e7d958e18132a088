"""A table with numbered columns, typeset as the Schedules of the Codes are: cells left of 4 flush, the others centred."""

from __future__ import annotations

from typing import Any

import pymupdf

from citegrain.tasks.offline.parse.layout import split_lines

_LEFT = [50.0, 86.0, 248.0, 347.0, 428.0, 474.0]
_RIGHT = [80.0, 240.0, 345.0, 420.0, 470.0, 560.0]
ROWS = [
    ["302", "Murder", "Death, or imprisonment", "Cognizable", "Non-bailable", "Court of Session."],
    [
        "323",
        "Voluntarily causing hurt",
        "Imprisonment for 1 year",
        "Non-cognizable",
        "Bailable",
        "Any Magistrate.",
    ],
    ["420", "Cheating", "Imprisonment for 7 years", "Ditto", "Ditto", "Ditto."],
    ["421", "Fraud", "Imprisonment for 2 years", "Ditto", "Ditto", "Ditto."],
    ["422", "Fraud", "Imprisonment for 2 years", "Ditto", "Ditto", "Ditto."],
]


def page(rows: list[list[str]]) -> pymupdf.Page:
    document = pymupdf.open()
    sheet = document.new_page()
    y = 100.0
    for row in [[str(n) for n in range(1, 7)], *rows]:
        for column, words in enumerate(row):
            width = pymupdf.get_text_length(words, fontsize=9)
            centred = row[0] == "1" or column >= 3
            middle = (_LEFT[column] + _RIGHT[column]) / 2
            x = middle - width / 2 if centred else _LEFT[column]
            sheet.insert_text((x, y), words, fontsize=9)
        y += 16
    return sheet


def lines(sheet: pymupdf.Page) -> list[dict[str, Any]]:
    blocks = sheet.get_text("rawdict")["blocks"]
    return [line for block in blocks if block["type"] == 0 for line in block["lines"]]


def test_centred_cells_stand_in_the_column_of_their_number() -> None:
    printed = lines(page(ROWS))
    cells: dict[float, dict[int, str]] = {}
    for line, column in split_lines(printed):
        if column:
            row = cells.setdefault(round(line["bbox"][1]), {})
            row[column] = f"{row.get(column, '')} {''.join(s['text'] for s in line['spans'])}".strip()
    read = [[row.get(c, "") for c in range(1, 7)] for _, row in sorted(cells.items())]
    assert read[-len(ROWS) :] == ROWS


def test_cells_that_are_printed_as_one_line_are_cut_at_wide_gaps() -> None:
    sheet = page(ROWS)
    sheet.insert_text((_LEFT[2], 300), "For 7 years" + " " * 30 + "Ditto", fontsize=9)
    joined = [
        (column, "".join(s["text"] for s in line["spans"]).strip())
        for line, column in split_lines(lines(sheet))
        if line["bbox"][1] > 280
    ]
    assert joined == [(3, "For 7 years"), (4, "Ditto")]
