"""Instructions as a file that a person reviews, and the provisions that they make."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.law.amending_acts.consolidate import Consolidated, Text, consolidated, occurrences
from citegrain.tasks.law.amending_acts.pending import PendingAmendments
from citegrain.tasks.law.amending_acts.rows import APPLIED, REVIEWED

Row = Mapping[str, Any]
_COLUMNS = (
    "instruction_id", "status", "amended_by", "target_id", "place", "kind", "occurrence", "old", "new",
    "reason", "doubt",
)  # fmt: skip


class ReviewError(ValueError, Expected):
    """A file of instructions cannot be read; the message says why."""


def to_csv(instructions: Iterable[Row]) -> str:
    """A line an instruction; of ``status`` a person makes ``reviewed``, and takes out what is wrong."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in instructions:
        writer.writerow({**row, "old": " | ".join(row["old"]), "new": " | ".join(row["new"])})
    return out.getvalue()


def reviewed(instructions: Sequence[Row], text: str) -> list[dict[str, Any]]:
    """The instructions that a reviewed file has, with its status; where it calls any reviewed, only those.

    Raises ReviewError if it has not the columns.
    """
    lines = list(csv.DictReader(io.StringIO(text)))
    if not lines or not {"instruction_id", "status"} <= set(lines[0]):
        raise ReviewError("instructions.csv: must have the columns instruction_id and status")
    status = {line["instruction_id"]: line["status"] for line in lines}
    rows = [
        {**row, "status": status[row["instruction_id"]]}
        for row in instructions
        if row["instruction_id"] in status
    ]
    checked = [row for row in rows if row["status"] in (REVIEWED, APPLIED)]
    return checked or rows


def amended(
    instructions: Sequence[Row], provisions: Sequence[Row], acts: Sequence[Row]
) -> Iterator[tuple[Row, Consolidated]]:
    """Each provision whose text does not show an amendment yet, and what the instructions make of it.

    ``provisions``: rows of ``provisions`` of the Acts that are amended, with all that stands in each.
    ``acts``: rows of ``acts``.
    """
    editions = {(act["document_id"], act["act_id"]): act for act in acts}
    by_target: dict[str, list[Row]] = {}
    for one in instructions:
        by_target.setdefault(one["target_id"], []).append(one)
    pending = PendingAmendments(instructions)
    for row in provisions:
        of_row = by_target.get(row["provision_id"], [])
        if of_row and pending.find(row, editions[row["document_id"], row["act_id"]], None):
            inner = f"{row['provision_id']}__"
            same = (r for r in provisions if r["document_id"] == row["document_id"])
            result = consolidated(Text(row, [r for r in same if r["provision_id"].startswith(inner)]), of_row)
            of_act = (one for one in by_target.get(row["act_id"], []) if not one["path"])
            if any(not one["old"] or occurrences(row["text"], one["old"][0]) for one in of_act):
                result.doubts.append("its words are amended with those of the whole Act")
            yield row, result
