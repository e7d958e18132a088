"""Numbers of provisions, how they are written, ordered and counted on; dates as statutes print them."""

import re
from datetime import date
from functools import lru_cache

from citegrain.tasks.core.words import LETTERS, ascii_digits, latin_letter

_NUMBER = re.compile(r"(\d+)\s*-?\s*([A-Z]*)")
HYPHENS = "\u2010-\u2013\u2212\ufe58\ufe63\uff0d"
"""What prints set for a hyphen, as part of a class of characters."""
_DASHES = re.compile(f"[{HYPHENS}]")
_ROMAN_SIGNS = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9,
    "V": 5, "IV": 4, "I": 1,
}  # fmt: skip
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_ORDINAL_WORDS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
"""
ORDINALS = tuple(_ORDINAL_WORDS.split())
_SMALL = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: n for n, word in enumerate(_SMALL.split(), 1)} | {
    word: 10 * n for n, word in enumerate(_TENS.split(), 2)
}
"""Words of which numbers below a hundred are made, with their values."""
SCALES = {"hundred": 100, "thousand": 1000, "lakh": 10**5, "lac": 10**5, "million": 10**6, "crore": 10**7}

Order = tuple[int, str]

MONTH_NAMES = "January|February|March|April|May|June|July|August|September|October|November|December"
MONTHS = tuple(name[:3].lower() for name in MONTH_NAMES.split("|"))
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
"""Pattern of a month in words, whole or short."""

LONG_DATE = re.compile(
    rf"(?P<day>\d{{1,2}})\s*+(?:st|nd|rd|th)?\s*+(?:day\s+of\s+)?{MONTH}\.?,?\s*(?P<year>(?:1[6-9]|20)\d\d)",
    re.IGNORECASE,
)
US_DATE = re.compile(
    rf"{MONTH}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s*(?P<year>(?:1[6-9]|20)\d\d)", re.IGNORECASE
)
SHORT_DATE = re.compile(
    r"(?P<day>\d{1,2})\s*[-./]\s*(?P<month>\d{1,2})\s*[-./]\s*(?P<year>(?:1[6-9]|20)\d\d)(?!\d)"
)
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")


def plain_dashes(text: str) -> str:
    """A text in which every hyphen and short dash is the plain hyphen; offsets stay."""
    return text if text.isascii() else _DASHES.sub("-", text)


@lru_cache(maxsize=65536)
def order_of(number: str) -> Order:
    """Sort key of a number: 10 < 10A < 10AA < 10B < 11. Hyphens and spaces do not count.

    Raises ValueError if ``number`` does not start with digits.
    """
    match = _NUMBER.match(plain_dashes(number))
    if not match:
        raise ValueError(f"not a provision number: {number!r}")
    return int(match[1]), match[2]


def numbers_between(first: str, last: str) -> list[str]:
    """What a range holds between its ends: 378 to 382, 354A to 354D, O8R3 to O8R5."""
    a, b = (re.fullmatch(r"(.*?)(\d+|[A-Z])", end) for end in (first, last))
    if not (a and b and a[1] == b[1] and a[2].isdigit() == b[2].isdigit()):
        return []
    if a[2].isdigit():
        return [f"{a[1]}{n}" for n in range(int(a[2]) + 1, int(b[2]))]
    return [f"{a[1]}{chr(n)}" for n in range(ord(a[2]) + 1, ord(b[2]))]


def normal(number: str) -> str:
    """``number`` without hyphens, dots and spaces: the form used in ids and comparisons.

    Of ``६६क``, as Hindi editions may have it, that is ``66A``.
    """
    number = re.sub(r"[\s.\-—―]", "", plain_dashes(number))
    if number.isascii():
        return number
    return re.sub(rf"[{LETTERS}]+", lambda m: latin_letter(m[0]).upper(), ascii_digits(number))


def letters_between(a: str, b: str) -> int:
    """How many suffixes are skipped from ``a`` to ``b`` under one integer (0: next in order)."""
    if b.startswith(a) and len(b) == len(a) + 1:  # 10 -> 10A, 10A -> 10AA, 10Z -> 10ZA
        return ord(b[-1]) - ord("A")
    if len(a) == len(b) and a[:-1] == b[:-1]:
        return max(0, ord(b[-1]) - ord(a[-1]) - 1)
    if len(b) < len(a) and a[: len(b) - 1] == b[:-1]:  # 10AB -> 10B
        return max(0, ord(b[-1]) - ord(a[len(b) - 1]) - 1)
    return 2


def roman(text: str) -> int:
    """Value of a Roman numeral in either case; 0 if it is none."""
    upper = text.upper()
    if not upper or not _ROMAN.fullmatch(upper):
        return 0
    total = 0
    for char, following in zip(upper, upper[1:] + " ", strict=True):
        value = _ROMAN_SIGNS[char]
        total += -value if _ROMAN_SIGNS.get(following, 0) > value else value
    return total


def to_roman(value: int) -> str:
    """Roman numeral of a positive integer, in capitals."""
    out = []
    for sign, number in _ROMAN_SIGNS.items():
        while value >= number:
            out.append(sign)
            value -= number
    return "".join(out)


def value_of(number: str) -> float:
    """The value of a number in words or digits: ``one lakh fifty thousand``, ``1,50,000``."""
    total, current = 0.0, 0.0
    for printed in re.findall(r"\d+(?:,\d+)*(?:\.\d+)?|[a-z]+", number.lower()):
        word = printed if printed in NUMBER_WORDS else printed.removesuffix("s")
        if word[0].isdigit():
            current += float(word.replace(",", ""))
        elif word in NUMBER_WORDS:
            current += NUMBER_WORDS[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in SCALES:
            total, current = total + (current or 1) * SCALES[word], 0.0
        elif word == "half":
            current += 0.5
    return total + current


def order_number(number: str) -> str:
    """Arabic number of an Order: XXXIX is 39, XXA is 20A."""
    match = re.fullmatch(r"([IVXLC]+?)([A-H]?)", number)
    if match and roman(match[1]):
        return f"{roman(match[1])}{match[2]}"
    return number


def _date(match: re.Match[str]) -> date | None:
    month = match["month"].lower()
    number = int(month) if month.isdigit() else 1 + MONTHS.index(month[:3])
    try:
        return date(int(match["year"]), number, int(match["day"]))
    except ValueError:
        return None


def find_dates(text: str) -> list[date]:
    """Every date named in ``text``, in order of appearance (day first, or month first in words)."""
    dates: dict[int, date] = {}
    # most texts have no year, and months are slow to look for
    for pattern in (LONG_DATE, US_DATE, SHORT_DATE) if _YEAR.search(text) else ():
        for match in pattern.finditer(text):
            value = _date(match)
            if value is not None:
                dates.setdefault(match.start(), value)
    return [dates[at] for at in sorted(dates)]


def first_date(text: str) -> date | None:
    """The first date named in ``text``."""
    return next(iter(find_dates(text)), None)
