"""Whether anything of a build applies to a question, and if not, why."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.paths import located
from citegrain.tasks.online.estimate.catalogue import Catalogue, Flags
from citegrain.tasks.online.estimate.model import HEAD, KINDS, Logistic

Vector = npt.NDArray[np.float32]
SCORES = ("dense_score", "lay_dense_score", "questions_score", "sparse_score", "lay_sparse_score")
"""Features of the candidates whose best value is looked at."""
_PIECES = 2.3  # a word: the most of the 3,409 lay texts in which Hindi stands in Latin letters
_WORD = re.compile(r"\w+|[^\w\s]")
HINDI_WORDS = frozenset(located("data:hindi/commonest.txt").read_text(encoding="utf-8").split())
"""The commonest words of Hindi in Latin letters that are no English words."""
_MOSTLY = 0.25  # share of such words from which a text is Hindi in Latin letters
_NEAREST = 0.65  # least nearness to what governs: of 177 texts to learn from none is as far
_SURE = 0.1  # what is named is by so much likelier than all else: docs/log.md
_CLEAR, _FAR_AHEAD = 0.8, 0.2  # the same, and least nearness, of what seems to be no question of law
_FOREIGN = 0.3  # by so much an Act of India must be likelier than foreign law where a question seems foreign
ABROAD = "law of another country"
_NEAR, _CLEARLY = 0.6, 0.15  # of a question of what the law says: least nearness, and by how much nearer
_LONGEST = 40  # words of such a question: more tell a story
_ASKS = re.compile(
    r"\b(?:what|which|how(?!\s+to\b)|who[ms]?|whose|when|where|within|under|until|may|must|shall|can|could|is|are|was|were|do|does|did"
    r"|has|have|had)\b[^.?!]*\?\s*$|^(?:what|which|how(?!\s+to\b)|within)\b",
    re.IGNORECASE,
)
_STORY = re.compile(r"\b(?:i|i['’]?m|i['’]ve|my|me|mine|myself|we|our|us|ours)\b", re.IGNORECASE)
_OF_LAW = re.compile(
    r"\b(?:laws?|legal(?:ly)?|(?:un)?lawful\w*|statut\w+|Acts?|Code|Sanhita|Adhiniyam|Constitution|sections?|articles?"
    r"|provisions?|punish\w*|offen[cs]es?)\b"
)
_ALIKE = 1.0  # logarithm of odds up to which a question is of India's law as well as of another's


@dataclass(frozen=True)
class ScopeQuestion:
    """A question as ``scope`` sees it.

    Attributes
    ----------
    columns
        Features of its candidates by name, shape (candidates,) each.
    scores
        Of the ranker, of the candidates that fusion kept, greatest first.
    near, nearest, likely
        How near it is to each entry of the catalogue, and how likely it is about that (``Catalogue``).
    new
        Where a provision of a new Act is first, the shares of the first candidates that such have, without
        lay texts and with some; else 0.
    """

    query: Mapping[str, Any]
    vector: Vector
    columns: Mapping[str, Vector]
    scores: npt.NDArray[np.float64]
    near: Vector
    nearest: Vector
    likely: Vector
    new: Sequence[float] = (0.0, 0.0)


def scope_features(question: ScopeQuestion, present: Flags, other: Flags, kinds: Logistic) -> list[float]:
    """What ``scope`` reads of a question, in the order of its weights.

    ``present`` and ``other``: whether each entry of the catalogue is an Act of the build; and is no law of
    India.
    """
    scores = question.scores
    first, second, fifth = (
        float(scores[min(i, len(scores) - 1)]) if len(scores) else np.nan for i in (0, 1, 4)
    )
    share = 1 / np.exp(scores[:HEAD] - first).sum() if len(scores) else np.nan
    inside, outside = np.sort(question.near[present])[::-1], np.sort(question.near[~present])[::-1]
    columns = [question.columns[name] for name in SCORES]
    best = [float(np.nanmax(c)) if len(c) and not np.isnan(c).all() else np.nan for c in columns]
    return [
        first, first - second, first - fifth, float(share), *best,
        _first(inside), _first(outside), _first(inside) - _first(outside), _first(question.near[other]),
        _mean(inside), _mean(outside),
        float(np.log1p((outside > _first(inside)).sum())),
        float(np.log1p(present.sum())),
        length_of(question.query["text"]),
        float(len(question.query["mentions"]) + len(question.query["acts"])),
        legal_odds(kinds, question.vector),
    ]  # fmt: skip


def shares_of(
    some: Sequence[Collection[str]], provisions: Sequence[str | None], scores: Vector
) -> list[float]:
    """Of each collection the share of the first candidates that is its own, by the odds of the ranker."""
    weights = np.exp(scores[:HEAD] - scores.max(initial=0.0))
    mine = [sum(w for p, w in zip(provisions, weights, strict=False) if p in one) for one in some]
    return [float(share / max(weights.sum(), 1e-9)) for share in mine]


def length_of(text: str) -> float:
    """Logarithm of one and the words of a question."""
    return float(np.log1p(len(text.split())))


def _first(ordered: Vector) -> float:
    return float(ordered.max()) if len(ordered) else -1.0


def _mean(ordered: Vector) -> float:
    """Mean of the five nearest."""
    return float(ordered[:5].mean()) if len(ordered) else -1.0


def legal_odds(kinds: Logistic, vector: Vector) -> float:
    """Logarithm of the odds that a question is one of Indian law."""
    logits = kinds.logits(vector[None, :])[0]
    return float(logits[0] - np.logaddexp.reduce(logits[1:]))


def unreadable(text: str, pieces: Callable[[str], int], has: Callable[[str], bool]) -> bool:
    """Whether the encoder cannot read a text: another script, or words that it knows none of.

    ``pieces``: how many word pieces a text has. ``has``: whether the build or its lay texts have a word:
    such a one counts as one piece, be it of three as dacoity is.
    """
    letters = [c for c in text if c.isalpha()]
    latin = sum(c.isascii() or "LATIN" in unicodedata.name(c, "") for c in letters)
    words = _WORD.findall(text)
    if latin < len(letters) / 2 or pieces(text) <= (most := _PIECES * max(1, len(words))):
        return latin < len(letters) / 2
    return pieces(text) - sum(n - 1 for w in words if (n := pieces(w)) > _PIECES and has(w)) > most


def in_hindi(text: str) -> bool:
    """Whether a text is Hindi in Latin letters, of which the encoder reads little, by its commonest words."""
    words = re.findall(r"[a-z]+", text.lower())
    return sum(word in HINDI_WORDS for word in words) > _MOSTLY * len(words)


def asks_what_law_says(text: str) -> bool:
    """Whether a text may ask what the law says: a short question that tells nothing of who asks.

    "What was the fine for driving without a licence in 2018?" does.
    """
    return bool(len(text.split()) <= _LONGEST and _ASKS.search(text) and not _STORY.search(text))


def speaks_of_law(text: str) -> bool:
    """Whether a text speaks of the law itself: of a section, an Act, an offence, what is lawful."""
    return _OF_LAW.search(text) is not None


def governed_elsewhere(question: ScopeQuestion, present: Flags, other: Flags, strange: bool) -> bool:
    """Whether a question is near to what is not here, and clearly nearer than to all that is.

    ``strange``: most of what is here stands in no catalogue; then only what is no law of India can be near.
    """
    elsewhere = _first(question.near[other if strange else ~present])
    here = -1.0 if strange else _first(question.near[present])
    return elsewhere >= _NEAR and elsewhere - here >= _CLEARLY


def nearer_elsewhere(question: ScopeQuestion, present: Flags, other: Flags) -> bool:
    """Whether a law of India that is not here is likelier than any that is, or than what is no law."""
    elsewhere = np.where(present, -np.inf, question.likely)
    return bool(not other[elsewhere.argmax()] and elsewhere.max() > _first(question.likely[present]) + _SURE)


def decide(question: ScopeQuestion, catalogue: Catalogue, present: Flags, kinds: Logistic) -> tuple[str, str]:
    """Why a question is declined that is probably out of scope, and what it looks like instead.

    A reason, and with ``not_indexed`` the title of the likeliest entry; empty if another is as likely.
    """
    logits = dict(zip(KINDS, kinds.logits(question.vector[None, :])[0], strict=True))
    kind = max(logits, key=lambda name: logits[name])
    likely, least = np.where(present, -np.inf, question.likely), _NEAREST
    foreign = catalogue.foreign & np.isfinite(likely)
    of_law, weighed = kind in ("legal", "foreign"), likely
    if kind == "foreign" and logits["foreign"] - logits["legal"] > _ALIKE and foreign.any():
        weighed, least = np.where(foreign, likely + _FOREIGN, np.where(catalogue.other, -np.inf, likely)), 0.0
    elif _first(question.likely[present]) >= likely.max(initial=-np.inf):
        weighed = np.full_like(likely, -np.inf)  # an Act that is here is likelier
    first = int(np.argmax(weighed))
    others = likely[catalogue.names != catalogue.names[first]]  # but for the Act of another year
    entry, ahead = catalogue.entries[first], float(likely[first]) - float(others.max(initial=-np.inf))
    near = float(question.nearest[first]) if np.isfinite(weighed[first]) else -np.inf
    if (of_law and near >= least and ahead >= _SURE) or (
        entry.kind != "other" and near >= _CLEAR and ahead >= _FAR_AHEAD
    ):
        return "not_indexed", entry.title
    if of_law and near >= least:
        return "not_indexed", ABROAD if catalogue.foreign[first] and kind == "foreign" else ""
    if in_hindi(question.query["text"]):
        return "not_readable", ""
    return "too_vague" if kind == "vague" else "nothing_like_this", ""


def either(question: ScopeQuestion, catalogue: Catalogue, present: Flags) -> str:
    """Two laws that a question may be about alike; empty if a third, or one that is here, is as likely."""
    likely, nearest = np.where(present, -np.inf, question.likely), question.nearest
    names = catalogue.names[order := np.argsort(-likely, kind="stable")]  # one of each, whatever its year
    one, two, *rest = order[np.sort(np.unique(names, return_index=True)[1])[:3]]
    least = max(_first(likely[rest]) + _SURE, _first(question.likely[present]))
    if likely[two] < least or min(nearest[one], nearest[two]) < _NEAREST:
        return ""
    return f"{catalogue.entries[one].title}, or {re.sub('^The ', 'the ', catalogue.entries[two].title)}"
