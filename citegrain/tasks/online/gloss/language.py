"""Which language a question is in, by its script and its commonest words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from importlib.resources import files

from citegrain.tasks.core.script import devanagari_share
from citegrain.tasks.online.estimate import HINDI_WORDS

ENGLISH, HINDI, HINGLISH = "English", "Hindi", "Hinglish"
_INDIAN = {
    "Bengali": "Bengali or Assamese", "Gurmukhi": "Punjabi", "Gujarati": "Gujarati", "Oriya": "Odia",
    "Tamil": "Tamil", "Telugu": "Telugu", "Kannada": "Kannada", "Malayalam": "Malayalam", "Arabic": "Urdu",
}  # fmt: skip
"""Language by the script that it alone, or nearly so, is written in."""
_MORE_WORDS = files("citegrain") / "data" / "hindi" / "common.txt"
_HINDI = HINDI_WORDS.union(_MORE_WORDS.read_text(encoding="utf-8").split())
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
