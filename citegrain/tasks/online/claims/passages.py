"""A passage as claims are compared with it: words, clauses, the windows that share most with a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cached_property, lru_cache
from typing import NamedTuple

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.online.claims.facts import Quantity, negations, quantities

_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_BREAK = re.compile(r"(?<=[;:.—―])\s+|\n+")
_LONGEST = 500  # characters of a window: one to three clauses
_MOST = 3  # windows of a passage that a claim may rest on
# words of a claim that say where something stands, and not what
_FRAMING = """
section sections subsection article articles rule rules clause clauses act code sanhita adhiniyam law laws
provision provisions passage passages context contexts provide provides provided providing state states
stated say says said deal deals dealt govern governs cover covers covered lay lays laid down set sets out
prescribe prescribes prescribed accord according accordingly under per pursuant also thus therefore hence
however moreover further furthermore specifically particular particularly general generally additionally
addition besides indian india since shall may must will would can could should mean means require requires
required makes make made thereof therein thereto herein hereby hereinafter aforesaid respectively namely
without unless though although someone anyone anybody nobody
regard regards regarding concern concerns relate relates related
"""
_FRAME = frozenset(_FRAMING.split())
# stems that are one word here: the first stands for the others
_ALIKE = """
hear heard|give given gave|hold held|pay paid|take taken took|sell sold|bring brought|buy bought
send sent|lend lent|bear born borne|write written|know known|keep kept|leav left|lose lost|bind bound
find found|choos chosen|rise risen|child children|woman women|man men
imprison jail prison|rupe rs inr|liabl liabil|agre consent|file institut|indors endors
produc product
"""
_SAME = {
    other: first
    for row in re.split(r"[|\n]", _ALIKE)
    if row
    for first, *more in [row.split()]
    for other in more
}


Window = tuple[int, int, Set[str]]


class Token(NamedTuple):
    """A word in lower case with its place; ``term`` is its stem, empty for a word that says nothing."""

    word: str
    start: int
    end: int
    term: str


@lru_cache(maxsize=1)
def _analyser() -> Analyser:
    return Analyser("english", "en_plus")


@lru_cache(maxsize=100_000)
def term_of(word: str) -> str:
    """The stem of a word in lower case; empty for a word that says nothing."""
    if word in _FRAME or word.isdigit():
        return ""
    stem = next(iter(_analyser().terms(re.split("[’']", word)[0])), "")
    return _SAME.get(stem, stem)


def tokens_of(text: str) -> list[Token]:
    """The words of a text."""
    return [Token(w := m[0].lower(), m.start(), m.end(), term_of(w)) for m in _WORD.finditer(text)]


class Passage:
    """The text of a passage and what is compared of it, each worked out once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> list[Token]:
        """Its words."""
        return tokens_of(self.text)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its amounts."""
        return quantities(self.text)

    @cached_property
    def negations(self) -> list[tuple[int, int]]:
        """Places of its negations."""
        return negations(self.text)

    @cached_property
    def windows(self) -> list[Window]:
        """(start, end, terms) of each run of clauses that is no longer than a window."""
        units = list(self._units())
        out: list[Window] = []
        for first, (start, _, _) in enumerate(units):
            terms: set[str] = set()
            for at, (_, end, more) in enumerate(units[first : first + 4]):
                if at and end - start > _LONGEST:
                    break
                terms |= more
                out.append((start, end, frozenset(terms)))
        return out

    def _units(self) -> Iterator[Window]:
        start, at = 0, 0
        for stop, after in [
            *(m.span() for m in _BREAK.finditer(self.text)),
            (len(self.text), len(self.text)),
        ]:
            while start < stop:
                end = stop
                if stop - start > _LONGEST:
                    cut = self.text.rfind(", ", start + 1, start + _LONGEST)
                    end = cut + 1 if cut > start else start + _LONGEST
                terms: set[str] = set()
                while at < len(self.tokens) and self.tokens[at].start < end:
                    terms.add(self.tokens[at].term)
                    at += 1
                if terms - {""}:
                    yield start, end, frozenset(terms - {""})
                start = end
            start = after

    def best(self, terms: Set[str]) -> list[Window]:
        """The windows that together have most of the terms, the best first; each adds two terms at least."""
        out: list[Window] = []
        left = set(terms)
        while left and len(out) < _MOST:
            start, end, has = max(
                self.windows, key=lambda w: (len(left & w[2]), w[0] - w[1]), default=(0, 0, frozenset())
            )
            if not left & has or (out and len(left & has) < 2):
                break
            out.append((start, end, left & has))
            left -= has
        return out


@lru_cache(maxsize=5000)
def passage_of(text: str) -> Passage:
    """A passage by its text: claims of one answer share it."""
    return Passage(text)
