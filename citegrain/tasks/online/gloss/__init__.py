"""Questions in Hindi, in its script or in Latin letters, read as English."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from functools import cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.words import devanagari_share
from citegrain.tasks.online.estimate import HINDI_WORDS
from citegrain.tasks.online.query import plain, without_days
from citegrain.tasks.online.spelling import Spelling

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import PublishedBuild

ENGLISH, HINDI, HINGLISH = "English", "Hindi", "Hinglish"
_INDIAN = {
    "Bengali": "Bengali or Assamese", "Gurmukhi": "Punjabi", "Gujarati": "Gujarati", "Oriya": "Odia",
    "Tamil": "Tamil", "Telugu": "Telugu", "Kannada": "Kannada", "Malayalam": "Malayalam", "Arabic": "Urdu",
}  # fmt: skip
"""Language by the script that it alone, or nearly so, is written in."""
_HINDI = HINDI_WORDS.union(located("data:hindi/common.txt").read_text(encoding="utf-8").split())
"""Words that show a question to be Hindi in Latin letters: more than those that estimates learned with."""
_DEVANAGARI = {
    name: frozenset(words.split())
    for name, words in (
        ("Marathi", "आहे आहेत माझा माझी माझे माझ्या मला आणि पाहिजे झाला झाली केला केली नाही मध्ये काय त्याने"),
        ("Nepali", "छ छन् मेरो मलाई गर्न गरेको भयो छैन हुन्छ भने"),
    )
}
"""Words of other languages in the same script that Hindi has not."""
_MOSTLY, _SHARE, _LEAST = 0.4, 0.2, 2
"""Share of the letters that are Devanagari; share and number of a question's words that are Hindi."""


def language_of(text: str) -> str:
    """``English``, ``Hindi``, ``Hinglish`` (Hindi in Latin letters), or a language of another script.

    What is in no script that is known here counts as English, and is judged as such.
    """
    if devanagari_share(text) > _MOSTLY:
        words = text.split()
        shares = {name: sum(word in theirs for word in words) for name, theirs in _DEVANAGARI.items()}
        most = max(shares, key=lambda name: shares[name])
        return most if shares[most] >= _LEAST and shares[most] > _SHARE * len(words) else HINDI
    if not text.isascii():
        scripts = Counter(unicodedata.name(c, "").split(" ")[0].title() for c in text if c.isalpha())
        for script, n in scripts.most_common(1):
            if script in _INDIAN and 2 * n > scripts.total():
                return _INDIAN[script]
    words = re.findall(r"[a-z]+", text.lower())
    hindi = [word for word in words if word in _HINDI]
    enough = len(set(hindi)) >= min(_LEAST, len(words)) and len(hindi) > _SHARE * len(words)
    return HINGLISH if enough else ENGLISH


_SHORTEST, _SHORT = 3, 0.12  # sounds of a loanword, and how much more like it must be if it has fewer
_USUAL = 0.02  # a word as frequent again is worth so much likeness


class Glosses:
    """English for questions in Hindi, over one build."""

    def __init__(self, build: PublishedBuild) -> None:
        self._spelling, self._build = Spelling.over(build), build
        self._reading = Lock()  # the first takes a second: who comes meanwhile shall not do the same
        self.loan = lru_cache(maxsize=10_000)(self._loan)

    @classmethod
    def over(cls, build: PublishedBuild) -> Glosses:
        """That of a build, which keeps it."""
        return build.shared("glosses", lambda: cls(build))

    def encode_ahead(self, text: str) -> None:
        """Begin to encode a question as it will be searched."""
        text = without_days(self._spelling.read(self.read(plain(text))[0]))
        if not self._build.lexical_only(text):
            self._build.encoder.encode_ahead(text)

    def read(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The English of a question in Hindi or Hinglish, and its own words in Latin letters.

        Behind them those in Devanagari, where some Act is in Hindi.
        Any other question as it is, and nothing; so too one in Devanagari where all Acts are in Hindi: it is
        searched by its words and numbers; or where some are, and the encoder reads Hindi.
        """
        language = language_of(text)
        both = language == HINDI and "hi" in self._build.languages
        as_it_is = both and (self._build.languages == {"hi"} or self._build.encoder.reads_devanagari)
        if language not in (HINDI, HINGLISH) or as_it_is:
            return text, ()
        from citegrain.tasks.online.gloss.reading import gloss, in_latin  # not for a question in English

        with self._reading:
            typed = in_latin(text, self.loan)
            words = (typed, text) if both else (typed,)
            return gloss(text, self._spelling.in_law, self._spelling.is_english, self.loan), words

    def _loan(self, word: str, least: float) -> str:
        """The English word of the build and its lay texts that a word in the sound of Hindi stands for."""
        from citegrain.tasks.online.gloss.lexicon import bones, likeness

        skeleton, counts = bones(word), self._spelling.counts
        least += _SHORT if len(skeleton) < _SHORTEST else 0.0
        near = [(likeness(word, sound), other) for other, sound in self._by_bones.get(skeleton, ())]
        near = [(like + _USUAL * math.log(counts[other]), other) for like, other in near if like >= least]
        return max(near, default=(0.0, ""))[1]

    @cached_property
    def _by_bones(self) -> dict[str, list[tuple[str, str]]]:
        """Words with their sounds, by their consonants."""
        from citegrain.tasks.online.gloss.lexicon import bones, english_sound

        out: dict[str, list[tuple[str, str]]] = {}
        for word in self._spelling.common:
            if len(word) >= _SHORTEST and word.isascii():
                sound = english_sound(word)
                out.setdefault(bones(sound), []).append((word, sound))
        return out


__all__ = ["ENGLISH", "HINDI", "HINGLISH", "Glosses", "language_of"]
