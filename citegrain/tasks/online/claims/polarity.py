"""The small words of a claim against those of a passage: negations, exceptions, opposites, may and shall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from citegrain.tasks.online.claims.facts import CONDITION, EXCEPTION, NEGATIVE, negations, opposite
from citegrain.tasks.online.claims.passages import Passage, Token
from citegrain.tasks.online.claims.schema import Fault

_ALIGNED = 0.5  # share of a claim's words in the order of the passage from which its small words are compared
VERBATIM = 0.85  # the same, from which it quotes
_GAP = 4  # words between which a negation may be missing; what is longer is an exception of its own
_BEFORE, _SCOPE, _NEAR = 6, 8, 4  # words before what a claim has of a passage, behind and before a negation
_MODAL = {"may": "may", "can": "may", "shall": "shall", "must": "shall"}
_TOO = ("including", "even", "always")
_INSTEAD = {*_TOO, "if", "where", "when", "with", "upon", "after", "or", "and", "by"}  # of an exception
_VERBS = ("shall", "may", "can", "is", "are", "be", "must", "will")
_NOBODY = ("no", "nothing", "nobody", "none", "neither", "nor")
_WITHOUT = ("without", "unless", "except", "excepting", "excepted", "save", "otherwise", "other")
_WITH = ("with", "after", "upon", "on", "by", "having")
_CLAUSE = re.compile(r"[,;:—()]|\b(?:but|though|although|while|whereas|and|nor)\b")
_WHICHEVER = re.compile(r"whichever\s+(?:is|be)\s+(?:the\s+)?(\w+)")
_UNLESS = re.compile(r"\b(?:unless|except\w*|until|save|other\s+than|otherwise|only)\b", re.IGNORECASE)
_EDGE = re.compile(
    r"(?P<no>\b(?:not|cannot|no|nobody|never)\s+(?:\w+\s+){0,6}?)?"
    r"\b(?P<edge>below|exceed(?=\w*)|(?:less|more|later|earlier|fewer)(?=\s+than)|beyond)(?:\w*\s+(?:than\s+)?)"
    r"(?:(?:the|an?|its|that|of|such|amount|equivalent|to)\s+)*(?P<next>\w+)"
)
_VERBATIM = [  # a few words, with a "no" on one side only
    re.compile(rf"\b{words}")
    for words in (
        r"shall (?P<no>not )?(?P<said>be (?:less|more|later|earlier|fewer) than \w+)",
        r"(?:(?P<no>no)|any|every|each|an?) (?P<said>(?:\w+ ){1,3}?(?:shall|may|can),? \w+ \w+)",
    )
]
_SUBJECT = 20  # words behind "no" in which its verb stands: no judge, advocate or officer ... shall buy
_BUT_FOR = re.compile(rf"{EXCEPTION.pattern}|\b(?:inferior|below)\b", re.IGNORECASE)
_GERUND = re.compile(r"not \w+ing\b")
_NON = re.compile(r"\bnon-(\w+)")
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
    law = passage.text[start:end]
    out = [*_aligned(claim, tokens, passage, there), *_whichever(claim, law), *_edges(claim, passage.text)]
    out += _as_printed(claim, passage.text)
    denials = sum(part[0].start <= a < part[-1].end for a, _ in passage.negations) if part else 0
    verbatim = there and share_in_order(tokens, there) >= VERBATIM and len(negations(claim)) >= denials
    if part and not verbatim and not any(difference.fault == "negation" for difference in out):
        out += _denied(claim, tokens, passage, part)
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


def _edges(claim: str, law: str) -> Iterator[Difference]:
    """``below the rank`` for ``not below the rank``; a claim that denies something else may say the same."""
    mine, theirs = _limits(claim), _limits(law)
    for key in mine.keys() & theirs.keys():
        if mine[key].isdisjoint(theirs[key]) and (True in mine[key] or not negations(claim)):
            yield Difference("negation", f"“{' '.join(key)}”, with a “not” on one side only")


def _as_printed(claim: str, law: str) -> Iterator[Difference]:
    """``any company shall hold`` for ``no company shall hold``."""
    texts = [" ".join(text.lower().split()) for text in (claim, law)]
    for pattern in _VERBATIM:
        mine, theirs = ({(m["said"], bool(m["no"])) for m in pattern.finditer(text)} for text in texts)
        for said, no in mine:
            if (said, not no) in theirs and (said, no) not in theirs:
                yield Difference("negation", f"“{said}”, with a “no” on one side only")


def _limits(text: str) -> dict[tuple[str, str], set[bool]]:
    """Of each limit that a text names, with the word behind it, whether it stands behind a "not"."""
    out: dict[tuple[str, str], set[bool]] = {}
    for match in _EDGE.finditer(text.lower()):
        out.setdefault((match["edge"], match["next"]), set()).add(bool(match["no"]))
    return out


def _aligned(
    claim: str, tokens: Sequence[Token], passage: Passage, there: Sequence[Token]
) -> Iterator[Difference]:
    """What stands or lacks between words that both have in one order."""
    matcher = _matched(tuple(t.word for t in tokens), tuple(t.word for t in there))
    if share_in_order(tokens, there) < _ALIGNED:
        return
    mine, law = negations(claim), [s for s in passage.negations if there[0].start <= s[0] < there[-1].end]
    mine_strong = [span for span in mine if not _UNLESS.match(claim, span[0])]
    goes_on = ("nor",) if mine_strong else ()
    strong = [
        (a, b) for a, b in law if not _UNLESS.match(passage.text, a) and passage.text[a:b] not in goes_on
    ]
    denies = len(mine_strong) + len(NEGATIVE.findall(claim))
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal" or b == len(tokens):
            continue
        said, says = tokens[a:b], there[c if a else max(c, d - 2) : d]
        words, words_there = (" ".join(t.word for t in part) for part in (said, says))
        here = _count(tokens[max(0, a - _GAP) : b + _GAP], mine)
        near = _count(there[max(0, c - _GAP) : d + _GAP], law)
        new = {t.term for t in said if t.word not in _TOO} - {t.term for t in says} - {""}
        place = (says[0].start, says[-1].end) if says else (0, 0)
        if _count(says, law) and here < near and not new and not NEGATIVE.search(words):
            if EXCEPTION.search(words_there) and not said:
                yield Difference("exception", f"without “{words_there}”", *place)
            elif words_there in _NOBODY and NEGATIVE.search(claim):
                continue  # barred from it
            elif len(says) <= _GAP and _count(says, strong) and denies < len(strong):
                yield Difference("negation", f"the passage says “{words_there}”", *place)
            elif (
                EXCEPTION.search(words_there)
                and len(says) <= _GAP
                and {t.word for t in said} <= set(_INSTEAD)
            ):
                yield Difference("negation", f"“{words}” where the passage says “{words_there}”", *place)
        elif (
            _count(said, mine_strong)
            and len(law) < len(mine)
            and len(said) <= _GAP
            and not _GERUND.match(words)
            and not any(NEGATIVE.fullmatch(t.word) for t in there[max(0, c - _GAP) : d + _GAP])
        ):
            yield Difference("negation", f"the passage does not say “{words}”")
        elif opposite(words.split(), words_there.split()):
            yield Difference("opposite", f"“{words}” where the passage says “{words_there}”", *place)
        elif {_MODAL.get(words), _MODAL.get(words_there)} == {"may", "shall"}:
            yield Difference("modality", f"“{words}” where the passage says “{words_there}”", *place)


@lru_cache(maxsize=100)
def _matched(words: tuple[str, ...], law: tuple[str, ...]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, words, law, autojunk=False)


def share_in_order(tokens: Sequence[Token], there: Sequence[Token]) -> float:
    """Share of the words of a claim that a stretch of a passage has in their order."""
    blocks = _matched(tuple(t.word for t in tokens), tuple(t.word for t in there)).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(tokens))


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
        if part[denial.at].word == "nor" and negations(claim):
            continue  # "or" behind a "not" says the same
        if _elsewhere(part, denial, law):
            continue  # it affirms it, too
        first, last = _around(passage.text, part[denial.at].start, _SENTENCE)
        if not denial.weak and _BUT_FOR.search(passage.text[first:last]) and CONDITION.search(claim):
            continue
        if all(_plainly(claim, tokens, term, denial.weak, printed) for term in denial.terms):
            words = part[denial.at : denial.at + _SCOPE]
            message = f"the passage says “{' '.join(t.word for t in words)}”"
            yield Difference("negation", message, words[0].start, words[-1].end)


def _denials(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> Iterator[_Denial]:
    """The negations of a text: of "no person shall be liable" the noun and the verb, else what follows."""
    for at in [i for i, t in enumerate(tokens) if any(a == t.start for a, _ in spans)]:
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
        if claim[:first].endswith("nor"):
            return False
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


def _elsewhere(tokens: Sequence[Token], denial: _Denial, denied: Sequence[tuple[int, int]]) -> bool:
    """Whether all denied terms stand together in another place as well, where nothing denies them."""
    others = [i for i, t in enumerate(tokens) if not denial.at <= i <= denial.at + 2 * _SCOPE]
    others = [i for i in others if not _count(tokens[max(0, i - _NEAR) : i], denied)]
    firsts = [i for i in others if _verb(tokens[i]) == denial.terms[0]]
    lasts = [i for i in others if _verb(tokens[i]) == denial.terms[-1]]
    return any(abs(i - j) <= _SCOPE for i in firsts for j in lasts)


def _count(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> int:
    return sum(any(a <= t.start < b for a, b in spans) for t in tokens)
