"""How many words of a complaint stand in the law that answers it: whether it gives its answer away."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from statistics import median

import Stemmer

from tasks.benchmark.fields import Citation
from tasks.benchmark.records import Record

_WORD = re.compile(r"[^\W\d_]+")
_stem = lru_cache(maxsize=100_000)(Stemmer.Stemmer("english").stemWord)


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN_PLUS  # bm25s brings numba and SciPy: only for who measures this

    return frozenset(STOPWORDS_EN_PLUS)


def content_words(text: str) -> frozenset[str]:
    """Distinct words of letters in lower case, without English stop words, as Snowball stems."""
    stop = _stop_words()
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in stop)


def overlap(complaint: str, provision: str) -> float:
    """Share of the content words of a complaint that stand in a provision; NaN where it has none."""
    words = content_words(complaint)
    return len(words & content_words(provision)) / len(words) if words else math.nan


def overlap_by_register(
    records: Iterable[Record], text_of: Callable[[Citation], str | None]
) -> Mapping[str, tuple[float, int]]:
    """(median overlap with the primary provision, number of complaints) by register.

    Left out are complaints out of scope or of no register, and those whose primary has no text.

    Parameters
    ----------
    text_of
        Text of a provision; None or empty where it is not at hand.
    """
    shares: dict[str, list[float]] = {}
    for record in records:
        provision = text_of(record.primary) if record.primary else None
        if record.register and provision:
            share = overlap(record.text, provision)
            if not math.isnan(share):
                shares.setdefault(record.register, []).append(share)
    return {register: (median(found), len(found)) for register, found in sorted(shares.items(), reverse=True)}
