"""Since when provisions without a note of their own are law: by a bracket around them, or what is above."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from citegrain.tasks.law.citations import stands_alone

_LETTERED = re.compile(r"\d+[A-Z]+", re.IGNORECASE)
Row = Mapping[str, Any]


def beginnings(rows: Sequence[Row]) -> dict[int, tuple[date, str]]:
    """First day and its evidence, by the number of the row, of rows that have no ``valid_from``.

    Sections 354A to 354D, inserted by one Act, stand in one bracket with one footnote, at the first of them.
    And a sub-section is no older than its section, nor a section than the Chapter that was inserted with it.

    Parameters
    ----------
    rows
        Of ``provisions``, of any number of Acts and versions.
    """
    found: dict[int, tuple[date, str]] = {}
    by_version: dict[tuple[str, date | None], list[int]] = {}
    for i, row in enumerate(rows):
        by_version.setdefault((row["act_id"], row["version_date"]), []).append(i)
    for version in by_version.values():
        ordered = sorted(version, key=lambda i: rows[i]["ordinal"])
        units = [i for i in ordered if stands_alone(rows[i]["kind"], rows[i]["number"])]
        found |= dict(_within_brackets(rows, units))
        at = {rows[i]["provision_id"]: i for i in ordered}
        for i in ordered:  # what encloses comes first
            above = at.get(rows[i]["parent_id"] or "")
            if above is None or above == i or rows[i]["valid_from"] is not None or i in found:
                continue
            own: date | None = rows[above]["valid_from"]
            if own is not None:
                found[i] = own, f"of what it stands in: {rows[above]['validity_evidence']}"
            elif above in found:
                found[i] = found[above]
    return found


def _within_brackets(rows: Sequence[Row], units: Sequence[int]) -> Iterator[tuple[int, tuple[date, str]]]:
    """Lettered provisions between the note that inserts the first of them and the end of its bracket."""
    for start, first in enumerate(units):
        row = rows[first]
        opens = any(n["offset"] <= row["char_start"] + 1 and n["action"] == "inserted" for n in row["notes"])
        if not opens or row["valid_from"] is None or _closes(row):
            continue
        run: list[int] = []
        for i in units[start + 1 :]:
            # a bracket whose end was not read must not reach sections that were always there
            if not _LETTERED.fullmatch(rows[i]["number"]) or rows[i]["notes"] or rows[i]["valid_from"]:
                break
            run.append(i)
            if _closes(rows[i]):
                told = f"in one bracket with {row['number']}: {row['validity_evidence']}"
                yield from ((j, (row["valid_from"], told)) for j in run)
                break


def _closes(row: Row) -> bool:
    text: str = row["text"]
    return text.count("]") > text.count("[")
