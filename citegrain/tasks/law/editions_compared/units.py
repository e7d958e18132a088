"""Provisions that are compared: those cited like a section, and Schedules; and slips of their reading."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Any

from rapidfuzz.distance import Indel, Opcodes

from citegrain.tasks.law.citations import ancestors, stands_alone
from citegrain.tasks.law.numbers import order_of

_GONE = r"(?:\*(?:[\s*]*\*)?|\[\s*(?:Omitted|Repealed|Om\.|Rep\.)[^\]]{0,80}\])"
# what stands for words that are gone, with the number of the clause where nothing else is left of it
_STUB = re.compile(rf"(?:\(\w{{1,4}}\)\s*(?={_GONE}))?{_GONE}", re.IGNORECASE)
# the Gazette prints the numbers of cited Acts in the margin, India Code in the text: (45 of 1860)
_NUMBERED = r"(?:1[789]|20)\d{2,3}"
_CITED = re.compile(
    rf"\((?:Act )?(?:No\. ?)?(?:\d{{1,3}}|[IVXLC]+) of {_NUMBERED}\)|\b\d{{1,3}} of {_NUMBERED}\b",
    re.IGNORECASE,
)
# what States have made of the provision, printed behind it
_OF_STATES = re.compile(r"\W*\b(?:STATE|HIGH COURT) AMENDMENTS?\b.*", re.DOTALL)
_REPEALED = re.compile(
    r"(?:^|[.—\]] )\W*(?:Rep|Repealed|Om|Omitted)(?:[.,]|\b) ?(?:,? ?ibid|by\b|\W*$)", re.IGNORECASE
)
_SHORTEST_LAW = 40  # words from which a text that opens like a note on a repeal is law
_SIGNS = {"&": " and ", "%": " per cent ", "₹": " Rs. ", "i.e.": " that is to say "}
_BRACKETS = re.compile(r"[\[\]]")
_ORPHANS = re.compile(r" (?=[,;:.)])")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+(?:['’‘`][^\W_]+)*")
_WORD_OR_BRACKET = re.compile(rf"[\[\]]|{_WORD.pattern}")
_APOSTROPHES = re.compile(r"['’‘`]")

_YEAR = re.compile(r"\b(?:1[789]|20)\d\d\b")
Note = Mapping[str, Any]


@dataclass(frozen=True)
class Words:
    """A text as words to compare (``keys``) that remember how they are printed.

    ``text``: what is printed, without amendment brackets, stars and numbers of cited Acts. ``spans``: where
    each word stands in it: first character, one behind the last. ``bracketed``: first word and one behind
    the last of each stretch in amendment brackets.
    """

    text: str
    keys: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    bracketed: tuple[tuple[int, int], ...] = ()

    def shown(self, first: int, last: int) -> str:
        """Words ``first`` to ``last`` (exclusive) as printed, with the signs behind them."""
        if first >= last:
            return ""
        start = self.spans[first][0]
        while start and self.text[start - 1] in '(“"':
            start -= 1
        end = self.spans[last][0] if last < len(self.spans) else len(self.text)
        return self.text[start:end].rstrip(' (“"')

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the words."""
        return hashlib.sha256(" ".join(self.keys).encode()).hexdigest()


@lru_cache(maxsize=5000)  # two versions of an Act have most texts in common
def read_words(text: str) -> Words:
    """Words of a text. Case, punctuation, white space and the signs of amendments do not count."""
    plain = _OF_STATES.sub("", unicodedata.normalize("NFKC", text))
    for sign, spelled in _SIGNS.items():
        plain = plain.replace(sign, spelled)
    marked = plain = _CITED.sub(" ", _STUB.sub(" ", plain))
    plain = _ORPHANS.sub("", _SPACES.sub(" ", _BRACKETS.sub("", plain))).strip()
    matches = list(_WORD.finditer(plain))
    words = [m[0].lower() for m in matches]
    keys = tuple(w if w.isalnum() else _APOSTROPHES.sub("", w) for w in words)
    return Words(plain, keys, tuple(m.span() for m in matches), tuple(_bracketed(marked)))


def _bracketed(text: str) -> Iterator[tuple[int, int]]:
    """Stretches in square brackets, counted in words."""
    opened: list[int] = []
    words = 0
    for match in _WORD_OR_BRACKET.finditer(text):
        if match[0] == "[":
            opened.append(words)
        elif match[0] == "]":
            if opened:
                yield opened.pop(), words
        else:
            words += 1


def word_set(text: str) -> frozenset[str]:
    """Words that are parted by blanks."""
    return frozenset(text.split())


def joined(words: Sequence[str]) -> str:
    """Words run together: what is left when spaces and hyphens are the printer's."""
    return "".join(words)


@dataclass(frozen=True)
class Unit:
    """A section, article, rule or Schedule of one version, with all that stands in it.

    ``above``: amendment notes at the titles of the Part and the Chapter that it stands in. ``shared``: those
    at an earlier provision whose bracket is still open here: they inserted both.
    """

    row: Mapping[str, Any]
    above: Sequence[Note]
    shared: Sequence[Note] = ()

    @property
    def id(self) -> str:
        """Its ``provision_id``."""
        return str(self.row["provision_id"])

    @property
    def living(self) -> bool:
        """Whether it is more than a word on what is gone."""
        gone = self.heading.keys in (("omitted",), ("repealed",))
        if len(self.full.keys) < _SHORTEST_LAW and any(
            map(_REPEALED.search, (self.row["heading"], self.row["text"]))
        ):
            return False
        return bool(self.row["status"] == "in_force" and self.text.keys and not gone)

    @property
    def notes(self) -> Sequence[Note]:
        """Its amendment notes, without those above it."""
        notes: Sequence[Note] = self.row["notes"]
        return notes

    @cached_property
    def heading(self) -> Words:
        """Words of its heading."""
        return read_words(self.row["heading"])

    @cached_property
    def text(self) -> Words:
        """Words of its text."""
        return read_words(self.row["text"])

    @cached_property
    def full(self) -> Words:
        """Words of heading and text: where the one ends and the other begins is layout."""
        heading = str(self.row["heading"])
        heading = heading.capitalize() if heading.isupper() else heading  # else it reads as a running head
        return read_words(f"{heading} {self.row['text']}")


@dataclass(frozen=True)
class Version:
    """What is compared of one version of an Act.

    ``units``: by ``provision_id``, in reading order. ``annotated``: whether this edition names amendments in
    notes. ``titles``: words of what it prints over the law: headings of Parts, Chapters and sections.
    """

    date: date | None
    units: Mapping[str, Unit]
    vocabulary: Counter[str]
    note_texts: frozenset[str]
    annotated: bool
    titles: Sequence[tuple[str, ...]] = ()

    def recent(self, notes: Sequence[Note], old: Version) -> list[Note]:
        """Those of its notes that name an amendment later than another version."""
        return [n for n in notes if n["action"] and _plain(n) not in old.note_texts and _later(n, old.date)]


def read_version(rows: Sequence[Mapping[str, Any]]) -> Version:
    """The units of one version of an Act, from its rows of ``provisions``."""
    by_id = {r["provision_id"]: r for r in rows}
    alone = [r for r in rows if stands_alone(r["kind"], r["number"])]
    # a Schedule that is cited by what stands in it is no unit itself
    cited_within = {above["provision_id"] for r in alone for above in ancestors(r, by_id)}
    schedules = [r for r in rows if r["kind"] == "schedule" and r["provision_id"] not in cited_within]
    ordered = sorted(alone + schedules, key=lambda r: r["ordinal"])
    units = {
        r["provision_id"]: Unit(r, [n for a in ancestors(r, by_id) for n in a["notes"]], shared)
        for r, shared in zip(ordered, _shared(ordered), strict=True)
    }
    notes = [n for r in rows for n in r["notes"]]
    return Version(
        rows[0]["version_date"] if rows else None,
        units,
        Counter(word for u in units.values() for word in u.full.keys),
        frozenset(map(_plain, notes)),
        any(n["action"] for n in notes),
        list(_titles(rows)),
    )


def _titles(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Words of the titles of an Act, with and without what stands before and behind them."""
    act = tuple(rows[0]["act_id"].split("-")) if rows else ()
    for title in (act, act[:-1]) if act and act[-1].isdigit() else (act,):
        yield from (title, ("the", *title))
    for row in rows:
        heading = read_words(row["heading"]).keys
        yield heading
        if not stands_alone(row["kind"], row["number"]):
            number = read_words(row["number"]).keys
            yield from (number, (*number, *heading))


def _shared(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Note]]:
    """For each provision the notes of the bracket that was opened before an earlier one and not closed."""
    still_open: list[Note] = []
    for row in rows:
        opened = [n for n in row["notes"] if n["offset"] <= row["char_start"] + 1 and n["action"]]
        yield [] if opened else still_open
        still_open = opened or still_open
        if row["text"].count("]") > row["text"].count("["):
            still_open = []


def _plain(note: Note) -> str:
    return " ".join(read_words(note["text"]).keys)


def _later(note: Note, day: date | None) -> bool:
    """Whether the amendment of a note may be later than ``day``; without a date it may."""
    if day is None:
        return True
    if note["effective"] is not None:
        return bool(note["effective"] > day)
    years = [int(y) for y in _YEAR.findall(f"{note['by_act']} {note['text']}")]
    return not years or max(years) >= day.year


_SAME = 0.75  # similarity of a stretch of text with the provision it is taken for
_SAME_SHORT = 0.9  # of one of few words
_SHORT = 12  # words
_FEWEST_WORDS = 8
_NUMBER = re.compile(r"\W*[\dlIO]{1,3}[A-Z]{0,2}\s*[.:]\W*")


def with_swallowed(version: Version, other: Version) -> Version:
    """``version`` with those provisions on their own that it reads as the end of the one before.

    Looked for are the provisions of ``other`` that ``version`` lacks, in what it has under the number before.
    """
    units = dict(version.units)
    for host, missing in _runs(other, version):
        units = _split(units, other.units[host], [other.units[m] for m in missing])
    return replace(version, units=units)


def _runs(other: Version, version: Version) -> Iterator[tuple[str, list[str]]]:
    """A provision that both have, and those behind it that only ``other`` has."""
    runs: dict[str, list[str]] = {}
    host = ""
    for key, unit in other.units.items():
        if unit.living and key in version.units:
            host = key
        elif unit.living and host:
            runs.setdefault(host, []).append(key)
    yield from runs.items()


def _split(units: Mapping[str, Unit], host: Unit, missing: Sequence[Unit]) -> dict[str, Unit]:
    swallowing = units[host.id]
    words, was = swallowing.text, host.text
    if len(words.keys) < len(was.keys) + min(len(u.text.keys) for u in missing) // 2:
        return dict(units)
    # where each of the missing begins, by an alignment with all of them behind one another
    keys, begins = list(was.keys), list[int]()
    for unit in missing:
        begins.append(len(keys))
        keys += unit.full.keys
    opcodes = Indel.opcodes(keys, list(words.keys))
    spans = [*words.spans, (len(words.text), len(words.text))]
    # the number stands before the heading, and is taken for the end of the provision before
    ahead = r"(?:^|\s)[(\[]?[\dlIO]{1,3}[A-Z]{0,2}\s*[.:]\W*$"
    places = [spans[_place(begin, opcodes)][0] for begin in begins]
    numbers = [re.search(ahead, words.text[:place]) for place in places]
    cuts = [m.start() if m else place for m, place in zip(numbers, places, strict=True)] + [len(words.text)]
    parts: dict[str, Unit] = {}
    for unit, begin, end in zip(missing, cuts, cuts[1:], strict=False):
        text = words.text[begin:end]
        if _like(read_words(text).keys, unit):
            parts[unit.id] = _part(swallowing, unit, text, begin)
    if not parts:
        return dict(units)
    left = words.text
    for part in parts.values():
        left = left.replace(part.row["text"], " ", 1)
    out: dict[str, Unit] = {}
    for key, value in units.items():
        out[key] = value
        if key == host.id:
            notes = [n for n in value.notes if not any(n in p.notes for p in parts.values())]
            out[key] = replace(value, row={**value.row, "text": left, "notes": notes})
            out |= {
                k: replace(p, row={**p.row, "text": _NUMBER.sub("", p.row["text"], count=1)})
                for k, p in parts.items()
            }
    return out


def _place(begin: int, opcodes: Opcodes) -> int:
    """Where a word of the first sequence stands in the second."""
    for op in opcodes:
        if op.tag == "equal" and op.src_start <= begin < op.src_end:
            return int(op.dest_start + begin - op.src_start)
        if op.src_start >= begin and op.tag == "equal":
            return int(op.dest_start)
    return int(opcodes.dest_len)


def _like(keys: Sequence[str], unit: Unit) -> bool:
    if len(unit.full.keys) < _FEWEST_WORDS:
        return False
    least = _SAME_SHORT if len(unit.text.keys) < _SHORT else _SAME
    return any(
        Indel.normalized_similarity(keys, w.keys, score_cutoff=least) > 0
        for w in (unit.full, unit.text)
        if w.keys
    )


def _part(host: Unit, unit: Unit, text: str, begin: int) -> Unit:
    share = begin / max(1, len(host.text.text))
    raw = host.row["text_start"] + share * len(host.row["text"])
    notes = [n for n in host.notes if n["offset"] >= raw - 1]
    row = {**host.row, "provision_id": unit.id, "number": unit.row["number"], "kind": unit.row["kind"]}
    return replace(host, row=row | {"heading": "", "text": text, "notes": notes})


def misread(old: Unit, new: Unit, before: Version, after: Version) -> bool:
    """Whether one text has two numbers as one of the editions prints or reads one wrongly.

    A number is wrong that does not fit between its neighbours where the other edition's does.
    """
    was, now = str(old.row["number"]), str(new.row["number"])
    in_old, in_new = _neighbours(old, before, after), _neighbours(new, after, before)
    return (_fits(was, in_new) and not _fits(now, in_new)) or (_fits(now, in_old) and not _fits(was, in_old))


def _neighbours(unit: Unit, version: Version, other: Version) -> tuple[str, str]:
    """Numbers of the provisions before and behind one, of those that both versions have."""
    ids = list(version.units)
    at = ids.index(unit.id)
    kind = unit.row["kind"]

    def first(keys: Sequence[str]) -> str:
        both = (version.units[key].row for key in keys if key in other.units)
        return next((str(row["number"]) for row in both if row["kind"] == kind), "")

    return first(ids[:at][::-1]), first(ids[at + 1 :])


def _fits(number: str, neighbours: tuple[str, str]) -> bool:
    try:
        at = order_of(number)
        before, behind = (order_of(n) if n else None for n in neighbours)
    except ValueError:
        return False
    return (before is None or before < at) and (behind is None or at < behind)
