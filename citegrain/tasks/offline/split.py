"""Stretches that no chunk may cross, and how a long one is cut."""

import hashlib
import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citegrain.tasks.core.tables import grouped
from citegrain.tasks.law.citations import CITABLE

_OF_JUDGMENTS = ("headnote", "opinion", "front", "back")  # kept apart, and never searched
_UNITS = frozenset({*CITABLE, "schedule", "order", "part", "chapter", *_OF_JUDGMENTS})

Span = tuple[int, int]
Row = Mapping[str, Any]

# Table 3.2 of the thesis, from the highest priority down. Section, Article, Rule and Schedule are
# read by the parser and never crossed; the boundaries below lie within one of them.
_SUBSECTION = re.compile(r"\n(?=[\[(“\"]*\(\d{1,3}[A-Z]{0,2}\))")
_CLAUSE = re.compile(
    r"\n(?=[\[(“\"]*(?:\([a-zअ-ह]{1,4}\)|\([A-Z]{1,2}\)|Provided|Explanation|Illustration|Exception|परंतु|परन्तु|स्पष्टीकरण|दृष्टांत|अपवाद))"
)
_PARAGRAPH = re.compile(r"\n+(?=\S)")
_SENTENCE = re.compile(r"(?<=[.;:?!—।])\s+(?=\S)")
_WORD = re.compile(r"\s+(?=\S)")
PRIORITIES = (_SUBSECTION, _CLAUSE, _PARAGRAPH, _SENTENCE, _WORD)


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of text that is cited as one. ``ids`` is empty for what no provision covers.

    ``indexed`` is False for bare headings of Parts, Chapters and Orders.
    """

    start: int
    end: int
    ids: tuple[str, ...]
    indexed: bool


def citation_units(text: str, provisions: Sequence[Row]) -> list[Unit]:
    """Cut ``text`` at every boundary between citable provisions.

    The units are disjoint, in order, and hold every character that is not white space.
    A unit belongs to the innermost citable provision (section, Article, rule, entry, paragraph); what lies
    outside of those belongs to the innermost Schedule, Order, Chapter, Part or headnote, or to none.

    ``provisions``: its rows of ``provisions``, any order; sub-sections and clauses are passed over.
    """
    ranked = [p for p in provisions if p["char_end"] > p["char_start"] and p["kind"] in _UNITS]
    cuts = sorted({0, len(text)} | {p["char_start"] for p in ranked} | {p["char_end"] for p in ranked})
    opening = grouped((p["char_start"], p) for p in ranked)
    active: list[Row] = []
    units: list[Unit] = []
    for start, end in itertools.pairwise(cuts):
        active = [p for p in active if p["char_end"] > start] + opening.get(start, [])
        piece = text[start:end]
        if not piece.strip():
            continue
        owners = _innermost(active)
        kind = owners[0]["kind"] if owners else ""
        lead = len(piece) - len(piece.lstrip())
        unit = Unit(
            start + lead,
            start + len(piece.rstrip()),
            tuple(o["provision_id"] for o in owners),
            kind in CITABLE or kind == "schedule" or (not owners and len(piece.strip()) > 40),
        )
        if units and unit.ids and units[-1].ids == unit.ids and units[-1].indexed == unit.indexed:
            units[-1] = Unit(units[-1].start, unit.end, unit.ids, unit.indexed)
        else:
            units.append(unit)
    return units


def _innermost(active: Sequence[Row]) -> list[Row]:
    """The provisions a stretch is cited by: several only where they share one span (161 to 165A)."""
    citable = [p for p in active if p["kind"] in CITABLE] or list(active)
    spans = [(p["char_start"], p["char_end"]) for p in citable]
    best = min(spans, key=lambda span: (span[1] - span[0], -span[0]), default=None)
    return [p for p, span in zip(citable, spans, strict=True) if span == best]


def unit_ids(act_id: str, text: str, spans: Sequence[Span], provisions: Sequence[Row]) -> list[str]:
    """Names of pieces of an Act that another edition of it shares, whatever is inserted before them.

    A piece is named after the innermost provision in which it begins; further pieces that begin there get
    ``~2``, ``~3``. What stands in no provision is named after its words.

    ``provisions``: all its rows of ``provisions``, sub-sections and clauses too.
    """
    whole_first = sorted(provisions, key=lambda p: (p["char_start"], -p["char_end"]))
    nested = [p for p in whole_first if p["char_end"] > p["char_start"]]
    inner = dict.fromkeys(sorted({start for start, _ in spans}), "")
    stack: list[Row] = []
    at = 0
    for start in inner:
        while at < len(nested) and nested[at]["char_start"] <= start:
            stack.append(nested[at])
            at += 1
        stack = [p for p in stack if p["char_end"] > start]
        lengths = [(p["char_end"] - p["char_start"], p["provision_id"]) for p in stack]
        inner[start] = min(lengths, key=lambda length: length[0], default=(0, ""))[1]
    names, seen = [], Counter[str]()
    for start, end in spans:
        words = " ".join(text[start:end].split())
        name = inner[start] or f"{act_id}/text_{hashlib.sha256(words.encode()).hexdigest()[:8]}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return names


class TokenCounter:
    """Token counts of spans of one text, from the offsets of its tokens."""

    def __init__(self, offsets: Sequence[Span]) -> None:
        self.starts = [a for a, b in offsets if b > a]
        self.ends = [b for a, b in offsets if b > a]

    def count(self, start: int, end: int) -> int:
        """Tokens that begin within ``start`` to ``end``."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def back(self, end: int, tokens: int) -> int:
        """Offset at which the last ``tokens`` tokens before ``end`` begin."""
        at = bisect_left(self.starts, end)
        return self.starts[max(0, at - tokens)] if self.starts else 0

    def windows(self, start: int, end: int, size: int, overlap: int) -> list[Span]:
        """Windows of ``size`` tokens that share ``overlap`` tokens."""
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        out: list[Span] = []
        at = first
        while at < last:
            stop = min(at + size, last)
            begin = start if at == first else self.starts[at]
            out.append((begin, end if stop == last else self.starts[stop]))
            if stop == last:
                break
            at = stop - overlap
        return out or ([(start, end)] if end > start else [])


def split_by_priority(text: str, span: Span, size: int, overlap: int, counter: TokenCounter) -> list[Span]:
    """Cut ``span`` into pieces of at most ``size`` tokens at the highest boundary that serves.

    Neighbours share at most ``overlap`` tokens, begun at a word; the pieces cover the span.
    """
    start, end = span
    if counter.count(start, end) <= size:
        return [span]
    atoms = _atoms(text, span, size - overlap if overlap else size, counter, 0)
    packed: list[Span] = []
    budget = size - overlap
    for a, b in atoms:
        if packed and counter.count(packed[-1][0], b) <= (size if len(packed) == 1 else budget):
            packed[-1] = (packed[-1][0], b)
        else:
            packed.append((a, b))
    if not overlap:
        return packed
    shared = ((_word_start(text, counter.back(a, overlap), a), b) for a, b in packed[1:])
    return [packed[0], *shared]


def _atoms(text: str, span: Span, size: int, counter: TokenCounter, level: int) -> list[Span]:
    """Pieces of at most ``size`` tokens; a boundary of lower priority only where one is too long."""
    start, end = span
    if counter.count(start, end) <= size:
        return [span]
    if level == len(PRIORITIES):
        return counter.windows(start, end, size, 0)
    cuts = [m.end() for m in PRIORITIES[level].finditer(text, start, end) if start < m.end() < end]
    pieces = itertools.pairwise([start, *cuts, end])
    return [atom for piece in pieces for atom in _atoms(text, piece, size, counter, level + 1)]


def _word_start(text: str, at: int, limit: int) -> int:
    """The first start of a word at or behind ``at``, but not behind ``limit``."""
    while at < limit and at > 0 and not text[at - 1].isspace():
        at += 1
    return at


SEPARATORS = ("\n\n", "\n", " ", "")


def split_recursive(
    text: str, size: int, separators: Sequence[str] = SEPARATORS, span: Span | None = None
) -> list[Span]:
    """Spans of LangChain's RecursiveCharacterTextSplitter without overlap, white space kept.

    Parity holds with ``RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0, separators=...)`` of
    langchain-text-splitters once each span is stripped of white space, as it strips its chunks.

    ``span``: the stretch of the text that is cut; None: all of it.
    """
    first, last = span or (0, len(text))

    def recurse(start: int, end: int, separators: Sequence[str]) -> list[Span]:
        within = (i for i, s in enumerate(separators) if s in text[start:end])
        at = next(within, len(separators) - 1)
        separator, rest = separators[at], separators[at + 1 :]
        out: list[Span] = []
        good: list[Span] = []
        for a, b in _split_behind(text, start, end, separator):
            if b - a < size:
                good.append((a, b))
                continue
            out += _merge(good, size)
            good = []
            out += recurse(a, b, rest) if rest else [(a, b)]
        return out + _merge(good, size)

    return recurse(first, last, separators) if last > first else []


def _split_behind(text: str, start: int, end: int, separator: str) -> list[Span]:
    """Splits with the separator kept at the start of what follows it."""
    if separator == "":
        return [(i, i + 1) for i in range(start, end)]
    edges = [start]
    at = text.find(separator, start, end)
    while at != -1:
        if at > edges[-1]:
            edges.append(at)
        at = text.find(separator, at + len(separator), end)
    edges.append(end)
    return [(a, b) for a, b in itertools.pairwise(edges) if b > a]


def _merge(splits: Sequence[Span], size: int) -> list[Span]:
    """Neighbouring splits joined while they fit in ``size`` characters."""
    out: list[Span] = []
    for a, b in splits:
        if out and b - out[-1][0] <= size:
            out[-1] = (out[-1][0], b)
        else:
            out.append((a, b))
    return out


def split_pages(text: str, pages: Sequence[Span], size: int, overlap: int) -> list[Span]:
    """Windows of at most ``size`` characters within each page, ended at punctuation if possible.

    The paper-QA system's rule (section 4.3): go back from the tentative end to the last
    delimiter; where that would leave no more than the overlap, keep the tentative end. The
    next window begins ``overlap`` characters before the end of the last.
    """
    out: list[Span] = []
    for start, stop in pages:
        at = start
        while at < stop:
            end = min(at + size, stop)
            if end < stop:
                delimiter = max(text.rfind(mark, at, end) for mark in ".;:?!,\n")
                if delimiter + 1 - at > overlap:
                    end = delimiter + 1
            out.append((at, end))
            if end >= stop:
                break
            at = max(end - overlap, at + 1)
    return out
