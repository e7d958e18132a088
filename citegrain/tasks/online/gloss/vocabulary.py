"""What a build says of the words of questions: which are English, and what a word of Hindi sounds like."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from citegrain.tasks.online.gloss.language import HINDI, HINGLISH, language_of
from citegrain.tasks.online.spelling import Spelling

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import PublishedBuild

_SHORTEST, _SHORT = 3, 0.12  # sounds of a loanword, and how much more like it must be if it has fewer
_USUAL = 0.02  # a word as frequent again is worth so much likeness


class Glosses:
    """English for questions in Hindi, over one build."""

    def __init__(self, build: PublishedBuild) -> None:
        self._spelling, self._build = Spelling.over(build), build
        self.loan = lru_cache(maxsize=10_000)(self._loan)

    @classmethod
    def over(cls, build: PublishedBuild) -> Glosses:
        """That of a build, which keeps it."""
        return build.shared("glosses", lambda: cls(build))

    def encode_ahead(self, text: str) -> None:
        """Begin to encode a question as it will be searched."""
        text = self._spelling.read(self.read(text)[0])
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

        typed = in_latin(text, self.loan)
        return gloss(text, self._spelling.in_law, self._spelling.is_english, self.loan), (
            typed,
            text,
        ) if both else (typed,)

    def _loan(self, word: str, least: float) -> str:
        """The English word of the build and its lay texts that a word in the sound of Hindi stands for."""
        from citegrain.tasks.online.gloss.sound import bones, likeness

        skeleton, counts = bones(word), self._spelling.counts
        least += _SHORT if len(skeleton) < _SHORTEST else 0.0
        near = [(likeness(word, sound), other) for other, sound in self._by_bones.get(skeleton, ())]
        near = [(like + _USUAL * math.log(counts[other]), other) for like, other in near if like >= least]
        return max(near, default=(0.0, ""))[1]

    @cached_property
    def _by_bones(self) -> dict[str, list[tuple[str, str]]]:
        """Words with their sounds, by their consonants."""
        from citegrain.tasks.online.gloss.sound import bones, english_sound

        out: dict[str, list[tuple[str, str]]] = {}
        for word in self._spelling.common:
            if len(word) >= _SHORTEST and word.isascii():
                sound = english_sound(word)
                out.setdefault(bones(sound), []).append((word, sound))
        return out
