"""A hit: what is shown of a chunk that was selected, with its citation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from math import log1p
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.words import is_devanagari
from citegrain.tasks.law.citations import PARAGRAPH, numbered
from citegrain.tasks.online.builds import PublishedBuild

_LONGEST_WINDOW = 400  # characters of a window: two to three sentences
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
        while last < len(units) and units[last].end - unit.start <= _LONGEST_WINDOW:
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
        while end - start > _LONGEST_WINDOW:
            cut = text.rfind(" ", start + 1, start + _LONGEST_WINDOW)
            cut = cut if cut > start else start + _LONGEST_WINDOW
            yield start, cut
            start = cut
        if end > start:
            yield start, end
        start = after


_OF_AMENDMENT = re.compile(r"\b(?:amend|(?:insert|substitut|omitt)ed\b|changed?\b)")  # in small letters
_LONGEST_SEARCHED = (
    20_000  # characters of a provision in which the passage is looked for; of longer ones in the chunk
)


@dataclass(frozen=True)
class Hit:
    """A chunk selected for a query, cited by its provision.

    ``act`` and ``provision_id`` are ids, ``law`` is how a person cites it, ``link`` points to the page of
    the document, ``version`` is the date of the version of the law, ISO, empty if unknown. ``evidence`` is
    the passage of the provision that meets the question, ``text`` is the chunk's, ``parent_text``
    that of which it is a part. ``attributes`` are what the law's own tables say of the provision, such as
    ``bailable``. ``probability`` that it applies is None where nothing was estimated.
    ``may_have_changed_since`` is the first day of an amendment that the text does not show, ISO or a year;
    empty if none is known.
    """

    rank: int
    provision_id: str
    act: str
    law: str
    section: str
    heading: str
    page: int
    chunk_id: str
    score: float
    link: str
    version: str = ""
    evidence: str = ""
    text: str = ""
    parent_text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    probability: float | None = None
    may_have_changed_since: str = ""


def make_hits(build: PublishedBuild, run: pa.Table, queries: pa.Table) -> dict[str, list[Hit]]:
    """Hits by query of a run, each with its evidence; chunks that cite nothing are left out.

    A question in Devanagari is shown the edition in Hindi of what it found, where that is law too.
    """
    ranked, out = rankings(run), {}
    for query in queries.select(["query_id", "text", "as_of", "texts"]).to_pylist():
        cited = [(c, s) for c, s in ranked.get(query["query_id"], []) if build.citations[c] is not None]
        if "hi" in build.languages and any(is_devanagari(t["text"]) for t in query["texts"]):
            cited = [(_in_hindi(build, chunk_id, query["as_of"]), score) for chunk_id, score in cited]
        weights = build.term_weights(query["texts"]) if cited else {}
        out[query["query_id"]] = [
            replace(
                cite(build, chunk_id, rank, score),
                evidence=passage(_searched(build, chunk_id), query["text"], weights, build.terms),
                may_have_changed_since=_changed_since(build, chunk_id, query["as_of"]),
            )
            for rank, (chunk_id, score) in enumerate(cited, 1)
        ]
    return out


def _in_hindi(build: PublishedBuild, chunk_id: str, day: date | None) -> str:
    """A chunk in Hindi of the provision that a chunk cites; the chunk itself where none is law on the day."""
    eligible, rows = build.eligible(day), build.rows_of(str(build.citations[chunk_id]))
    in_hindi = (r for r in (build.rows[chunk_id], *rows) if eligible[r] and build.in_hindi(r))
    return build.chunk_ids[next(in_hindi, build.rows[chunk_id])]


def _changed_since(build: PublishedBuild, chunk_id: str, day: date | None) -> str:
    chunk = build.chunk(chunk_id)
    pending = build.pending(chunk["citation"], chunk["version_date"], day)
    return pending.since if pending else ""


def cite(build: PublishedBuild, chunk_id: str, rank: int = 0, score: float = 0.0) -> Hit:
    """A chunk with its citation; it must cite something."""
    chunk = build.chunk(chunk_id)
    version = chunk["version_date"]
    provision = build.provision_row(chunk["citation"], version)
    page = int(chunk["page_start"])
    shown = build.shown_page(chunk["document_id"], page)
    return Hit(
        rank=rank,
        provision_id=chunk["citation"],
        act=chunk["act_id"],
        law=law_of(build.act(chunk["act_id"], version), provision, shown),
        section=provision["number"],
        heading=provision["heading"],
        page=shown,
        chunk_id=chunk_id,
        score=score,
        link=build.link(chunk["document_id"], page),
        version=version.isoformat() if version else "",
        text=chunk["text"],
        parent_text=build.parent(chunk_id)["text"],
        attributes=build.attributes(chunk["citation"]),
    )


def law_of(act: Mapping[str, Any], provision: Mapping[str, Any], page: int) -> str:
    """How a person cites a provision; a rule and a paragraph with their page where the format has pages."""
    on_page = f", page {page}" if page else ""
    if act["kind"] == "rules" and provision["kind"] in ("rule", "regulation"):
        title = act["title"].removeprefix("The ")
        return f"{provision['kind'].capitalize()} {provision['number']}, {title}{on_page}"
    where = f"{act['title']}, {numbered(provision)}"
    return f"{where}{on_page}" if provision["kind"] == PARAGRAPH else where


def _searched(build: PublishedBuild, chunk_id: str) -> str:
    """Where the passage is looked for: a lay text leads to the first chunk of a provision, not the best."""
    chunk = build.chunk(chunk_id)
    full_text = str(build.provision_row(chunk["citation"], chunk["version_date"])["text"])
    return full_text if 0 < len(full_text) <= _LONGEST_SEARCHED else str(chunk["text"])


def carried_by_the_law(build: PublishedBuild, queries: pa.Table) -> dict[str, set[str]]:
    """Provisions whose amendments of other Acts are in the text of the law of each query's day, if any are.

    None where a query asks what was amended; none of an Act that it names.
    """
    out = dict[str, set[str]]()
    if not build.carried:
        return out
    for row in queries.select(["query_id", "text", "acts", "as_of"]).to_pylist():
        if not _OF_AMENDMENT.search(row["text"].lower()):
            day = row["as_of"] or date.max
            in_law = (p for p, first in build.carried.items() if first <= day)
            out[row["query_id"]] = {p for p in in_law if p.partition("/")[0] not in row["acts"]}
    return out
