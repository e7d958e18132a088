"""The words of a provision, as far as they are law: without what is print alone."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

_GONE = r"(?:\*(?:[\s*]*\*)?|\[\s*(?:Omitted|Repealed|Om\.|Rep\.)[^\]]{0,80}\])"
# what stands for words that are gone, with the number of the clause where nothing else is left of it
_STUB = re.compile(rf"(?:\(\w{{1,4}}\)\s*(?={_GONE}))?{_GONE}", re.IGNORECASE)
# the Gazette prints the numbers of cited Acts in the margin, India Code in the text: (45 of 1860)
_CITED = re.compile(r"\(?\b\d{1,3} of (?:1[789]|20)\d\d\b\)?")
_BRACKETS = re.compile(r"[\[\]]")
_ORPHANS = re.compile(r" (?=[,;:.)])")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+(?:['’‘`][^\W_]+)*")
_APOSTROPHES = re.compile(r"['’‘`]")


@dataclass(frozen=True)
class Words:
    """A text as words to compare (``keys``) that remember how they are printed.

    Attributes
    ----------
    text
        What is printed, without amendment brackets, stars and numbers of cited Acts.
    keys
        Its words in lower case; punctuation does not count.
    spans
        Where each word stands in ``text``: first character, one behind the last.
    """

    text: str
    keys: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def shown(self, first: int, last: int) -> str:
        """Words ``first`` to ``last`` (exclusive) as printed, with the signs behind them."""
        if first >= last:
            return ""
        start = self.spans[first][0]
        while start and self.text[start - 1] in '(“"':
            start -= 1
        end = self.spans[last][0] if last < len(self.spans) else len(self.text)
        return self.text[start:end].rstrip(' (“"')

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the words."""
        return hashlib.sha256(" ".join(self.keys).encode()).hexdigest()


def read_words(text: str) -> Words:
    """Words of a text. Case, punctuation, white space and the signs of amendments do not count."""
    plain = unicodedata.normalize("NFKC", text)
    plain = _CITED.sub(" ", _STUB.sub(" ", plain))
    plain = _ORPHANS.sub("", _SPACES.sub(" ", _BRACKETS.sub("", plain))).strip()
    matches = list(_WORD.finditer(plain))
    keys = tuple(_APOSTROPHES.sub("", m[0]).lower() for m in matches)
    return Words(plain, keys, tuple(m.span() for m in matches))


def joined(words: Sequence[str]) -> str:
    """Words run together: what is left when spaces and hyphens are the printer's."""
    return "".join(words)
