"""Two texts, word by word: what differs, and whether it is an amendment or printed differently.

Two editions of the same law differ in much that nobody enacted. Each difference is of one grade:

``print``
    What an edition prints around the law (running heads, page numbers, printer's codes, footnotes and their
    marks, titles, the number of the next section), the year of a cited Act, other spellings and signs of the
    same word, words that stand there twice. Whatever the notes say.
``slip``
    A word that is misspelt, and a small word that is missing or mistaken for another. An amendment where a
    note names a later one of the provision.
``alike``
    A word or two that look much like the other edition's. An amendment too where the edition notes none.
``missing``
    A word or two that are missing. An amendment too where the edition does not note all its amendments.
``law``
    All else. Figures, negations and words that command or permit are never slips.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.distance import OSA, Indel

from citegrain.tasks.law.editions_compared.furniture import Side, Surroundings
from citegrain.tasks.law.editions_compared.units import Words, joined, word_set
from citegrain.tasks.law.numbers import NUMBER_WORDS, ORDINALS, SCALES, roman, value_of

PRINT, SLIP, ALIKE, MISSING, LAW = range(5)

_ARTICLES = frozenset({"a", "an", "the"})
_LABELS = frozenset({"illustration", "illustrations", "explanation", "explanations", "proviso", "provisos"})
_SMALL = word_set("a an the of to in on by be is are as at for from that it its if or with which has")
_WEIGHTY = """
not no nor none never neither without unless except only shall may must can cannot will would should before
after hundred thousand lakh crore half quarter twice thrice double
"""
_GUARDED = frozenset((*_WEIGHTY.split(), *NUMBER_WORDS, *ORDINALS))
_NEGATIVE = frozenset({"a", "un", "in", "im", "il", "ir", "non", "dis", "mis", "de"})
_PERSONS = frozenset({("er", "ee"), ("or", "ee")})
_JOINING = frozenset({"and", "or"})
_YEAR = re.compile(r"(?:1[789]|20)\d\d")
_DIGITS = re.compile(r"\d+")
_SHORTEST = 4  # letters of a word that may be misspelt
_LONG = 9  # letters of a word in which two may be
_UNNOTED = 2  # words that may differ without a note
_SELDOM, _OFTEN = 4, 10  # times that editions have a misprint, and how many times as often the right word
_LOOKS_ALIKE = 0.75  # similarity in letters of what the press may have mixed up
_PLACES = 3  # places of a provision where they may
_BRACKETED = 6  # words in the same brackets as those that differ
_ABBREVIATIONS = {
    "s": "section", "sec": "section", "secs": "sections", "ss": "sections", "cl": "clause", "cls": "clauses",
    "art": "article", "arts": "articles", "para": "paragraph", "paras": "paragraphs", "sch": "schedule",
    "govt": "government", "rs": "rupees", "viz": "namely", "subsec": "subsection", "subsecs": "subsections",
    "percentum": "percent", "centum": "cent", "dept": "department", "ltd": "limited", "addl": "additional",
}  # fmt: skip
# what two spellings of a word have in common
_SPELLINGS = {
    "xion": "ction", "z": "s", "shew": "show", "dgem": "dgm", "^enqui": "inqui", "gaol": "jail", "ll": "l",
    "[æœ]|ae": "e", "our": "or",
}  # fmt: skip
_ORDINALS = {word: n for n, word in enumerate(ORDINALS, 1)}
_ORDINALS |= {f"{word[:-1]}ieth": n for word, n in NUMBER_WORDS.items() if word.endswith("ty")}
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)}|\d+(?=st|nd|rd|th))(?:st|nd|rd|th)?\b")
_PART = rf"(?:{'|'.join(sorted({*NUMBER_WORDS, *SCALES}, key=len, reverse=True))})s?"
_AND = r"(?:(?<=hundred )and |(?<=thousand )and |(?<=lakh )and )?"
_NUMBER = re.compile(rf"\b(?:\d+|{_PART})(?: {_AND}(?:{_PART}\b|\d+(?=th\b)))*")
_MONEY = re.compile(r"\b(?:rs|rupees) (\d+)")
_MIXED = re.compile(r"[a-z]{2}[015]|[015][a-z]{2}")
# digits and letters that one reader of a scan takes for the other
_LETTERS = str.maketrans("1i05", "llos")
CONTEXT = 8  # words shown on each side of a change


@dataclass(frozen=True)
class Region:
    """Words ``old_first`` to ``old_last`` (exclusive) became those from ``new_first`` to ``new_last``."""

    old_first: int
    old_last: int
    new_first: int
    new_last: int


@dataclass(frozen=True)
class Change:
    """A run of words: ``op`` is keep, delete, insert or replace."""

    op: str
    old: str
    new: str


def similarity(old: Words, new: Words) -> float:
    """Share of the words of both that are kept in order, 0 to 1."""
    return float(Indel.normalized_similarity(old.keys, new.keys))


def regions(old: Words, new: Words) -> list[Region]:
    """What differs, in order; nothing between two regions but words that are kept."""
    out: list[Region] = []
    for op in Indel.opcodes(old.keys, new.keys):
        if op.tag == "equal":
            continue
        if out and out[-1].old_last == op.src_start and out[-1].new_last == op.dest_start:
            out[-1] = Region(out[-1].old_first, op.src_end, out[-1].new_first, op.dest_end)
        else:
            out.append(Region(op.src_start, op.src_end, op.dest_start, op.dest_end))
    return out


def readable(differing: Iterable[Region]) -> list[Region]:
    """Regions joined where fewer words lie between them than change on either side.

    A sentence that was written anew shares its small words with the old one: shown one by one
    they are not readable. After the semantic clean-up of Google's diff-match-patch.
    """
    out: list[Region] = []
    for region in differing:
        out.append(region)
        while len(out) > 1 and out[-1].old_first - out[-2].old_last < min(map(_size, out[-2:])):
            last = out.pop()
            out[-1] = Region(out[-1].old_first, last.old_last, out[-1].new_first, last.new_last)
    return out


def _size(region: Region) -> int:
    return max(region.old_last - region.old_first, region.new_last - region.new_first)


def changes(old: Words, new: Words, differing: Sequence[Region]) -> list[Change]:
    """Regions as printed, with a few words around each."""
    out: list[Change] = []
    at = 0
    for k, region in enumerate(differing):
        out += _unchanged(old, at, region.old_first, opening=k == 0)
        was, now = old.shown(region.old_first, region.old_last), new.shown(region.new_first, region.new_last)
        out.append(Change("replace" if was and now else "delete" if was else "insert", was, now))
        at = region.old_last
    return out + _unchanged(old, at, len(old.keys), opening=not differing, closing=True)


def _unchanged(words: Words, first: int, last: int, *, opening: bool, closing: bool = False) -> list[Change]:
    """Words that are kept; of many those next to a change."""
    if first >= last:
        return []
    head = 0 if opening else CONTEXT
    tail = 0 if closing else CONTEXT
    if last - first <= head + tail + 1:
        shown = words.shown(first, last)
    else:
        shown = f"{words.shown(first, first + head)} … {words.shown(last - tail, last)}".strip()
    return [Change("keep", shown, shown)]


def grade(old: Words, new: Words, region: Region, around: Surroundings) -> int:
    """Of what grade a difference is: ``PRINT``, ``SLIP``, ``ALIKE``, ``MISSING`` or ``LAW``."""
    was, now = old.keys[region.old_first : region.old_last], new.keys[region.new_first : region.new_last]
    if _doubled(old, new, region):
        return PRINT
    a = Side(old, region.old_first, region.old_last, around)
    b = Side(new, region.new_first, region.new_last, around)
    bare = a.law(numbers=not b.digits), b.law(numbers=not a.digits)
    scanned = any(map(_MIXED.search, (*bare[0], *bare[1])))
    if _folded(bare[0], scanned) == _folded(bare[1], scanned) or _marked_year(was, now):
        return PRINT
    if (valued := _valued(was)) == _valued(now) and _DIGITS.search(valued):
        return PRINT
    if (not bare[1] and a.again(bare[0])) or (not bare[0] and b.again(bare[1])):
        return PRINT
    if _misprint(*bare, around):
        return SLIP
    if in_brackets(old, new, region) or not _small(*bare):
        return LAW
    return ALIKE if all(bare) else MISSING


def grades(old: Words, new: Words, differing: Sequence[Region], around: Surroundings) -> list[int]:
    """The grade of each difference. Words that stand elsewhere in it, or change places, are a slip."""
    was = {old.keys[r.old_first : r.old_last] for r in differing if r.new_first == r.new_last}
    now = {new.keys[r.new_first : r.new_last] for r in differing if r.old_first == r.old_last}
    elsewhere = {words for words in was & now if len(words) > 1}

    swapped = {r for a, b in pairwise(differing) if _swapped(old, new, a, b) for r in (a, b)}

    def of_one(region: Region) -> int:
        one = grade(old, new, region, around)
        words = old.keys[region.old_first : region.old_last] or new.keys[region.new_first : region.new_last]
        one_sided = region.old_first == region.old_last or region.new_first == region.new_last
        return min(one, SLIP) if region in swapped or (one_sided and words in elsewhere) else one

    return [of_one(region) for region in differing]


def _swapped(old: Words, new: Words, a: Region, b: Region) -> bool:
    """Whether words on both sides of ``and`` or ``or`` changed places."""
    was, now = old.keys[a.old_first : b.old_last], new.keys[a.new_first : b.new_last]
    few = len(was) == len(now) <= _BRACKETED
    return few and any(now == (*was[i + 1 :], w, *was[:i]) for i, w in enumerate(was) if w in _JOINING)


def in_brackets(old: Words, new: Words, region: Region) -> bool:
    """Whether the new edition has brackets around the words, and a few more, where the old has none."""

    def around(stretches: Sequence[tuple[int, int]], first: int, last: int) -> bool:
        return any(a <= first and last <= b and b - a <= last - first + _BRACKETED for a, b in stretches)

    return (
        region.new_first < region.new_last
        and around(new.bracketed, region.new_first, region.new_last)
        and not around(old.bracketed, region.old_first, region.old_last)
    )


def amends(grades: Sequence[int], annotated: bool, trusted: bool) -> bool:
    """Whether the differences of a provision are an amendment.

    ``annotated``: whether the new edition notes amendments. ``trusted``: whether it notes all, so that what
    is noted nowhere is none.
    """
    alike, missing = grades.count(ALIKE), grades.count(MISSING)
    certain = LAW in grades or alike + missing > _PLACES
    return certain or (alike > 0 and not annotated) or (missing > 0 and not trusted)


def real_regions(old: Words, new: Words, differing: Sequence[Region]) -> list[Region]:
    """Regions without those in which only spaces and hyphens differ."""
    out: list[Region] = []
    rest = list(differing)
    while rest:
        region = rest.pop(0)
        if _same_letters(old, new, region):
            continue
        # a short word that both have may lie between the halves of one that was run together
        if rest and rest[0].old_first - region.old_last <= _UNNOTED:
            both = Region(region.old_first, rest[0].old_last, region.new_first, rest[0].new_last)
            if _same_letters(old, new, both):
                rest.pop(0)
                continue
        out.append(region)
    return out


def _same_letters(old: Words, new: Words, region: Region) -> bool:
    was, now = old.keys[region.old_first : region.old_last], new.keys[region.new_first : region.new_last]
    return joined(was) == joined(now) and _figures(was) == _figures(now)


def _figures(words: Sequence[str]) -> list[str]:
    return [d for word in words for d in _DIGITS.findall(word)]


def _marked_year(was: Sequence[str], now: Sequence[str]) -> bool:
    """A year, and one with the mark of a footnote behind it."""
    short, long = sorted((joined(was), joined(now)), key=len)
    return long.isdigit() and long[:-1] == short and bool(_YEAR.fullmatch(short))


def _valued(words: Sequence[str]) -> str:
    """Words with each number by its value, be it in words, in groups of digits or Roman; money behind it."""
    if len(words) == 1 and roman(words[0]):
        return str(roman(words[0]))
    text = re.sub(r"(?<=\d) (?=\d{2,3}\b)", "", " ".join(words))
    text = _ORDINAL.sub(lambda m: f"{_ORDINALS.get(m[0]) or _DIGITS.findall(m[0])[0]}th", text)
    text = _NUMBER.sub(lambda m: f"{value_of(m[0]):.0f}", text)
    return _MONEY.sub(r"\1 rupees", text)


def _folded(words: Sequence[str], scanned: bool) -> str:
    """The letters of words as one of several spellings; signs and abbreviations of words as words.

    ``scanned``: whether digits were read for letters within a word.
    """
    out = []
    for word in words:
        full = _ABBREVIATIONS.get(word, word)
        if scanned or full in ("l", "i") or (full.isdigit() and len(full) < 3):
            full = full.translate(_LETTERS)
        for pattern, plain in _SPELLINGS.items():
            full = re.sub(pattern, plain, full)
        out.append(full)
    return _ABBREVIATIONS.get("".join(out), "".join(out))


def _doubled(old: Words, new: Words, region: Region) -> bool:
    """Whether one edition has words twice over that the other has once."""
    was, now = old.keys[region.old_first : region.old_last], new.keys[region.new_first : region.new_last]
    if bool(was) == bool(now):
        return False
    words, first, last = old.keys, region.old_first, region.old_last
    if now:
        words, first, last = new.keys, region.new_first, region.new_last
    # of words that stand there twice any stretch of that length may be taken as the one too many
    while first and words[first - 1] == words[last - 1]:
        first, last = first - 1, last - 1
    return words[first:last] == words[last : 2 * last - first]


def _misprint(was: tuple[str, ...], now: tuple[str, ...], around: Surroundings) -> bool:
    both = {*was, *now}
    if both <= _ARTICLES or (both <= _LABELS and not (was and now)):
        return True
    if len(was) + len(now) == 1 and both <= _SMALL:
        return True
    a, b = joined(was), joined(now)
    if both & _GUARDED or not (a.isalpha() and b.isalpha()):
        return False
    is_short = max(len(was), len(now)) == 1 and max(len(a), len(b)) < _SHORTEST
    if is_short and both & _SMALL and both != _JOINING:
        return OSA.distance(a, b) == 1
    if min(len(a), len(b)) < _SHORTEST:
        return False
    unknown = a not in around.new_words or b not in around.old_words or _is_rare(a, b, around)
    plural = f"{a}s" == b or f"{b}s" == a
    slips = OSA.distance(a, b)
    misspelt = slips == 1 or (slips == 2 and min(len(a), len(b)) >= _LONG)
    return unknown and misspelt and not (plural or _opposite(a, b))


def _is_rare(a: str, b: str, around: Surroundings) -> bool:
    """Whether both editions have one word so seldom beside the other that it is the same misprint in both."""
    seldom, often = sorted(around.old_words.get(w, 0) + around.new_words.get(w, 0) for w in (a, b))
    return seldom <= _SELDOM and _OFTEN * seldom <= often


def _opposite(a: str, b: str) -> bool:
    """``employer`` and ``employee``, ``lawful`` and ``unlawful``: letters that turn the meaning round."""
    short, long = sorted((a, b), key=len)
    if long != short and long.endswith(short):
        return long[: -len(short)] in _NEGATIVE
    return (short[-2:], long[-2:]) in _PERSONS or (long[-2:], short[-2:]) in _PERSONS


def _small(was: tuple[str, ...], now: tuple[str, ...]) -> bool:
    """Whether a word or two are missing, or look much alike, and carry no number, negation or command."""
    both = {*was, *now}
    if max(len(was), len(now)) > _UNNOTED or both & _GUARDED or any(map(_DIGITS.search, both)):
        return False
    if not (was and now):
        return True
    a, b = joined(was), joined(now)
    return Indel.normalized_similarity(a, b) >= _LOOKS_ALIKE and not (both & _JOINING or _opposite(a, b))
