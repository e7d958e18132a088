"""What was learned of claims labelled by hand: weights of their signals, and a cross-encoder beside passages.

``data/models/claims.json`` has a weight for each signal and verdict; ``tools/learn_claims.py`` writes it from
``data/training/claims.jsonl.gz``. ``data/models/claims_reader`` is what training added to MiniLM;
``tools/train_claims.py`` made it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.paths import located
from citegrain.tasks.offline.models import WEIGHTS, OnnxBert, find_model, read_learned
from citegrain.tasks.online.claims.facts import negations
from citegrain.tasks.online.claims.passages import Passage, term_of, tokens_of
from citegrain.tasks.online.claims.schema import Fault, Verdict

MODEL = "data:models/claims.json"
MODEL_SHA256 = "9141a3d20fe1e601357d49bac7fb24c2f5a20019a19af750ff649b114fa1b984"
"""Digest of the weights; ``tools/learn_claims.py`` prints that of what it writes."""
READER = "citegrain/claims-reader"
READER_SHA256 = "9ba1f7debed512e6235b389283a51292fd2890e232aab42b99632b3389e8e727"
"""Digest of what training added; ``tools/train_claims.py`` prints that of what it writes."""
VERDICTS: tuple[Verdict, ...] = ("supported", "partly", "not", "contradicted")
ROOM = 550  # characters of the passages that are read with a claim
_LEFT = 80  # characters of them that may stay unused
LONGEST = 320  # tokens of both
LEAST = 1e-4  # added to a probability, so that its logarithm has an end
_EMPTY = re.compile(r"\(\s*\)|\{\w+\}")
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
    name: tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in three)
    for name, three in _WORDS.items()
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
_PARTS = re.compile(
    r"[;,]\s+|\s+(?:and|but|while|if|unless|when|where|even|so|provided|as long)\s+", re.IGNORECASE
)


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


class Reader:
    """The cross-encoder. ``cache``: folder of unpacked weights."""

    def __init__(self, cache: Path) -> None:
        from safetensors import safe_open

        folder = find_model(READER, cache, READER_SHA256).folder
        self._bert = OnnxBert(folder, threads=1)
        with safe_open(folder / WEIGHTS, "np") as file:
            self._weight, self._bias = (file.get_tensor(f"head.{name}") for name in ("weight", "bias"))

    def __call__(self, words: str, passages: Sequence[Passage]) -> dict[str, float]:
        """The logarithm of the probability of each verdict. ``words``: a claim without references."""
        claim = claim_of(words)
        pair = claim, nearest_words({token.term for token in tokens_of(claim)} - {""}, passages)
        _, hidden = self._bert.pooled(self._bert.features([pair], LONGEST))
        odds = np.exp(self._weight @ hidden[0, 0] + self._bias)
        return {
            f"read_{verdict}": float(value)
            for verdict, value in zip(VERDICTS, np.log(odds / odds.sum() + LEAST), strict=True)
        }


def claim_of(words: str) -> str:
    """A claim as it is read; ``words``: without references."""
    return " ".join(_EMPTY.sub("", words).split())


def nearest_words(terms: Set[str], passages: Sequence[Passage], room: int = ROOM) -> str:
    """What is read with a claim: short passages whole, of long ones the windows with most of its terms."""
    if sum(len(passage.text) for passage in passages) <= room:
        return " ".join(passage.text for passage in passages)
    windows = sorted(
        (-len(terms & has), end - start, n, start, end)
        for n, passage in enumerate(passages)
        for start, end, has in passage.windows
    )
    chosen: dict[int, list[tuple[int, int]]] = {n: [] for n in range(len(passages))}
    left = room
    for shared, size, n, start, end in windows:
        new = size - sum(max(0, min(end, b) - max(start, a)) for a, b in chosen[n])
        if left < _LEFT or (not shared and left < room):
            break
        if 0 < new <= left:
            left -= new
            chosen[n] = _joined([*chosen[n], (start, end)])
    return " ".join(passages[n].text[start:end] for n, spans in chosen.items() for start, end in spans)


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return out
