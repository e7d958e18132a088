"""Which of a build's provisions are law on a day."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.tables import dates_in
from citegrain.tasks.law.asof import is_procedural
from citegrain.tasks.law.numbers import LONG_DATE, first_date

Mask = npt.NDArray[np.bool_]
Days = npt.NDArray[np.int64]
_DAYS = 500  # whose masks are in memory
NEVER = np.iinfo(np.int64).max
STRUCK = re.compile(r"\bstruck\s+down\b|\bunconstitutional\b|\bdeclared\s+(?:invalid|void)\b", re.IGNORECASE)
GONE, NOT_YET, UNKNOWN, STRUCK_DOWN = "gone", "not_yet", "unknown", "struck_down"
UNDATED = ": the last day of its year, for its own is not printed"
"""Behind the note of an insertion of which the print tells no more than its Act."""
_DONE = re.compile(
    r"\b(?:(?P<new>ins(?:\.|erted)|added|commencement at)|subs(?:\.|tituted)?)(?!\w)", re.IGNORECASE
)
_YEAR = re.compile(r"\b(?:1[789]|20)\d\d\b")
_STAGE = re.compile(r"(?:^|[.;]|\d{4})\s*$")
_EXCEPT = re.compile(r"\bexcept\b[^\]]*?(?=\]|,?\s*vide\b|$)", re.IGNORECASE)
_THIS = re.compile(r"\bThis\s+(?:amendment|section|article)\b")


def struck_note(row: Mapping[str, Any]) -> str:
    """The note of a row of ``provisions`` that says that a court struck the whole of it down; else empty.

    It names its number, or says it of the amendment that inserted it.
    """
    number = re.compile(rf"\b{re.escape(row['number'])}\b")
    for note in row["notes"]:
        inserts = note["action"] == "inserted" and note["offset"] <= row["char_start"] + 1
        is_whole = number.search(note["text"][:40]) or (inserts and _THIS.search(note["text"]))
        if is_whole and STRUCK.search(note["text"]):
            return str(note["text"])
    return ""


def absence(row: Mapping[str, Any], act: Mapping[str, Any], day: date) -> tuple[str, str]:
    """Why a row of ``provisions`` that is not law on a day is not, and that in words; they may be empty.

    ``gone``, ``not_yet``, ``struck_down``; or ``unknown``: what the text at hand replaced or does not have
    may have been law, in words that are not at hand. ``act``: its row of ``acts``.
    """
    begins, since, until = act["in_force_from"], row["valid_from"] or act["in_force_from"], row["valid_to"]
    done, is_new_act = _DONE.search(row["validity_evidence"] or ""), bool(begins and begins > day)
    if is_new_act or (since and since > day and done and done["new"]):
        if not (row["validity_evidence"] or "").partition(";")[0].endswith(UNDATED):
            return NOT_YET, f"law since {since}"
        year = f"inserted by an Act of {since.year}"
        before = day.year < since.year
        return (NOT_YET, year) if before else (UNKNOWN, f"{year}, its first day is not printed")
    if since and since > day:
        return UNKNOWN, f"law since {since}; what stood there before is not known"
    if (note := struck_note(row)) and not (until and day <= until):
        return STRUCK_DOWN, note
    if row["status"] == "in_force" or not (
        day <= until if until else row["version_date"] and day < row["version_date"]
    ):
        return GONE, ""
    gone = f"{row['status']} before the edition at hand"
    if until:
        return UNKNOWN, f"{gone}, law until {until}; what it said is not known"
    return UNKNOWN, f"{gone}; whether it was law on {day} is not known"


def to_come(row: Mapping[str, Any], day: date) -> list[str]:
    """Notes of a row of ``provisions`` on amendments that its text shows and that begin after a day."""
    return [n["text"] for n in row["notes"] if n["action"] and n["effective"] and n["effective"] > day]


def noted_until(rows: Iterable[Mapping[str, Any]]) -> tuple[int, date]:
    """The latest year of an Act, and the latest day, of which notes of rows of ``provisions`` tell."""
    notes = [note for row in rows for note in row["notes"] if note["action"]]
    years = [int(year) for note in notes for year in _YEAR.findall(note["by_act"] or "")]
    return max(years, default=0), max((n["effective"] for n in notes if n["effective"]), default=date.min)


def stages(note: str) -> list[tuple[int, date]]:
    """Where each stage of a note on commencement begins, and its day."""
    starts = (m for m in LONG_DATE.finditer(note) if _STAGE.search(note[: m.start()]))
    return [(m.start(), day) for m in starts if (day := first_date(m[0]))]


def commencement_doubt(first: Mapping[str, Any], row: Mapping[str, Any], day: date) -> str:
    """What the note at section 1, the row ``first``, leaves open of a provision in force; else empty."""
    number = re.compile(rf"\b(?:sections?|ss?\.)(?:[^\]]*\W)?{re.escape(row['number'])}(?!\w)", re.IGNORECASE)
    for note in first["notes"]:
        if note["action"] or "vide" not in note["text"].lower():
            continue
        for excepted in _EXCEPT.finditer(note["text"]):
            if number.search(excepted[0]) and "entry" not in excepted[0]:
                return f"the note on commencement says “{excepted[0]}”, and no later day is printed."
        days = [begun for _, begun in stages(note["text"])]
        if len(days) > 1 and day < days[-1] and (row["validity_evidence"] or "").startswith("registry"):
            until = f"its Act came into force in stages until {days[-1]}"
            return f"{until}: whether it was law on {day} is not known."
    return ""


class LawInForce:
    """Provisions in force by day, worked out once a day asked.

    With a day: of each Act the version of that day (the latest not after it, else the earliest),
    and of that version the provisions in force. Of a provision that was amended between two
    versions the later one counts from the day of the amendment, if its notes tell that day.
    Without a day: the latest version of each Act, whatever its dates. An edition in another
    language is chosen by itself. What is omitted or repealed is never law, nor is what the
    registry calls inactive.
    """

    def __init__(self, acts: pa.Table, provisions: pa.Table) -> None:
        columns = ["act_id", "version_date", "number", "active", "language", "title"]
        self._acts = acts.select(columns).to_pylist()
        self._columns = provisions.select(
            ["provision_id", "act_id", "version_date", "status", "valid_from", "valid_to"]
        )
        self._masks: dict[date | None, Mask] = {}

    def mask(self, as_of: date | None, step: date | None = None) -> Mask:
        """What may be returned on a day, of procedural law on that of ``step``: bool, shape (provisions,)."""
        if step is not None:
            return np.where(self._procedural, self.mask(step), self.mask(as_of))
        if as_of not in self._masks:
            if len(self._masks) >= _DAYS:
                self._masks.clear()
            self._masks[as_of] = self._mask(as_of)
        return self._masks[as_of]

    def holds(self, provision_id: str, as_of: date | None, step: date | None = None) -> bool:
        """Whether any version of a provision is law on a day."""
        return bool(self.rows(provision_id, as_of, step))

    def rows(self, provision_id: str, as_of: date | None, step: date | None = None) -> list[int]:
        """Rows of the versions of a provision that are law on a day."""
        mask = self.mask(as_of, step)
        return [row for row in self.versions(provision_id) if mask[row]]

    def versions(self, provision_id: str) -> list[int]:
        """Rows of all versions of a provision."""
        return self._rows.get(provision_id, [])

    def beginnings(self, provision_id: str) -> list[tuple[int, date]]:
        """Rows of the versions of a provision with the first day on which each counts, the oldest first."""
        days = [(int(self._terms[0][row]), row) for row in self.versions(provision_id)]
        return [(row, date.fromordinal(max(day, 1))) for day, row in sorted(days)]

    def _mask(self, as_of: date | None) -> Mask:
        first, end = self._terms
        if as_of is None:
            return np.asarray(self._living & (end == NEVER))
        years = ((act["act_id"], act["number"].rpartition(" ")[2]) for act in self._acts)  # 45 of 1860
        unborn = [act_id for act_id, year in years if year.isdigit() and int(year) > as_of.year]
        day = as_of.toordinal()
        allowed: Mask = self._living & ~self._of_acts(unborn) & (first <= day) & (day < end)
        return allowed & (self._first <= day) & (day <= self._last)

    def _of_acts(self, act_ids: list[str]) -> Mask:
        """Which provisions are of some Acts."""
        return np.asarray(pc.is_in(self._columns.column("act_id"), value_set=pa.array(act_ids, pa.string())))

    @cached_property
    def _terms(self) -> tuple[Days, Days]:
        """Of each row the first day on which its version counts, and the first on which another does.

        A version counts from the day of its edition, the earliest from ever. Where it has a beginning of its
        own behind the edition before, it counts from there, and the one before it until then.
        """
        first, end = np.zeros(len(self._first), np.int64), np.full(len(self._first), NEVER)
        editions: dict[tuple[str, str], set[date | None]] = {}
        for act in self._acts:
            editions.setdefault((act["act_id"], act["language"]), set()).add(act["version_date"])
        rows: dict[tuple[str, date | None], dict[str, int]] = {}
        for row, provision_id in enumerate(self._columns.column("provision_id").to_pylist()):
            rows.setdefault(self._acts_of[row], {})[provision_id] = row
        for (act_id, _), versions in editions.items():
            days = sorted(day for day in versions if day is not None)
            for earlier, later in itertools.pairwise(days):
                old, new = rows.get((act_id, earlier), {}), rows.get((act_id, later), {})
                for provision_id, row in new.items():
                    begins, before = self._first[row], old.get(provision_id)
                    of_its_own = before is None or self._first[before] != begins
                    first[row] = begins if of_its_own and begins > earlier.toordinal() else later.toordinal()
                for provision_id, row in old.items():
                    end[row] = first[new[provision_id]] if provision_id in new else later.toordinal()
            for row in rows.get((act_id, None), {}).values() if days else ():
                end[row] = 0
        return first, end

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        out: dict[str, list[int]] = {}
        for row, provision_id in enumerate(self._columns.column("provision_id").to_pylist()):
            out.setdefault(provision_id, []).append(row)
        return out

    @cached_property
    def _acts_of(self) -> list[tuple[str, date | None]]:
        versions = dates_in(self._columns.column("version_date"))
        return list(zip(self._columns.column("act_id").to_pylist(), versions, strict=True))

    @cached_property
    def _living(self) -> Mask:
        inactive = {(act["act_id"], act["version_date"]) for act in self._acts if not act["active"]}
        status = self._columns.column("status").to_pylist()
        pairs = zip(status, self._acts_of, strict=True)
        living = [s == "in_force" and pair not in inactive for s, pair in pairs]
        return np.array(living, dtype=bool)

    @cached_property
    def _procedural(self) -> Mask:
        return self._of_acts([act["act_id"] for act in self._acts if is_procedural(act["title"])])

    @cached_property
    def _first(self) -> Days:
        return self._days("valid_from", 0)

    @cached_property
    def _last(self) -> Days:
        return self._days("valid_to", NEVER)

    def _days(self, column: str, unknown: int) -> Days:
        days = dates_in(self._columns.column(column))
        return np.array([day.toordinal() if day else unknown for day in days], dtype=np.int64)
