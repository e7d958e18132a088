"""Spreadsheets: each sheet a page, each row a row of a table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import date, datetime
from io import BytesIO
from typing import Any

from citegrain.tasks.kinds.office.blocks import Block, row_blocks

_MAX_COLUMNS = 256
_MAX_ROWS = 1_048_576  # of Excel


def read_sheets(data: bytes) -> tuple[Iterator[Block], date | None, list[str]]:
    """The rows of all visible sheets, the date of the last change, and what was left out."""
    import openpyxl  # who opens no spreadsheet does not need it

    with warnings.catch_warnings(action="ignore"):  # of styles, which are not read
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
    sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    hidden = len(book.worksheets) - len(sheets)
    left_out = [f"{hidden} hidden sheets were not read"] if hidden else []
    changed = book.properties.modified or book.properties.created
    return _rows(sheets, left_out), changed.date() if isinstance(changed, datetime) else None, left_out


def _rows(sheets: list[Any], left_out: list[str]) -> Iterator[Block]:
    for sheet in sheets:
        wider = False
        sheet.reset_dimensions()  # what the file says of its size may be wrong
        yield Block(sheet.title, role="header", opens_page=True)
        for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
            if number > _MAX_ROWS:  # the library counts up to whatever number a row claims
                raise ValueError(f"a row beyond row {_MAX_ROWS}, the last that a sheet can have")
            texts = [_shown(value) for value in values[:_MAX_COLUMNS]]
            wider = wider or any(map(_shown, values[_MAX_COLUMNS:]))
            while texts and not texts[-1]:
                texts.pop()
            yield from row_blocks([[Block(text)] if text else [] for text in texts])
        if wider:
            left_out.append(f"sheet {sheet.title}: what stands behind column {_MAX_COLUMNS} was not read")


def _shown(value: Any) -> str:
    """A cell as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        value = value.date() if value.time() == value.time().min else value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return " ".join(str(value).split())
