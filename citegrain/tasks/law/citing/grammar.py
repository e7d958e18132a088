"""The grammar of citations: numbers, lists of numbers, what stands around them, and how a chain is read.

Statutes, judgments and complaints cite by different habits. What they have in common stands here: one
normalisation at the door, one form of a number with its sub-sections, one way to walk along a chain.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product
from operator import itemgetter
from typing import Any, TypeVar

from citegrain.tasks.core.words import LETTERS, latin_letter
from citegrain.tasks.law.instruments import TITLE_YEAR
from citegrain.tasks.law.numbers import plain_dashes

Value = TypeVar("Value")
_DIGIT = re.compile("[\uff10-\uff19]")
_LONG_DASH = re.compile(
    r"(?<=\d)[—―](?=[A-Z]{1,2}(?![A-Za-z])(?!\s+(?!(?:of|and|or|to|read|in|under)\b)[a-z]))"
)


def normalise(text: str) -> str:
    """A text as its citations are read: plain hyphens and digits, character for character.

    A long dash is a hyphen only between a number and its letters: ``2—A`` is 2A, and in ``section 5—A
    person`` a sentence begins. Offsets stay.
    """
    if text.isascii():
        return text
    return _LONG_DASH.sub("-", _DIGIT.sub(lambda m: chr(ord(m[0]) - 0xFEE0), plain_dashes(text)))


def along_chain(
    matches: Sequence[re.Match[str]],
    behind: Callable[[re.Match[str]], Value | None],
    chained: Callable[[re.Match[str], re.Match[str], Value], Value | None],
) -> list[Value | None]:
    """What each list of numbers belongs to; in ``section 3 read with section 5 of`` the last counts for all.

    ``behind``: what stands behind a match; None where nothing does. ``chained``: from a match, the next one
    and what that belongs to: whether the first belongs to the same.
    """
    out: list[Value | None] = []
    following: tuple[re.Match[str], Value | None] | None = None
    for match in reversed(matches):
        value = behind(match)
        if value is None and following is not None and following[1] is not None:
            value = chained(match, following[0], following[1])
        following = (match, value)
        out.append(value)
    return out[::-1]


_WITHIN = r"\s+(?:of|to|in)\s+(?:the\s+)?"
# parts of a provision as they are named beside it: sub-section (2), clause (b)(ii), clauses (f) and (g)
PARTS = (
    r"(?:sub-?\s?(?:section|article|rule|regulation|clause)|clause)s?\s*(?:\s?\(\w{1,5}\))++"
    r"(?:\s*(?:,|,?\s*\b(?:and|or|to)\b)\s*(?:\s?\(\w{1,5}\))++)*+"
)
PARTS_OF = rf"(?:{PARTS}{_WITHIN})++"
_PARTS_BEFORE = re.compile(
    rf"{PARTS_OF}(?:section|article|rule|regulation)s?\s*(?:no\.?\s*)?$", re.IGNORECASE
)
_PARTS_BEHIND = re.compile(  # section 4, clause (b) of sub-section (2), but not of another section
    rf"(?:\s*,?\s*{PARTS})++(?P<inner_first>(?:{_WITHIN}{PARTS})*+)"
    r"(?!\s+(?:of|to|in)\s+(?:the\s+|that\s+|this\s+|said\s+)*(?:section|article|rule|regulation|s\.|clause|sub|schedule|act)\b)",
    re.IGNORECASE,
)
_PART, _MARKS = re.compile(PARTS, re.IGNORECASE), re.compile(r"(?:\s?\(\w{1,5}\))+")


_ALSO = re.compile(r"(?:\s*(?:,|,?\s*\b(?:and|or)\b|&)\s*\(\w{1,5}\))++")


def part_marks(before: str, sub: str, behind: str) -> list[list[str]]:
    """Marks of each part that is cited, from the outside in: [2, b] of ``section 4(2)(b)``.

    ``before``, ``sub``, ``behind``: what stands before a number, its marks, and what follows. A letter as in
    ``14(A)`` is that of a number; before a capital a mark begins a row: ``section 18 (2) Residence order``.
    """

    def chains(parts: str, inner_first: bool) -> list[list[str]]:
        marks = [[re.findall(r"\w+", one) for one in _MARKS.findall(part)] for part in _PART.findall(parts)]
        return [[*chain.from_iterable(one)] for one in product(*(marks[::-1] if inner_first else marks))]

    above, below = _PARTS_BEFORE.search(before), _PARTS_BEHIND.match(behind)
    outer = chains(above[0], True) if above else [[]]
    if re.match(r"\([A-Z]\)", sub) or re.match(r"\s*(?:[A-Z][a-z]+\b|\d[a-z)])", behind):
        return outer
    marks = re.findall(r"\w+", re.sub(r"(?<=\d)-(?=[A-Z])", "", sub))  # (4-A) is (4A)
    also = _ALSO.match(behind) if marks else None  # (e) and (j); what may be a numeral is of another row
    others = re.findall(r"\d+|\b[a-hj-uwyz]\b", also[0]) if also else []
    alike = [[*marks[:-1], mark] for mark in others if mark.isdigit() == marks[-1].isdigit()]
    inner = chains(below[0], bool(below["inner_first"])) if below else [[]]
    return [[*o, *m, *i] for o in outer for m in (marks, *alike) for i in inner]


# a letter behind a blank, as in section 69 A of: no A with which a sentence goes on, no initial (138 N I Act)
SPACED = r"\s[A-HJ-Z](?![\w.&])(?!\s+(?!(?:of|and|or|to|read|in|under)\b)[a-z])(?!\s[A-Z](?!\w))"
_NUMBER = (
    rf"\d{{1,3}}(?:\s?-\s?[A-Z]{{1,2}}(?![\w])|[A-Z]{{1,3}}(?![\w])|{SPACED})?"
    r"(?![\w%/]|\.\d|\s?(?:th|st|nd|rd)\b|\s+of\s+\d{4})"
)
SUB = r"(?:\s?\(\s?(?:\d{1,3}[A-Z]{0,2}|[a-zA-Z]{1,5})\s?\))*"
_AND = r"[\s\]\[]*(?:,?\s*(?:and|or|and/or|to|&)\b|,|/|(?<=\d)-(?=\d))[\s\]\[]*(?:(?:and|or)\b\s*)?"
_ONLY_SUB = r"\(\s?(?:\d{1,3}[A-Z]{0,2}|[a-zA-Z]{1,5})\s?\)"
CITED = re.compile(
    r"(?<![\w-])(?P<kind>[Ss]ections?|SECTIONS?|[Aa]rticles?|ARTICLES?|[Rr]ules?|[Rr]egulations?)(?:[\s\[“\"]|\s[—-]\s){0,3}"
    rf"(?P<list>{_NUMBER}{SUB}(?:{_AND}(?:{_NUMBER}{SUB}|{_ONLY_SUB}))*)"
)
ITEM = re.compile(rf"(?P<to>\bto\b[\s\[]*)?(?<![\w(])(?P<number>{_NUMBER})(?P<sub>{SUB})")
_CHAPTER = r"(?:Chapters?|Parts?)\s+[IVXLC]+(?:-?[A-Z])?\b"
PREPOSITION = re.compile(
    rf"(?:[\s,]*\b(?:and|or)\s+{_CHAPTER}(?:(?:,|\s+and|\s+or|\s+to)\s+[IVXLC]+(?:-?[A-Z])?\b)*)?"
    r"[\s\]()”\",]*(?:(?:(?:both\s+)?inclusive(?:\s+but\s+excluding\s+sections?\s+\w+)?|as\s+the\s+case\s+may\s+be)\W{0,3})?"
    r"\b(?:of|in|under|to)\s+",
    re.IGNORECASE,
)
THE = re.compile(r"(?:the\s+)?[“\"\[(]*", re.IGNORECASE)
ORDER = re.compile(r"Order\s+(?P<order>[IVXLC]+|\d{1,2})[\s-]?(?P<letter>[A-D])?\b")
ORDER_BEFORE = re.compile(r"\bOrder\s+(?P<order>[IVXLC]+|\d{1,2})[\s-]?(?P<letter>[A-D])?,?\s+$")
COMMA = re.compile(r"[\s)\]]*,\s*")
BEHIND_ORDER = re.compile(
    r"[\s,]*(?:(?:of|in)\s+(?:the\s+)?(?:First\s+)?Schedule)?[\s,]*(?:of|to|in)\s+(?:the\s+)?"
)
ITS_ACT = re.compile(
    rf"{PREPOSITION.pattern}(?:{ORDER.pattern}{BEHIND_ORDER.pattern})?{THE.pattern}", re.IGNORECASE
)
FOREIGN = re.compile(
    r"(?:(?:the|that|this|such|said|an?)\s+)*(?:[\w-]+\s+){0,3}(?:agreements?|protocol|treaty|convention|covenant|"
    r"charter|model\s+law|memorandum|association)\b",
    re.IGNORECASE,
)
IN_SCHEDULE = re.compile(r"(?:(?:the|that|said|this)\s+)*(?:\w+\s+){0,2}(?:Schedule|Appendix|Form)\b")
SAME = re.compile(
    r"(?:that|the\s+said|this|the\s+same|such)\s+(?:section|sub-section|article|rule|Chapter|Part)\b"
)
CHAIN = re.compile(
    r"(?:[\s,\[\]()“”\"’‘*&;]|\b(?:and|or|read|with|of|in|the|under|either|also|both|inclusive|as|well|an|offence|offences|"
    r"punishable|said|provisions?)\b|\b(?:first|second|third)\s+proviso\s+to\b|\bproviso\s+to\b|\bfor\s+the\s+purposes?\s+of\b|"
    rf"\b(?i:{PARTS}))*"
)
DESPITE = re.compile(
    r"[Nn]otwithstanding\s+anything\b(?:\s+(?:to\s+the\s+contrary|contained|provided|stated|said|herein|elsewhere)\b)*"
    r"(?:(?!,\s*(?:an?|the|no|any|every|where|if|such|it|but|all|when|in)\b|[.;:]|\bshall\b|\bmay\b).)*$",
    re.DOTALL,
)
HEADING_OF = re.compile(r"\b(?:amendments?|offences\s+under|modifications?)\b", re.IGNORECASE)
IN_TEXT = re.compile(
    r"OFFENCES\s+UNDER\s+THE\s+(?P<title>[A-Z][A-Z\s’'(),&-]+?(?:ACT|CODE|SANHITA)\b(?:,?\s*\d{4})?)"
)


UNITS = (
    r"(?:days?|weeks?|months?|years?|hours?|minutes|persons?|people|witnesses|pages?|documents?|lakhs?|crores?|"
    r"rupees|times|others)\b"
)
_LETTERS = (
    r"(?:(?!-I[IV]+\b)-?[A-Z]{1,3}(?![a-z])|-\s[A-Z]{1,2}(?![\w.])|(?!th|st|nd|rd)[a-z]{1,2}(?![A-Za-z])|"
    rf"{SPACED})"
)
_DIGITS = rf"(?<!\d)(?:\d{{1,3}}|(?!{TITLE_YEAR})\d{{4}})"
NUMBER = rf"{_DIGITS}{_LETTERS}?(?![\d%])(?!\.\d)(?!\s?(?:th|st|nd|rd)\b)(?!\s?\|)"
SUB = r"(?:\s?\(\s?(?:\d{1,3}(?:-?[A-Z]{1,2})?|[a-zA-Z]{1,2}|[ivxlcIVXLC]{3,5})\s?\))*"  # "(theft)" is none
_READ_WITH = r",?\s*(?i:r\s?/\s?w\b\.?|r\.\s?w\.(?:\s?s\.)?|read\s+with)\s*"
_AND = (
    rf"(?:\s*\([a-z][^()]{{3,60}}\)(?=\s*(?:,|and|or)))?(?:{_READ_WITH}|\s*(?:,\s*(?i:and|or)\b|,|(?i:\band/or\b|\band\b|\bor\b|\bto\b)|\baur\b|\bse\b|और|एवं|तथा|या|व(?=\s)|&|/|-)\s*)"
    rf"(?!\d{{4}}|\d+\s+{UNITS})"
)
KIND = (
    rf"(?P<kind>(?i:{PARTS_OF}sections?|section\(s\)|sections?|secs?(?:\b\.?|(?=\d))|"
    r"u\s?/\s?s(?:s|ecs?|ections?)?(?:\b\.?|(?=\d))|ss?\.(?=\s{0,4}\d)|s(?=\d{1,3}[A-Z]{0,2}\b)|articles?|arts?\b\.?|rules?|rr?\.(?=\s{0,4}\d)|(?<=\d,\s)rr?(?=\s\d)|regulations?)|"
    rf"(?<!['’])\bS{{1,2}}(?=\s?\d)|Regs?\b\.?(?=\s?\d)|(?<!['’])(?<!['’]\s)\bss?(?=\s\d{{1,3}}[A-Z]{{0,2}}\b(?!\s*{UNITS}))|§§?|(?i:dha+ra)|धारा(?:ओं|एं|एँ)?|(?i:anuchh?ed)|अनुच्छेद(?:ों)?|अनु\.)"
)
ROMAN = r"(?P<order>[IVXLC]+|\d{1,2})[\s-]?(?P<letter>[A-D](?![\w.]))?"
LISTED = rf"(?P<list>{NUMBER}{SUB}(?:{_AND}(?:{NUMBER}{SUB}|\(\w{{1,3}}\)))*)"
_HINDI_LETTER = re.compile(rf"(?<=\d)(?:(?P<said>[एईबसड]ी?)|[क-ङ]{{1,2}})(?![{LETTERS}])")  # 498ए, 65बी, 354क


def with_latin_letters(text: str) -> str:
    """A text whose Hindi letters behind numbers, spoken or counted, are Latin; all places remain."""
    return _HINDI_LETTER.sub(_latin, text)


def _latin(match: re.Match[str]) -> str:
    """A letter behind a number, as it is spoken or counted in Hindi, as long as it was."""
    spoken = dict(zip("एबसडई", "ABCDE", strict=True))
    letters = spoken[match[0][0]] if match["said"] else latin_letter(match[0])
    return f"{letters.upper():<{len(match[0])}}"


COUNTED = re.compile(
    r"(?i:\b(?:nos?|rs|pp?|para(?:graph)?s?|pages?|of|dated|parts?|chapters?|schedules?|(?:clause|sub-?\s?(?:section|clause|rule))s?|issues?|questions?|grounds?|points?|principles?|items?|entry|entries|orders?|columns?|tables?|rows?|steps?|forms?|annexures?|exhibits?|vol(?:ume)?s?)\b\.?|₹)\s*$"
)
_BARE = r"\d{1,3}(?:-?[A-Z]{1,2})?"
_FORMER = r"\b(?:[Oo]ld|[Ee]arlier|[Ff]ormer|[Ee]rstwhile|[Pp]urani?|[Pp]ehle)\s+"
FORMER = re.compile(rf"{_FORMER}$")
_CUED = re.compile(  # by no more than a preposition or what follows: hit by 29A(c), 167(2), 135 of that Act
    rf"(?:\b(?i:by|of|to|with|see|per|vide|in|from|attract\w*|invok\w+|violat\w+|stays?|bars?)\s+(?={_BARE}\(\w{{1,3}}\))|"
    rf"{_FORMER}(?={_BARE}(?:\(\w{{1,4}}\))*(?:\s*[.,;:)\]&/(]|\s+"
    r"(?:and|or|is|was|were|has|had|certificate|wal[aie]|th[aie])\b))|"
    r"\b(?:[Uu]nder|[Pp]roviso\s+to)\s+(?=\d{1,3}(?:-?[A-Z]{1,2}\b|\(\w{1,3}\)))|"
    r"\b(?:under|(?:convicted|acquitted|guilty|charged|compliance|violation|breach)\s+(?:of|with))\s+"
    r"(?=\d{1,3}(?:\s*(?:[.,;:)&/]|$)|\s+(?:ibid|thereof|and|or|of|to|for|is|was|were|by|in|on|read|r/w)\b))|"
    r"\bthe\s+(?:bar|penalty|rigou?rs?|mandate|duties|provisions?|requirements?|ingredients|scope|ambit)\s+of\s+"
    rf"(?={_BARE}\s*[.,;)])|(?:(?<=[a-z–—-]\s)|(?<=[a-z],\s))(?={_BARE}\((?!\d{{4}})\w{{1,4}}\))|(?<=[a-z,]\s)(?={_BARE}(?:(?:\(\w{{1,4}}\)){{2}}|(?:\(\w{{1,4}}\))*\s+(?:ibid\b|thereof\b|"
    r"of\s+(?:the|that)\s+(?:(?:said|same)\s+)?(?:Act|Code|Sanhita|Adhiniyam|latter)\b)))|"
    rf"(?<=\s)(?={_BARE}(?:\(\w{{1,4}}\))*\s+(?:lag(?:ega|egi|ta|ti)\b|k[aei]\s+(?:case|mukadma|tahat|andar)\b)))"
    rf"(?P<kind>){LISTED}"
)
_HERE = re.compile(r"\s+(?:here(?:of|in|to)|above|below|supra)\b")
_AGED = re.compile(
    r"(?i)\b(?:is|are|was|were|and|aged?|just|those|anyone|child(?:ren)?|girls?|boys?|m[ae]n|wom[ae]n|people|persons?|minors?)\s+$"
)


def cued_numbers(text: str) -> Iterator[re.Match[str]]:
    """Lists of numbers to which a preposition alone leads: no counts, ages and clauses of a contract."""
    for match in _CUED.finditer(text):
        lead = text[max(0, match.start() - 16) : match.start()]
        if not (_AGED.search(lead) or COUNTED.search(lead) or _HERE.match(text, match.end())):
            yield match


def within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place is in one of some spans, which are in order and hold none of each other."""
    before = bisect_left(spans, (at + 1,))
    return before > 0 and at < spans[before - 1][1]


def beginning(
    first: int, until: int, items: Sequence[Value], start: Callable[[Any], int] = itemgetter(0)
) -> Sequence[Value]:
    """Those of some items, which are in order, that begin from a place on and before another."""
    return items[bisect_left(items, first, key=start) : bisect_left(items, until, key=start)]
