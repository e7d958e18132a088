"""Instructions of amending Acts applied to the text of a provision, as far as they are simple.

What is applied is exact: a part that is not found once, or words that do not stand there once, are left as
they are, and the reason is given. Nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from citegrain.tasks.law.amending_acts import instructions as kinds
from citegrain.tasks.law.amending_acts.drafting import of_edits
from citegrain.tasks.law.amending_acts.places import TOP, Part, sections_in
from citegrain.tasks.law.numbers import ORDINALS, normal

Row = Mapping[str, Any]
_WORD = re.compile(r"[^\W_]+(?:['’‘`][^\W_]+)*")
_SIGNS = re.compile(r"[,;:.]+$")
_LABELLED = re.compile(r"^\W*\((?P<label>\w{1,6})\)")
_TAIL = re.compile(r"(?<=[.;,:])\n(?=[a-z])|(?<=\bor)\n(?=[a-z])")
_BEHIND = (  # new text, and what may have to stand behind it
    (
        re.compile(r"\W*Provided\s+(?:further|also)\b"),
        re.compile(r"\n\W*(?:Explanation|Illustration|Exception)"),
    ),
    (
        re.compile(r"\W*Provided\b"),
        re.compile(r"\n\W*(?:Provided(?![\s\S]*\n\W*\(\w{1,6}\))|Explanation|Illustration|Exception)"),
    ),
    (re.compile(r"\W*Explanation\W*(?:[2-9]|I[IV]|V)"), re.compile(r"\n\W*Illustration")),
    (re.compile(r"\W*Explanation"), re.compile(r"\n\W*(?:Explanation|Illustration)")),
)
_CITED = re.compile(r"\s*\(\d{1,3} of \d{4}\)")
_SIMPLE_END = re.compile(r"[\s\]]*$")
_OF_WHOLE = (kinds.OMIT, kinds.SUBSTITUTE, kinds.INSERT_AFTER, kinds.INSERT_BEFORE)


class NotApplied(Exception):
    """Why an instruction was not applied, in words."""


@dataclass(frozen=True)
class Edit:
    """Characters ``start`` to ``end`` of a text that ``new`` takes the place of."""

    start: int
    end: int
    new: str


@dataclass
class Consolidated:
    """A provision as instructions leave it.

    ``skipped``: why an instruction was not applied, by its id; ``inserted``: (number, heading, text) of new
    provisions; ``doubts``: why the text may not be the law all the same.
    """

    text: str
    heading: str
    omitted: bool = False
    applied: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    inserted: list[tuple[str, str, str]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Whether every instruction was applied, and nothing speaks against what they make."""
        return not self.skipped and not self.doubts


@dataclass(frozen=True)
class Text:
    """A provision, as its row of ``provisions``, with the rows of the parts that stand in it."""

    row: Row
    parts: Sequence[Row]

    def span(self, path: Sequence[Part], renumbered: bool = False) -> tuple[int, int]:
        """Characters of the part of a path, its number included.

        Raises NotApplied if there is not one such part.
        """
        start, end = 0, len(self.row["text"])
        for kind, number in path:
            if renumbered and kind in ("subsection", "clause") and number == "1":
                continue
            start, end = self._within(kind, number, start, end)
        return start, end

    def has(self, path: Sequence[Part]) -> bool:
        """Whether there is a part of a path."""
        with suppress(NotApplied):
            return bool(self.span(path))
        return False

    def _within(self, kind: str, number: str, start: int, end: int) -> tuple[int, int]:
        if kind == "definition":
            return self._definition(number, start, end)
        if kind == "opening":
            first = min((a for a, _, _ in self._spans(start, end) if a > start), default=end)
            return start, first
        hits = [(depth, a, b) for (a, b, row), depth in self._inside(start, end) if _is(row, kind, number)]
        if kind in ("proviso", "explanation", "exception", "illustration"):
            hits = self._of_order(hits, kind, number)
        top = min((depth for depth, _, _ in hits), default=0)
        spans = sorted({(a, b) for depth, a, b in hits if depth == top})
        if len(spans) != 1:
            what = f"{kind} {number}".strip()
            raise NotApplied(f"{what} was not found" if not spans else f"there is more than one {what}")
        return spans[0]

    @staticmethod
    def _of_order(hits: list[tuple[int, int, int]], kind: str, number: str) -> list[tuple[int, int, int]]:
        """Those that are meant by the first or the last proviso; all by a proviso without a number."""
        top = min((depth for depth, _, _ in hits), default=0)
        same = sorted((a, b) for depth, a, b in hits if depth == top)
        if number == "last":
            return [(top, *same[-1])] if same else []
        if number.isdigit():
            return [(top, *same[int(number) - 1])] if int(number) <= len(same) else []
        return hits

    def _inside(self, start: int, end: int) -> Iterator[tuple[tuple[int, int, Row], int]]:
        for a, b, row in self._spans(start, end):
            if (a, b) != (start, end):
                yield (a, b, row), int(row["depth"])

    def _spans(self, start: int, end: int) -> list[tuple[int, int, Row]]:
        at = self.row["text_start"]
        last = len(self.row["text"])
        spans = [(row["char_start"] - at, min(row["char_end"] - at, last), row) for row in self.parts]
        return [span for span in spans if start <= span[0] and span[1] <= end]

    def _definition(self, term: str, start: int, end: int) -> tuple[int, int]:
        """A definition: from the term in signs of quotation that begins a paragraph to the next such."""
        text = self.row["text"]
        lead = r"(?:^|\n)[\[\s]*(?:\(\w{1,5}\)\s*)?[“\"‘']"
        spans = [
            (m.start() + (m[0][0] == "\n"), m.end())
            for m in re.finditer(lead + re.escape(term) + r"[”\"’']", text)
            if start <= m.start() < end
        ]
        if len(spans) != 1:
            raise NotApplied(f"the definition of {term} was not found")
        following = re.compile(lead).search(text, spans[0][1], end)
        return spans[0][0], following.start() if following else end


def _is(row: Row, kind: str, number: str) -> bool:
    if kind in ("proviso", "explanation", "exception", "illustration"):
        return bool(row["kind"] == kind)
    label = str(row["number"]).rpartition("(")[2].rstrip(")")
    if not str(row["number"]).endswith(")"):
        return bool(row["kind"] == kind and normal(row["number"]).upper().endswith(number.upper()))
    return label.replace("-", "") == number.replace("-", "") and row["kind"] not in ("proviso", "explanation")


def consolidated(provision: Text, instructions: Sequence[Row]) -> Consolidated:
    """A provision with the rows of ``instructions`` that name it applied, in their order."""
    row = provision.row
    out = Consolidated(row["text"], row["heading"])
    edits: list[tuple[Edit, str]] = []
    renumbered = False
    for one in instructions:
        try:
            if one["reason"]:
                raise NotApplied(one["reason"])
            if one["kind"] == kinds.RENUMBER:
                edits.append((_renumber(one), one["instruction_id"]))
                renumbered = True
                continue
            inner = _inner(one)
            of_heading = inner[:1] == [("heading", "")]
            if of_heading or (not inner and one["kind"] in _OF_WHOLE):
                (_apply_to_heading if of_heading else _apply_to_whole)(out, one, str(row["number"]))
                out.applied.append(one["instruction_id"])
                continue
            new = list(_edits(provision, one, inner, renumbered))
            if any(e.start < other.end and other.start < e.end for e in new for other, _ in edits):
                raise NotApplied("another instruction changes the same words")
            edits += [(edit, one["instruction_id"]) for edit in new]
        except NotApplied as why:
            out.skipped[one["instruction_id"]] = str(why)
    if not out.omitted and out.text == row["text"]:
        out.text = _edited(out.text, [edit for edit, _ in edits])
    elif edits:  # parts of a section that is substituted or omitted by the same Act
        out.skipped |= {instruction_id: "the whole was substituted as well" for _, instruction_id in edits}
        edits = []
    out.applied += list(dict.fromkeys(instruction_id for _, instruction_id in edits))
    said = (one["doubt"] for one in instructions)
    seen = of_edits(row["text"], [(e.start, e.end, e.new) for e, _ in edits])
    out.doubts = list(dict.fromkeys(filter(None, chain(said, out.doubts, seen))))
    return out


def _inner(one: Row) -> list[Part]:
    """The path of an instruction within its section or Schedule."""
    parts = [(part["kind"], part["number"]) for part in one["path"]]
    if parts and parts[0][0] in ("part", "chapter") and not any(kind in TOP[:6] for kind, _ in parts):
        raise NotApplied(f"a {parts[0][0]} as a whole is not made")
    top = [kind for kind, _ in parts if kind in TOP]
    if "schedule" in top or "order" in top:
        parts = [part for part in parts if part[0] not in ("schedule", "order", "rule")]
        if not parts:
            raise NotApplied("a Schedule as a whole is not made")
        return parts
    return [part for part in parts if part[0] not in TOP]


def _edits(provision: Text, one: Row, inner: Sequence[Part], renumbered: bool) -> Iterator[Edit]:
    kind, new = one["kind"], list(one["new"])
    if kind in (kinds.WORDS_SUBSTITUTED, kinds.WORDS_INSERTED, kinds.WORDS_OMITTED):
        start, end = provision.span(inner, renumbered)
        yield from _of_words(provision.row["text"], start, end, one)
        return
    if kind == kinds.INSERT:
        start, end = provision.span(inner, renumbered)
        yield _at_end(provision, start, end, new[0])
        return
    if renumbered and inner and inner[-1] in (("subsection", "1"), ("clause", "1")):
        start, end = 0, len(provision.row["text"])
    else:
        start, end = provision.span(inner, renumbered)
        if _TAIL.search(provision.row["text"][start:end]) and inner[-1][0] not in ("subsection", "proviso"):
            raise NotApplied("where the part ends is not certain")
        label = _LABELLED.match(new[0]) if kind in (kinds.INSERT_AFTER, kinds.INSERT_BEFORE) and new else None
        if label and provision.has([*inner[:-1], (inner[-1][0], label["label"])]):
            raise NotApplied(f"there is a {inner[-1][0]} {label['label']} already")
    yield _of_part(provision.row["text"], start, end, inner[-1], one)


def _of_part(text: str, start: int, end: int, part: Part, one: Row) -> Edit:
    """A part that goes, or that another takes the place of, or behind or before which one comes."""
    kind, new = one["kind"], one["new"][0] if one["new"] else ""
    if kind == kinds.OMIT:
        return Edit(start, end, "")
    if kind == kinds.INSERT_AFTER:
        ended = text[start:end].rstrip(" ]\n").endswith(".")
        if ended and part[0] in ("clause", "subclause", "item") and re.search(r"[;,]\W*$", new):
            raise NotApplied("where the part ends is not certain")
        return Edit(end, end, f"\n{new}\n")
    if kind == kinds.INSERT_BEFORE:
        return Edit(start, start, f"{new}\n")
    if kind != kinds.SUBSTITUTE:
        raise NotApplied("what is to be done was not read")
    label, old = _LABELLED.match(new), _LABELLED.match(text[start:end])
    if old and not label and part[0] not in ("proviso", "explanation"):
        raise NotApplied("the text that comes has no number")
    return Edit(start, end, f"{new}\n")


def _at_end(provision: Text, start: int, end: int, new: str) -> Edit:
    """Text that comes at the end of a part, unless what stands there already may have to follow it."""
    before = next((rest for begins, rest in _BEHIND if begins.match(new)), None)
    ended = provision.row["text"][start:end].rstrip(" ]\n").endswith(".")
    goes_on = re.search(r"[:;,]\W*$" if ended else r":\W*$", new)  # more of the list stands behind it
    if goes_on or (before and before.search(provision.row["text"], start, end)):
        raise NotApplied("where the new text goes is not certain")
    return Edit(end, end, f"\n{new}\n")


def _of_words(text: str, start: int, end: int, one: Row) -> Iterator[Edit]:
    old, new = list(one["old"]), one["new"][0] if one["new"] else ""
    where = one["occurrence"]
    if not old and where == "beginning":
        label = _LABELLED.match(text[start:end])
        at = start + (label.end() if label else 0)
        yield Edit(at, at, f"{' ' * bool(label)}{new}{' ' * (label is None)}")
        return
    if not old:
        at = end - len(_SIMPLE_END.search(text[start:end])[0])  # type: ignore[index]
        at -= len((_SIGNS.search(text[start:at]) or [""])[0]) if not re.match(r"[A-Z]", new) else 0
        yield Edit(at, at, f" {new}")
        return
    places = occurrences(text, old[0], start, end)
    if where == "from":
        yield _from_to(text, places, old[1], end, new)
        return
    if not places:
        raise NotApplied(f"“{_short(old[0])}” does not stand there")
    if where in ORDINALS:
        if ORDINALS.index(where) >= len(places):
            raise NotApplied(f"“{_short(old[0])}” does not stand there so often")
        places = [places[ORDINALS.index(where)]]
    elif where == "last":
        places = places[-1:]
    elif len(places) > 1 and where != "all":
        raise NotApplied(f"“{_short(old[0])}” stands there {len(places)} times")
    for a, b in places:
        if one["kind"] == kinds.WORDS_INSERTED:
            space = "" if new[:1] in ",;:." else " "
            behind = b + len((_CITED.match(text, b) or [""])[0])  # the number of the Act that is named
            yield Edit(a, a, f"{new} ") if where == "before" else Edit(behind, behind, f"{space}{new}")
        else:
            yield Edit(a, b, new)


def _from_to(text: str, places: Sequence[tuple[int, int]], last: str, end: int, new: str) -> Edit:
    """The portion from some words to others."""
    if len(places) != 1:
        raise NotApplied("where the portion begins is not certain")
    ends = occurrences(text, last, places[0][1], end)
    if not ends or (len(ends) > 1 and len(last.split()) < 2):
        raise NotApplied("where the portion ends is not certain")
    return Edit(places[0][0], ends[0][1], new)


def occurrences(text: str, words: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Where words stand in a text; case, spaces, brackets of amendments and signs do not count."""
    end = len(text) if end is None else end
    tokens = list(_WORD.finditer(text, start, end))
    keys = [_key(m[0]) for m in tokens]
    sought = keys_of(words)
    n = len(sought)
    if not n:
        return []
    signs = _SIGNS.search(words.rstrip())
    out = []
    for at in range(len(keys) - n + 1):
        if keys[at] == sought[0] and keys[at : at + n] == sought:
            a, b = tokens[at].start(), tokens[at + n - 1].end()
            if signs and text[b : b + len(signs[0])] == signs[0]:
                b += len(signs[0])
            out.append((a, b))
    return out


def keys_of(text: str) -> list[str]:
    """The words of a text as they are compared."""
    return [_key(word) for word in _WORD.findall(text)]


def _key(word: str) -> str:
    return re.sub(r"['’‘`]", "", word).lower()


def _short(words: str) -> str:
    return words if len(words) <= 60 else f"{words[:59]}…"


def _renumber(one: Row) -> Edit:
    new = one["new"][0] if one["new"] else ""
    if _inner(one) or not re.match(r"sub-?\s?section \(1\)|clause \(1\)|sub-?rule \(1\)", new):
        raise NotApplied("the new numbers are not made")
    return Edit(0, 0, "(1) ")


def _apply_to_heading(out: Consolidated, one: Row, number: str) -> None:
    if one["kind"] == kinds.SUBSTITUTE:
        out.heading = one["new"][0].rstrip(".")
    else:
        out.heading = _edited(out.heading, list(_of_words(out.heading, 0, len(out.heading), one)))


def _apply_to_whole(out: Consolidated, one: Row, number: str) -> None:
    """A section that goes or is substituted, or new ones behind or before it."""
    if one["kind"] == kinds.OMIT:
        out.omitted, out.text = True, ""
        return
    sections = sections_in(one["new"][0])
    if not sections:
        raise NotApplied("the new text has no number")
    if one["kind"] == kinds.SUBSTITUTE:
        same = [section for section in sections if section[0] == normal(number).upper()]
        if same:
            out.text, out.heading = same[0][2], same[0][1] or out.heading
        else:
            out.omitted, out.text = True, ""
        sections = [section for section in sections if section not in same]
    out.inserted += [section for section in sections if section not in out.inserted]


def _edited(text: str, edits: Sequence[Edit]) -> str:
    """A text with edits done; of two at one place the first stands first."""
    ordered = sorted(enumerate(edits), key=lambda pair: (pair[1].start, pair[1].end, pair[0]))
    for _, edit in reversed(ordered):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return re.sub(r"\n{2,}", "\n", text).strip()
