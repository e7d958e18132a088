"""Citation units: the running text of an Act cut at every citation boundary."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.law.citations import CITABLE

_OF_JUDGMENTS = ("headnote", "opinion", "front", "back")  # kept apart, and never searched
_UNITS = frozenset({*CITABLE, "schedule", "order", "part", "chapter", *_OF_JUDGMENTS})


@dataclass(frozen=True, slots=True)
class Provision:
    """What chunking needs of a provision; offsets are into the running text."""

    provision_id: str
    kind: str
    start: int
    end: int
    number: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of text that is cited as one. ``ids`` is empty for what no provision covers.

    ``indexed`` is False for bare headings of Parts, Chapters and Orders.
    """

    start: int
    end: int
    ids: tuple[str, ...]
    indexed: bool


def citation_units(text: str, provisions: Sequence[Provision]) -> list[Unit]:
    """Cut ``text`` at every boundary between citable provisions.

    The units are disjoint, in order, and hold every character that is not white space.
    A unit belongs to the innermost citable provision (section, Article, rule, entry, paragraph); what lies
    outside of those belongs to the innermost Schedule, Order, Chapter, Part or headnote, or to none.

    Parameters
    ----------
    text
        Running text of an Act.
    provisions
        Its provisions, any order; sub-sections and clauses are passed over.
    """
    ranked = [p for p in provisions if p.end > p.start and p.kind in _UNITS]
    cuts = sorted({0, len(text)} | {p.start for p in ranked} | {p.end for p in ranked})
    opening: dict[int, list[Provision]] = {}
    for p in ranked:
        opening.setdefault(p.start, []).append(p)
    active: list[Provision] = []
    units: list[Unit] = []
    for start, end in itertools.pairwise(cuts):
        active = [p for p in active if p.end > start] + opening.get(start, [])
        piece = text[start:end]
        if not piece.strip():
            continue
        owners = _innermost(active)
        kind = owners[0].kind if owners else ""
        lead = len(piece) - len(piece.lstrip())
        unit = Unit(
            start + lead,
            start + len(piece.rstrip()),
            tuple(o.provision_id for o in owners),
            kind in CITABLE or kind == "schedule" or (not owners and len(piece.strip()) > 40),
        )
        if units and unit.ids and units[-1].ids == unit.ids and units[-1].indexed == unit.indexed:
            units[-1] = Unit(units[-1].start, unit.end, unit.ids, unit.indexed)
        else:
            units.append(unit)
    return units


def _innermost(active: Sequence[Provision]) -> list[Provision]:
    """The provisions a stretch is cited by: several only where they share one span (161 to 165A)."""
    citable = [p for p in active if p.kind in CITABLE] or list(active)
    if not citable:
        return []
    best = min(citable, key=lambda p: (p.end - p.start, -p.start))
    return [p for p in citable if (p.start, p.end) == (best.start, best.end)]


def unit_ids(
    act_id: str, text: str, spans: Sequence[tuple[int, int]], provisions: Sequence[Provision]
) -> list[str]:
    """Names of pieces of an Act that another edition of it shares, whatever is inserted before them.

    A piece is named after the innermost provision in which it begins; further pieces that begin there get
    ``~2``, ``~3``. What stands in no provision is named after its words.

    Parameters
    ----------
    text
        Running text of the Act.
    spans
        Start and end of each piece.
    provisions
        All its provisions, sub-sections and clauses too.
    """
    nested = sorted((p for p in provisions if p.end > p.start), key=lambda p: (p.start, -p.end))
    inner = dict.fromkeys(sorted({start for start, _ in spans}), "")
    stack: list[Provision] = []
    at = 0
    for start in inner:
        while at < len(nested) and nested[at].start <= start:
            stack.append(nested[at])
            at += 1
        stack = [p for p in stack if p.end > start]
        inner[start] = min(stack, key=lambda p: p.end - p.start).provision_id if stack else ""
    names, seen = [], Counter[str]()
    for start, end in spans:
        words = " ".join(text[start:end].split())
        name = inner[start] or f"{act_id}/text_{hashlib.sha256(words.encode()).hexdigest()[:8]}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return names
