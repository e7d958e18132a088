"""An answer in sentences, each with the passages that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from citegrain.tasks.online.generate import CITATION, cited_numbers

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
