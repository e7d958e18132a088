"""Keys by which words are one that are spelled otherwise and sound alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import OSA

_Rules = Sequence[tuple[re.Pattern[str], str]]


def _rules(*pairs: tuple[str, str]) -> _Rules:
    return [(re.compile(pattern), to) for pattern, to in pairs]


_WRITTEN = _rules(
    ("ii", "ee"), ("uu", "oo"), ("aa$", "a"), ("ee$", "i"), ("oo$", "u"), (r"(?<=[aeiou])y(?=[ei])", "")
)
_LENGTH = _rules(("aa+", "a"), ("ee+", "i"), ("oo+", "u"))
_LETTERS = _rules(
    ("ehe(?=[a-z])", "aha"), ("eh(?=[a-z])", "ah"),
    ("ph", "f"), ("q|ck", "k"), ("x", "ks"), ("w", "v"), ("z", "j"), ("c+hh?", "ch"), ("c(?!h)", "k"),
    ("m(?=[pbf])", "n"), (r"([bcdfgjklmnprstv])\1", r"\1"), ("(?<=[aeiou])h$", ""),
    ("kh", "K"), ("gh", "G"), ("ch", "C"), ("jh", "J"), ("th", "T"), ("dh", "D"), ("bh", "B"), ("sh", "S"),
    (r"([KGCJTDBS])\1", r"\1"),
)  # fmt: skip
_ROUGH = _rules(
    ("ai|ae|ei|ie", "i"), ("au|ao|ou", "u"), ("e", "i"), ("o", "u"), ("n(?=[^aiu])|(?<=[aiu])n$", ""),
    ("y", "i"), (r"(?<=.)a(?=.)", ""), (r"(.)\1+", r"\1"),
)  # fmt: skip
PLAIN = str.maketrans("KGCJTDBSR", "kgcjtdbsd")
_ENGLISH = _rules(
    ("[^a-z]", ""), ("[ts]ion", "shan"), ("[ct]ia", "sh"), ("ture", "chr"), ("igh", "aI"), ("^kn", "n"),
    ("(?:(?<=^[^aeiou])|(?<=^[^aeiou]{2}))i(?=[b-df-hj-np-tvz]e$)|i(?=le$)|(?<=l)i(?=ne$)", "aI"),
    ("^wr", "r"), ("mb$", "m"), ("dge", "j"), ("g(?=[ei])", "j"), ("c(?=[eiy])", "s"), ("tch", "ch"),
    ("qu", "kv"), ("ou?gh", "u"), ("ou", "au"), ("oa", "o"), ("ea", "ee"), ("er", "ar"),
    ("a([bdfgklmnprstvz])e$", r"e\1"), ("a[iy](?!r)", "e"), ("y$", "ee"), ("wh", "v"),
    ("th", "t"), ("(?<=..)e$", ""),
)  # fmt: skip
_BONES = _rules(("(?<=.)n|[aiuEO]", ""), (r"(.)\1+", r"\1"))


def _applied(word: str, rules: _Rules) -> str:
    for pattern, to in rules:
        word = pattern.sub(to, word)
    return word


def written(word: str) -> str:
    """The key of words that differ in the ways to write one vowel alone: ``saal`` is not ``sal``."""
    return _applied(word.replace("R", "d").lower(), _WRITTEN)


def spelled(word: str) -> str:
    """The key of words that differ in the length of vowels alone: ``saal`` and ``sal``."""
    return _applied(written(word), _LENGTH)


def spoken(word: str) -> str:
    """The key of words that differ in letters for one sound: ``zamaanat`` and ``jamanat``."""
    return _applied(spelled(word), _LETTERS)


def rough(word: str) -> str:
    """The key of words that differ in breath, nasals and the colour of vowels; of a key by ``spoken``."""
    return _applied(word.translate(PLAIN), _ROUGH)


def bones(word: str) -> str:
    """The consonants of a word as they sound."""
    return _applied(rough(spoken(word)), _BONES)


def english_sound(word: str) -> str:
    """An English word as its letters would write it in Hindi: ``counter`` is kauntar."""
    return _applied(word.lower(), _ENGLISH)


def likeness(word: str, other: str) -> float:
    """How like two words sound, from 0 to 1."""
    one, two = (spoken(w).replace("e", "a") for w in (word, other))
    return float(OSA.normalized_similarity(one, two))
