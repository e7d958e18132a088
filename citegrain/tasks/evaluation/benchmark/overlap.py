"""The share of a complaint's words that are in the law that answers it: a large one gives the answer away."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from statistics import median

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.evaluation.benchmark.fields import Citation
from citegrain.tasks.evaluation.benchmark.records import Record


@lru_cache(maxsize=1)
def _analyser() -> Analyser:
    return Analyser("english", "en_plus")


def content_words(text: str) -> frozenset[str]:
    """Distinct words of letters in lower case, without English stop words, as Snowball stems."""
    return frozenset(term for term in _analyser().terms(text) if term.isalpha())


def overlap(complaint: str, provision: str) -> float:
    """Share of the content words of a complaint that occur in a provision; NaN where it has none."""
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
    return {
        register: (median(values), len(values)) for register, values in sorted(shares.items(), reverse=True)
    }
