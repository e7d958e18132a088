"""Whether a claim and a passage affirm and deny the same, clause by clause.

A clause of the claim is compared with the sentence of the passage that has most of its terms. "No X unless Y"
and "X only if Y" differ in the signs of both parts, and agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from citegrain.tasks.online.claims.clauses import Clause, acts_of_denial, clauses, denials
from citegrain.tasks.online.claims.passages import tokens_of

_END = re.compile(r"(?<!cent)[.;:—](?=\s)|\n|(?=Provided\b)")
_ITEM = re.compile(r"(?:(?:or|and)\s+)?\((?:[a-z]{1,2}|[ivx]+)\)")
_PENAL = re.compile(r"\b(?:punish\w*|penalt\w*|offence|guilty|imprison\w*|fined?)\b", re.IGNORECASE)
_EXEMPTS = re.compile(
    r"\b[Nn]othing\b.{0,120}\b(?:shall|may|is|are)\s+(?:apply|extend|be\s+(?:deemed|taken|construed))",
    re.DOTALL,
)
_GOES_ON = re.compile(r"Provided|.*\bsuch\b", re.DOTALL)
_UNTIL = re.compile(r"\b(?:unless|until|till|except|without)\b")
_BEFORE = re.compile(r"\bbefore\b")
_ONLY = re.compile(r"\b(?:only|if|where|when|once|provided|after|with|upon|on|by)\b", re.IGNORECASE)
_EVEN = re.compile(r"\beven\s+(?:if|where|when|though|without)\b", re.IGNORECASE)
_FEW = 3  # words of what is no sentence
_NEAREST = 0.8  # of the terms that the nearest sentence has of a clause: others that are compared, too
_SAME_MATTER = 0.4  # share of a claim's terms from which a proviso is on its matter
_SHARE = 0.5  # of the terms of a clause that the passage must have
_AGREES = 0.5


class _Sentence(NamedTuple):
    """A sentence of a passage, or an item of a list with its lead; ``start`` and ``end`` of it alone."""

    text: str
    terms: Set[str]
    start: int
    end: int


class _Compared(NamedTuple):
    """A clause of a claim against the nearest sentence: how many terms it shares, how far the signs agree."""

    clause: Clause
    sentence: _Sentence
    shared: int
    agreement: float
    denies: bool  # the sentence denies something
    bounded: bool  # "no X unless Y"

    @property
    def against(self) -> bool:
        """Whether the signs differ, beyond a word or two."""
        least = 0.5 if self.shared > 4 else 0.6 if self.shared > 2 else 1.0
        return self.agreement <= -least


def contradicted(claim: str, terms: Set[str], passage: str) -> _Sentence | None:
    """The sentence of a passage that affirms what a claim denies, or denies what it affirms; None if none.

    ``terms``: those of the claim.
    """
    compared = list(_compared(claim, terms, passage))
    enough = [
        c
        for c in compared
        if c.shared >= max(2, _SHARE * len(set(c.clause.terms)))
        and (c.clause.kind != "exception" or c.denies)
    ]
    mains = [c for c in enough if c.clause.kind in ("main", "relative")]
    same = [c for c in enough if c.agreement >= _AGREES]
    even = _EVEN.search(claim)
    against = [c for c in enough if c.against and (c.shared > 2 or c.clause.kind != "condition" or even)]
    if any(c.bounded and c.clause.kind == "main" and c.clause.sign < 0 for c in same):
        against = [c for c in against if c.clause.kind != "exception"]  # no X unless Y in both
    against = [
        c
        for c in against
        if c.clause.kind != "exception" or not mains or any(m.sentence is c.sentence for m in mains)
    ]
    if not against or not (same or even or not _ONLY.search(claim) or not any(c.bounded for c in against)):
        return None
    return against[0].sentence


def _compared(claim: str, terms: Set[str], passage: str) -> Iterator[_Compared]:
    sentences = _sentences(passage)
    mine, law = denials(claim), denials(passage)
    plain = mine & law
    acts = acts_of_denial(mine - plain) and acts_of_denial(law - plain)  # in both, in other words
    signs = {sentence.start: _signs(claim, sentence, plain, acts) for sentence in sentences}
    near = [s for s in sentences if len(s.terms & terms) >= _SHARE * len(terms)]
    before = any(_before(claim, sentence.text) for sentence in near)
    for clause in clauses(claim, plain, before, acts):
        terms_of_clause = set(clause.terms)
        most = max((len(sentence.terms & terms_of_clause) for sentence in sentences), default=0)
        candidates = []
        for sentence in sentences:
            shared = len(sentence.terms & terms_of_clause)
            goes_on = _GOES_ON.match(sentence.text) and len(sentence.terms & terms) >= _SAME_MATTER * len(
                terms
            )
            if shared and (shared >= _NEAREST * most or goes_on):
                means, denies, bounded = signs[sentence.start]
                both = [means[term] for term in terms_of_clause if term in means]
                agreement = clause.sign * sum(both) / max(1, len(both))
                candidates.append(_Compared(clause, sentence, len(both), agreement, denies, bounded))
        if candidates:
            yield max(candidates, key=lambda c: (c.agreement, len(c.sentence.terms & terms)))


def _signs(
    claim: str, sentence: _Sentence, plain: Set[str], acts: bool
) -> tuple[Mapping[str, float], bool, bool]:
    """Of each term of a sentence the mean sign, 0 if unclear; whether it denies, and is bounded."""
    read = clauses(sentence.text, plain, _before(claim, sentence.text), acts)
    penal, exempts = _PENAL.search(sentence.text), _EXEMPTS.search(sentence.text)
    signs: dict[str, list[int]] = {}
    for clause in read:
        forbidden = penal and clause.kind in ("condition", "relative") and clause.sign > 0  # by the penalty
        for term in clause.terms:
            signs.setdefault(term, []).append(0 if exempts or clause.unclear or forbidden else clause.sign)
    denied = any(clause.sign < 0 and clause.kind != "exception" for clause in read)
    bounded = denied and any(clause.kind == "exception" for clause in read)
    means = {term: sum(some) / len(some) for term, some in signs.items()}
    return means, any(clause.sign < 0 for clause in read), bounded


def _before(claim: str, law: str) -> bool:
    """Whether "before" in one of them stands for an "until" or "unless" in the other."""
    return bool(_BEFORE.search(claim)) != bool(_BEFORE.search(law)) and bool(_UNTIL.search(claim + law))


@lru_cache(maxsize=5000)
def _sentences(passage: str) -> Sequence[_Sentence]:
    out, lead, at = [], "", 0
    for start, end in [*(m.span() for m in _END.finditer(passage)), (len(passage), len(passage))]:
        text = passage[at:start].strip()
        item = _ITEM.match(text)
        if item or len(text.split()) >= _FEW:
            joined = f"{lead}, {text}".strip(", ") if item else text
            out.append(_Sentence(joined, frozenset(t.term for t in tokens_of(joined)), at, start))
            lead = lead if item else text if passage[start : start + 1] in ("—", ":") else ""
        at = end
    return out
