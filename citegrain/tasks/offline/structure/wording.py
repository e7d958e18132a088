"""What the words of a document say against its being read rightly: they are none, or do not go together.

How law is worded, ``data/models/language.npz``, was counted in the sections of 736 central Acts, none in the
registry, and in the lay texts that ship (``tools/law_language.py``).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from statistics import median

import numpy as np

from citegrain.tasks.core.paths import located
from citegrain.tasks.offline.models import checked_bytes
from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.rows import Row

MODEL_SHA256 = "3297a65790e26b6965d273ccbfa80d5a5271da6216b8ae167228753458f19755"
"""Digest of the counts; ``tools/law_language.py`` prints that of what it writes."""

FEWEST = 5.0
"""Times that chance must bring two tokens together for their never being together to say anything."""

_TOKEN = re.compile(r"\([A-Za-z0-9]{1,5}\)|[^\W\d_]+|\d+[A-Z]{0,2}|[^\w\s]")
_ALIKE = str.maketrans("–—―‘’“”", "---''\"\"")
_PIECE = 4  # letters


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

    ``shares``: of each token how often it stands first and second in a pair.
    """

    words: frozenset[str]
    pieces: frozenset[str]
    shares: dict[str, tuple[int, int]]
    pairs: frozenset[tuple[str, str]]
    n_pairs: int
    common: frozenset[str]

    @cache  # noqa: B019 - there is one, as long as the process lives
    def is_odd(self, word: str) -> bool:
        """Whether a word in small letters is none: it has letters in a row that no word has."""
        return word not in self.words and not _pieces(word) <= self.pieces

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
        pairs = [divmod(code, len(names)) for code in counted["pairs"].tolist()]
        n_pairs = int(counted["n_pairs"])
    together = frozenset((names[i], names[j]) for i, j in pairs)
    pieces = frozenset(piece for word in words for piece in _pieces(word))
    shares = dict(zip(names, zip(first, second, strict=True), strict=True))
    return Language(words, pieces, shares, together, n_pairs, frozenset(names))


_LETTERS = re.compile(r"(?<![(\w])[^\W\d_]+")
_PROSE = 40  # characters of a row of prose
_MANY, _FEWEST = 90, 3  # letters in the different words of a page; words that are none
_ODD, _TIMES = 0.06, 5  # share of them that are none, and times the usual share
_SPREAD = 0.3  # of its rows have some of them: less is a head in another language
_SPLIT, _SPELT = 5, 0.3  # words of a page that are split in two; share of its words that are one letter


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

    def is_strange(pair: tuple[str, str], chance: float) -> bool:
        return uses[pair] < 2 and law.expected(*pair) >= chance

    strange: Counter[int] = Counter()
    n_joints, jumbled = 0, set()
    for page, rows in kinds.items():
        joints = [
            (before[-1], behind[0])
            for (above, below), (before, behind) in zip(pairwise(by_page[page]), pairwise(rows), strict=True)
            if min(len(above.text), len(below.text)) > _PROSE and before and behind
        ]
        n_joints += len(joints)
        strange[page] = sum(is_strange(pair, limits.joints[1]) for pair in joints)
        together = pairwise(token for row in rows for token in row)
        if sum(is_strange(pair, limits.pairs[1]) for pair in together) > limits.pairs[0]:
            jumbled.add(page)
    jumbled |= {page for page, n in strange.items() if n > limits.joints[0]}
    if strange.total() > _SPARE + n_joints / limits.rate:
        jumbled |= {page for page, n in strange.items() if n}
    if jumbled:
        yield f"words do not go on with those before them on {in_runs(sorted(jumbled))}"
    seams = [
        (page, (kinds[page][-1][-1], kinds[following][0][0]))
        for page, following in pairwise(pages)
        if following == page + 1 and _joins(by_page[page][-1], by_page[following][0])
        if kinds[page][-1] and kinds[following][0]
    ]
    torn = [page for page, pair in seams if is_strange(pair, limits.seams[1])]
    if len(torn) * limits.seams[0] > len(seams):
        yield f"page {torn[0] + 1} does not go on where page {torn[0]} ends: its words never stand so"


def _pages_of_no_words(
    by_page: Mapping[int, Sequence[Row]], pages: Sequence[int], highest: float
) -> Iterator[int]:
    """Pages with many words that are none, that are split in two, or into letters."""
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
        parts = (pair for text in prose for pair in pairwise(text.split()))
        split = sum(a + b in law.words and not {a, b} <= law.words for a, b in parts)
        spelt = sum(len(word) == 1 for row in small for word in row)
        if split > _SPLIT or spelt > _SPELT * max(_MANY, sum(map(len, small))):
            yield page
    usual = median(shares.values()) if shares else 0.0
    yield from (page for page in spread if shares[page] > min(highest, _ODD + _TIMES * usual))


def _joins(above: Row, below: Row) -> bool:
    alone = above.tabular or below.tabular or above.centred or below.centred
    return not alone and len(above.text) > _PROSE
