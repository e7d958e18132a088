"""Text to words: what the sparse index, the glossary and the measure of overlap have in common."""

import re
from collections.abc import Callable
from functools import lru_cache

from citegrain.tasks.core.script import LETTERS, is_devanagari, same_spelling

# vowel signs are no letters to Python: they would cut a word of Hindi in pieces
_WORD = re.compile(rf"[^\W_]+(?:[{LETTERS}]+[^\W_]*)*")
_HINDI = """
का के की को में से है हैं और या पर ने तो ही भी यह ये वह वे इस उस इन उन कि जो जिस जिसे किसी कोई एक तक लिए द्वारा
अपने अपनी अपना था थे थी हो होगा होगी होंगे जाए जाएगा जाएगी गया गई गए कर करने करना किया किए मैं मेरा मेरी मेरे मुझे हम
रहा रही रहे तथा एवं अथवा न नहीं जब तब यदि ऐसे ऐसा ऐसी साथ बाद क्या
"""
# Lucene's, as bm25s has them
_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they
this to was will with
"""
_HINDI_STOP = frozenset(same_spelling(word) for word in _HINDI.split())


class Analyser:
    """Text to terms: lower case, words and numbers (``498A`` is one term), stop words, stems.

    Words in Devanagari are brought to one spelling, stemmed as Hindi, and have stop words of their own.

    ``stemmer``: Snowball stemmer, or ``none``. ``stopwords``: ``en`` leaves out English function words,
    ``en_plus`` more of them, ``none`` keeps all.
    """

    def __init__(self, stemmer: str, stopwords: str) -> None:
        self.settings = {"stemmer": stemmer, "stopwords": stopwords}
        self._stop = _stop_words(stopwords)
        self._stem = lru_cache(maxsize=200_000)(_stem_of(stemmer))

    def terms(self, text: str) -> list[str]:
        """The terms of ``text``, in order."""
        if is_devanagari(text):
            text = same_spelling(text)
        words = _WORD.findall(text.lower())
        return [self._stem(w) for w in words if w not in self._stop]


def _stem_of(name: str) -> Callable[[str], str]:
    if name == "none":
        return str
    import Stemmer

    usual, hindi = Stemmer.Stemmer(name).stemWord, Stemmer.Stemmer("hindi").stemWord
    return lambda word: hindi(word) if is_devanagari(word) else usual(word)


def _stop_words(name: str) -> frozenset[str]:
    if name == "none":
        return frozenset()
    if name != "en_plus":
        return _HINDI_STOP.union(_ENGLISH.split())
    from bm25s import stopwords  # bm25s brings numba and SciPy

    return _HINDI_STOP.union(stopwords.STOPWORDS_EN_PLUS)
