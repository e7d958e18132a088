"""Which provisions amend another Act, and which Act: rows of ``instructions``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Any

from citegrain.tasks.law.amending_acts.instructions import UNREADABLE, Instruction, amends, read_instructions
from citegrain.tasks.law.amending_acts.places import Path, in_words, joined, paths
from citegrain.tasks.law.citations import ancestors
from citegrain.tasks.law.citing import Acts, NamedAct, Usage, said_at
from citegrain.tasks.law.instruments import CONSTITUTION, PREFIXES, slug
from citegrain.tasks.law.numbers import ORDINALS, find_dates, normal, roman

UNREVIEWED, REVIEWED, APPLIED = ("found", "reviewed", "applied")
Row = Mapping[str, Any]
_TOP = ("section", "article", "rule", "regulation", "paragraph", "schedule")
_SAID = re.compile(
    r"\b(?:the|that|such)\s+(?:said\s+|aforesaid\s+|principal\s+|parent\s+)?(?:Act|Code|Sanhita|Adhiniyam|Ordinance|Constitution)\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\b(?:amended|inserted|substituted|made|enacted|added|repealed|omitted)\s+by\s+(?:[\w\s()]{0,30}?\bof\s+)?(?:the\s+)?$"
)
_IN_MARGIN = re.compile(
    r"(?<=[a-z,])\s(?:Amendment|Insertion|Substitution|Omission)s?\s+of\s+(?:new\s+)?(?:section|article|rule|Chapter|Part|Schedule)s?"
    r"\s+[\dA-Z](?:[\w,]|\s(?!of\b)){0,60}?\.\s"
)
_OF_SECTION = re.compile(r"\W*Amendment\s+of\s+(?:section|article|rule)s?\s+\d", re.IGNORECASE)
_OF_AN_ACT = re.compile(r"\b(?:Act|Code|Sanhita|Adhiniyam|Ordinance|Rules|wherever|throughout)\b")
_WITHIN_SECTION = ("subsection", "clause", "subclause", "proviso", "explanation", "item")
_IN_BRACKETS = re.compile(r"\s*\((?:[^()]{0,40}\s)?[IVXLC\d]+\s+of\s+\d{4}\)")
_AND_ANOTHER = re.compile(r"[\s,)]*(?:\band\b\s*)?(?:by\s+)?(?:the\s+)?")
_BY_THE_WAY = re.compile(r",\s+(?:relating|pertaining)\s+to\s+[^,;]*$")
_LISTED = re.compile(r"[\s,)]*(?:\band\b\s*)?(?:the\s+)?")
_NUMBER = re.compile(r"\bAct\s*(?:No\.?\s*)?(?P<number>\d{1,3})\s+of\s+(?P<year>\d{4})", re.IGNORECASE)
_AMENDING = re.compile(r"\b(?:Amendment|Amending)\b", re.IGNORECASE)
_HEADED = re.compile(
    r"\bamend\w*|\binsertion\b|\bsubstitution\b|\bomission\b|\bmodification\b", re.IGNORECASE
)
_OF_STATES = re.compile(r"\b(?:STATE|HIGH\s+COURT)\s+AMENDMENTS?\b")
_BRACKETED = re.compile(r"\s*\([^()]*\b(?:Amendment|Amending|Validation)\b[^()]*\)", re.IGNORECASE)
_MANNER = re.compile(
    r"\b(?:shall\s+(?:be|stand)|(?:is|are)\s+hereby)\s+amended\b|\bamend(?:ed|ments?)\b[^.]{0,80}\bSchedule\b",
    re.IGNORECASE,
)
_FORCE = re.compile(
    r"[^.;]*\b(?:come\s+into\s+(?:force|operation)|deemed\s+to\s+have\s+(?:come|been))\b[^.;]*", re.IGNORECASE
)
_AT_ONCE = re.compile(r"\b(?:at\s+once|immediately|forthwith)\b", re.IGNORECASE)
_TITLE_SECTION = re.compile(r"\bshort\s+title|\bcommencement\b|\bmay\s+be\s+called\b", re.IGNORECASE)
_UNDER_HEADING = re.compile(r"\bunder\s+the\s+heading\s+[\"“‘'][^\"”’']{0,200}[\"”’']", re.IGNORECASE)
_REGISTRY = re.compile(r"(?:Act\s+(?:No\.?\s*)?)?(?P<number>\d{1,3}\s+of\s+\d{4})", re.IGNORECASE)


def instruction_rows(acts: Sequence[Row], provisions: Iterable[Row]) -> list[dict[str, Any]]:
    """Instructions of all amending provisions of a build, and what its registry knows of further Acts.

    ``acts``: rows of ``acts``, of each Act the latest version last. ``provisions``: rows of ``provisions`` of
    the documents that may amend, in reading order.
    """
    by_document: dict[tuple[str, str], list[Row]] = {}
    for row in provisions:
        by_document.setdefault((row["document_id"], row["act_id"]), []).append(row)
    names = Acts(acts)
    editions = {(act["document_id"], act["act_id"]): act for act in acts}
    out = []
    for key, rows in by_document.items():
        if key in editions and editions[key]["kind"] != "judgment":
            out += list(AmendingAct(names, editions[key], rows).rows())
    said = ("amended_by", "target_id", "place", "kind", "old", "new")  # an Act may stand there twice
    once = {str([row[name] for name in said]): row for row in reversed(out)}
    return [*reversed(once.values()), *_of_registry(acts)]


class AmendingAct:
    """An Act of which provisions, ``rows`` in reading order, may amend others."""

    def __init__(self, names: Acts, act: Row, rows: Sequence[Row]) -> None:
        self.names, self.act = names, act
        by_id = {row["provision_id"]: row for row in rows}
        tops = (row for row in rows if row["kind"] in _TOP)
        outermost = (row for row in tops if all(a["kind"] not in _TOP for a in ancestors(row, by_id)))
        self._rows = list(map(_with_lead, outermost))
        self._above = by_id
        self._is_amending = _AMENDING.search(act["title"]) is not None
        self._last: dict[str, str] = {}  # of each part of the Act, the Act that it named last

    def rows(self) -> Iterator[dict[str, Any]]:
        """Its rows of ``instructions``."""
        number = 0
        for row in self._rows:
            if not self._may_amend(row):
                continue
            text = _OF_STATES.split(row["text"], maxsplit=1)[0]
            for instruction, said in read_instructions(text):
                for target in self._targets(row, said, instruction):
                    number += 1
                    yield self._row(row, number, target, _of_heading(row, said, instruction))
        # an Act that is amended in words that were not read into sections is named as a whole
        if number == 0 and self._is_amending and self._only and self._rows:
            unread = Instruction(UNREADABLE, (), uncertain="no provision was read")
            yield self._row(self._rows[-1], 1, self._only, unread)

    def _may_amend(self, row: Row) -> bool:
        """Whether a provision amends: of an Act that does other things, one that is headed so."""
        name = row["provision_id"].partition("/")[2]
        if not amends(row["text"]) or "__state_" in name or name.startswith(("annexure", "appendix")):
            return False
        head = row["heading"] if row["kind"] != "schedule" else f"{row['heading']}\n{_head(row)}"
        return self._is_amending or bool(_HEADED.search(head) and not _OF_STATES.search(head))

    def _row(self, row: Row, number: int, target: str, one: Instruction) -> dict[str, Any]:
        by = self.act["number"] or self.act["title"]
        source = {name: row[name] for name in ("act_id", "document_id", "provision_id")}
        return _record(target, one) | source | {
            "instruction_id": f"{row['provision_id']}#{number}", "page": row["page_start"],
            "amended_by": by, "enacted": self.enacted, "since": self.since,
        }  # fmt: skip

    def _targets(self, row: Row, said: str, one: Instruction) -> list[str]:
        """The Acts that an instruction is about; several where its words go everywhere in each of a list."""
        target = self._target(row, said, one.path)
        if target is None or target == self.act["act_id"]:
            return []
        listed: list[NamedAct] = []
        for place in self._places(said) if one.old and not one.path else ():
            follows = listed and _LISTED.fullmatch(said, listed[-1].end, place.start)
            listed = [*listed, place] if follows else [place]
        if target not in [place.act_id for place in listed]:
            return [target]
        return [place.act_id for place in listed if place.act_id != self.act["act_id"]]

    def _target(self, row: Row, said: str, path: Path) -> str | None:
        """The Act that an instruction is about: named in its words, above it, or by the title."""
        part = row["parent_id"] or ""
        key = row["provision_id"] if row["kind"] == "schedule" else part
        target = self._mentioned(row, said)
        if target is None and path[:1] and path[0][0] == "article":
            return CONSTITUTION
        if target is None and key in self._last:
            target = self._last[key]
        if target is None:
            target = self._of_headings(row)
            if self._is_amending and target not in self.names.rows:
                target = self._only or target
        if target:
            self._last[key] = target
        return target

    def _mentioned(self, row: Row, said: str) -> str | None:
        """The Act that words name last, leaving out that by which something was amended before."""
        usage = self._usages.get(row["parent_id"] or "", self._usages[None])
        said = _UNDER_HEADING.sub("", said)
        hits: list[tuple[int, str]] = []
        source = -1  # where the last Act ends by which something was amended before
        for place in self._places(said):
            again = source >= 0 and _AND_ANOTHER.fullmatch(said, source, place.start)
            if again or _SOURCE.search(said[: place.start]):
                source = place.end
            elif hits and _BY_THE_WAY.search(said, hits[-1][0], place.start):
                continue
            else:
                hits.append((place.start, place.act_id))
        for match in re.finditer(r"\b(?:the|The)\s+(?=[A-Z])", said):
            if short := usage.short_name(said, match.end()):
                hits.append((match.end(), short))
        for match in _SAID.finditer(said):
            reference = said_at(said, match.start())
            act = usage.said(reference, []) if reference else None
            if act and act != self.act["act_id"]:
                hits.append((match.start(), act))
        others = [hit for hit in hits if hit[1] != self.act["act_id"]]
        return max(others)[1] if others else None

    def _places(self, text: str) -> list[NamedAct]:
        """The Acts that a text names; one whose number follows in brackets is one."""
        out: list[NamedAct] = []
        for place in self.names.find(text):
            within = bool(out) and place.start < out[-1].end
            if within or (out and re.fullmatch(r"[\s,]*\(\s*", text[out[-1].end : place.start])):
                out[-1] = replace(out[-1], end=max(place.end, out[-1].end))
            else:
                numbered = _IN_BRACKETS.match(text, place.end)
                out.append(replace(place, end=numbered.end()) if numbered else place)
        return out

    def _of_headings(self, row: Row) -> str | None:
        """The Act named in the headings above a provision, in its own, or for its Schedule."""
        if row["kind"] == "schedule":
            return self._first_of(row["heading"]) or self._first_of(_head(row)) or self._of_manner(row)
        headings = (above["heading"] for above in (row, *ancestors(row, self._above)))
        return next(filter(None, map(self._first_of, headings)), None)

    def _first_of(self, heading: str) -> str | None:
        plain = " ".join(heading.split())
        if match := _NUMBER.search(plain):
            number = f"{int(match['number'])} of {match['year']}"
            candidates = (
                a for a, act in self.names.rows.items() if act["number"] == number and act["kind"] == "act"
            )
            return next(candidates, slug(f"Act {number}"))
        for words in (plain, plain.title()):
            for place in self._places(words):
                if place.act_id != self.act["act_id"]:
                    return place.act_id
        return None

    def _of_manner(self, row: Row) -> str | None:
        """The Act of which a section says that it is amended as this Schedule has it."""
        number = row["number"].lower().removesuffix("schedule").strip()
        for section in self._rows:
            text = section["text"]
            if section["kind"] == "section" and _MANNER.search(text) and number in text.lower():
                target = [p.act_id for p in self.names.find(text) if p.act_id != self.act["act_id"]]
                if target:
                    return target[0]
        return None

    @cached_property
    def _usages(self) -> dict[str | None, Usage]:
        texts: dict[str | None, list[tuple[str, Sequence[NamedAct]]]] = {None: []}
        for row in self._rows:
            if not (amends(row["text"]) or re.search(r"\b(?:referred\s+to\s+as|called)\b", row["text"])):
                continue
            mentioned = (row["text"], self._places(row["text"]))
            texts[None].append(mentioned)
            texts.setdefault(row["parent_id"] or "", []).append(mentioned)
        usages: dict[str | None, Usage] = {part: Usage(self.act, some) for part, some in texts.items()}
        for usage in usages.values():
            usage.defined = {**usages[None].defined, **usage.defined}
        return usages

    @cached_property
    def _only(self) -> str | None:
        """The Act that this one amends by its definition of the principal Act, else by its title."""
        called = self._usages[None].defined
        defined = [act for short, act in called.items() if short.startswith("principal")]
        if defined:
            return defined[0]
        title = _AMENDING.sub("", _BRACKETED.sub("", self.act["title"]))
        stem = slug(re.sub(r",?\s*\d{4}\s*$", "", title))
        if stem.startswith("constitution"):
            return CONSTITUTION
        others = [str(act) for act in self.names.rows if act != self.act["act_id"]]
        stems = (stem, stem.removesuffix("-act"))  # the Indian Penal Code (Amendment) Act
        same = [act for act in others if re.sub(r"-\d{4}$", "", act) in stems]
        if len(same) == 1:
            return same[0]
        mentioned: set[str] = {place.act_id for row in self._rows for place in self.names.find(row["text"])}
        mentioned -= {self.act["act_id"]}
        return mentioned.pop() if len(mentioned) == 1 else None

    @cached_property
    def enacted(self) -> date | None:
        """The day of the Act: that of its print, where that is of the year of its number."""
        year = self.act["number"].rpartition(" ")[2]
        day: date | None = self.act["version_date"]
        if day and (not year.isdigit() or day.year == int(year)):
            return day
        return date(int(year), 12, 31) if year.isdigit() else day

    @cached_property
    def since(self) -> date | None:
        """First day of what it says; None where that is left to a notification."""
        for row in self._rows[:3]:
            if not _TITLE_SECTION.search(f"{row['heading']} {row['text']}"):
                continue
            if said := _FORCE.search(row["text"]):
                if _AT_ONCE.search(said[0]):
                    return self.enacted
                dates = find_dates(said[0])
                return dates[0] if dates and "different dates" not in said[0] else None
        effective: date | None = self.act["effective_date"]
        return effective or self.enacted


def _with_lead(row: Row) -> Row:
    """A provision with its heading apart, where that was read as text, or the first sentence as heading."""
    if not row["heading"] and (note := _IN_MARGIN.search(row["text"])):
        text = f"{row['text'][: note.start()]} {row['text'][note.end() :]}"
        return {**row, "heading": note[0].strip(" ."), "text": text}
    if not re.search(r"\bshall\b|\bnamely\b|^(?:In|After|For|To|Before|At)\b.*\d", row["heading"]):
        return row
    return {**row, "heading": "", "text": f"{row['heading']}:—\n{row['text']}"}


def _of_heading(row: Row, said: str, one: Instruction) -> Instruction:
    """An instruction that names a part of a section alone, under the heading "Amendment of section 37"."""
    lacks = one.path[0][0] in _WITHIN_SECTION if one.path else one.old and not _OF_AN_ACT.search(said)
    above = paths(row["heading"]) if lacks and _OF_SECTION.match(row["heading"]) else []
    is_one = len(above) == 1 and sum(kind == above[0][0][0] for kind, _ in above[0]) == 1
    return replace(one, path=joined(above[0], one.path)) if is_one else one


def _head(row: Row) -> str:
    """The words of a Schedule above its first item."""
    return re.split(r"(?:^|\n)\s*(?:1\.|In\b)|[“\"‘]", row["text"], maxsplit=1)[0][:400]


def target_id(act: str, path: Path) -> str:
    """Id of the section, Article, rule or Schedule of a path; of the Act where it names none."""
    order = next((number for kind, number in path if kind == "order"), "")
    for kind, number in path:
        if kind == "schedule":
            return f"{act}/sched_{schedule_number(number)}"
        if kind in PREFIXES and number:
            plain = normal(number)
            within = f"order_{order}__" if order and kind == "rule" else ""
            return f"{act}/{within}{PREFIXES[kind]}_{plain}"
    return act


def schedule_number(number: str) -> str:
    """``1`` of First, I and 1; empty of the only Schedule."""
    lower = number.lower().removesuffix("schedule").strip()
    if lower in ORDINALS:
        return str(ORDINALS.index(lower) + 1)
    return str(roman(number)) if roman(number) else number


def _of_registry(acts: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """What the registry says of Acts that amend one, and are not in its print: ``23 of 2025, section 5``."""
    seen = set()
    for act in acts:
        for at, words in enumerate(act.get("amended_by") or (), 1):
            number = _REGISTRY.search(words)
            if number is None or (act["act_id"], words) in seen:
                continue
            seen.add((act["act_id"], words))
            iso = re.findall(r"\b\d{4}-\d\d-\d\d\b", words)
            days = [*map(date.fromisoformat, iso), *find_dates(words)]
            mentioned = [p for p in paths(words[number.end() :]) if p] or [()]
            for one, path in enumerate(mentioned):
                said = Instruction(UNREADABLE, path, uncertain="said by the registry")
                yield _record(act["act_id"], said) | {
                    "instruction_id": f"{act['act_id']}#registry-{at}-{one}",
                    "amended_by": " ".join(number["number"].split()),
                    "enacted": date(int(number["number"][-4:]), 12, 31),
                    "since": days[0] if days else None,
                }


def _record(target: str, one: Instruction) -> dict[str, Any]:
    """A row of ``instructions`` without what is said of the amending Act."""
    return {
        "act_id": "", "document_id": "", "provision_id": "", "page": 0, "target_act": target,
        "target_id": target_id(target, one.path), "place": in_words(one.path),
        "path": [{"kind": kind, "number": part} for kind, part in one.path],
        "kind": one.kind, "old": list(one.old), "new": list(one.new), "occurrence": one.where,
        "status": UNREVIEWED, "reason": one.uncertain, "doubt": one.doubt, "carried": None,
    }  # fmt: skip
