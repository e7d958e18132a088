"""The passage of a provision that meets a question: the window of its text that shares most words with it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log1p
from typing import NamedTuple, TypeVar

_LONGEST = 400  # characters of a window: two to three sentences
_REST = 250  # and of the rest of its last clause: a fine stands behind the offence
_END = re.compile(r"[;:.—](?=\s|$)")
_BREAK = re.compile(r"(?<=[;:.,—])\s+|\n+")  # sentences of statutes run over a page: they are cut at clauses
_CUE = 4.0  # weight of what a question asks for: that of a term which one chunk in fifty has
_NUMBER = (
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|fifteen|twenty|thirty|forty"
    r"|sixty|seventy|ninety|hundred|thousand|lakh)\b"
    r"[^.;]{0,30}\b(?:days?|hours?|weeks?|months?|years?|rupees|per cent)\b"
)
_CUES = (
    (
        r"how (?:many|much|long|quick|fast|soon|late)|\bwhen\b|time limit|last date|\bkitn|kab tak"
        r"|\bno (?:reply|response|answer)\b|\bnot (?:replied|responded|answered)\b"
        r"|\b(?:days|months|years) (?:ago|back)\b",
        _NUMBER,
    ),
    (r"punish|jail|\bfine\b|penalt|prison|sentence|\bsaza\b", r"punish|imprisonment|\bfine\b|penalty"),
)
"""What a question asks, and how a statute says it: a number with its unit, a punishment."""
_PATTERNS = [tuple(re.compile(p, re.IGNORECASE) for p in pair) for pair in _CUES]

T = TypeVar("T")
Terms = Callable[[str], Sequence[str]]


class _Unit(NamedTuple):
    """A clause of a text: where it stands, its terms, and which of the cues it gives."""

    start: int
    end: int
    terms: frozenset[str]
    cues: frozenset[int]


def passage(text: str, question: str, weights: Mapping[str, float], terms: Terms) -> str:
    """The window of a text that scores best against a question, on one line; the first of equals.

    A window's score is the sum of the weights of the question's terms that it has, each once and by how rare
    it is among the clauses, and of what the question asks for. By words and not by vectors: of 24 questions
    it showed the right place for 20, vectors of windows for 16, at hundreds of times the cost.

    ``weights``: weight of each term that is looked for. ``terms``: from text to terms.
    """
    units = _units(text, terms)
    cues = dict.fromkeys(_cues_of(question), _CUE)
    of_terms = _rare(weights, [u.terms for u in units])
    of_cues = _rare(cues, [u.cues for u in units])
    best, span = -1.0, (0, 0)
    for window in _windows(units):
        score = _sum(of_terms, [u.terms for u in window]) + _sum(of_cues, [u.cues for u in window])
        if score > best + 1e-9:
            best, span = score, (window[0].start, window[-1].end)
    start, end = span
    if end and not _END.match(text, end - 1) and (rest := _END.search(text, end, end + _REST)):
        end = rest.end()
    line = " ".join(text[start:end].split())  # dots say where it goes on
    return f"{'… ' if text[:start].strip() else ''}{line}{' …' if text[end:].strip() else ''}"


@lru_cache(maxsize=64)
def _cues_of(question: str) -> list[int]:
    """Which of the cues a question asks for; it is looked at once for all that it is shown."""
    return [i for i, (asks, _) in enumerate(_PATTERNS) if asks.search(question.lower())]


def _rare(weights: Mapping[T, float], units: Sequence[frozenset[T]]) -> dict[T, float]:
    """Weights of what the units have, less where many of them have it: it does not tell them apart."""
    count = Counter(x for unit in units for x in unit if x in weights)
    return {x: weights[x] * log1p(len(units) / (n + 0.5)) / log1p(len(units) / 1.5) for x, n in count.items()}


def _sum(weights: Mapping[T, float], units: Sequence[frozenset[T]]) -> float:
    return sum(weights[x] for x in weights.keys() & frozenset().union(*units))


def _windows(units: Sequence[_Unit]) -> Iterator[Sequence[_Unit]]:
    """From each clause on as many as fit; none that lies in the one before."""
    last = 0
    for first, unit in enumerate(units):
        before, last = last, max(last, first + 1)
        while last < len(units) and units[last].end - unit.start <= _LONGEST:
            last += 1
        if last > before:
            yield units[first:last]


@lru_cache(maxsize=2000)
def _units(text: str, terms: Terms) -> list[_Unit]:
    """The clauses of a text; those of the configurations of a study are cut once."""
    return [
        _Unit(
            start,
            end,
            frozenset(terms(text[start:end])),
            frozenset(i for i, (_, says) in enumerate(_PATTERNS) if says.search(text, start, end)),
        )
        for start, end in _spans(text)
    ]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each clause; one that is too long is cut between words."""
    start = 0
    for end, after in [*(m.span() for m in _BREAK.finditer(text)), (len(text), len(text))]:
        while end - start > _LONGEST:
            cut = text.rfind(" ", start + 1, start + _LONGEST)
            cut = cut if cut > start else start + _LONGEST
            yield start, cut
            start = cut
        if end > start:
            yield start, end
        start = after
