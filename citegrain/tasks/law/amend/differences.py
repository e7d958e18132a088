"""Two texts, word by word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from citegrain.tasks.law.amend.words import Words

CONTEXT = 8  # words shown on each side of a change


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
        out += _kept(old, at, region.old_first, opening=k == 0)
        was, now = old.shown(region.old_first, region.old_last), new.shown(region.new_first, region.new_last)
        out.append(Change("replace" if was and now else "delete" if was else "insert", was, now))
        at = region.old_last
    return out + _kept(old, at, len(old.keys), opening=not differing, closing=True)


def _kept(words: Words, first: int, last: int, *, opening: bool, closing: bool = False) -> list[Change]:
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
