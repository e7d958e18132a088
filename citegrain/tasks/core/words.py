"""Text to words: what the sparse index, the glossary and the measure of overlap have in common."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")


class Analyser:
    """Text to terms: lower case, words and numbers (``498A`` is one term), stop words, stems.

    Parameters
    ----------
    stemmer
        Snowball stemmer, or ``none``.
    stopwords
        ``en`` leaves out English function words, ``en_plus`` more of them, ``none`` keeps all.
    """

    def __init__(self, stemmer: str, stopwords: str) -> None:
        import Stemmer

        self.settings = {"stemmer": stemmer, "stopwords": stopwords}
        self._stop = _stop_words(stopwords)
        stem = Stemmer.Stemmer(stemmer).stemWord if stemmer != "none" else str
        self._stem = lru_cache(maxsize=200_000)(stem)

    def terms(self, text: str) -> list[str]:
        """The terms of ``text``, in order."""
        words = _WORD.findall(text.lower())
        return [self._stem(w) for w in words if w not in self._stop]


def _stop_words(name: str) -> frozenset[str]:
    if name == "none":
        return frozenset()
    from bm25s import stopwords  # bm25s brings numba and SciPy: only for who leaves words out

    return frozenset(stopwords.STOPWORDS_EN_PLUS if name == "en_plus" else stopwords.STOPWORDS_EN)
