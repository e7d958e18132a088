"""The lists of a Schedule: the Seventh of the Constitution has three, each with an entry 1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.online.builds import PublishedBuild

_HEAD = re.compile(r"^(List [IVX]+)\s*[—–-]\s*(.*)", re.MULTILINE)
_ENTRY = re.compile(r"\bentry\s+(\d+[A-Z]*)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ScheduleList:
    """A list.

    ``number``: its place, from 1. ``entries``: ids by number, of those that were read one by one.
    """

    number: int
    name: str
    title: str
    text: str
    entries: Mapping[str, str]

    @property
    def names(self) -> re.Pattern[str]:
        """How it is named: List II, List 2 or State List."""
        numeral = self.name.removeprefix("List ")
        names = rf"\blist[\s-]*(?:{numeral}|{self.number})\b|\b{re.escape(self.title)}\b"
        return re.compile(names, re.IGNORECASE)


def lists_of(schedule: Mapping[str, Any], below: Iterable[Mapping[str, Any]]) -> list[ScheduleList]:
    """The lists of a Schedule; none where it has no heads of such. Both are rows of ``provisions``."""
    text = f"{schedule['heading']}\n{schedule['text']}"
    heads = list(_HEAD.finditer(text))
    starts = [head.start() for head in heads]
    entries: list[dict[str, str]] = [{} for _ in heads]
    if not heads:
        return []
    for row in below:
        place = row["char_start"] - schedule["text_start"] + len(schedule["heading"]) + 1
        number = row["number"].rpartition("entry ")[2]
        for before in [at for at, start in enumerate(starts) if start <= place][-1:]:
            entries[before].setdefault(number, row["provision_id"])  # a footnote may look like one, too
    return [
        ScheduleList(at + 1, head[1], head[2].strip(), text[head.start() : end], entries[at])
        for at, (head, end) in enumerate(zip(heads, [*starts[1:], len(text)], strict=True))
    ]


def listed(build: PublishedBuild) -> dict[str, list[ScheduleList]]:
    """The lists of each Schedule that has some, by its id."""

    def read() -> dict[str, list[ScheduleList]]:
        table = build.table(PROVISIONS)
        schedules = table.filter(pc.equal(table.column("kind"), "schedule")).to_pylist()
        table = table.select(["provision_id", "kind", "number", "char_start"])
        below: dict[str, list[dict[str, Any]]] = {}
        for row in table.filter(pc.equal(table.column("kind"), "entry")).to_pylist():
            below.setdefault(row["provision_id"].partition("__")[0], []).append(row)
        lists = {row["provision_id"]: lists_of(row, below.get(row["provision_id"], ())) for row in schedules}
        return {provision_id: some for provision_id, some in lists.items() if some}

    return build.shared("lists of Schedules", read)


def in_lists(build: PublishedBuild, words: str, ids: Iterable[str], acts: Iterable[str]) -> list[str]:
    """Ids of the entries that words such as ``Entry 5 List II`` may mean; of a list not read so its Schedule.

    ``ids``, ``acts``: what is read in the words otherwise. Nothing where they mean no entry of a list.
    """
    entry, schedules = _ENTRY.search(words), {p.partition("__")[0] for p in ids}
    if entry is None:
        return []
    places = [p for p in listed(build) if p in schedules] or [
        p for p in ([] if schedules else listed(build)) if not acts or p.partition("/")[0] in acts
    ]
    some = [(p, one) for p in places for one in listed(build)[p]]
    matches = [(p, one) for p, one in some if one.names.search(words)]
    if not schedules and not (matches and (acts or _alone(words, matches[0][1]))):
        return []
    return [one.entries.get(entry[1].upper(), p if matches else "") for p, one in matches or some]


def _alone(words: str, one: ScheduleList) -> bool:
    """Whether words name nothing but an entry of a list: with others they may name another law."""
    rest = one.names.sub("", _ENTRY.sub("", words))
    return {*re.findall(r"\w+", rest.lower())} <= {"of", "the", "in", "to"}


def said_of(build: PublishedBuild, schedule_id: str, words: str) -> Iterator[str]:
    """A sentence on an entry of a list that words name and that is only in the text of the Schedule."""
    entry = _ENTRY.search(words)
    for one in listed(build).get(schedule_id, ()) if entry else ():
        if entry and one.names.search(words):
            lead = f"{one.name}—{one.title}, entry {entry[1]}"
            line = re.search(
                rf"(?:^\W*|\.\s+){entry[1]}\.\s+(.*?)(?=\s\d+[A-Z]*\.\s|$)",
                one.text,
                re.MULTILINE | re.IGNORECASE,
            )
            yield f"{lead}: {line[1]}" if line else f"{lead} was not read in the text of this Schedule."


def number_in_list(build: PublishedBuild, row: Mapping[str, Any]) -> str:
    """The number of a provision as it is cited, with the list that an entry stands in."""
    lists = listed(build) if row["kind"] == "entry" else {}
    for one in lists.get(row["provision_id"].partition("__")[0], ()):
        if row["provision_id"] in one.entries.values():
            return str(row["number"]).replace(", entry", f", {one.name}, entry")
    return str(row["number"])
