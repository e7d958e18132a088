"""The small words of a claim against those of a passage: negations, exceptions, opposites, may and shall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from typing import NamedTuple

from citegrain.tasks.online.claims.facts import CONDITION, EXCEPTION, NEGATIVE, negations, opposite
from citegrain.tasks.online.claims.passages import Passage, Token
from citegrain.tasks.online.claims.schema import Fault

_ALIGNED = 0.5  # share of a claim's words in the order of the passage from which its small words are compared
_GAP = 4  # words between which a negation may be missing; what is longer is an exception of its own
_BEFORE, _SCOPE, _NEAR = 6, 8, 4  # words before what a claim has of a passage, behind and before a negation
_MODAL = {"may": "may", "can": "may", "shall": "shall", "must": "shall"}
_VERBS = ("shall", "may", "can", "is", "are", "be", "must", "will")
_NOBODY = ("no", "nothing", "nobody", "none", "neither", "nor")
_WITHOUT = ("without", "unless", "except", "excepting", "excepted", "save", "otherwise", "other")
_WITH = ("with", "after", "upon", "on", "by", "having")
_CLAUSE = re.compile(r"[,;:—()]|\b(?:but|though|although|while|whereas|and|nor)\b")
_WHICHEVER = re.compile(r"whichever\s+(?:is|be)\s+(?:the\s+)?(\w+)")
_FORBIDS = re.compile(r"\b(?:shall|may|can)\s+not\s+\w+|\b[Nn]o\s+(?:\w+\s+){1,6}(?:shall|may)\s+\w+")
_UNLESS = re.compile(r"\b(?:unless|except\w*|until|save|other\s+than|otherwise|only)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"\b(?:which|who|whom|that|where|if|when|whether|whoever)\b", re.IGNORECASE)
_FEWEST, _MOST = 4, 0.6  # terms of a claim, and the share that one sentence must have of them
_SUBJECT = 20  # words behind "no" in which its verb stands: no judge, advocate or officer ... shall buy
_NON = re.compile(r"\bnon-(\w+)")
_LIST = 400  # characters before a word in which a "shall not" may govern the list in which it stands
_SENTENCE = re.compile(r"(?<!cent)[.;:—]\s|\n")


class Difference(NamedTuple):
    """What differs, in words, and where in the passage; an empty place where it lacks something."""

    fault: Fault
    message: str
    start: int = 0
    end: int = 0


class _Denial(NamedTuple):
    """A negation and the terms that it denies; ``weak`` if it is an exception or a "without"."""

    at: int
    terms: tuple[str, ...]
    weak: bool


def differences(
    claim: str, tokens: Sequence[Token], passage: Passage, start: int, end: int
) -> list[Difference]:
    """How a claim differs in its small words from a stretch of a passage that has most of it."""
    terms = {t.term for t in tokens} - {""}
    there = [t for t in passage.tokens if start <= t.start < end]
    places = [i for i, t in enumerate(there) if t.term in terms]
    part = there[max(0, places[0] - _BEFORE) : places[-1] + 1] if places else []
    out = [*_aligned(claim, tokens, passage, there), *_whichever(claim, passage.text[start:end])]
    if part and not any(difference.fault == "negation" for difference in out):
        out += (
            [*_denied(claim, tokens, passage, part)]
            or [*_affirmed(claim, tokens, passage, part)]
            or [*_forbidden(claim, terms, passage, part)]
        )
    return out


def _whichever(claim: str, law: str) -> Iterator[Difference]:
    """``whichever is less`` for ``whichever is more``."""
    for said in _WHICHEVER.findall(claim.lower()):
        says = _WHICHEVER.findall(law.lower())
        if says and said not in says and any(opposite([said], [word]) for word in says):
            yield Difference("opposite", f"“whichever is {said}” where the passage says “{says[0]}”")
    denied, there = set(_NON.findall(claim.lower())), set(_NON.findall(law.lower()))
    for word in denied - there:  # non-bailable
        if re.search(rf"(?<!non-)\b{word}\b", law.lower()):
            yield Difference("opposite", f"“non-{word}” where the passage says “{word}”")


def _aligned(
    claim: str, tokens: Sequence[Token], passage: Passage, there: Sequence[Token]
) -> Iterator[Difference]:
    """What stands or lacks between words that both have in one order."""
    matcher = SequenceMatcher(None, [t.word for t in tokens], [t.word for t in there], autojunk=False)
    share = sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(tokens))
    if share < _ALIGNED:
        return
    mine, law = negations(claim), [s for s in passage.negations if there[0].start <= s[0] < there[-1].end]
    strong = [span for span in law if not _UNLESS.match(passage.text, span[0])]
    mine_strong = [span for span in mine if not _UNLESS.match(claim, span[0])]
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal" or b == len(tokens):
            continue
        said, says = tokens[a:b], there[c if a else max(c, d - 2) : d]
        words, words_there = (" ".join(t.word for t in part) for part in (said, says))
        here = _count(tokens[max(0, a - _GAP) : b + _GAP], mine)
        near = _count(there[max(0, c - _GAP) : d + _GAP], law)
        new = {t.term for t in said} - {t.term for t in says} - {""}
        place = (says[0].start, says[-1].end) if says else (0, 0)
        if _count(says, law) and here < near and not new and not NEGATIVE.search(words):
            if EXCEPTION.search(words_there) and not said:
                yield Difference("exception", f"without “{words_there}”", *place)
            elif len(says) <= _GAP and _count(says, strong) and len(mine_strong) < len(strong):
                yield Difference("negation", f"the passage says “{words_there}”", *place)
        elif _count(said, mine_strong) and len(law) < len(mine) and len(said) <= _GAP:
            yield Difference("negation", f"the passage does not say “{words}”")
        elif opposite(words.split(), words_there.split()):
            yield Difference("opposite", f"“{words}” where the passage says “{words_there}”", *place)
        elif {_MODAL.get(words), _MODAL.get(words_there)} == {"may", "shall"}:
            yield Difference("modality", f"“{words}” where the passage says “{words_there}”", *place)


def _denied(
    claim: str, tokens: Sequence[Token], passage: Passage, part: Sequence[Token]
) -> Iterator[Difference]:
    """What the passage denies and the claim affirms, in whatever words."""
    has = {_verb(t) for t in tokens}
    printed = {t.word for t in part}
    law = [s for s in passage.negations if part[0].start <= s[0] < part[-1].end]
    for denial in _denials(part, law):
        if not denial.terms or not set(denial.terms) <= has or _UNLESS.match(part[denial.at].word):
            continue
        if _elsewhere(part, denial):
            continue  # it affirms it, too
        first, last = _around(passage.text, part[denial.at].start, _SENTENCE)
        if not denial.weak and EXCEPTION.search(passage.text[first:last]) and CONDITION.search(claim):
            continue
        if all(_plainly(claim, tokens, term, denial.weak, printed) for term in denial.terms):
            words = part[denial.at : denial.at + _SCOPE]
            message = f"the passage says “{' '.join(t.word for t in words)}”"
            yield Difference("negation", message, words[0].start, words[-1].end)


def _affirmed(
    claim: str, tokens: Sequence[Token], passage: Passage, part: Sequence[Token]
) -> Iterator[Difference]:
    """What the claim denies and the passage affirms, and nowhere denies."""
    everywhere = {term for denial in _denials(passage.tokens, passage.negations) for term in denial.terms}
    for denial in _denials(tokens, negations(claim)):
        if denial.weak or not denial.terms or denial.terms[0] in everywhere:
            continue
        for token in part:
            if token.term != denial.terms[0]:
                continue
            first, last = _around(passage.text, token.start, _SENTENCE)
            sentence = passage.text[first:last]
            before = passage.text[max(0, token.start - _LIST) : last]
            if not (NEGATIVE.search(sentence) or EXCEPTION.search(sentence) or negations(before)):
                message = f"the passage says “{' '.join(sentence.split())[:80]}”"
                yield Difference("negation", message, token.start, token.end)
                return


def _forbidden(claim: str, terms: Set[str], passage: Passage, part: Sequence[Token]) -> Iterator[Difference]:
    """A claim without any denial that has most of its words from one sentence which forbids something."""
    strong = [s for s in negations(claim) if claim[s[0] : s[1]].lower() not in _WITHOUT]
    if strong or NEGATIVE.search(claim) or len(terms) < _FEWEST:
        return
    for match in _FORBIDS.finditer(passage.text, part[0].start, part[-1].end):
        first, last = _around(passage.text, match.start(), _SENTENCE)
        sentence = passage.text[first:last]
        denies = any(match.start() <= a < match.end() for a, _ in passage.negations)  # and is no bound
        if not denies or _RELATIVE.search(passage.text, first, match.start()):
            continue
        has = {t.term for t in passage.tokens if first <= t.start < last} & terms
        if len(has) >= _MOST * len(terms) and not _UNLESS.search(sentence):
            yield Difference("negation", f"the passage says “{match[0]}”", match.start(), match.end())
            return


def _denials(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> Iterator[_Denial]:
    """The negations of a text: of "no person shall be liable" the noun and the verb, else what follows."""
    for at in [i for i, t in enumerate(tokens) if any(a <= t.start < b for a, b in spans)]:
        following = [t for t in tokens[at + 1 : at + 1 + _SCOPE] if t.term]
        words = [t.word for t in tokens[at + 1 : at + 1 + _SUBJECT]]
        weak = tokens[at].word in _WITHOUT
        if not weak and set(words[:2]) & set(
            _WITHOUT
        ):  # "shall not, without permission": what follows is far
            following = []
        terms = tuple(t.term for t in following[:1])
        if tokens[at].word in _NOBODY:
            modal = next((i for i, word in enumerate(words) if word in _VERBS), 0)
            behind = [_verb(t) for t in tokens[at + 1 + modal : at + 6 + modal] if t.word not in _VERBS]
            terms = (
                (*(t for t in terms if t != "person"), *behind[:1])
                if modal
                else tuple(t.term for t in following[:2])
            )
        yield _Denial(at, terms, weak)


def _plainly(claim: str, tokens: Sequence[Token], term: str, weak: bool, printed: set[str]) -> bool:
    """Whether a claim affirms a term: no negation just before it; of what goes "without" it, by a "with"."""
    mine = negations(claim)
    for i, token in enumerate(tokens):
        if _verb(token) != term:
            continue
        before = tokens[max(0, i - _NEAR) : i + 2]  # "impose no fine", too
        first, last = _around(claim, token.start, _CLAUSE)
        negative = {m[0].lower() for m in NEGATIVE.finditer(claim[first:last])} - printed
        if negative or _count([t for t in before if t.start >= first], mine):
            return False
        if weak and not any(t.word in _WITH for t in tokens[max(0, i - 3) : i]):
            return False
    return True


def _verb(token: Token) -> str:
    """The stem of a word, or the word where it says nothing elsewhere: a verb such as "made"."""
    return token.term or token.word


def _around(text: str, at: int, mark: re.Pattern[str]) -> tuple[int, int]:
    """Start and end of the stretch between two marks in which a place lies."""
    first = max((m.end() for m in mark.finditer(text, 0, at)), default=0)
    after = mark.search(text, at)
    return first, after.start() if after else len(text)


def _elsewhere(tokens: Sequence[Token], denial: _Denial) -> bool:
    """Whether all denied terms stand together in another place as well."""
    others = [i for i, t in enumerate(tokens) if not denial.at <= i <= denial.at + 2 * _SCOPE]
    firsts = [i for i in others if _verb(tokens[i]) == denial.terms[0]]
    lasts = [i for i in others if _verb(tokens[i]) == denial.terms[-1]]
    return any(abs(i - j) <= _SCOPE for i in firsts for j in lasts)


def _count(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> int:
    return sum(any(a <= t.start < b for a, b in spans) for t in tokens)
