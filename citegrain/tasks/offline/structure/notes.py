"""Footnotes as amendment notes, what an amending Act quotes, and tables in Schedules.

Of a note is read what was done, by which Act, from when.

A Schedule of limitation periods sets three columns side by side; read across, its rows mix the words of all
three. Here the lines of a record are gathered cell by cell: ``47. For money paid ... | Three years. | The
date of the failure.`` That of a Code of procedure says of each offence whether it is cognizable and bailable.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby, pairwise
from typing import Any

from citegrain.tasks.law.numbers import first_date
from citegrain.tasks.offline.structure.rows import Row, RunningText

STATE_AMENDMENT = re.compile(r"^\W*STATE\s+AMEND\w*\W*$", re.IGNORECASE)
"""The head of what States changed, in prints that have it."""
_LABEL = re.compile(r"^\W*?(\d{1,3}|[*†‡§#]{1,3}|[\ue000-\uf8ff])\s*[.)]?\s*(?=\S)")
_ACT = re.compile(
    r"\b(?:Act|Ord(?:inance)?\.?|Regulation|Reg\.)\s*(?:No\.?\s*)?(\d{1,3})\s+of\s+(\d{4})", re.IGNORECASE
)
_ADAPTATION = re.compile(r"\bA\.\s?L?\.?\s?O\.[,]?\s*(\d{4})", re.IGNORECASE)
_CONSTITUTION = re.compile(r"the (Constitution \([^)]+\) Act, \d{4})", re.IGNORECASE)
_EFFECT = re.compile(r"(?:w\.?\s?e\.?\s?f\.?|with effect from)(.{0,60})", re.IGNORECASE)
_QUOTES = frozenset("\"'“”‘’")
_NAMELY = re.compile(r"\b(?:inserted|substituted|added)\b[^.;]{0,90}\bnamely\s*[:;.,]*\s*[—–―-]*\s*$")
_CLOSED = re.compile(r"(?<=\S)[”\"’']\s*[.;,]*\s*(?:and|or)?\s*$")
_AMENDS = re.compile(
    r"\W*\d{1,3}\.\W.*\b(?:principal|said)\s+(?:Act|Code)\b|\W*\d{1,3}\.\s*(?:In|For|After)\b"
)
_VIDE = re.compile(r"^\W*Vide\b", re.IGNORECASE)
_LONGEST = 400  # rows of a quotation
_ACTIONS = (
    ("substituted", re.compile(r"\b(?:Subs\b|substituted)", re.IGNORECASE)),
    ("inserted", re.compile(r"\b(?:Ins\b|inserted|Added\b)", re.IGNORECASE)),
    ("repealed", re.compile(r"\b(?:Rep\b|repealed)", re.IGNORECASE)),
    ("omitted", re.compile(r"\b(?:Om\b|omitted)", re.IGNORECASE)),
    ("renumbered", re.compile(r"\bre-?(?:numbered|lettered)", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote. ``action`` is empty when it records none; ``by_act`` reads ``13 of 2013``."""

    page: int
    label: str
    text: str
    action: str
    by_act: str
    effective: date | None


def read_notes(rows: Sequence[Row]) -> dict[tuple[int, str], Note]:
    """Footnotes by page and label.

    ``ibid`` and an ``s. 5`` without an Act refer to the note before.
    """
    printed: list[tuple[int, str, list[str]]] = []
    for row in rows:
        label, rest = _label(row)
        if label and (not printed or row.page != printed[-1][0] or _follows(printed[-1][1], label)):
            printed.append((row.page, label, [rest]))
        elif printed:
            printed[-1][2].append(row.text)
    notes: dict[tuple[int, str], Note] = {}
    last_act = ""
    for page, label, parts in printed:
        text = re.sub(r"\s+", " ", " ".join(parts)).strip()
        act = _by_act(text)
        if not act and re.search(r"\bibid\b", text, re.IGNORECASE):
            act = last_act
        last_act = act or last_act
        actions = [(m.start(), name) for name, pattern in _ACTIONS if (m := pattern.search(text[:220]))]
        effect = _EFFECT.search(text)
        effective = first_date(effect[1]) if effect else None
        action = min(actions, default=(0, ""))[1]
        notes.setdefault((page, label), Note(page, label, text, action, act, effective))
    return notes


def _label(row: Row) -> tuple[str, str]:
    for offset, label in row.marks:
        if offset == 0:
            return label, row.text.lstrip(". ")
    match = _LABEL.match(row.text)
    return (match[1], row.text[match.end() :]) if match else ("", row.text)


def marks_of(
    rows: Sequence[Row], running: RunningText, notes: Mapping[tuple[int, str], Note]
) -> list[tuple[int, Note]]:
    """Each footnote that is marked in a running text, with the offset of its mark."""
    return [
        (running.starts[i] + min(offset, len(row.text)), notes[row.page, label])
        for i, row in enumerate(rows)
        for offset, label in row.marks
        if (row.page, label) in notes
    ]


def _follows(last: str, label: str) -> bool:
    """Whether ``label`` can begin the next note: one more, or a sign rather than a number."""
    if not label.isdigit() or not last.isdigit():
        return True
    return int(label) == int(last) + 1


def _by_act(text: str) -> str:
    if match := _ACT.search(text):
        return f"{match[1]} of {match[2]}"
    if match := _CONSTITUTION.search(text):
        return match[1]
    match = _ADAPTATION.search(text)
    return f"A.O. {match[1]}" if match else ""


def inserted_rows(rows: Sequence[Row]) -> set[int]:
    """Rows of what an amending Act quotes: from a sign of quotation behind ``namely`` to where it closes.

    None of an Act that is printed with State amendments, each with its note, ``[Vide ...]``: their
    quotations often have no end.
    """
    inside: set[int] = set()
    if any(STATE_AMENDMENT.match(row.text) or _VIDE.match(row.text) for row in rows):
        return inside
    for at in range(1, len(rows)):
        if at in inside or rows[at].text[:1] not in _QUOTES:
            continue
        if not _NAMELY.search(" ".join(row.text for row in rows[max(0, at - 3) : at])):
            continue
        for end in range(at, min(at + _LONGEST, len(rows))):
            if end > at and _AMENDS.match(rows[end].text):  # the sign that closes is missing
                break
            if _CLOSED.search(rows[end].text):
                inside.update(range(at, end + 1))
                break
    return inside


_RECORD = re.compile(
    r"^\W*(?:\d{1,3}[A-Z]{0,3}\s*[.)]|\d{1,3}[A-Z]{0,3}(?:\(\d+\))?$|\([a-z]{1,3}\)|[IVX]{1,4}\.)"
)
_NEAR = 1.27  # sizes of type

_HEADING = re.compile(r"OFFENCES\s+UNDER\s+(?:THE\s+)?(?P<law>[A-Z][A-Z ,()&\-]+?)\s*$")
_OTHER_LAWS = re.compile(r"OFFENCES\s+AGAINST\s+OTHER\s+LAWS")
_NUMBER = re.compile(r"^\W{0,2}(?P<number>\d{1,3}[A-Z]{0,3}(?:\s?\(\s?\w{1,4}\s?\))*)")
_PART = re.compile(r"^\W{0,2}(?P<part>\(\s?[a-z]{1,3}\s?\))")
_LETTERED = re.compile(r"\([a-z]{1,3}\)$")
_DITTO = re.compile(r"^\W*(?:ditto|do)\W*$", re.IGNORECASE)
_COLUMNS = 6


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
            row, since = rows[j], j - last
            if row.cells:
                last = j
            elif row.x1 - row.x0 > 0.72 * width or (row.centred and since > 2) or since > 14:
                break
            j += 1
        else:
            last = j - 1
        runs.append((i, last + 1))
        i = last + 1
    return runs


def read_grids(rows: Sequence[Row], width: float) -> list[Row]:
    """Rows with each table record as one row of cells joined by `` | ``; other rows as they are."""
    out: list[Row] = []
    done = 0
    previous: list[float] = []  # columns of the table before: the short rest of a table shows none
    for first, last in _runs(rows, width):
        out += rows[done:first]
        run = rows[first:last]
        columns = _columns(run, width)
        in_cells = sum(len(row.cells) >= 2 for row in run)
        if len(run) < 4 or not 2 <= len(columns) <= 9 or in_cells < 3:
            columns = previous if _fits(run[0], previous) else []
        out += _read_run(run, columns) if columns else run
        previous = columns or previous
        done = last
    out += rows[done:]
    return out


def _fits(row: Row, columns: Sequence[float]) -> bool:
    return len(row.cells) == len(columns) > 1 and all(
        any(abs(x0 - c) < 3 * _NEAR * row.size for c in columns) for x0, _, _ in row.cells
    )


def _read_run(rows: Sequence[Row], columns: Sequence[float]) -> list[Row]:
    records: list[tuple[Row, list[list[str]], list[tuple[int, int]]]] = []
    for row in rows:
        cells = row.cells or ((row.x0, row.x1, row.text),)
        starts_record = cells[0][0] < columns[1] - _NEAR * row.size / 2 and bool(_RECORD.match(cells[0][2]))
        if starts_record or not records:
            records.append((row, [[] for _ in columns], []))
        records[-1][2].extend(row.printed)
        for x0, _, text in cells:
            at = max((k for k, c in enumerate(columns) if x0 >= c - 2 * _NEAR * row.size), default=0)
            records[-1][1][at].append(text)
    if len(records) < 2 and not _RECORD.match(records[0][0].text):
        return list(rows)
    out = []
    for row, cells_of, printed in records:
        text = re.sub(r"\s+", " ", " | ".join(" ".join(lines) for lines in cells_of if lines))
        out.append(replace(row, text=text, cells=(), centred=False, printed=tuple(printed)))
    return out


@dataclass(slots=True)
class ScheduleRow:
    """One line of the Schedule: the words of its six columns."""

    law: str
    number: str
    page: int
    cells: dict[int, str] = field(default_factory=dict)

    def words(self, column: int) -> str:
        return self.cells.get(column, "")

    def answer(self, column: int, word: str) -> str:
        """``Yes`` for the bare word, ``No`` for non- and the word, else empty: it depends."""
        match = re.fullmatch(rf"\W*(non\W*)?{word}\W*", self.words(column), re.IGNORECASE)
        return "" if match is None else ("No" if match[1] else "Yes")


def read_classification(lines: Sequence[Mapping[str, Any]]) -> list[ScheduleRow]:
    """Entries of the part of the Schedule that goes section by section, from the lines of an Act's body."""
    entries: list[ScheduleRow] = []
    law = ""
    for page, cells, text in _rows(lines):
        if _OTHER_LAWS.search(text):
            law = ""
        elif heading := _HEADING.search(text):
            law = " ".join(heading["law"].split()).title()
        numbers = len(cells) > 3 and all(words.strip().isdigit() for words in cells.values())
        if not law or not cells or numbers:
            continue
        if number := _NUMBER.match(cells.get(1, "")):
            entries.append(ScheduleRow(law, re.sub(r"\s", "", number["number"]), page))
        elif not entries or entries[-1].law != law:
            continue
        elif part := _PART.match(cells.get(1, "")):
            _take_part(entries, re.sub(r"\s", "", part["part"]), page, opens=_opens(cells))
        elif _opens(cells):
            entries.append(ScheduleRow(law, entries[-1].number, page))
        for column, words in cells.items():
            if column > 1:
                entries[-1].cells[column] = _appended(entries[-1].words(column), words)
    entries = [e for e in entries if e.words(4) or e.words(5)]
    for before, entry in pairwise(entries):
        for column, words in entry.cells.items():
            if _DITTO.match(words):
                entry.cells[column] = before.words(column)
    return entries


def _rows(lines: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, dict[int, str], str]]:
    """(page, words by column, whole text) of each visual row; no columns where it is not of a table."""
    for (page, _), group in groupby(lines, key=lambda line: (line["page"], line["row"])):
        row = list(group)
        cells: dict[int, str] = {}
        for line in row:
            if 0 < line["column"] <= _COLUMNS:
                cells[line["column"]] = _appended(cells.get(line["column"], ""), line["text"])
        yield page, cells, " ".join(line["text"] for line in row)


def _take_part(entries: list[ScheduleRow], part: str, page: int, *, opens: bool) -> None:
    """A number that goes on in the next row: ``111(2)``, then ``(a)``; or another part of it: ``(b)``."""
    last = entries[-1]
    base = _LETTERED.sub("", last.number)
    if base == last.number and not opens:
        last.number += part
    else:
        entries.append(ScheduleRow(last.law, base + part, page))


def _opens(cells: Mapping[int, str]) -> bool:
    """Whether a row without a number begins another entry of the same section: all its cells begin there."""
    begun = [cells.get(column, "") for column in (2, 3, 4, 5)]
    return all(words[:1].isupper() for words in begun)


def _appended(words: str, more: str) -> str:
    if re.search(r"[A-Za-z]-$", words) and more[:1].islower():
        return words + more  # non-|cognizable keeps its hyphen
    return f"{words} {more}".strip()
