"""What the words of a document say against its being read rightly: they are none, or do not go together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from citegrain.tasks.offline.structure.coverage import in_runs
from citegrain.tasks.offline.structure.language import language, tokens
from citegrain.tasks.offline.structure.rows import Row

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
