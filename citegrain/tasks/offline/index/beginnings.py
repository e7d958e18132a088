"""First days of provisions that have no footnote: from a bracket around them or from what encloses them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from citegrain.tasks.law.citations import stands_alone

_LETTERED = re.compile(r"\d+[A-Z]+", re.IGNORECASE)
Row = Mapping[str, Any]


def beginnings(rows: Sequence[Row]) -> dict[int, tuple[date, str]]:
    """First day and its evidence, by row number, for rows without ``valid_from``.

    Sections 354A to 354D, inserted by one Act, stand in one bracket with one footnote, at the first of them.
    A sub-section is no older than its section, and a section no older than a Chapter inserted with it.

    Parameters
    ----------
    rows
        Of ``provisions``, of any number of Acts and versions.
    """
    begins: dict[int, tuple[date, str]] = {}
    by_version: dict[tuple[str, date | None], list[int]] = {}
    for i, row in enumerate(rows):
        by_version.setdefault((row["act_id"], row["version_date"]), []).append(i)
    for version in by_version.values():
        ordered = sorted(version, key=lambda i: rows[i]["ordinal"])
        units = [i for i in ordered if stands_alone(rows[i]["kind"], rows[i]["number"])]
        begins |= dict(_within_brackets(rows, units))
        at = {rows[i]["provision_id"]: i for i in ordered}
        for i in ordered:  # what encloses comes first
            above = at.get(rows[i]["parent_id"] or "")
            if above is None or above == i or rows[i]["valid_from"] is not None or i in begins:
                continue
            since: date | None = rows[above]["valid_from"]
            if since is not None:
                begins[i] = since, f"of what it stands in: {rows[above]['validity_evidence']}"
            elif above in begins:
                begins[i] = begins[above]
    return begins


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
                evidence = f"in one bracket with {row['number']}: {row['validity_evidence']}"
                yield from ((j, (row["valid_from"], evidence)) for j in run)
                break


def _closes(row: Row) -> bool:
    text: str = row["text"]
    return text.count("]") > text.count("[")
