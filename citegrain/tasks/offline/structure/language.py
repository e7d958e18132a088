"""How law is worded: which words there are, and which of them stand one behind the other.

``data/models/language.npz`` was counted in the sections of 736 central Acts, none in the registry, and
in the lay texts that ship (``tools/law_language.py``).
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from io import BytesIO

import numpy as np

from citegrain.tasks.core.paths import located
from citegrain.tasks.offline.models import checked_bytes

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
