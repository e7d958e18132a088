"""A passage as claims are compared with it: words, clauses, the windows that share most with a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cached_property, lru_cache
from typing import NamedTuple

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.online.claims.facts import Quantity, negations, quantities
from citegrain.tasks.online.generate import CITATION, cited_numbers

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


_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*•+]|\(?\d{1,2}[.)]|\(?[a-z]\))\s)|\n(?=#)")
_LEAD = re.compile(r"\s*(?:[-*•+]\s+|#+\s*|\(?\d{1,2}[.)]\s+|\(?[a-z]\)\s+|>\s*)*")
_END = re.compile(
    r"[.?!][\"”’)\]*_]*(?:\s*\[[\d,;\s–-]+\])*(?=\s|$)|[.?!]?(?:\s*\[[\d,;\s–-]+\])+\.?(?=\s+[A-Z“\"]|\s*$)"
)
_SHORT = re.compile(
    r"(?:\b(?:ss?|secs?|nos?|rs|arts?|art|cl|ch|sch|para|paras|v|vs|viz|cf|ltd|pvt|dr|mr|mrs|ms|st|hon|ibid|i\.e|e\.g|"
    r"etc|p|pp|r|rr|o|u/s|w\.e\.f|ord|expl|prov)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_PAGED = re.compile(
    r"(?:(?P<file>[\w][\w .&()-]{0,80}?\.(?:pdf|docx|pptx|html?|txt))[,;:]?\s*)?"
    r"\b(?:pages?|pp?\.)\s*(?P<page>\d{1,4})(?:\s*(?:-|–|to)\s*(?P<last>\d{1,4}))?"
    r"(?:\s+of\s+(?P<behind>[\w][\w .&()-]{0,80}?\.(?:pdf|docx|pptx|html?|txt)))?",
    re.IGNORECASE,
)
_NO_CLAIM = re.compile(
    r"\?\s*$|:\s*$|\bnot (?:a substitute for )?legal advice"
    r"|\b(?:consult|speak to|approach|contact|see) an? (?:\w+ )?(?:lawyer|advocate)"
    r"|\b(?:passages?|contexts?|provisions?|sources?|documents?|information) "
    r"(?:given |provided |above |here |at hand )?(?:do|does|did) not "
    r"(?:say|mention|contain|state|cover|address|answer|specify|give|tell|include|discuss|deal|provide|show|have)\b"
    r"|\bhope this helps|\bi (?:cannot|can't|do not|don't) (?:know|find|answer|say)\b"
    r"|^(?:references|sources|note|answer|summary)\b\W*$",
    re.IGNORECASE,
)
_FEWEST = 3  # words of a claim


class Sentence(NamedTuple):
    """A sentence with its place in the text, the numbers in brackets, and the pages that it names."""

    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    pages: tuple[tuple[str, int, int], ...]


def find_sentences(text: str) -> list[Sentence]:
    """The sentences of an answer that say something, each with its references.

    References that stand behind the full stop are those of the sentence before. Questions, headings,
    disclaimers and refusals are left out.
    """
    return [s for start, end in _spans(text) if (s := _sentence(text, start, end)) is not None]


def without_references(text: str) -> str:
    """A sentence without numbers in brackets and names of pages; other characters keep their places."""
    for pattern in (CITATION, _PAGED):
        text = pattern.sub(lambda m: " " * len(m[0]), text)
    return text


def _spans(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for block in [*_BLOCK.finditer(text), None]:
        stop = block.start() if block else len(text)
        lead = _LEAD.match(text, begin, stop)
        start = lead.end() if lead else begin
        for match in _END.finditer(text, start, stop):
            if match.start() < start or _SHORT.search(text, start, match.start() + 1):
                continue
            following = text[match.end() : stop].lstrip()
            if following[:1].islower() and match[0][0] not in "?!":
                continue
            yield start, match.end()
            start = match.end()
        if text[start:stop].strip():
            yield start, stop
        begin = block.end() if block else stop


def _sentence(text: str, start: int, end: int) -> Sentence | None:
    words = text[start:end]
    start, end = start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())
    words = text[start:end]
    plain = without_references(words).strip(" *_.")
    if len(re.findall(r"[^\W\d_]{2,}", plain)) < _FEWEST or _NO_CLAIM.search(plain + words[-1:]):
        return None
    return Sentence(start, end, words, tuple(cited_numbers(words)), tuple(_pages(words)))


def _pages(words: str) -> Iterator[tuple[str, int, int]]:
    for match in _PAGED.finditer(words):
        first = int(match["page"])
        yield (match["file"] or match["behind"] or "").strip(), first, int(match["last"] or first)
