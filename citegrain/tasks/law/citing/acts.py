"""Acts by the names that a text gives them: by title, number or year, or as ``the said Act``."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from citegrain.tasks.law.citing.names import Lexicon
from citegrain.tasks.law.instruments import ACT_NOUNS, CONSTITUTION, TITLE_LINKS, TITLE_YEAR, slug
from citegrain.tasks.law.numbers import roman

NOUN = rf"(?:{ACT_NOUNS})"
_RULES = r"(?:Rules|Regulations|Bye-?laws|Order|Scheme)"
_BRACKETS = r"\([A-Z][^()]{2,140}\)"
_WORD = rf"(?:[A-Z][\w’'‘&./-]{{0,60}}|{_BRACKETS})"
_TITLE = re.compile(
    rf"(?<![\w-])(?P<stem>{_WORD}(?:,?\s+(?:(?:{TITLE_LINKS})|{_WORD})|{_BRACKETS}){{0,60}}?,?\s+(?:{NOUN}|{_RULES}))"
    rf"(?:[.,]?\s*(?:of\s+)?\(?(?P<year>{TITLE_YEAR})\b"
    r"|\s*(?=\(\s*(?:Act\s+)?(?:No\.?\s*)?\d{1,3}\s+of\s+\d{4}))"
)
CODE = re.compile(
    rf"(?P<stem>\bCode\s+o[fn](?:\s+(?:and\s+)?[A-Z][a-z]+){{1,5}}),?\s+(?:of\s+)?\(?(?P<year>{TITLE_YEAR})\b"
)
_OF_YEAR = r"\s+(?:No\.?\s*)?(?P<number>[IVXLC]+|\d{1,3})\s+of\s+(?P<year>\d{4})"
_NUMBERED = re.compile(NOUN + _OF_YEAR)  # few texts have one, and the name before it is slow to look for
_STATE_ACT = re.compile(rf"(?P<name>(?:[A-Z][\w.&-]*\s+){{0,4}}{NOUN}){_OF_YEAR}")
_NUMBER = re.compile(
    r"[\s,)\]]*+\(?\s*+(?:Central\s++)?(?:Act\s++)?(?:No\.?\s*+)?(?P<number>\d{1,3}\s+of\s+\d{4})"
)
_YEAR = re.compile(rf",?\s*(?:of\s+)?\(?(?P<year>{TITLE_YEAR})\b")
_LEADS = re.compile(
    r"^(?:(?:In|Of|Under|Vide|By|And|For|The|To|On|At|From|With|If|As|Where|Section|Sections|Part|Chapter|Schedule|"
    r"Subs|Ins|Rep|See|Amendments?|Articles?|Clauses?|Rules?|After|Whereas|Save|Any|Every|Such|This|[IVX]+|[A-Z])\b\.?[\s,]*(?:of\s+|to\s+|the\s+)*)+"
)
_MAY_NAME = re.compile(
    rf"(?:[A-Z][\w’')\].-]*|\)),?\s+(?:{NOUN}|{_RULES})\b|\bCode\s+o[fn]\b|\bAct\s+(?:No\.?\s*)?[\dIVXLC]|\b[A-Z]{{2,}}|"
    r"\bConstitution\b|(?:[A-Z]\.\s?){2}"
)
_AHEAD = re.compile(r"(?:\b(?:of|to|in|and|or|the|Indian)|,)\s+$")
_CUT = re.compile(
    r".*(?:(?:\b(?:and|or|by|under|than)|,)\s+[Tt]he|"
    r"\b(?:Schedules?|Chapters?|Parts?)\s+(?:[IVXLC\d]+-?[A-Z]?\s+)?(?:to|of)\s+[Tt]he)\s+",
    re.DOTALL,
)
_PAIR = re.compile(
    r".*\b(?P<first>[A-Z]\w+)\s+\w+\s+and\s+the\s+(?P=first)\b", re.DOTALL
)  # Scheduled Castes and the
_DEFINED = (
    re.compile(rf"[“\"‘'](?:the\s+)?(?P<short>[\w ]{{0,40}}\b{NOUN})[”\"’']\s+means\s+(?:the\s+)?"),
    re.compile(
        r"[\s)\]]*+(?:,\s*+(?:in|as)\s[^(),;]{3,60},\s*+)?\(?\s*+(?:\(|,)?\s*+(?:herein\s?after|here\s?after|in\s+this\s+[\w-]+)[^()\n]{0,80}?"
        rf"(?:referred\s+to\s+as|called)\s+(?:as\s+)?[“\"‘']?(?:the\s+)?[“\"‘']?"
        rf"(?P<short>[\w ]{{0,40}}?\b{NOUN})\b"
    ),
)
_SAID = re.compile(
    r"(?P<word>the|that|this|such|said)\s+(?P<said>said|aforesaid|same|principal|parent)?\s*"
    rf"(?P<noun>{NOUN}|Constitution)\b(?!\s+of\s+[A-Z])(?!\s*,?\s*(?:of\s+)?\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NamedAct:
    """An Act that a text names from ``start`` to ``end``; ``title`` as it is printed."""

    start: int
    end: int
    act_id: str
    title: str


def _key(words: str) -> str:
    return re.sub(r"\s+", " ", words).strip().lower()


def _singular(title: str) -> str:
    """A title as an id, its plurals cut: the Motor Vehicle Act, 1988 and the Motor Vehicles Act are one."""
    return re.sub(r"s(?=-|$)", "", slug(title))


class Acts:
    """The Acts of a build, and how texts name them and others."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        by_id = {row["act_id"]: row for row in rows}
        self.rows = by_id
        self._lexicon = Lexicon((a, row["title"], row["aliases"]) for a, row in by_id.items())
        acts = ((a, row["number"]) for a, row in by_id.items() if row["kind"] == "act")
        self._by_number = {number: a for a, number in acts if number}
        self._by_title = {_singular(row["title"]): a for a, row in by_id.items()}

    @property
    def names(self) -> list[list[Any]]:
        """All that finding an Act by its name depends on."""
        parts = ("title", "aliases", "number", "kind")
        return [[act, *(row[part] for part in parts)] for act, row in self.rows.items()]

    def find(self, text: str) -> list[NamedAct]:
        """The Acts that a text names, in order; of one that is not indexed the id that it would have."""
        if not _MAY_NAME.search(text):  # most texts name none, and the names of all Acts are a long pattern
            return []
        candidates = [
            self._checked(text, place.start, place.end, place.act_ids[0])
            for place in self._lexicon.find(text, capital=True)  # a constitution may be a tribunal's
            if len(place.act_ids) == 1
        ]
        ends = {hit.end: hit.start for hit in candidates if hit.act_id in self.rows}
        hits = [
            hit
            for match in chain(_TITLE.finditer(text), CODE.finditer(text))
            if (hit := self._of_title(text, match))
            and not (hit.end in ends and _AHEAD.search(text, hit.start, ends[hit.end]))
        ]
        hits += candidates
        if _NUMBERED.search(text):
            hits += [self._of_state(match) for match in _STATE_ACT.finditer(text)]
        for match in re.finditer(r"\bConstitution\b(?=\s+of\s+India|(?!\s*[(]|\s+of\b))", text):
            hits.append(NamedAct(match.start(), match.end(), CONSTITUTION, "The Constitution of India"))
        out: list[NamedAct] = []
        for hit in sorted(hits, key=lambda h: (h.start, -h.end)):
            if not out or hit.start >= out[-1].end:
                out.append(hit)
        return out

    def _of_title(self, text: str, match: re.Match[str]) -> NamedAct | None:
        lead = _CUT.match(match["stem"]) or _LEADS.match(match["stem"])
        if lead and _PAIR.match(match["stem"], lead.start(), lead.end() + 20):
            lead = _LEADS.match(match["stem"])
        start = match.start() + (lead.end() if lead else 0)
        stem = re.sub(r"\s+", " ", text[start : match.end("stem")])
        if " " not in stem:
            return None
        number = _NUMBER.match(text, match.end())
        year = match["year"] or (number["number"][-4:] if number else "")
        title = f"{stem}, {year}"
        act = self._by_title.get(_singular(title)) or self._numbered(number)
        return NamedAct(start, number.end() if number else match.end(), act or slug(title), title)

    def _of_state(self, match: re.Match[str]) -> NamedAct:
        """``Karnataka Act 28 of 1975``; ``Act 45 of 1860`` is central."""
        lead = _LEADS.match(match["name"])
        at = lead.end() if lead else 0
        start, name = match.start() + at, match["name"][at:].removeprefix("Central ").strip()
        number = f"{match['number']} of {match['year']}"
        plain = f"{roman(match['number']) or match['number']} of {match['year']}"
        act = self._by_number.get(plain) if name in ("Act", "") else None
        title = f"{name or 'Act'} {number}"
        return NamedAct(start, match.end(), act or slug(title), title)

    def _numbered(self, number: re.Match[str] | None) -> str | None:
        return self._by_number.get(re.sub(r"\s+", " ", number["number"])) if number else None

    def _checked(self, text: str, start: int, end: int, act: str) -> NamedAct:
        """A name of an indexed Act, unless the year or the number behind it is another's."""
        row, year = self.rows[act], _YEAR.match(text, end)
        number = _NUMBER.match(text, year.end() if year else end)
        ends = (number or year).end() if (number or year) else end  # type: ignore[union-attr]
        titled = re.search(r"\d{4}$", row["title"])
        other = year and titled and year["year"] != titled[0]
        if other and not self._numbered(number):
            title = re.sub(r"\s+", " ", f"{text[start:end]}, {year['year']}") if year else ""
            return NamedAct(start, ends, slug(title), title)
        return NamedAct(start, ends, self._numbered(number) or act, row["title"])


class Usage:
    """What one Act calls other Acts, by its texts with the Acts that they name."""

    def __init__(self, home: Mapping[str, Any], texts: Sequence[tuple[str, Sequence[NamedAct]]]) -> None:
        self.home = str(home["act_id"])
        self.rules = home["kind"] == "rules"
        words = _key(home["title"]).replace(",", "").split()
        self.nouns = {word for word in words if re.fullmatch(NOUN.lower(), word)}
        self.defined: dict[str, str] = {}
        for text, places in texts:
            self._define(text, places)

    def _define(self, text: str, places: Sequence[NamedAct]) -> None:
        starts = {place.start: place for place in places}
        for match in _DEFINED[0].finditer(text):
            if match.end() in starts:
                self.defined.setdefault(_key(match["short"]), starts[match.end()].act_id)
        for place in places:
            called = _DEFINED[1].match(text, place.end)
            if called:
                self.defined.setdefault(_key(called["short"]), place.act_id)

    @cached_property
    def parent(self) -> str | None:
        """The Act under which rules are made, as they define it."""
        return self.defined.get("act") if self.rules else None

    def said(self, match: re.Match[str], before: Sequence[NamedAct]) -> str | None:
        """The Act that ``the said Act`` and the like mean; None where nothing says which."""
        noun, said = match["noun"].lower(), (match["said"] or "").lower()
        if noun == "constitution":
            return CONSTITUTION
        if match["word"].lower() == "this":
            return self.home
        if said in ("principal", "parent"):
            return self.defined.get(f"principal {noun}") or self.parent or self.home
        usual = self.parent if self.rules else self.home
        if match["word"].lower() == "the" and not said:
            return (
                self.defined.get(noun)
                or (usual if noun in self.nouns or self.rules else None)
                or _last(before, noun)
            )
        return _last(before, noun) or self.defined.get(noun) or self.defined.get(f"said {noun}")

    def short_name(self, text: str, at: int) -> str | None:
        """The Act whose name stands at a place, as this Act gave it: ``the Evidence Act``."""
        names = (n for n in self.defined if " " in n and not n.startswith("said "))
        fits = (name for name in names if _key(text[at : at + len(name)]) == name)
        return self.defined.get(max(fits, key=len, default=""))


def said_at(text: str, at: int) -> re.Match[str] | None:
    """``the said Act``, ``this Code``, ``the principal Act`` at a place."""
    return _SAID.match(text, at)


def _last(before: Sequence[NamedAct], noun: str) -> str | None:
    """The Act named last, of those that are called so."""
    fits = (place.act_id for place in reversed(before) if noun in nouns_of(slug(place.title)))
    return next(fits, None)


def nouns_of(act: str) -> tuple[str, ...]:
    """What an Act is called, from its id: a Sanhita may be called a code, too, and an Adhiniyam an act."""
    words = re.findall(r"(?<![^-])(?:act|code|sanhita|adhiniyam|ordinance)(?![^-])", act)
    noun = words[-1] if words else "act"  # the last: code-of-criminal-procedure-amendment-act-2005
    return (noun, "code" if noun in ("code", "sanhita") else "act")


def at_place(places: Sequence[NamedAct], at: int) -> NamedAct | None:
    """The Act whose name begins at a place."""
    i = bisect_left(places, at, key=lambda place: place.start)
    return places[i] if i < len(places) and places[i].start == at else None
