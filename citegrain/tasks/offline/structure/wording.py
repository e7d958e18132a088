"""What the words of a document say against its being read rightly: they are none, or do not go together.

How law is worded, ``data/models/language.npz``, was counted in the sections of 736 central Acts, none in the
registry, and in the lay texts that ship (``tools/law_language.py``).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from statistics import median
from string import ascii_lowercase, ascii_uppercase

import numpy as np

from citegrain.tasks.core.paths import located
from citegrain.tasks.offline.models import checked_bytes
from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.rows import Row

MODEL_SHA256 = "84bf64328f635a0c9dfc58cea16f447ae0b36539a5023d7c3e11cc58ab52608d"
"""Digest of the counts; ``tools/law_language.py`` prints that of what it writes."""

FEWEST = 5.0
"""Times that chance must bring two tokens together for their never being together to say anything."""

_TOKEN = re.compile(r"\([A-Za-z0-9]{1,5}\)|[^\W\d_]+|\d+[A-Z]{0,2}|[^\w\s]")
_ALIKE = str.maketrans("–—―‘’“”", "---''\"\"")
_PIECE, _SHORTEST = 4, 2  # letters; of words that stand joined
_LIGATURES = ("fi", "ff", "fl", "ffi")


def tokens(text: str, common: Set[str]) -> list[str]:
    """Words and signs of a text; of numbers, of marks as ``(a)`` and of rare words only their kind."""
    return [_kind(token, common) for token in _TOKEN.findall(text.translate(_ALIKE))]


def _kind(token: str, common: Set[str]) -> str:
    if token in common:
        return token
    if token[0].isdigit() or len(token) == 1:
        return "<number>" if token[0].isdigit() else token
    return "<mark>" if token[0] == "(" else "<name>" if token[0].isupper() else "<word>"


def _pieces(word: str) -> set[str]:
    """Letters in a row of a word, with its beginning and its end."""
    bounded = f"^{word}$"
    return {bounded[i : i + _PIECE] for i in range(max(1, len(bounded) - _PIECE + 1))}


@dataclass(frozen=True, eq=False)
class Language:
    """Words of the law, tokens of which it has many, and pairs of these that stand together in it.

    ``shares``: of each token how often it stands first and second in a pair. ``gaps``: pairs between which
    there is nearly always a small word.
    """

    words: frozenset[str]
    pieces: frozenset[str]
    shares: dict[str, tuple[int, int]]
    pairs: frozenset[tuple[str, str]]
    gaps: frozenset[tuple[str, str]]
    n_pairs: int
    common: frozenset[str]

    @cache  # noqa: B019 - there is one, as long as the process lives
    def is_odd(self, word: str) -> bool:
        """Whether a word in small letters is none: it has letters in a row that no word has."""
        return word not in self.words and not _pieces(word) <= self.pieces

    @cache  # noqa: B019
    def is_joined(self, word: str) -> bool:
        """Whether a word is none, but two common ones without a blank."""
        cuts = ((word[:i], word[i:]) for i in range(_SHORTEST, len(word) - 1))
        return word not in self.words and any(a in self.common and b in self.common for a, b in cuts)

    @cache  # noqa: B019
    def lacks_ligature(self, word: str) -> bool:
        """Whether a word is none, but would be one with a sign that fonts have for two or three letters."""
        places = ((word[:i], word[i:]) for i in range(len(word) + 1))
        with_one = (a + sign + b for a, b in places for sign in _LIGATURES)
        return len(word) >= _PIECE and word not in self.words and any(w in self.words for w in with_one)

    def expected(self, first: str, second: str) -> float:
        """How often chance brings tokens together that never are but by a slip; 0: they are, or may be."""
        if (first, second) in self.pairs or first not in self.shares or second not in self.shares:
            return 0.0
        times = self.shares[first][0] * self.shares[second][1] / self.n_pairs
        return times if times >= FEWEST else 0.0


@cache
def language() -> Language:
    """The language of the law that ships."""
    data = checked_bytes(located("data:models/language.npz"), MODEL_SHA256, "MODEL_SHA256")
    with np.load(BytesIO(data), allow_pickle=False) as counted:
        words = frozenset(str(counted["words"]).split())
        names = str(counted["tokens"]).split()
        first, second = counted["first"].tolist(), counted["second"].tolist()
        pairs, gaps = (
            frozenset((names[i], names[j]) for i, j in (divmod(n, len(names)) for n in counted[key].tolist()))
            for key in ("pairs", "gaps")
        )
        n_pairs = int(counted["n_pairs"])
    pieces = frozenset(piece for word in words for piece in _pieces(word))
    shares = dict(zip(names, zip(first, second, strict=True), strict=True))
    return Language(words, pieces, shares, pairs, gaps, n_pairs, frozenset(names))


_LETTERS = re.compile(r"(?<![(\w])[^\W\d_]+")
_SMALL = re.compile(r"(?<![\w('’-])[a-z]+(?![\w’'-])")
_PROSE = 40  # characters of a row of prose
_MANY, _FEWEST = 90, 3  # letters in the different words of a page; words that are none
_ODD, _TIMES = 0.06, 5  # share of them that are none, and times the usual share
_SPREAD = 0.3  # of its rows have some of them: less is a head in another language
_SPELT = 0.3  # share of the words of a page that are one letter
_HYPHEN, _SIGN = re.compile(r"([a-z]+)- ([a-z]+)"), re.compile("[a-z][?\ufffd][a-z]")
_MISCODED = re.compile("[ÂÃâ][€\x80-\xbf]|à[¤¥]")  # the bytes of one sign read as two
_LOST = re.compile(r"(?<![\w?])[?][A-Za-z(]|[a-z][?][A-Za-z]")  # a quotation mark that a code page lacks
_FIGURE, _WITH_LETTER = re.compile(r"\b[\dOlISbBZ]{2,6}\b"), re.compile(r"\d+(?:[A-Z]{1,2}|b)|[A-Zb]\d+")
_FIGURES = 4, 2  # with letters, of a judgment and of a statute
_SURE, _SOUND_WORDS = 3, 600  # broken words such as no print has, and of how many words one may be
_BROKEN, _ON_PAGE, _GAPS = 8, 15, 10  # broken words of 1,000, and of a page; pairs of 1,000 that lack a word
_THOUSAND = 1000
_EXPECTED = 30  # of a letter, the capitals or the stops, on a page


@dataclass(frozen=True)
class _Limits:
    """How much may be odd: statutes are worded alike, judgments quote and name what they will.

    ``odd``: share of the words of a page that may be none. ``joints``, ``pairs``: joints of rows of a page,
    and pairs of all its tokens, that may be strange, and how often chance must bring such a pair together.
    ``rate``: joints of a document of which one more may be. ``seams``: the same of its pages, and chance.
    """

    odd: float
    joints: tuple[int, float]
    pairs: tuple[int, float]
    rate: int
    seams: tuple[int, float]


_STATUTE = _Limits(0.1, (4, 10), (11, 10), 150, (100, 20))
_JUDGMENT = _Limits(0.15, (3, 10), (13, 20), 60, (50, 10))
_SPARE = 3  # strange joints of a document


def wording_doubts(
    by_page: Mapping[int, Sequence[Row]], pages: Sequence[int], *, is_statute: bool
) -> Iterator[str]:
    """What the words of some pages of prose say against them."""
    law, limits = language(), _STATUTE if is_statute else _JUDGMENT
    if bad := sorted({*_pages_of_no_words(by_page, pages, limits.odd)}):
        yield f"many words are none on {in_runs(bad)}"
    kinds = {page: [tokens(row.text, law.common) for row in by_page[page]] for page in pages}
    uses = Counter(pair for rows in kinds.values() for pair in pairwise(t for row in rows for t in row))
    odd = {pair: times for pair, n in uses.items() if n == 1 and (times := law.expected(*pair))}
    strange: Counter[int] = Counter()
    n_joints, jumbled = 0, set()
    for page, rows in kinds.items():
        joints = [
            (before[-1], behind[0])
            for (above, below), (before, behind) in zip(pairwise(by_page[page]), pairwise(rows), strict=True)
            if min(len(above.text), len(below.text)) > _PROSE and before and behind
        ]
        n_joints += len(joints)
        strange[page] = sum(odd.get(pair, 0) >= limits.joints[1] for pair in joints)
        together = pairwise(token for row in rows for token in row)
        if sum(odd.get(pair, 0) >= limits.pairs[1] for pair in together) > limits.pairs[0]:
            jumbled.add(page)
    jumbled |= {page for page, n in strange.items() if n > limits.joints[0]}
    yield from _broken(by_page, kinds)
    lacking = _letterless(by_page, pages) if is_statute else ""
    yield from filter(None, (lacking, _misread(by_page, _FIGURES[is_statute])))
    if strange.total() > _SPARE + n_joints / limits.rate:
        jumbled |= {page for page, n in strange.items() if n}
    if jumbled:
        yield f"words do not go on with those before them on {in_runs(sorted(jumbled))}"
    seams = [
        (page, (kinds[page][-1][-1], kinds[following][0][0]))
        for page, following in pairwise(pages)
        if following == page + 1 and not (by_page[page][-1].alone or by_page[following][0].alone)
        if len(by_page[page][-1].text) > _PROSE and kinds[page][-1] and kinds[following][0]
    ]
    torn = [page for page, pair in seams if uses[pair] < 2 and law.expected(*pair) >= limits.seams[1]]
    if len(torn) * limits.seams[0] > len(seams):
        yield f"page {torn[0] + 1} does not go on where page {torn[0]} ends: its words never stand so"


def _pages_of_no_words(
    by_page: Mapping[int, Sequence[Row]], pages: Sequence[int], highest: float
) -> Iterator[int]:
    """Pages with many words that are none, or that are split into letters."""
    law = language()
    shares: dict[int, float] = {}
    spread: set[int] = set()
    for page in pages:
        prose = [row.text for row in by_page[page] if len(row.text) > _PROSE]
        rows = [_LETTERS.findall(text) for text in prose]
        small = [[word for word in row if word[0].islower()] for row in rows]
        if page == pages[0]:  # a Gazette has a head in Hindi, whose old fonts come out as signs
            small = [row for row in small if sum(map(law.is_odd, row)) <= len(row) / 2]
        words = {word for row in small for word in row}
        if sum(map(len, words)) >= _MANY:
            n_odd = sum(map(law.is_odd, words))
            shares[page] = n_odd / len(words)
            on = sum(any(map(law.is_odd, row)) for row in small)
            spread |= {page} if n_odd >= _FEWEST and on > _SPREAD * sum(map(bool, small)) else set()
        spelt = sum(len(word) == 1 for row in small for word in row)
        if spelt > _SPELT * max(_MANY, sum(map(len, small))):
            yield page
    usual = median(shares.values()) if shares else 0.0
    yield from (page for page in spread if shares[page] > min(highest, _ODD + _TIMES * usual))


def _misread(by_page: Mapping[int, Sequence[Row]], fewest: int) -> str:
    """Pages with some figures in which letters stand for digits, as OCR reads them."""
    figures = {p: _FIGURE.findall(" ".join(row.text for row in rows)) for p, rows in by_page.items()}
    among = {p: [f for f in on if not (f.isdigit() or f.isalpha())] for p, on in figures.items()}
    lettered = {p: n for p, on in among.items() if (n := sum(not _WITH_LETTER.fullmatch(f) for f in on))}
    few = sum(lettered.values()) < fewest
    return "" if few else f"letters stand for digits on {in_runs(sorted(lettered))}"


def _letterless(by_page: Mapping[int, Sequence[Row]], pages: Sequence[int]) -> str:
    """Pages without a letter, capitals or stops, of which others have many: their font lacks them."""
    shares: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for page in pages:
        counts = Counter("".join(row.text for row in by_page[page]))
        for signs in (*ascii_lowercase, ascii_uppercase, ".,;:"):
            shares[signs][page] = sum(map(counts.__getitem__, signs)), counts.total()
    bad = set()
    for of_page in shares.values():
        usual = median(n / total for n, total in of_page.values())
        bad |= {page for page, (n, total) in of_page.items() if not n and usual * total > _EXPECTED}
    return f"letters or signs are missing on {in_runs(sorted(bad))}" if bad else ""


def _broken(by_page: Mapping[int, Sequence[Row]], kinds: Mapping[int, Sequence[list[str]]]) -> Iterator[str]:
    """What words that are broken, or that lack between others, say against a document."""
    law = language()
    sure, signs, broken, gaps = Counter[int](), Counter[int](), Counter[int](), dict[tuple[str, str], int]()
    n_words = 0

    def in_two(parts: Iterable[tuple[str, str]]) -> int:
        return sum(a + b in law.words and not {a, b} <= law.words for a, b in parts)

    for page, rows in kinds.items():
        gaps |= dict.fromkeys({pair for row in rows for pair in pairwise(row)} & law.gaps, page)
        for text in (row.text for row in by_page[page] if len(row.text) > _PROSE):
            small = _SMALL.findall(text)
            n_words += len(small)
            odd = [word for word in small if word not in law.words]
            left = _HYPHEN.findall(text) if "- " in text else ()
            sure[page] += in_two(left) + sum(map(law.lacks_ligature, odd)) + len(_MISCODED.findall(text))
            signs[page] += len(_LOST.findall(text))
            broken[page] += sum(map(law.is_joined, odd)) + len(_SIGN.findall(text))
            words = text.split()
            if not law.words.issuperset(words):
                broken[page] += in_two(pairwise(words))
    thousands = max(1.0, n_words / _THOUSAND)
    broken += sure + signs
    bad = [page for page, n in broken.items() if n > _ON_PAGE]
    often = sure.total() >= max(_SURE, n_words / _SOUND_WORDS) or signs.total() >= _SURE
    if often or broken.total() > _BROKEN * thousands:
        bad = [*broken]
    if bad:
        yield f"words are broken on {in_runs(sorted(bad))}"
    if len(gaps) > _GAPS * thousands:
        yield f"words are missing on {in_runs(sorted({*gaps.values()}))}"
