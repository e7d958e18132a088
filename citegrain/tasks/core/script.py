"""The Devanagari script: its letters, its digits, and what its spellings have in common."""

from __future__ import annotations

import re
import unicodedata

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
