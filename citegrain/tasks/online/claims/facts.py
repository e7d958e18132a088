"""What can be compared without understanding: amounts with units, negations, opposites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citegrain.tasks.law.numbers import NUMBER_WORDS, value_of

_VALUES = {"zero": 0} | NUMBER_WORDS
_SCALE = r"(?:hundred|thousand|lakhs?|lacs?|million|crores?)"
_WORDS = rf"(?:{'|'.join(sorted(_VALUES, key=len, reverse=True))})"
_SMALLER = r"(?<=thousand )and\s+(?=\w+\s+hundred\b)|(?<=lakh )and\s+(?=\w+\s+thousand\b)"
_NUMBER = (
    rf"(?:\d+(?:,\d+)*(?:\.\d+)?(?:[\s-]+{_SCALE}\b)*"
    rf"|\b(?:{_WORDS}|an?(?=\s+{_SCALE})|half\s+an?)\b(?:[\s-]+(?:and\s+(?!\w+[\s-]+{_SCALE})|{_SMALLER})?(?:{_WORDS}|{_SCALE})\b)*)"
)
_UNIT = (
    r"(?P<unit>days?|weeks?|fortnights?|months?|years?|hours?|minutes?|rupees?|paise|per\s?cent\.?|percent|%|times"
    r"|kilometres?|km|metres?|kilograms?|kgs?|grams?|litres?|hectares?|acres?)"
)
_AMOUNT = re.compile(
    rf"(?P<money>(?:\brs\.?|₹|\binr|\brupees)\s*)?(?P<number>{_NUMBER})(?:/-)?"
    rf"(?:[\s-]+(?:\([^)]{{1,20}}\)\s*)?(?:(?:calendar|clear|working|consecutive|whole|indian|further)\s+)?{_UNIT}(?!\w)"
    rf"|(?P<percent>\s?%))?",
    re.IGNORECASE,
)
_MULTIPLE = re.compile(r"\b(?P<word>twice|double|thrice|triple)\b", re.IGNORECASE)
_FRACTION = re.compile(
    r"\b(?P<top>one|two|three)[\s-]+(?P<bottom>half|thirds?|fourths?|quarters?|fifths?)\b|\b(?P<half>half)\b(?!\s+an?\b)",
    re.IGNORECASE,
)
_PARTS = {"half": 2, "third": 3, "fourth": 4, "quarter": 4, "fifth": 5}
_SIZES = {"year": (12, "month"), "week": (7, "day"), "fortnight": (14, "day"), "hour": (1 / 24, "day")}
_MOST = re.compile(
    r"\b(?:extend(?:s|ed|ing)?\s+(?:up)?\s*to|up\s?to|(?:not|no|cannot)\s+(?:\w+\s+){0,4}?(?:exceed(?:ing|s)?|more\s+than|later\s+than|beyond)"
    r"|maximum(?:\s+(?:of|term\s+of))?|at\s+most|within|(?<!not\s)(?<!no\s)(?:be\s+)?(?:less|fewer)\s+than|below)"
    r"\W*(?:\w+\W+){0,4}$",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:(?:not|no|cannot)\s+(?:\w+\s+){0,4}?(?:less(?:er)?|fewer|earlier)\s+than|at\s+least|minimum(?:\s+(?:of|term\s+of))?"
    r"|(?<!not\s)(?<!no\s)(?:more\s+than|exceed(?:ing|s)?|above))\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_NOT_MORE = re.compile(
    r"\b(?:not|no|cannot)\s+(?:\w+\s+){0,4}?(?:exceed|(?:more|later)\s+than)\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"(?:\b(?:sections?|secs?|ss?|articles?|arts?|rules?|clauses?|sub-?\s?sections?|chapters?|parts?|schedules?|orders?|pages?|pp?|"
    r"paragraphs?|paras?|nos?|entry|item|act|serial|class|form|explanation)\b\.?\s*(?:\d+[A-Z]*(?:\(\w+\))*\s*(?:,|and|or|to|-|–|&)\s*)*|[(\[])$",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|nor|neither|never|none|nothing|cannot|without|unless|except(?:ing|ed)?|nobody|save|otherwise\s+than|other\s+than|"
    r"(?:do|does|did|is|are|was|wo|ca|need|must|should|has|have)n[’']t)\b",
    re.IGNORECASE,
)
NEGATIVE = re.compile(
    r"\b(?:prohibit\w*|forbid\w*|barred|bars?|void|invalid\w*|inadmissible|exempt\w*|immun\w*|refus\w*"
    r"|lack\w*|unable|unlawful\w*|illegal\w*|preclud\w*|exclud\w*|fails?|failed|failure|absence"
    r"|den(?:y|ied|ies)|loses?|irrelevant|ineligible|disqualif\w*|non-\w+|unenforceable|incapable|despite"
    r"|even|regardless|irrespective|impossible|outside|rather than|instead|un\w+ed|free|spared?)\b",
    re.IGNORECASE,
)
"""Words that may say without "not" what a statute says with it."""
EXCEPTION = re.compile(
    r"\b(?:unless|except\w*|save|other than|otherwise|until|before|only|without)\b", re.IGNORECASE
)
CONDITION = re.compile(r"\b(?:if|only|after|once|when|where|provided|exceptions?|but)\b", re.IGNORECASE)
"""Exceptions, and the conditions that say the same the other way round."""
BOUND = re.compile(
    r"\b(?:no|nobody|none)\s+(?:\w+\s+){0,2}?(?:below|under\s+the\s+rank)\b"
    r"|\b(?:not|cannot)\s+(?:to\s+)?(?:be\s+|rank\s+)?(?:less(?:er)?|more|fewer|later|earlier|exceed\w*|beyond|only|amounting|below|above|merely|sooner)\b|\bno\s+(?:more|less|later)\b"
    r"|\b(\w+)\s+or\s+\1\s+not\b|\bwhether\s+or\s+not\b|\bor\s+not\b|\bnotwithstanding\b",
    re.IGNORECASE,
)
"""What is no negation: not less than, whether or not."""
LIMIT = re.compile(
    r"\b(?:not|cannot)\s+(?:\w+\s+){0,5}?(?:more|less|fewer|later|earlier)\s+than\b", re.IGNORECASE
)
"""The same with words between: may not have more than ten."""
_PAIRS = """
minimum maximum|less more|less higher|less greater|lesser greater|
least most|before after|earlier later|earliest latest|within after|within beyond|
bailable non|cognizable non|cognisable non|rigorous simple|valid void|lawful unlawful|buyer seller|
landlord tenant|lessor lessee|husband wife|plaintiff defendant|employer employee|employer worker|
employer workman|mortgagor mortgagee|bailor bailee|promisor promisee|principal agent|drawer payee|
drawer drawee|transferor transferee|pledgor pledgee|pawnor pawnee|assignor assignee|donor donee|
male female|man woman|father mother|son daughter|creditor debtor|complainant accused|central state|
movable immovable|mandatory directory|jointly severally|oral written|public private|
civil criminal|inclusive exclusive|appellant respondent|grant refuse|allottee promoter|above below|
higher lower|increase decrease|admissible inadmissible
"""
_OPPOSITES = frozenset(frozenset(pair.split()) for pair in _PAIRS.replace("\n", "").split("|"))


class Quantity(NamedTuple):
    """An amount: of time in days or months, of money in rupees; ``bound`` is ``most``, ``least`` or empty."""

    value: float
    unit: str
    bound: str
    start: int
    end: int


def quantities(text: str) -> list[Quantity]:
    """The amounts of a text that have a unit, in its order; numbers of sections are none."""
    return sorted(_quantities(text), key=lambda quantity: quantity.start)


def _quantities(text: str) -> Iterator[Quantity]:
    for match in _AMOUNT.finditer(text):
        unit = (match["unit"] or match["percent"] or "").lower()
        if not (unit or match["money"]) or (
            not unit and _CITED.search(text, max(0, match.start() - 60), match.start())
        ):
            continue
        unit = "rupee" if match["money"] else unit
        for number in _numbers(match["number"]):
            yield _quantity(value_of(number), unit, text, match.start(), match.end())
    for match in _MULTIPLE.finditer(text):
        times = 2.0 if match["word"].lower() in ("twice", "double") else 3.0
        yield _quantity(times, "times", text, *match.span())
    for match in _FRACTION.finditer(text):
        top = 1 if match["half"] else _VALUES[match["top"].lower()]
        bottom = _PARTS[(match["bottom"] or "half").lower().removesuffix("s")]
        yield _quantity(top / bottom, "part", text, *match.span())


def _numbers(number: str) -> list[str]:
    """``five and eighteen``, of "between five and eighteen per cent", as two numbers."""
    first, joint, last = number.lower().partition(" and ")
    both = joint and first.strip() in _VALUES and last.strip() in _VALUES
    return [first, last] if both else [number]


def _quantity(value: float, unit: str, text: str, start: int, end: int) -> Quantity:
    unit = re.sub(r"\s|\.$", "", unit).removesuffix("s") if unit != "times" else unit
    unit = {"%": "percent", "percent": "percent", "km": "kilometre", "kg": "kilogram"}.get(unit, unit)
    factor, unit = _SIZES.get(unit, (1, unit))
    before = text[max(0, start - 60) : start]
    most = _MOST.search(before)
    bound = "least" if _LEAST.search(before) and not _NOT_MORE.search(before) else "most" if most else ""
    return Quantity(round(value * factor, 4), unit, bound, start, end)


def same_amount(a: Quantity, b: Quantity) -> bool:
    """Whether two amounts are equal; a month may be thirty days."""
    if a.unit == b.unit:
        return abs(a.value - b.value) < 1e-6
    units = {a.unit: a.value, b.unit: b.value}
    return units.keys() == {"day", "month"} and abs(units["day"] - 30 * units["month"]) < 1e-6


def alike(a: Quantity, b: Quantity) -> bool:
    """Whether two amounts are of one kind: both of time, both of money."""
    time = ("day", "month")
    return a.unit == b.unit or (a.unit in time and b.unit in time)


def negations(text: str) -> list[tuple[int, int]]:
    """Places of the negations and exceptions of a text, but for bounds as ``not less than``."""
    bounds = [m.span() for m in BOUND.finditer(text)]
    return [m.span() for m in _NEGATION.finditer(text) if not any(a <= m.start() < b for a, b in bounds)]


def opposite(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two words, in lower case, exclude each other where one stands for the other."""
    return len(a) == len(b) == 1 and frozenset((a[0], b[0])) in _OPPOSITES
