"""Amendments that the text at hand does not carry yet, and a file of instructions that a person reviews."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.law.amending_acts import instructions as kinds
from citegrain.tasks.law.amending_acts.consolidate import (
    Consolidated,
    Text,
    consolidated,
    keys_of,
    occurrences,
)
from citegrain.tasks.law.amending_acts.drafting import SAYS_MORE
from citegrain.tasks.law.amending_acts.places import sections_in
from citegrain.tasks.law.amending_acts.rows import APPLIED, REVIEWED, schedule_number
from citegrain.tasks.law.instruments import CONSTITUTION

Row = Mapping[str, Any]
CARRIED, OPEN, UNCLEAR = "carried", "open", "unclear"
_RELIABLE = ("as_on", "published")  # what speaks for the day of an edition
_ENDS = re.compile(r"(?<=[;.:,])|[\s\]]*(?:[;.:,]|\n|$)")
_OF_CHAPTER = re.compile(r"^\s*(?:CHAPTER|PART|Chapter|Part)\b.*?\s(?=\[?\d{1,3}-?[A-Z]{0,3}\.\s)", re.DOTALL)
_GRAM = 4  # words
_FEW = 0.35  # share of the runs of the new words that stand in the text by chance, or as they were before
_FEWEST = 3  # words that are not there by chance


@dataclass(frozen=True)
class Pending:
    """An amendment of a provision that its text does not show.

    ``since``: first day, ISO; only the year where no more is known. ``is_whole``: whether all of the Act is
    meant, as no provision was read. ``place``: its section that amends; empty where it is of the registry.
    ``inserted``: numbers of new provisions behind or before this one, where nothing else of it is amended.
    """

    since: str
    amended_by: str
    place: str
    is_whole: bool = False
    inserted: tuple[str, ...] = ()


class PendingAmendments:
    """The amendments that are not in a build's texts yet, by its rows of ``instructions``."""

    def __init__(self, instructions: Iterable[Row]) -> None:
        self._by_act: dict[str, list[Row]] = {}
        for row in instructions:
            self._by_act.setdefault(row["target_act"], []).append(row)

    def find(
        self,
        provision: Row,
        act: Row,
        day: date | None,
        chapter: str = "",
        has: Callable[[str], bool] = lambda _: True,
    ) -> Pending | None:
        """The first amendment that the text of a provision does not show, of those that are law on a day.

        ``provision``: its row of ``provisions``. ``act``: the row of ``acts`` of its edition. ``day``: None
        counts all. ``chapter``: number of the Chapter or Part in which it stands. ``has``: whether the
        edition has a provision of an id. What it lacks and is to be inserted beside this one is found if
        nothing else is.
        """
        open_ones = [
            one
            for one in self._by_act.get(provision["act_id"], ())
            if _concerns(one, provision, chapter) and _counts(one, day) and _is_open(one, provision, act)
        ]
        if not open_ones:
            return self._new_neighbours(provision, act, day, has)
        first = min(open_ones, key=_first_day)
        return Pending(_since(first), first["amended_by"], str(first["provision_id"]), _is_whole(first))

    def inserting(self, provision_id: str) -> Row | None:
        """The instruction by which a provision is inserted; None if none is known."""
        act, prefix = provision_id.partition("/")[0], provision_id.rpartition("_")[0]
        for one in self._by_act.get(act, ()):
            if any(f"{prefix}_{number}" == provision_id for _, number, _ in _inserted(one)):
                return one
        return None

    def carried(self, editions: Callable[[str], Sequence[tuple[Row, Row, date]]]) -> dict[str, date]:
        """First day on which the law has all that a provision does to others, by the ids of such provisions.

        One that says more than was read, as of what it saves, is none.

        ``editions``: of a provision rows of ``provisions`` and ``acts``, and the first day, the oldest first.
        """
        days: dict[str, date] = {}
        for one in chain.from_iterable(self._by_act.values()):
            target, since = one["target_id"], date.min
            new = {f"{near.rpartition('_')[0]}_{number}": text for near, number, text in _inserted(one)}
            is_new_only = new and (one["kind"] != kinds.SUBSTITUTE or target == one["target_act"])
            for name in (*new, *(() if is_new_only else (target,))):
                first = date.max
                for row, act, begins in reversed(editions(name)):
                    is_open = (
                        _block(row["text"], new[name]) == OPEN if name in new else _is_open(one, row, act)
                    )
                    unread = one["reason"] or SAYS_MORE in one["doubt"]
                    if is_open or unread or row["document_id"] == one["document_id"]:
                        break
                    first = begins
                since = max(since, first)
            days[one["provision_id"]] = max(since, days.get(one["provision_id"], since))
        return {provision_id: day for provision_id, day in days.items() if provision_id and day < date.max}

    def _new_neighbours(
        self, provision: Row, act: Row, day: date | None, has: Callable[[str], bool]
    ) -> Pending | None:
        """New provisions that an Act inserts behind or before one, and that the edition lacks."""
        for one in sorted(self._by_act.get(provision["act_id"], ()), key=_first_day):
            if not _counts(one, day):
                continue
            new = [number for where, number, _ in _inserted(one) if where == provision["provision_id"]]
            prefix = provision["provision_id"].rpartition("_")[0]
            lacking = tuple(number for number in new if not has(f"{prefix}_{number}"))
            if lacking and _may_lack(one, provision, act):
                return Pending(_since(one), one["amended_by"], str(one["provision_id"]), inserted=lacking)
        return None


def _inserted(one: Row) -> list[tuple[str, str, str]]:
    """Id of the provision beside or with which each new one comes, and the number and text of the new one."""
    if one["kind"] not in (kinds.INSERT_AFTER, kinds.INSERT_BEFORE, kinds.SUBSTITUTE):
        return []
    path = [(part["kind"], part["number"]) for part in one["path"]]
    new = one["new"][0] if one["new"] else ""
    if not path or path[-1][0] not in ("section", "article", "rule", "regulation", "chapter", "part"):
        return []
    sections = [(number, text) for number, _, text in sections_in(_OF_CHAPTER.sub("", new, count=1))]
    if one["kind"] == kinds.SUBSTITUTE:  # of sections in the place of one the others are new
        sections = [section for section in sections if section[0] != path[-1][1]]
    if path[-1][0] not in ("chapter", "part"):
        return [(one["target_id"], *section) for section in sections]
    kind = "art" if one["target_act"] == CONSTITUTION else "sec"
    before = re.match(r"\d+", sections[0][0]) if sections else None  # 48A comes behind 48
    return [(f"{one['target_act']}/{kind}_{before[0]}", *section) for section in sections] if before else []


def _may_lack(one: Row, provision: Row, act: Row) -> bool:
    """Whether an edition is older than what an Act inserts, as far as its day is known."""
    if provision["document_id"] == one["document_id"]:
        return False
    edition: date | None = act["version_date"]
    begins = max(filter(None, (one["since"], one["enacted"])), default=None)
    is_later = edition is not None and begins is not None and edition >= begins
    return not (is_later and one["since"] is not None and act["version_evidence"] in _RELIABLE)


def _is_whole(one: Row) -> bool:
    """Whether it names an Act and no part of it."""
    return one["target_id"] == one["target_act"] and not one["path"] and not one["old"]


def _concerns(one: Row, provision: Row, chapter: str) -> bool:
    """Whether an instruction changes a provision: it or a part of it is named, or its words everywhere."""
    provision_id, target = provision["provision_id"], one["target_id"]
    path = [(part["kind"], part["number"]) for part in one["path"]]
    if target == one["target_act"]:
        if path and path[0][0] in ("chapter", "part"):
            if one["kind"] in (kinds.INSERT_AFTER, kinds.INSERT_BEFORE):
                return False
            return bool(chapter) and path[0][1].upper() == re.sub(r"^\W*\w+\s+", "", chapter).strip().upper()
        if one["old"] and not path:
            return bool(occurrences(provision["text"], one["old"][0]))
        return _is_whole(one)
    is_whole = path and path[-1][0] in ("section", "article", "rule", "regulation", "schedule")
    if is_whole and one["kind"] in (kinds.INSERT_AFTER, kinds.INSERT_BEFORE):
        return False
    if path and path[0][0] == "schedule":
        return _in_schedule(provision_id, target, path)
    return bool(provision_id == target or provision_id.startswith(f"{target}__"))


def _in_schedule(provision_id: str, target: str, path: Sequence[tuple[str, str]]) -> bool:
    """Whether a provision is the Schedule that is named, or the entry of it, if one is."""
    act, _, name = provision_id.partition("/")
    schedule = name.partition("__")[0]
    numbers = {schedule_number(schedule.removeprefix("sched_")), schedule}
    if target not in {f"{act}/sched_{number}" for number in numbers} and not (
        schedule.startswith("sched") and target == f"{act}/sched_"
    ):
        return False
    entries = [number for kind, number in path if kind == "entry" and number]
    inner = name.partition("__")[2]
    if not entries or not inner:
        return True
    return any(re.search(rf"_{re.escape(n)}(?:__|$)", inner, re.IGNORECASE) for n in entries)


def _counts(one: Row, day: date | None) -> bool:
    """Whether it is law on a day, or may be where only its year is known."""
    enacted: date = one["enacted"] or date.min
    earliest = one["since"] or (date(enacted.year, 1, 1) if _only_year(enacted) else enacted)
    return day is None or earliest <= day


def _only_year(day: date | None) -> bool:
    """Whether no more than the year of an Act is known."""
    return day is None or (day.month, day.day) == (12, 31)


def _first_day(one: Row) -> tuple[date, str]:
    return one["since"] or one["enacted"] or date.min, str(one["instruction_id"])


def _since(one: Row) -> str:
    day: date | None = one["since"] or one["enacted"]
    if day is None:
        return ""
    return str(day.year) if one["since"] is None and _only_year(day) else day.isoformat()


def _is_open(one: Row, provision: Row, act: Row) -> bool:
    """Whether the text of a provision does not carry an amendment.

    An edition of a day behind it carries it, and one in which a footnote cites the Act; where that day is not
    certain, the words decide.
    """
    if provision["document_id"] == one["document_id"] or cites(provision, one["amended_by"]):
        return False
    edition: date | None = act["version_date"]
    enacted: date | None = one["enacted"]
    if not one["act_id"]:  # the registry says that the print does not have it
        return True
    certain = act["version_evidence"] in _RELIABLE and not _only_year(enacted)
    # an Ordinance may have said the same before the Act, from the first day of what it says
    first = min(filter(None, (one["since"], enacted)), default=None)
    if certain and edition and first and edition < first:
        return True
    state = stands(one, provision)
    begins = max(filter(None, (one["since"], one["enacted"])), default=None)
    if edition is None or begins is None or edition < begins:
        later = edition is None or begins is None
        return state == OPEN if later and act["version_evidence"] != "none" else state != CARRIED
    if one["since"] is None or act["version_evidence"] not in _RELIABLE:
        return state == OPEN
    return False


def cites(provision: Row, amended_by: str) -> bool:
    """Whether a footnote of a provision cites an Act by its number or title."""
    number = re.compile(rf"(?<!\d){re.escape(amended_by)}(?!\d)")
    return any(note["by_act"] == amended_by or number.search(note["text"]) for note in provision["notes"])


def stands(one: Row, provision: Row) -> str:
    """Whether a text carries what an instruction says, does not yet, or does not tell."""
    text = provision["text"]
    new = one["new"][0] if one["new"] else ""
    old = one["old"][0] if one["old"] else ""
    if one["kind"] == kinds.OMIT:
        return (CARRIED if provision["status"] != "in_force" else OPEN) if len(one["path"]) == 1 else UNCLEAR
    if one["kind"] == kinds.WORDS_OMITTED:
        return OPEN if occurrences(text, old) else UNCLEAR
    if one["kind"] == kinds.WORDS_INSERTED and old:
        pair = f"{new} {old}" if one["occurrence"] == "before" else f"{old} {new}"
        if occurrences(text, pair):
            return CARRIED
        return OPEN if occurrences(text, old) and not occurrences(text, new) else UNCLEAR
    if one["kind"] == kinds.WORDS_SUBSTITUTED:
        has_new = occurrences(text, new)
        for start, end in reversed(has_new):
            text = f"{text[:start]} … {text[end:]}"
        has_old = occurrences(text, old)
        return CARRIED if has_new and not has_old else OPEN if has_old and not has_new else UNCLEAR
    return _block(text, new) if new else UNCLEAR


def _block(text: str, new: str) -> str:
    """By the share of runs of words of a text that stand in another."""
    there, sought = keys_of(text), keys_of(new)
    size = min(_GRAM, len(sought))
    if len(sought) < _FEWEST:
        return UNCLEAR
    grams = {tuple(there[i : i + size]) for i in range(len(there) - size + 1)}
    runs = [tuple(sought[i : i + size]) for i in range(len(sought) - size + 1)]
    share = sum(run in grams for run in runs) / len(runs)
    if share == 1:  # what goes may begin with the words that stay
        return CARRIED if any(_ENDS.match(text, end) for _, end in occurrences(text, new)) else UNCLEAR
    return OPEN if share <= _FEW else UNCLEAR


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
    there = ((row, status.get(row["instruction_id"])) for row in instructions)
    rows = [{**row, "status": said} for row, said in there if said is not None]
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
