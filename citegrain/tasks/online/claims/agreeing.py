"""Whether a claim and a passage affirm and deny the same, clause by clause.

A clause says something, affirmed or denied, of all cases or of those in which a condition holds. A claim is
contradicted where a clause of it and one of the passage differ of the same case: "no X unless Y" and "X only
if Y" agree, "X even if not Y" does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from citegrain.tasks.online.claims.clauses import Clause, acts_of_denial, clauses, denials
from citegrain.tasks.online.claims.facts import BOUND, LIMIT
from citegrain.tasks.online.claims.passages import tokens_of

_END = re.compile(r"(?<!cent)[.;:—―](?=\s)|\n|(?=Provided\b)")
_ITEM = re.compile(r"(?:(?:or|and)\s+)?\((?:[a-z]{1,2}|[ivx]+)\)")
_PENAL = re.compile(r"\b(?:punish\w*|penalt\w*|offence|guilty|imprison\w*|fined?)\b", re.IGNORECASE)
_WHOEVER = re.compile(r"(?:\(\w+\)\s*)?(?:If|Whoever|Where|Any person who)\b")
_EXEMPTS = re.compile(
    r"\b[Nn]othing\b.{0,120}\b(?:shall|may|is|are)\s+(?:apply|extend|be\s+(?:deemed|taken|construed))",
    re.DOTALL,
)
_UNTIL = re.compile(r"\b(?:unless|until|till|except|without)\b")
_BEFORE = re.compile(r"\bbefore\b")
_GOES_ON = re.compile(r"Provided|.*\bsuch\b", re.DOTALL)
_NOT = re.compile(r"\b(?:not|no)\b")
_PROVISO = re.compile(r"Provided\s+(?:further\s+|also\s+)?that\b")
_ONLY = re.compile(r"\b(?:only|if|where|when|once|provided|after|with|upon|on|by)\b", re.IGNORECASE)
_FEW = 3  # words of what is no sentence
_FEWEST = 2  # terms that a claim and a sentence share
_SHARE = 0.5  # of the terms of a clause that a sentence of the passage must have
_AGREES = 0.5
_NEAREST = 0.8  # of the terms that the nearest sentence has of a clause: others that are compared, too
_SAME_MATTER = 0.4  # share of a claim's terms from which a proviso is on its matter
_MOST = 0.7  # the same, where the denial has no verb


class _Sentence(NamedTuple):
    """A sentence of a passage, or an item of a list with its lead; ``start`` and ``end`` of it alone."""

    text: str
    terms: Set[str]
    start: int
    end: int


class _Statement(NamedTuple):
    """A clause that says something, and those that say of which cases."""

    clause: Clause
    cases: Sequence[Clause]

    @property
    def terms(self) -> Set[str]:
        """What it speaks of."""
        return frozenset(self.clause.terms)


class _Read(NamedTuple):
    """A sentence of the passage and what it says.

    ``affirmed``: terms of what it says without a "not". ``means``: of each term the mean sign, 0 if unclear.
    ``denies``: something; ``bounded``: "no X unless Y".
    """

    sentence: _Sentence
    clauses: Sequence[Clause]
    statements: Sequence[_Statement]
    affirmed: Set[str]
    means: Mapping[str, float]
    penal: bool
    denies: bool
    bounded: bool


class _Signs(NamedTuple):
    """A clause of a claim against a sentence: how many terms it shares, how far their signs agree."""

    clause: Clause
    read: _Read
    shared: int
    agreement: float

    @property
    def against(self) -> bool:
        """Whether the signs differ, beyond a word or two."""
        least = 0.6 if self.shared > 2 else 1.0
        return self.agreement <= -least


class _Pair(NamedTuple):
    """A statement of a claim against one of the passage: terms that both have, and those that decide."""

    read: _Read
    law: _Statement
    shared: int
    key: Set[str]
    against: bool
    sure: bool  # they speak of one case


def contradicted(claim: str, terms: Set[str], passage: str) -> _Sentence | None:
    """The sentence of a passage that affirms what a claim denies, or denies what it affirms; None if none."""
    sentences = _sentences(passage)
    mine, law = denials(claim), denials(passage)
    plain = mine & law
    acts = acts_of_denial(mine - plain) and acts_of_denial(law - plain)  # in both, in other words
    near = [s for s in sentences if len(s.terms & terms) >= _SHARE * len(terms)]
    before = any(_before(claim, s.text) for s in near)
    limits = all(any(p.search(text) for p in (BOUND, LIMIT)) for text in (claim, passage))
    refuses = acts or (not acts_of_denial(law) and bool(_NOT.search(passage)))
    said = clauses(claim, plain, before, refuses, limits)
    read = [
        _read(s, clauses(_PROVISO.sub("", s.text), plain, _before(claim, s.text), acts, limits), passage)
        for s in sentences
        if s.terms & terms
    ]
    statements = _statements(said)
    agreed: set[int] = set()
    for statement in statements:
        pairs = [p for r in read for law in r.statements if (p := _compared(claim, terms, statement, law, r))]
        for worst in sorted((p for p in pairs if p.against), key=lambda p: -p.shared):
            same = (
                p.shared for p in pairs if not p.against and worst.key <= p.law.terms and p.sure >= worst.sure
            )
            if worst.shared > max(same, default=0):
                return worst.read.sentence
        if any(p.sure and not p.against for p in pairs):
            agreed.add(id(_root(statement.clause)))
    return _by_signs(claim, terms, [c for c in said if id(_root(c)) not in agreed], read)


def _by_signs(claim: str, terms: Set[str], said: Sequence[Clause], read: Sequence[_Read]) -> _Sentence | None:
    """The sentence that has most of the terms of a clause of the claim, all with the other sign."""
    compared = [c for clause in said if (c := _nearest(clause, terms, read))]
    enough = [
        c
        for c in compared
        if c.shared >= max(_FEWEST, _SHARE * len(set(c.clause.terms)))
        and (c.clause.kind != "exception" or c.read.denies)
    ]
    mains = [c for c in enough if c.clause.kind in ("main", "relative")]
    even = any(c.even for c in said)
    against = [c for c in enough if c.against and (c.shared > 2 or c.clause.kind != "condition" or even)]
    same = [c for c in enough if c.agreement >= _AGREES]
    if any(c.read.bounded and c.clause.kind == "main" and c.clause.sign < 0 for c in same):
        against = [c for c in against if c.clause.kind != "exception"]  # no X unless Y in both
    against = [
        c
        for c in against
        if c.clause.kind != "exception" or not mains or any(m.read is c.read for m in mains)
    ]
    if not against or not (
        same or even or not _ONLY.search(claim) or not any(c.read.bounded for c in against)
    ):
        return None
    return against[0].read.sentence


def _nearest(clause: Clause, terms: Set[str], read: Sequence[_Read]) -> _Signs | None:
    """A clause against the sentence that agrees most with it, of those that have most of its terms."""
    mine = set(clause.terms)
    most = max((len(r.sentence.terms & mine) for r in read), default=0)
    out = []
    for r in read:
        shared, all_ = len(r.sentence.terms & mine), len(r.sentence.terms & terms)
        goes_on = _GOES_ON.match(r.sentence.text) and all_ >= _SAME_MATTER * len(terms)
        if clause.kind != "main" and r.penal and not clause.even:
            continue
        if shared and (shared >= _NEAREST * most or goes_on) and (shared > _FEW or _headed(clause, terms, r)):
            both = [r.means[term] for term in mine if term in r.means]
            out.append(_Signs(clause, r, len(both), clause.sign * sum(both) / max(1, len(both))))
    return max(out, key=lambda c: (c.agreement, len(c.read.sentence.terms & terms)), default=None)


def _headed(clause: Clause, terms: Set[str], read: _Read) -> bool:
    """Whether the other side has what a negation denies first."""
    if clause.sign < 0:
        return not clause.head or bool(set(clause.head) & read.sentence.terms)
    mine = set(clause.terms)
    denied = [c for c in read.clauses if c.sign < 0 and mine & set(c.terms)]
    return not denied or any(not c.head or set(c.head) & terms for c in denied)


def _read(sentence: _Sentence, parts: Sequence[Clause], passage: str) -> _Read:
    statements = _statements(parts)
    penal = bool(_PENAL.search(passage if _WHOEVER.match(sentence.text) else sentence.text))
    exempts = _EXEMPTS.search(sentence.text)
    signs: dict[str, list[int]] = {}
    for clause in parts:
        forbidden = penal and clause.kind in ("condition", "relative")  # by the penalty
        for term in clause.terms:
            signs.setdefault(term, []).append(0 if exempts or clause.unclear or forbidden else clause.sign)
    if penal:
        statements = [s for s in statements if s.clause.kind == "main" or s.clause.sign < 0]
    denied = any(clause.sign < 0 and clause.kind != "exception" for clause in parts)
    return _Read(
        sentence,
        parts,
        [s for s in statements if not s.clause.unclear],
        {t for s in statements if s.clause.sign > 0 for t in s.terms},
        {term: sum(some) / len(some) for term, some in signs.items()},
        penal,
        any(clause.sign < 0 for clause in parts),
        denied and any(clause.kind == "exception" for clause in parts),
    )


def _statements(parts: Sequence[Clause]) -> list[_Statement]:
    deep = ("condition", "exception")  # what stands within another is of that one
    cases = [(c, _root(c)) for c in parts if c.kind in deep and not (c.within and c.within.kind in deep)]
    first = next((c for c in parts if c.kind == "main"), None)
    return [
        _Statement(
            c,
            [
                case
                for case, root in cases
                if root is _root(c) or (root is first and case.kind == "condition")
            ],
        )
        for c in parts
        if c.kind in ("main", "relative")
        or (c.opened == "without" and c.head and c.within is _root(c) and c.within.sign > 0)
    ]


def _root(clause: Clause) -> Clause:
    while clause.kind != "main" and clause.within is not None:
        clause = clause.within
    return clause


def _compared(claim: str, terms: Set[str], said: _Statement, law: _Statement, read: _Read) -> _Pair | None:
    """None where they are on other matters, or may both be true."""
    both = said.terms & law.terms
    near = len(said.terms & read.sentence.terms)
    if near < _SHARE * len(said.terms) or not both:
        return None
    cases = [(a, b) for a in said.cases for b in law.cases if _same_case(a, b)]
    differ = next((p for p in cases if _differ(said.clause, p[0], law.clause, p[1])), None)
    except_ = (
        differ and {c.kind for c in differ} != {"condition"} and said.clause.kind == law.clause.kind == "main"
    )
    if cases and (len(both) >= _FEWEST or said.terms <= law.terms or except_):
        return _Pair(read, law, len(both) + 1, frozenset(), differ is not None, True)
    denied_too = [
        c for c in law.cases if c.opened == "not" and set(c.terms) & said.terms
    ]  # but not to courts
    if any(2 * len(set(c.terms) & said.terms) >= len(c.terms) for c in denied_too):
        return _Pair(read, law, len(both) + 1, frozenset(), said.clause.sign == law.clause.sign, True)
    if said.clause.sign == law.clause.sign:
        return _Pair(read, law, len(both), frozenset(), False, False)
    denied, other = (said, law) if said.clause.sign < 0 else (law, said)
    key = frozenset(denied.clause.head)
    if denied is law:
        key = key - read.affirmed or key
    bounded = any(case.kind == "exception" and case.sign < 0 for case in denied.cases)
    if bounded and (denied is said or _ONLY.search(claim)) and not any(c.even for c in said.cases):
        return None
    if said.clause.kind != law.clause.kind and len(both) <= _FEWEST:
        return None
    most = near >= _MOST * len(said.terms) and len(both) >= _SHARE * len(said.terms)
    if not (key and key <= other.terms) and not (most and key & other.terms):
        return None
    most = said.terms <= law.terms and len(read.sentence.terms & terms) >= _MOST * len(terms)
    return _Pair(read, law, len(both), key & other.terms, True, False) if near >= _FEWEST or most else None


def _same_case(a: Clause, b: Clause) -> bool:
    one, two = set(a.terms), set(b.terms)
    return len(one & two) >= max(1, _SHARE * min(len(one), len(two))) and (
        len(one & two) > 1 or 3 * len(one & two) >= max(len(one), len(two)) or one <= two or two <= one
    )


def _differ(said: Clause, case: Clause, law: Clause, other: Clause) -> bool:
    if case.even and case.kind == other.kind and case.sign > 0 > other.sign and other.opened != "whether":
        return said.sign == law.sign  # even if, for if not
    mine, theirs = _signs(said, case), _signs(law, other)
    return any(mine[holds] != theirs[holds] for holds in mine.keys() & theirs.keys())


def _signs(clause: Clause, case: Clause) -> Mapping[bool, int]:
    """The sign of a clause where a case is so, and where it is not; what nothing is said of is left out."""
    if case.kind == "condition":
        holds = case.sign > 0
        if case.opened == "whether" or (case.only and clause.sign < 0):
            return {}
        return {holds: clause.sign} | ({not holds: -clause.sign} if case.only else {})
    holds = case.sign < 0
    if case.opened in ("without", "before"):
        return {not holds: clause.sign}
    if case.opened == "not":
        return {holds: -clause.sign}
    return {holds: -clause.sign, not holds: clause.sign}


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
            joined = f"{lead}, {text[item.end() :].strip()}".strip(", ") if item else text
            out.append(_Sentence(joined, frozenset(t.term for t in tokens_of(joined)), at, start))
            lead = lead if item else text if passage[start : start + 1] in ("—", "―", ":") else ""
        at = end
    return out
