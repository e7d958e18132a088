"""Two texts, word by word, and whether words differ by an amendment or by a slip of the press.

Two editions of the same law differ in misprints that nobody enacted. These are slips:

- the same letters, set apart or run together otherwise (``maybe`` and ``may be``): always;
- words that stand there twice over, one behind the other: always;
- a word that is misspelt: one letter off, and the other edition has it nowhere;
- an article, or the label over illustrations, that is missing;
- a word or two that are missing, or look much like the other edition's, without any note, where the
  edition notes amendments.

The last three are none where a note names a later amendment of the provision. Numbers, negations
and words that command or permit are slips of the first two kinds alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import OSA, Indel

from citegrain.tasks.law.amend.units import Words, joined
from citegrain.tasks.law.numbers import ORDINALS

CONTEXT = 8  # words shown on each side of a change

_ARTICLES = frozenset({"a", "an", "the"})
_LABELS = frozenset({"illustration", "illustrations"})
_NUMBERS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand lakh crore half
quarter twice thrice double
"""
_WEIGHTY = """
not no nor none never neither without unless except only shall may must can cannot will would should before
after
"""
_GUARDED = frozenset(_WEIGHTY.split()) | frozenset(_NUMBERS.split()) | frozenset(ORDINALS)
_NEGATIVE = frozenset({"a", "un", "in", "im", "il", "ir", "non", "dis", "mis", "de"})
_PERSONS = frozenset({("er", "ee"), ("or", "ee")})
_JOINING = frozenset({"and", "or"})
_DIGITS = re.compile(r"\d+")
_SHORTEST = 4  # letters of a word that may be misspelt
_UNNOTED = 2  # words that may differ without a note
_LOOKS_ALIKE = 0.75  # similarity in letters of what the press may have mixed up
_PLACES = 3  # places where they may


@dataclass(frozen=True)
class Region:
    """Words ``old_first`` to ``old_last`` (exclusive) became those from ``new_first`` to ``new_last``."""

    old_first: int
    old_last: int
    new_first: int
    new_last: int


@dataclass(frozen=True)
class Change:
    """A run of words: ``op`` is keep, delete, insert or replace."""

    op: str
    old: str
    new: str


def similarity(old: Words, new: Words) -> float:
    """Share of the words of both that are kept in order, 0 to 1."""
    return float(Indel.normalized_similarity(old.keys, new.keys))


def regions(old: Words, new: Words) -> list[Region]:
    """What differs, in order; nothing between two regions but words that are kept."""
    out: list[Region] = []
    for op in Indel.opcodes(old.keys, new.keys):
        if op.tag == "equal":
            continue
        if out and out[-1].old_last == op.src_start and out[-1].new_last == op.dest_start:
            out[-1] = Region(out[-1].old_first, op.src_end, out[-1].new_first, op.dest_end)
        else:
            out.append(Region(op.src_start, op.src_end, op.dest_start, op.dest_end))
    return out


def readable(differing: Iterable[Region]) -> list[Region]:
    """Regions joined where fewer words lie between them than change on either side.

    A sentence that was written anew shares its small words with the old one: shown one by one
    they are not readable. After the semantic clean-up of Google's diff-match-patch.
    """
    out: list[Region] = []
    for region in differing:
        out.append(region)
        while len(out) > 1 and out[-1].old_first - out[-2].old_last < min(map(_size, out[-2:])):
            last = out.pop()
            out[-1] = Region(out[-1].old_first, last.old_last, out[-1].new_first, last.new_last)
    return out


def _size(region: Region) -> int:
    return max(region.old_last - region.old_first, region.new_last - region.new_first)


def changes(old: Words, new: Words, differing: Sequence[Region]) -> list[Change]:
    """Regions as printed, with a few words around each."""
    out: list[Change] = []
    at = 0
    for k, region in enumerate(differing):
        out += _unchanged(old, at, region.old_first, opening=k == 0)
        was, now = old.shown(region.old_first, region.old_last), new.shown(region.new_first, region.new_last)
        out.append(Change("replace" if was and now else "delete" if was else "insert", was, now))
        at = region.old_last
    return out + _unchanged(old, at, len(old.keys), opening=not differing, closing=True)


def _unchanged(words: Words, first: int, last: int, *, opening: bool, closing: bool = False) -> list[Change]:
    """Words that are kept; of many those next to a change."""
    if first >= last:
        return []
    head = 0 if opening else CONTEXT
    tail = 0 if closing else CONTEXT
    if last - first <= head + tail + 1:
        shown = words.shown(first, last)
    else:
        shown = f"{words.shown(first, first + head)} … {words.shown(last - tail, last)}".strip()
    return [Change("keep", shown, shown)]


@dataclass(frozen=True)
class Circumstances:
    """What is known beside the words.

    Attributes
    ----------
    old_words, new_words
        All words of the two versions.
    noted
        Whether a note names a later amendment of this provision.
    annotated
        Whether the new edition notes amendments at all.
    """

    old_words: frozenset[str]
    new_words: frozenset[str]
    noted: bool
    annotated: bool


def real_regions(old: Words, new: Words, differing: Sequence[Region]) -> list[Region]:
    """Regions without those in which only spaces and hyphens differ."""
    out: list[Region] = []
    rest = list(differing)
    while rest:
        region = rest.pop(0)
        if _same_letters(old, new, region):
            continue
        # a short word that both have may lie between the halves of one that was run together
        if rest and rest[0].old_first - region.old_last <= _UNNOTED:
            both = Region(region.old_first, rest[0].old_last, region.new_first, rest[0].new_last)
            if _same_letters(old, new, both):
                rest.pop(0)
                continue
        out.append(region)
    return out


def all_slips(old: Words, new: Words, differing: Sequence[Region], circumstances: Circumstances) -> bool:
    """Whether every one of the regions is a slip of the press."""
    open_ones = [r for r in differing if not _doubled(old, new, r)]
    if not open_ones:
        return True
    if circumstances.noted:
        return False
    unsure = [r for r in open_ones if not _misprint(old, new, r, circumstances)]
    return len(unsure) <= _PLACES and all(circumstances.annotated and _small(old, new, r) for r in unsure)


def _words(old: Words, new: Words, region: Region) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return old.keys[region.old_first : region.old_last], new.keys[region.new_first : region.new_last]


def _same_letters(old: Words, new: Words, region: Region) -> bool:
    was, now = _words(old, new, region)
    figures = [[d for word in side for d in _DIGITS.findall(word)] for side in (was, now)]
    return joined(was) == joined(now) and figures[0] == figures[1]


def _doubled(old: Words, new: Words, region: Region) -> bool:
    """Whether one edition has words twice over that the other has once."""
    was, now = _words(old, new, region)
    if bool(was) == bool(now):
        return False
    words, first, last = (
        (old.keys, region.old_first, region.old_last)
        if was
        else (new.keys, region.new_first, region.new_last)
    )
    # of words that stand there twice any stretch of that length may be taken as the one too many
    while first and words[first - 1] == words[last - 1]:
        first, last = first - 1, last - 1
    return words[first:last] == words[last : 2 * last - first]


def _misprint(old: Words, new: Words, region: Region, circumstances: Circumstances) -> bool:
    was, now = _words(old, new, region)
    both = {*was, *now}
    if both <= _ARTICLES or (both <= _LABELS and not (was and now)):
        return True
    a, b = joined(was), joined(now)
    if both & _GUARDED or not (a.isalpha() and b.isalpha()) or min(len(a), len(b)) < _SHORTEST:
        return False
    unknown = a not in circumstances.new_words or b not in circumstances.old_words
    plural = f"{a}s" == b or f"{b}s" == a
    return unknown and OSA.distance(a, b) == 1 and not (plural or _opposite(a, b))


def _opposite(a: str, b: str) -> bool:
    """``employer`` and ``employee``, ``lawful`` and ``unlawful``: letters that turn the meaning round."""
    short, long = sorted((a, b), key=len)
    if long != short and long.endswith(short):
        return long[: -len(short)] in _NEGATIVE
    return (short[-2:], long[-2:]) in _PERSONS or (long[-2:], short[-2:]) in _PERSONS


def _small(old: Words, new: Words, region: Region) -> bool:
    """Whether a word or two are missing, or look much alike, and carry no number, negation or command."""
    was, now = _words(old, new, region)
    both = {*was, *now}
    if max(len(was), len(now)) > _UNNOTED or both & _GUARDED or any(map(_DIGITS.search, both)):
        return False
    if not (was and now):
        return True
    a, b = joined(was), joined(now)
    return Indel.normalized_similarity(a, b) >= _LOOKS_ALIKE and not (both & _JOINING or _opposite(a, b))
