"""Devanagari, and text to words: what the sparse index, the glossary and the measure of overlap share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

LETTERS = "\u0900-\u0963\u0970-\u097f"
"""Letters and signs, as the inside of a character class; the danda is none of them."""

_LETTER = re.compile(f"[{LETTERS}]")
_DIGITS = {0x966 + i: str(i) for i in range(10)}
# a nasal before a consonant of its row is as often written as a dot: सम्बन्ध, संबंध
_NASAL = re.compile(r"ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])|ँ")
_JOINERS = dict.fromkeys((0x200C, 0x200D))
_CONSONANTS = "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह"
_VOWELS = "अआइईउऊऋएऐओऔ"


def is_devanagari(text: str) -> bool:
    """Whether any letter of ``text`` is Devanagari."""
    return not text.isascii() and _LETTER.search(text) is not None


def devanagari_share(text: str) -> float:
    """Share of the letters of ``text`` that are Devanagari; signs above and below letters count."""
    letters = len(_LETTER.findall(text))
    other = sum(c.isalpha() and not _LETTER.match(c) for c in text) if letters else 0
    return letters / (letters + other) if letters else 0.0


def ascii_digits(text: str) -> str:
    """``text`` with Devanagari digits as 0 to 9, as long as before."""
    return text.translate(_DIGITS)


def same_spelling(text: str) -> str:
    """``text`` in one of the spellings that Hindi has for the same word: for search, never for show."""
    return _NASAL.sub("ं", unicodedata.normalize("NFC", ascii_digits(text).translate(_JOINERS)))


def latin_letter(mark: str) -> str:
    """The Latin letter that stands where ``mark`` does in an English edition: ``क`` is a, ``अ`` is A.

    Hindi editions count clauses by the consonants and items by the vowels, in the order of the alphabet:
    ``(ङ)`` is (e), ``(कक)`` is (aa). What is no such mark is given back as it is.
    """
    if mark.isascii():
        return mark
    if set(mark) <= set(_CONSONANTS[:26]):
        return "".join(chr(ord("a") + _CONSONANTS.index(c)) for c in mark)
    if set(mark) <= set(_VOWELS):
        return "".join(chr(ord("A") + _VOWELS.index(c)) for c in mark)
    return mark


_VOWEL_NAMES = ("a", "aa", "i", "ee", "u", "oo", "ri", "e", "ai", "o", "au", "o", "e")
_SOUNDS = dict(zip("अआइईउऊऋएऐओऔऑऍ", _VOWEL_NAMES, strict=True))
_SIGNS = dict(zip("ािीुूृेैोौॉॅ", _VOWEL_NAMES[1:], strict=True))
_NAMES = """
    k kh g gh n ch chh j jh n t th d dh n t th d dh n p ph b bh m y r l v sh sh s h l
"""
_CONSONANT_SOUNDS = dict(zip(_CONSONANTS + "ळ", _NAMES.split(), strict=True))
_DOTTED = {"क": "q", "ख": "kh", "ग": "g", "ज": "z", "फ": "f", "ड": "d", "ढ": "dh"}
_SILENT = "\0"  # the short a that no sign writes, which may be spoken or not


def romanised(word: str) -> str:
    """A word of Hindi in Latin letters, as it is spoken: ``सरकार`` is sarkaar. Long vowels are doubled.

    The short a that a consonant brings is silent at the end of a word, and between a vowel with one consonant
    and one consonant with a vowel, looked at from the end (Ohala 1983). Other letters stay.
    """
    sounds: list[str] = []
    previous = ""
    word = word.replace("ज्ञ", "ग्य")  # one sound, but in बिजनेस
    for mark in unicodedata.normalize("NFD", ascii_digits(word).translate(_JOINERS)):
        if mark in _CONSONANT_SOUNDS:
            sounds += [_CONSONANT_SOUNDS[mark], _SILENT]
            previous = mark
        elif mark == "\u093c" and sounds:  # the dot below
            sounds[-2] = _DOTTED.get(previous, sounds[-2])
        elif mark == "\u094d" and sounds:  # no vowel
            sounds.pop()
        elif mark in _SIGNS and sounds and sounds[-1] == _SILENT:
            sounds[-1] = _SIGNS[mark]
        elif mark in "\u0902\u0901":
            sounds.append("n")
        elif mark not in "\u0903\u093d":
            if mark in "अआ" and sounds[-1:] == [_SILENT]:  # letters that are spelled out: एफआईआर
                sounds.pop()
            sounds.append(_SOUNDS.get(mark, mark))
    return _spoken(sounds)


def _spoken(sounds: list[str]) -> str:
    """Sounds without the short a that are not spoken."""
    vowel = [sound == _SILENT or sound[0] in "aeiou" or sound == "ri" for sound in sounds]
    if len(sounds) > 2 and sounds[-1] == _SILENT:
        sounds, vowel = sounds[:-1], vowel[:-1]
    for at in range(len(sounds) - 3, 1, -1):
        if sounds[at] == _SILENT and vowel[at - 2 : at + 3] == [True, False, True, False, True]:
            del sounds[at], vowel[at]
    return "".join(sounds).replace(_SILENT, "a")


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
