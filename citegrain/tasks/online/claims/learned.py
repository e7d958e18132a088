"""What the signals of a claim say together: a linear model, learned from claims labelled by hand.

``data/models/claims.json`` has a weight for each signal and verdict; ``tools/learn_claims.py`` writes it from
``data/training/claims.jsonl.gz``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.paths import located
from citegrain.tasks.offline.models import read_learned
from citegrain.tasks.online.claims.facts import negations
from citegrain.tasks.online.claims.passages import Passage, term_of, tokens_of
from citegrain.tasks.online.claims.schema import Fault, Verdict

MODEL = "data:models/claims.json"
MODEL_SHA256 = "9141a3d20fe1e601357d49bac7fb24c2f5a20019a19af750ff649b114fa1b984"
"""Digest of the weights; ``tools/learn_claims.py`` prints that of what it writes."""
SpanVectors = Callable[
    [Sequence[str], Sequence[Sequence[tuple[int, int]]]], Sequence[npt.NDArray[np.float32]]
]
"""From texts and places in each to vectors of length 1: of each text a matrix, (places, dimension)."""


class Readers(NamedTuple):
    """What reads a claim and its passages for signals."""

    vectors: SpanVectors
    together: Callable[[str, Sequence[Passage]], Mapping[str, float]]


_FAULTS: tuple[Fault, ...] = ("amount", "unfounded_amount", "negation", "opposite")
_MOST, _FEWEST = 8, 2  # windows of a passage that are encoded; terms of a part of a claim
_WORDS = {  # what a claim says, what the law nearest to it has and lacks, if they speak against it
    "must_for_may": (
        r"must|shall|ha(?:s|ve|d) to|bound|obliged|needs? to|required|duty|is to|are to",
        "may",
        "shall|must",
    ),
    "may_for_shall": (r"may|can|could|free to|allowed|able to|entitled|at liberty|might", "shall", "may"),
    "even": (
        r"even|although|though|despite|whether or not|no matter|regardless|however|whatever",
        "",
        r"even|although|though|notwithstanding|immaterial|whatever|whether",
    ),
    "only": (r"only|alone|nothing but|just", "", r"only|except|unless|other than|alone|no other|not be"),
}
_PATTERNS = {
    name: tuple(re.compile(rf"\b(?:{words})\b", re.I) for words in three) for name, three in _WORDS.items()
}
_NAMES = """
government centre parliament legislature court tribunal board authority commission committee council
corporation magistrate collector registrar director inspector officer police judge governor president
minister chairperson controller commissioner secretary prosecutor company employer employee worker
contractor manager partner member buyer seller landlord tenant lessor lessee mortgagor mortgagee borrower
lender creditor debtor surety principal agent owner holder drawer payee plaintiff defendant accused
complainant informant victim witness husband wife mother father parent child son daughter widow heir
applicant petitioner respondent appellant liquidator auditor arbitrator expert promoter allottee trustee
author artist publisher advocate
"""
_ACTORS = frozenset(term_of(actor) for actor in _NAMES.split())
_PARTS = re.compile(r"[;,]\s+|\s+(?:and|but|while|if|unless|when|where|even|so|provided|as long)\s+", re.I)


def signals(
    words: str, passages: Sequence[Passage], faults: Set[Fault], score: float, readers: Readers
) -> dict[str, float]:
    """What speaks for and against a claim, in ``words`` without references: the rules, and how near it is."""
    out = {fault: float(fault in faults) for fault in _FAULTS} | {"score": score}
    out |= readers.together(words, passages)
    tokens = [token for token in tokens_of(words) if token.term]
    terms = {token.term for token in tokens}
    law = [
        passage.text[start:end]
        for passage in passages
        for start, end, _ in sorted(passage.windows, key=lambda w: (-len(terms & w[2]), w[1] - w[0]))[:_MOST]
    ]
    if not tokens or not law:
        return out
    places = [[(0, len(text)), *((t.start, t.end) for t in tokens_of(text))] for text in law]
    places.insert(0, [(0, len(words)), *((t.start, t.end) for t in tokens)])
    claim, *windows = readers.vectors([words, *law], places)
    like = np.array([float(window[0] @ claim[0]) for window in windows])
    near = np.array([(claim[1:] @ window[1:].T).max(axis=1) for window in windows])  # of each word in each
    nearest = law[int((like + near.mean(axis=1)).argmax())]
    words_near = near.max(axis=0)
    has = {token.term for passage in passages for token in passage.tokens}
    shared = np.array([token.term in has for token in tokens])
    ends = [*(match.start() for match in _PARTS.finditer(words)), len(words)]
    parts = [
        some
        for begin, end in zip([0, *ends], ends, strict=False)
        if len(some := [i for i, t in enumerate(tokens) if begin <= t.start < end]) >= _FEWEST
    ] or [list(range(len(tokens)))]
    return out | {
        "like": float(like.max()),
        "words": float(words_near.mean()),
        "farthest": float(np.sort(words_near)[:2].mean()),
        "missing": float((~shared).sum()),
        "last_part": float(words_near[parts[-1]].mean()),
        "weakest_part": min(float(words_near[part].mean()) for part in parts),
        "part_shared": min(float(shared[part].mean()) for part in parts),
        "negation_differs": float(bool(negations(words)) != bool(negations(nearest))),
        "last_words": float(words_near[-3:].mean()),
        **_of_words(words, nearest, has),
    }


def _of_words(words: str, nearest: str, has: Set[str]) -> dict[str, float]:
    """Words that bind, allow or limit where the law does not; who does it, against those whom it names."""
    out = {
        name: float(bool(said.search(words) and law.search(nearest) and not lacks.search(nearest)))
        for name, (said, law, lacks) in _PATTERNS.items()
    }
    mine, theirs = ([t.term for t in tokens_of(text) if t.term in _ACTORS] for text in (words, nearest))
    return out | {
        "actor_missing": float(bool(set(mine) - has)),
        "actor_differs": float(bool(mine and theirs) and mine[0] != theirs[0]),
    }


def probabilities(given: Mapping[str, float]) -> dict[Verdict, float]:
    """The probability of each verdict, from the sums of signals times weights."""
    model = _model()
    odds: dict[Verdict, float] = {
        verdict: math.exp(
            bias + sum(by[verdict] * given.get(name, 0.0) for name, by in model["weights"].items())
        )
        for verdict, bias in model["bias"].items()
    }
    return {verdict: value / sum(odds.values()) for verdict, value in odds.items()}


def learned_with() -> str:
    """Digest of the encoder whose vectors the weights read: of another's they say nothing."""
    return str(_model()["encoder"])


@cache
def _model() -> Any:
    return read_learned(located(MODEL), MODEL_SHA256, "MODEL_SHA256", dict)
