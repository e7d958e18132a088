"""Words as people type them: a word that nobody writes is read as the word that it was meant to be.

Only words that neither the build nor its lay texts know are touched, and no name: see :meth:`Spelling._read`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from rapidfuzz import process
from rapidfuzz.distance import OSA, Indel, Levenshtein

from citegrain.tasks.core.schemas import BACKGROUND
from citegrain.tasks.online.estimate import in_hindi

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import PublishedBuild

_WORD = re.compile(r"[^\W\d_]+")
_LOWER = re.compile(r"[a-z]+")
_SHORTEST = 5  # letters: shorter words are near to too many others, RERA to rear
_LONG = 9  # letters from which a word may have two errors
_PART = 4  # letters of the parts of two words that were joined
_ENDINGS = ("s", "es", "d", "ed", "ing", "r", "er", "rs", "ers", "ly", "al", "able", "ness")
_BEGINNINGS = ("anti", "co", "de", "dis", "in", "mis", "non", "over", "pre", "re", "sub", "un", "under")
_ROWS_OF_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_ALIKE = ("aeiouy", "ckqsxz", "gj", "fpv", "vw", "bp", "dt", "mn")  # letters that sound alike
_COMMON = 3  # times that a word stands in the texts before another is read as it
_LAY = 30  # a word of lay texts counts as so many of the law
_ROWS = 40  # texts in which the forms of a term are looked for
_FEW, _FOREIGN = 2, 0.3  # more unknown words than the one, and a greater share: another language,
_ENGLISH, _NEAR = 1 / 3, 2 / 3  # but where so many words are English, and so many of the unknown near to it
_TITLE = re.compile(r"\b(?:mr|mrs|ms|dr|shri|smt|sri|kumari|named|called|name is)\.?$", re.IGNORECASE)


class Spelling:
    """What the words of questions are read as, over one build."""

    def __init__(self, build: PublishedBuild) -> None:
        self._build = build
        self._indexes = build.word_indexes
        self._forms = lru_cache(maxsize=10_000)(self._find_forms)
        self._nearest = lru_cache(maxsize=10_000)(self._find_nearest)
        self._is_known = lru_cache(maxsize=100_000)(self._has)
        self.read = lru_cache(maxsize=64)(self._read)  # what was encoded ahead is not read again
        self._counted: tuple[Counter[str], dict[int, list[str]], Counter[str]] | None = None

    @classmethod
    def over(cls, build: PublishedBuild) -> Spelling:
        """That of a build, which keeps it."""
        return build.shared("spelling", lambda: cls(build))

    def _read(self, text: str) -> str:
        """A question with the words that were mistyped as they were meant; all else stays as it is.

        A word is known if the encoder has it as one piece, or if the build or its lay texts have it or
        another form of it. An unknown word of five letters or more becomes the most frequent of the nearest
        known words, by insertions, deletions, substitutions and swaps of neighbours (Damerau 1964): one of
        these, two from nine letters on. Else it is two words without the blank between them, or two words
        are one. Names of Acts and what is capitalised within a sentence stay, and so does a question of
        which many words are unknown, unless the others are English and most of the many near to it.
        """
        words = list(_WORD.finditer(text))
        fixed = [(place.start, place.end) for place in self._build.lexicon.find(text)]
        unknown = [i for i, word in enumerate(words) if not self._is_known(word.group().lower())]
        least = 0.0 if len(unknown) <= max(_FEW, _FOREIGN * len(words)) else _NEAR * len(unknown)
        little = self._indexes[0][0].analyser.terms  # of the little words of English none is a term
        plain = [self.in_law(w) or not little(w) for w in (word.group().lower() for word in words if least)]
        foreign = least and sum(plain) < _ENGLISH * len(words)
        if not unknown or in_hindi(text) or foreign:
            return text
        changes: dict[tuple[int, int], str] = {}
        for i in unknown:
            word = words[i]
            if any(a < word.end() and word.start() < b for a, b in fixed) or _is_name(text, word):
                continue
            for first, after in ((i - 1, i + 1), (i, i + 2)):
                joined = self._joined(text, words[max(first, 0) : after])
                if joined:
                    changes[words[first].start(), words[after - 1].end()] = joined
                    break
            else:
                if read := self._nearest(word.group().lower()):
                    changes[word.span()] = read
        return _changed(text, changes) if len(changes) >= least else text

    def _has(self, word: str) -> bool:
        """Whether a word is known."""
        if len(word) < _SHORTEST or not word.isascii() or self.is_english(word):
            return True
        forms = self._forms(word)
        return word in forms or (bool(forms) and not _near(word, forms))

    def is_english(self, word: str) -> bool:
        """Whether the encoder has a word as one piece, without an ending, a beginning or an apostrophe."""
        bases = [word, *map(word.removesuffix, _ENDINGS), *map(word.removeprefix, _BEGINNINGS)]
        bases += [word[:-1]] if word.endswith("nt") else []  # doesn't
        return any(len(base) > 2 and self._build.pieces(base) == 1 for base in dict.fromkeys(bases))

    def _joined(self, text: str, pair: Sequence[re.Match[str]]) -> str:
        """Two words with a blank between them as one, if that is known by its own form; else nothing."""
        if len(pair) < 2 or text[pair[0].end() : pair[1].start()] != " ":
            return ""
        joined = "".join(word.group().lower() for word in pair)
        return joined if len(joined) > _SHORTEST and joined in self._forms(joined) else ""

    def _find_forms(self, word: str) -> frozenset[str]:
        """The forms of a word in the first texts that have any."""
        forms: set[str] = set()
        for index, texts in self._indexes:
            for term in index.analyser.terms(word):
                alike = re.compile(rf"(?<![a-z]){re.escape(term[:2])}[a-z]*")
                every = {w for row in index.rows(term)[:_ROWS] for w in alike.findall(texts[row].lower())}
                forms.update(w for w in every if index.analyser.terms(w) == [term])
        return frozenset(forms)

    def _find_nearest(self, word: str) -> str:
        """What an unknown word is read as; empty if nothing is near."""
        counts, by_length, _ = self._words()
        most = 2 if len(word) >= _LONG else 1
        others = [w for n in range(len(word) - most, len(word) + most + 1) for w in by_length.get(n, ())]
        others += filter(None, [_near(word, self._forms(word))])
        near = process.extract(word, others, scorer=OSA.distance, score_cutoff=most, limit=None)
        hits = [(w, d) for w, d, _ in near if (d < 2 or w[0] == word[0]) and _is_slip(word, w, d)]
        if hits:
            return min(hits, key=lambda hit: (hit[1], hit[0][0] != word[0], -counts[hit[0]], hit[0]))[0]
        pairs = [(word[:n], word[n:]) for n in range(_PART, len(word) - _PART + 1)]
        pairs = [pair for pair in pairs if min(counts[part] for part in pair) >= _COMMON]
        return " ".join(max(pairs, key=lambda pair: min(counts[part] for part in pair))) if pairs else ""

    def in_law(self, word: str) -> bool:
        """Whether the encoder has a word as one piece, and the law has it."""
        return self._words()[2][word] > 0 and self.is_english(word)

    @property
    def counts(self) -> Counter[str]:
        """How often each word stands in the texts."""
        return self._words()[0]

    @property
    def common(self) -> list[str]:
        """The words that others may be read as."""
        return [word for words in self._words()[1].values() for word in words]

    def _words(self) -> tuple[Counter[str], dict[int, list[str]], Counter[str]]:
        """How often each word stands in the texts, and by length those that others may be read as.

        These are common, and of the law or of the encoder: lay texts have words of other languages.
        """
        if self._counted is None:
            counts: Counter[str] = Counter()
            law: Counter[str] = Counter()
            stories = self._build.table(BACKGROUND).column("text").to_pylist()
            for weight, texts in zip((1, _LAY), (*(t for _, t in self._indexes), stories), strict=False):
                by_word = Counter(_LOWER.findall("\n".join(texts).lower()))
                law = law or by_word
                for word, n in by_word.items():
                    counts[word] += weight * n
            common = sorted(
                (w for w, n in counts.items() if n >= _COMMON and (law[w] >= _COMMON or self.is_english(w))),
                key=len,
            )
            self._counted = counts, {n: list(words) for n, words in groupby(common, len)}, law
        return self._counted


def _near(word: str, forms: frozenset[str]) -> str:
    """Of the forms of one word that with one error at most; empty if none is."""
    near = sorted(form for form in forms if OSA.distance(word, form, score_cutoff=1) <= 1)
    return near[0] if near else ""


def _is_slip(word: str, meant: str, errors: int) -> bool:
    """Whether each letter that was typed for another lies beside it on the keyboard, or sounds like it."""
    operations = Levenshtein.editops(word, meant)
    replaced = [(word[op.src_pos], meant[op.dest_pos]) for op in operations if op.tag == "replace"]
    slips = all(pair in _SLIPS for pair in replaced)
    return slips or len(operations) > errors or Indel.distance(word, meant) <= errors


def _slips() -> frozenset[tuple[str, str]]:
    """Pairs of letters of which one is typed for the other."""
    at = {key: (x + row / 2, row) for row, keys in enumerate(_ROWS_OF_KEYS) for x, key in enumerate(keys)}
    near = {(a, b) for a in at for b in at if abs(at[a][0] - at[b][0]) <= 1 and abs(at[a][1] - at[b][1]) <= 1}
    return frozenset(near | {(a, b) for group in _ALIKE for a in group for b in group})


_SLIPS = _slips()


def _is_name(text: str, word: re.Match[str]) -> bool:
    """Whether a word is capitalised within a sentence, or stands behind a title."""
    before = text[: word.start()].rstrip()
    capital = word.group()[0].isupper() and not text.isupper()
    return bool(_TITLE.search(before)) or (capital and before[-1:] not in ("", ".", "!", "?"))


def _changed(text: str, changes: dict[tuple[int, int], str]) -> str:
    """A text with other words at some places, capital where it was."""
    for (start, end), word in sorted(changes.items(), reverse=True):
        capital = word[0].upper() + word[1:] if text[start].isupper() else word
        text = text[:start] + capital + text[end:]
    return text
