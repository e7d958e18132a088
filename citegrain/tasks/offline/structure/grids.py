"""Tables in schedules, read record by record instead of line by line.

A schedule of limitation periods sets three columns side by side; read across,
its rows mix the words of all three. Here the lines of a record are gathered
cell by cell: ``47. For money paid ... | Three years. | The date of the failure.``
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from citegrain.tasks.offline.structure.rows import Row

_RECORD = re.compile(
    r"^\W*(?:\d{1,3}[A-Z]{0,3}\s*[.)]|\d{1,3}[A-Z]{0,3}(?:\(\d+\))?$|\([a-z]{1,3}\)|[IVX]{1,4}\.)"
)
_NEAR = 14.0


def _columns(rows: Sequence[Row], width: float) -> list[float]:
    """Left edges of the columns of a table: gaps that no cell of its rows bridges."""
    cells = sorted((x0, x1) for row in rows for x0, x1, _ in row.cells if x1 - x0 < 0.6 * width)
    columns: list[list[float]] = []
    for x0, x1 in cells:
        if columns and x0 < columns[-1][1] + 2:
            columns[-1][1] = max(columns[-1][1], x1)
            columns[-1][2] += 1
        else:
            columns.append([x0, x1, 1])
    return [x0 for x0, _, count in columns if count >= 2]


def _runs(rows: Sequence[Row], width: float) -> list[tuple[int, int]]:
    """Spans of rows that look like one table on one page."""
    runs: list[tuple[int, int]] = []
    i = 0
    while i < len(rows):
        if not rows[i].cells:
            i += 1
            continue
        j, last = i, i
        while j < len(rows) and rows[j].page == rows[i].page:
            if rows[j].cells:
                last = j
            elif (
                rows[j].x1 - rows[j].x0 > 0.72 * width or (rows[j].centred and j - last > 2) or j - last > 14
            ):
                break
            j += 1
        else:
            last = j - 1 if j - 1 - last <= 14 else last
        runs.append((i, last + 1))
        i = last + 1
    return runs


def read_grids(rows: Sequence[Row], width: float) -> list[Row]:
    """Rows with each table record as one row of cells joined by `` | ``; other rows as they are."""
    out: list[Row] = []
    done = 0
    known: list[float] = []  # columns of the table before: the short rest of a table shows none
    for first, last in _runs(rows, width):
        out += rows[done:first]
        run = rows[first:last]
        columns = _columns(run, width)
        if not _is_table(run, columns):
            columns = known if _fits(run[0], known) else []
        out += _read_run(run, columns) if columns else run
        known = columns or known
        done = last
    out += rows[done:]
    return out


def _is_table(rows: Sequence[Row], columns: Sequence[float]) -> bool:
    return len(rows) >= 4 and 2 <= len(columns) <= 9 and sum(len(row.cells) >= 2 for row in rows) >= 3


def _fits(row: Row, columns: Sequence[float]) -> bool:
    """Whether every cell of a row begins near a column."""
    return len(row.cells) == len(columns) > 1 and all(
        any(abs(x0 - c) < 3 * _NEAR for c in columns) for x0, _, _ in row.cells
    )


def _read_run(rows: Sequence[Row], columns: Sequence[float]) -> list[Row]:
    records: list[tuple[Row, list[list[str]]]] = []
    for row in rows:
        cells = row.cells or ((row.x0, row.x1, row.text),)
        starts_record = cells[0][0] < columns[1] - _NEAR / 2 and bool(_RECORD.match(cells[0][2]))
        if starts_record or not records:
            records.append((row, [[] for _ in columns]))
        for x0, _, text in cells:
            at = max((k for k, c in enumerate(columns) if x0 >= c - 2 * _NEAR), default=0)
            records[-1][1][at].append(text)
    if len(records) < 2 and not _RECORD.match(records[0][0].text):
        return list(rows)
    out = []
    for row, cells_of in records:
        text = " | ".join(" ".join(lines) for lines in cells_of if lines)
        out.append(replace(row, text=re.sub(r"\s+", " ", text), cells=(), centred=False, x1=row.x1))
    return out
