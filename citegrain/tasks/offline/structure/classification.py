"""The Schedule of a Code of procedure that says of each offence whether it is cognizable and bailable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any

_HEADING = re.compile(r"OFFENCES\s+UNDER\s+(?:THE\s+)?(?P<law>[A-Z][A-Z ,()&\-]+?)\s*$")
_OTHER_LAWS = re.compile(r"OFFENCES\s+AGAINST\s+OTHER\s+LAWS")
_NUMBER = re.compile(r"^\W{0,2}(?P<number>\d{1,3}[A-Z]{0,3}(?:\s?\(\s?\w{1,4}\s?\))*)")
_PART = re.compile(r"^\W{0,2}(?P<part>\(\s?[a-z]{1,3}\s?\))")
_LETTERED = re.compile(r"\([a-z]{1,3}\)$")
_DITTO = re.compile(r"^\W*(?:ditto|do)\W*$", re.IGNORECASE)
_COLUMNS = 6


@dataclass(slots=True)
class Entry:
    """One line of the Schedule: the words of its six columns."""

    law: str
    number: str
    page: int
    cells: dict[int, str] = field(default_factory=dict)

    def words(self, column: int) -> str:
        """Words of a column, on one line."""
        return self.cells.get(column, "")

    def answer(self, column: int, word: str) -> str:
        """``Yes`` for the bare word, ``No`` for non- and the word, else empty: it depends."""
        match = re.fullmatch(rf"\W*(non\W*)?{word}\W*", self.words(column), re.IGNORECASE)
        return "" if match is None else ("No" if match[1] else "Yes")


def read_classification(lines: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Entries of the part of the Schedule that goes section by section.

    Parameters
    ----------
    lines
        Rows of ``lines`` of the body of one Act, in reading order.
    """
    entries: list[Entry] = []
    law = ""
    for page, cells, text in _rows(lines):
        if _OTHER_LAWS.search(text):
            law = ""
        elif heading := _HEADING.search(text):
            law = " ".join(heading["law"].split()).title()
        if (
            not law
            or not cells
            or (all(words.strip().isdigit() for words in cells.values()) and len(cells) > 3)
        ):
            continue
        number = _NUMBER.match(cells.get(1, ""))
        if number:
            entries.append(Entry(law, re.sub(r"\s", "", number["number"]), page))
        elif not entries or entries[-1].law != law:
            continue
        elif part := _PART.match(cells.get(1, "")):
            _take_part(entries, re.sub(r"\s", "", part["part"]), page, opens=_opens(cells))
        elif _opens(cells):
            entries.append(Entry(law, entries[-1].number, page))
        for column, words in cells.items():
            if column > 1:
                entries[-1].cells[column] = _appended(entries[-1].words(column), words)
    return _without_ditto([e for e in entries if e.words(4) or e.words(5)])


def _rows(lines: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, dict[int, str], str]]:
    """(page, words by column, whole text) of each visual row; no columns where it is not of a table."""
    for (page, _), group in groupby(lines, key=lambda line: (line["page"], line["row"])):
        row = list(group)
        cells: dict[int, str] = {}
        for line in row:
            if 0 < line["column"] <= _COLUMNS:
                cells[line["column"]] = _appended(cells.get(line["column"], ""), line["text"])
        yield page, cells, " ".join(line["text"] for line in row)


def _take_part(entries: list[Entry], part: str, page: int, *, opens: bool) -> None:
    """A number that goes on in the next row: ``111(2)``, then ``(a)``; or another part of it: ``(b)``."""
    last = entries[-1]
    base = _LETTERED.sub("", last.number)
    if base == last.number and not opens:
        last.number += part
    else:
        entries.append(Entry(last.law, base + part, page))


def _opens(cells: Mapping[int, str]) -> bool:
    """Whether a row without a number begins another entry of the same section: all its cells begin there."""
    begun = [cells.get(column, "") for column in (2, 3, 4, 5)]
    return all(words[:1].isupper() for words in begun)


def _appended(words: str, more: str) -> str:
    if re.search(r"[A-Za-z]-$", words) and more[:1].islower():
        return words + more  # non-|cognizable keeps its hyphen
    return f"{words} {more}".strip()


def _without_ditto(entries: list[Entry]) -> list[Entry]:
    """Entries in which "Ditto" is what the entry before says."""
    for before, entry in pairwise(entries):
        for column, words in entry.cells.items():
            if _DITTO.match(words):
                entry.cells[column] = before.words(column)
    return entries
