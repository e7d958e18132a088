"""What a text says of a provision beside its number: words that it quotes, and a heading that it gives."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from citegrain.tasks.law.numbers import roman

_ACT = (
    r"(?:[\s,]|(?<!,\s)\band\b|\b(?:of|the|under|said|that|this|in|for|from|to|on|at|with|by|against)\b|"
    r"[A-Z][\w.&’'-]*+|\d{4}|\([A-Z][^()]{2,60}\))*+"
)
_BRACKETED = re.compile(rf"{_ACT}\((?P<words>[a-z][a-z ,'’/-]{{3,70}})\)")
_CALLED = re.compile(
    rf"{_ACT},?\s*(?:which\s+|that\s+)?(?:deals\s+with|relates\s+to|punishes|defines|prescribes\s+(?:the\s+)?punishment\s+for|"
    r"concerns)\s+(?P<words>[a-z][a-z '’-]{3,60}?)(?=[.,;:()]|\s(?:by|and|in|with|as|when|which)\b|$)"
)
_QUOTED = re.compile(
    rf"{_ACT}(?P<cue>[\s:,–-]*+(?:[A-Za-z]++[\s:,–-]*+){{0,14}}+)(?:“(?P<curly>[^”]{{20,3000}})”|(?<=[\s:,(–-])\"(?=\S)(?P<plain>[^\"]{{20,3000}})\")"
)
_CUE = re.compile(
    r"[\s:,–-]*(?:[:–-][\s:,–-]*|(?:\w+[\s,]+){0,2}?(?:says?|reads?|states?|provides?|lays\s+down|runs?|enacts?)(?:[\s,:–-]+\w+){0,6}?[\s:,–-]*)"
)
_OTHERS = re.compile(
    r"observ|\bheld\b|[Cc]ourt|[Jj]udge|[Ll]earned|[Cc]ounsel|explained|noted|witness|\bnot\b"
)  # whose words
_BEFORE = re.compile(r"(?P<close>[”\"])[\s.,]*[(\[–—-]\s*(?:see\s+)?(?:the\s+)?\w+\.?\s*$")
_ENDS = re.compile(  # "...", section 302 IPC
    r"(?P<close>[”\"])[.,;]?\s*(?:[,;–—-]\s*)?(?:(?:see|vide|as|per|says|reads|provides|states|in|under|of|the|and|sections?|articles?|rules?|"
    r"regulations?|ss?\.?|secs?\.?|arts?\.?|u/s|[A-Z][\w.&’'-]*)[\s,:]+){1,8}$"
)
_NUMBERED = re.compile(r"\W*(?:(?:Article|Section)\s+)?(?P<number>\d{1,3}-?[A-Z]{0,2})(?:\.|\s*\()")
_WORD = re.compile(r"[^\W_]+")
_OMITTED = re.compile(
    r"\([a-z]{1,4}\)\s*to\s*\([a-z]{1,4}\)|(?:\bx\s+){2,}x\b|\.\s?\.\s?\.+|…|\*\s*\*\s*\*|\[[^\]]*\]|\bxxx\b"
)
_PLAIN = frozenset(
    "a an and any as at by etc for from in into is of on or other person the this to under with offence "  # noqa: SIM905
    "offences act section punishment punishable punished supra ibid case right duty power amended amendment "
    "read short hereinafter referred emphasis supplied added old new applicable central state".split()
)
_UNIT = r"(?:section|article|rule|regulation)s?\s*(?:no\.?\s*)?$"
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_SUPPLEMENT = re.compile(
    rf"(?:\b(?P<ordinal>{'|'.join(_ORDINALS)})\s+)?\b(?:(?P<proviso>proviso)|Explanation(?:\s+(?P<which>\d{{1,2}}|[IVX]{{1,4}}))?)"
    rf"\s+(?:to|of|under|in)\s+(?:the\s+)?(?:said\s+)?{_UNIT}",
    re.IGNORECASE,
)
_SAME = 0.6  # of two texts that are less alike neither quotes the other
_SHOWN = 3  # differences that are shown


class Claim(NamedTuple):
    """What is said of a provision: ``heading`` or ``quotation``, and the words.

    ``stated``: whether the text says that the words are the provision's, and not with a colon alone.
    ``start``: where a quotation begins in the text.
    """

    kind: str
    words: str
    stated: bool = True
    start: int = -1


def claims_of(text: str, start: int, end: int, until: int) -> list[Claim]:
    """What a text says of the provision whose number stands from ``start`` to ``end``.

    ``until``: where the next citation begins, whose words are not of this one.
    """
    out = []
    for pattern in (_BRACKETED, _CALLED):
        match = pattern.match(text, end, until)
        if match:
            out.append(Claim("heading", match["words"].strip()))
            break
    quoted = _QUOTED.match(text, end)
    cue = quoted["cue"] if quoted else ""
    if quoted and _CUE.fullmatch(cue) and not _OTHERS.search(cue) and quoted.end("cue") < until:
        name = "curly" if quoted["curly"] else "plain"
        said = bool(re.search(r"\w", cue))
        out.append(Claim("quotation", quoted[name], said, quoted.start(name)))
    elif before := _BEFORE.search(text, max(0, start - 40), start) or _ENDS.search(
        text, max(0, start - 90), start
    ):
        opening = text.rfind("“" if before["close"] == "”" else '"', 0, before.start()) + 1
        words = text[opening : before.start()] if opening else ""
        out.append(Claim("quotation", words, before.re is _BEFORE, opening))
    return [claim for claim in out if claim.kind == "heading" or len(_WORD.findall(claim.words)) > 4]


def absent_supplement(before: str, text: str) -> str:
    """Which proviso or Explanation is cited that a provision has not; empty where it may have it."""
    match = _SUPPLEMENT.search(before)
    if not match or not text.strip():
        return ""
    name = "proviso" if match["proviso"] else "Explanation"
    count = len(re.findall(r"\bprovided\b" if match["proviso"] else r"\bExplanation", text, re.IGNORECASE))
    which = match["which"] or ""
    wanted = int(which) if which.isdigit() else roman(which.upper()) or 1
    if match["ordinal"]:
        wanted = 1 + _ORDINALS.index(match["ordinal"].lower())
    return f"no such {name}: it has {count or 'none'}" if wanted > count else ""


def quotation_difference(claim: Claim, number: str, provision: str) -> str:
    """How a quotation differs from the provision; empty where its words stand there.

    Capitals, marks, and what is left out by dots or put in brackets do not count.
    """
    quoted = claim.words
    begins = _NUMBERED.match(quoted)
    if begins and begins["number"].upper() != number.upper():  # a paragraph, or another provision
        return ""
    quoted = quoted[begins.end() if begins else 0 :]
    law = " ".join(_WORD.findall(provision.lower()))
    for part in _OMITTED.split(quoted):
        words = " ".join(_WORD.findall(part.lower()))
        if len(words.split()) < 3 or words in law or words.replace(" ", "") in law.replace(" ", ""):
            continue
        near = fuzz.partial_ratio_alignment(words, law)
        if near is None or near.score < 100 * _SAME:
            return "these words are not in it" if claim.stated else ""
        margin = max(40, len(words) // 4)  # of what is longer or shorter there
        first = law.rfind(" ", 0, max(0, near.dest_start - margin)) + 1
        last = law.find(" ", near.dest_end + margin)
        there, here = law[first : last if last >= 0 else None].split(), words.split()
        steps = SequenceMatcher(None, here, there, autojunk=False).get_opcodes()
        steps = steps[steps[0][0] == "insert" : -1 if steps[-1][0] == "insert" else None]  # the margins
        changes = [(" ".join(here[a:b]), " ".join(there[c:d])) for tag, a, b, c, d in steps if tag != "equal"]
        changes = [change for change in changes if not _same_word(*change)]
        return "; ".join(f"“{said}” for “{law_says}”" for said, law_says in changes[:_SHOWN])
    return ""


def _same_word(said: str, law: str) -> bool:
    """Whether a word is spelled otherwise (willful) or cut, or a mark."""
    if not law:
        return bool(re.fullmatch(r"[a-z]|\d+|[ivx]+", said))
    if len(said) > 1 and law.startswith(said):  # a page ends in the word
        return True
    long = min(len(said), len(law)) > 4 and " " not in said + law and not re.search(r"\d|s$", said + law)
    return long and Levenshtein.distance(said, law, score_cutoff=1) <= 1


def other_heading(claimed: str, heading: str, text: str, headings: Mapping[str, str]) -> str:
    """Number of the provision of the same Act that is called so; empty where this one may be.

    ``headings``: of the Act's provisions, by number. A heading that no provision has proves nothing, nor do
    a few words of a long one: "section 380 punishes more" names none.
    """
    wanted = stems(claimed)
    if not wanted or wanted & stems(heading) or 2 * len(wanted & stems(text[:2000])) > len(wanted):
        return ""
    most = 2 * len(wanted)
    fits = [n for n, other in headings.items() if wanted <= (has := stems(other)) and len(has) <= most]
    return min(fits, key=lambda number: len(headings[number]), default="")


@lru_cache(10_000)
def stems(words: str) -> frozenset[str]:
    """How the words of a text begin, but such as every law has."""
    return frozenset(w[:5] for w in _WORD.findall(words.lower()) if w not in _PLAIN and len(w) > 2)
