"""An answer in words: against the one expected (paper-QA 5.2), how it fails (5.3.4), and what it rests on.

Source and page are measured over all that was retrieved, and over what the answer cites. A question that has
no source has no value of them. What an answer rests on is counted from its claims, as in RAGAS.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.core.words import devanagari_share
from citegrain.tasks.evaluation.score.gold import GoldQuery
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.claims import ClaimContext, JudgedClaim, context_of, judge_claims, readers_of
from citegrain.tasks.online.generate import REFUSED, contexts_of
from citegrain.tasks.online.hits import cite

_RESTS = ("supported", "partly")
BRIEF = 25
"""Words that a refusal has at most that says nothing else."""

Place = tuple[str, int]
"""File and page."""

_TELLS = (
    r"(?:address|answer|appear|contain|cover|describe|discuss|explain|give|include|indicate|mention|name|offer|provide|"
    r"report|say|specify|state|support|tell)"
)
_SAID = (
    r"(?:addressed|answered|available|contained|covered|described|determined|discussed|found|given|included|indicated|"
    r"mentioned|named|provided|reported|specified|stated|supported)"
)
_TEXTS = r"(?:chunk|context|corpus|document|excerpt|material|paper|passage|provision|reference|source|text)s?"
_REFUSAL = re.compile(
    rf"\bI (?:do not|don't) know\b|\b(?:do|does|did)(?: not|n't) (?:\w+ ){{0,2}}?{_TELLS}\b"
    rf"|\b(?:cannot|can not|can't|could not|couldn't|unable to|not able to)(?: be)? (?:\w+ )?"
    rf"(?:{_TELLS}|{_SAID}|find|determine|locate)\b"
    rf"|\b(?:is|are|was|were)(?: not|n't) (?:\w+ )?(?:{_SAID}|in the (?:\w+ )?{_TEXTS})\b"
    r"|\b(?:no|not enough|insufficient|lacks?(?: any)?) (?:\w+ )?"
    r"(?:answer|detail|evidence|information|mention)s?\b"
    rf"|\b{_TEXTS} {_TELLS} no\b"
    rf"|\b(?:none of|nothing in|neither of) the (?:\w+ )?{_TEXTS}\b"
    rf"|\bno (?:\w+ )?{_TEXTS} (?:\w+ )?{_TELLS}s?\b"
    r"|\b(?:do not|don't) have (?:\w+ )?information\b"
    r"|\bnot possible to (?:\w+ )?(?:answer|determine|say|tell)\b"
    rf"|\b(?:outside|beyond) the scope\b|\A\W*not {_SAID}\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(rf"\b(?:{_TEXTS}|I|me|we|answers?|information|questions?)\b", re.IGNORECASE)
_LAST_PART = re.compile(r"^\W*(?:final answer|answer|conclusion)\b\W*", re.IGNORECASE | re.MULTILINE)
_REFERENCES = re.compile(r"^\W*references\W*$", re.IGNORECASE | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])[\"”’)]*(?:\s*\[[\d, –-]+\])*\s+")
_LANGUAGES = (
    "DANISH", "DUTCH", "FRENCH", "GERMAN", "ITALIAN",
    "NORWEGIAN", "PORTUGUESE", "SPANISH", "SWEDISH", "TURKISH",
)  # fmt: skip


def refusal(prose: str) -> str:
    """How an answer says that the texts do not answer: ``brief``, ``long``; empty where it does not say so.

    It says so in its first sentence, or in the first behind a label such as ``Final answer:``: what is not
    said or found, and by what text or by whom. A sentence that comes later takes no answer back.
    """
    last = _LAST_PART.split(prose.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))[-1].strip()
    first = " ".join(_SENTENCE.split(last)[0].split())
    if not (_REFUSAL.search(first) and _ABOUT.search(first)):
        return ""
    return "brief" if len(prose.split()) <= BRIEF else "long"


@cache
def _function_words() -> Mapping[str, Collection[str]]:
    from bm25s import stopwords  # brings numba and SciPy

    words = {name: frozenset(getattr(stopwords, f"STOPWORDS_{name}")) for name in _LANGUAGES}
    return {"": frozenset(stopwords.STOPWORDS_EN_PLUS), **words}


def in_other_language(text: str) -> bool:
    """Whether a text is not in English, by its script or by whose function words it has most of.

    A text without any, as a number or a title, is taken to be in English.
    """
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(letter < "\N{MODIFIER LETTER SMALL H}" for letter in letters)
    if letters and (2 * latin < len(letters) or devanagari_share(text) > 0.5):
        return True
    counts = Counter(re.findall(r"[^\W\d_]+", text.lower()))
    most = {
        name: sum(n for word, n in counts.items() if word in words)
        for name, words in _function_words().items()
    }
    return max(most, key=lambda name: most[name]) != ""


@dataclass(frozen=True)
class Prose:
    """An answer in words: its text without its list of references, the places it cites in their order,
    whether extracts stand for a model's, and the chunks that it cites by their numbers."""

    text: str
    cited: Sequence[Place]
    extracted: bool = False
    chunks: Mapping[int, str] = field(default_factory=dict)


def prose_of(build: PublishedBuild, row: Mapping[str, Any] | None) -> Prose | None:
    """The answer in words of a row of ``answers``; None where there is none."""
    answer = json.loads(row["answer"]) if row and row["answer"] else {}
    if row is None or not answer.get("prose"):
        return None
    chunks = {reference["number"]: reference["chunk_id"] for reference in answer["references"]}
    cited = [build.source(chunk_id) for chunk_id in chunks.values()]
    extracted = bool(row["error"]) or answer.get("note") == REFUSED
    return Prose(_REFERENCES.split(answer["prose"])[0].strip(), cited, extracted, chunks)


def _shares(expected: Sequence[Place], got: Iterable[Place], prefix: str = "") -> dict[str, float]:
    """Share of the expected files, and of the expected pages, that are there."""
    pages = set(got)
    files, wanted = {file for file, _ in pages}, {file for file, _ in expected}
    return {
        f"{prefix}source_accuracy": len(files & wanted) / len(wanted),
        f"{prefix}page_accuracy": sum(place in pages for place in expected) / len(expected),
    }


def prose_scores(
    build: PublishedBuild,
    gold: Sequence[GoldQuery],
    answers: Mapping[str, Prose],
    selected: Mapping[str, Ranked],
) -> dict[str, dict[str, float]]:
    """Metrics by query id of the questions that have an expected answer.

    ``similarity`` is the cosine of the two answers by the encoder of the build.
    """
    questions = [query for query in gold if query.answer]
    out: dict[str, dict[str, float]] = {}
    for query in questions:
        scores = out[query.query_id] = {}
        if query.places:
            places = [build.source(chunk_id) for chunk_id, _ in selected.get(query.query_id, ())]
            scores |= _shares(query.places, places)
        if (prose := answers.get(query.query_id)) is None:
            continue
        if query.places:
            scores |= _shares(query.places, prose.cited, "cited_")
        if not prose.extracted:
            form = refusal(prose.text)
            scores["abstained_in_scope" if query.places else "abstained_out_of_scope"] = float(bool(form))
            scores["other_language"] = float(in_other_language(prose.text))
            if form:
                scores["brief_refusal"] = float(form == "brief")
    worded = [query for query in questions if query.query_id in answers]
    if worded:
        expected = build.encoder.encode([query.answer for query in worded])
        given = build.encoder.encode([answers[query.query_id].text for query in worded])
        for query, cosine in zip(worded, np.sum(expected * given, axis=1), strict=True):
            out[query.query_id]["similarity"] = float(cosine)
    return out


def grounding_scores(claims: Sequence[JudgedClaim], contexts: int) -> dict[str, float]:
    """Metrics of one answer; none where it claims nothing.

    ``contexts``: how many it was given, in the order of their numbers.

    Es et al. 2024, RAGAS: faithfulness is the share of the claims that are supported, context precision the
    mean of the precision at each context that is of use. Of use is one on which a claim rests.
    """
    if not claims:
        return {}
    rests = [claim for claim in claims if claim.verdict in _RESTS]
    useful = {evidence.context for claim in rests for evidence in claim.evidence}
    at = [number for number in range(1, contexts + 1) if number in useful]
    cited = [(number, claim) for claim in claims for number in claim.references]
    right = sum(claim in rests and number not in claim.idle for number, claim in cited)
    out = {
        "faithfulness": sum(claim.verdict == "supported" for claim in claims) / len(claims),
        "context_precision": sum(n / number for n, number in enumerate(at, 1)) / len(at) if at else 0.0,
    }
    return out | ({"citation_precision": right / len(cited)} if cited else {})


def claims_of(build: PublishedBuild, prose: Prose, chunk_ids: Sequence[str]) -> tuple[list[JudgedClaim], int]:
    """The claims of an answer in words, judged without a model, and how many contexts it was given.

    ``chunk_ids``: those that were selected; they are numbered as the generator numbers them. An answer that
    was asked for again had others: of those the ones that it cites are known, and stand in their places.
    """
    hits = [cite(build, chunk_id) for chunk_id in chunk_ids if build.citations[chunk_id] is not None]
    given = {context.number: context.hit for context in contexts_of(hits, sys.maxsize)}
    given |= {number: cite(build, chunk_id) for number, chunk_id in prose.chunks.items()}
    numbers = range(1, max(given, default=0) + 1)
    contexts = [context_of(given[n]) if n in given else ClaimContext("") for n in numbers]
    readers = readers_of(build)
    encode = build.encode_queries if readers else None
    return judge_claims(prose.text, contexts, encode=encode, readers=readers), len(contexts)
