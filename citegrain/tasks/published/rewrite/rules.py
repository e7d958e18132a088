"""Rewrites without a model: from the complaint, and from what it found when it was searched as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

import numpy as np

from citegrain.tasks.online.rewrite import HINTED, MOST, Encode, Hint, Rule, Weighted

_END = re.compile(r"(?<=[.!?])\s+|\n|\.{2,}")
_SHORT, _LONG = 25, 40  # characters of a sentence that joins the one before; words of one that is cut
_LEAST = 4  # sentences of a complaint that may run several matters together
_FED, _FED_WEIGHT, _FED_CHARS = 3, 0.15, 400  # first hits that are fed back, and how much of each


def feedback(text: str, hints: Sequence[Hint], encode: Encode) -> list[Weighted]:
    """The complaint with a little of the passages that it found first (pseudo-relevance feedback)."""
    passages = [(hint.text[:_FED_CHARS], _FED_WEIGHT) for hint in hints[:_FED]]
    return [[(text, 1.0), *passages]] if passages else []


def expand(text: str, hints: Sequence[Hint], encode: Encode) -> list[Weighted]:
    """Three variants: with the headings of the first hits, with their lay texts, and both without it."""
    headings = "; ".join(hint.heading for hint in hints[:HINTED] if hint.heading)
    lay_texts = " ".join(hint.lay_text for hint in hints[:HINTED] if hint.lay_text)
    said = [(words, 0.5) for words in (headings, lay_texts) if words]
    return [*([(text, 1.0), one] for one in said), said] if said else []


def decompose(text: str, hints: Sequence[Hint], encode: Encode) -> list[Weighted]:
    """The matters of a long complaint: stretches of sentences that are alike, at most :data:`MOST`.

    Each is searched with half of the whole: what was told before says who and where.
    """
    said = sentences(text)
    if len(said) < _LEAST:
        return []
    from scipy.sparse import diags_array
    from sklearn.cluster import AgglomerativeClustering

    neighbours = diags_array([1.0, 1.0], offsets=[1, -1], shape=(len(said), len(said)))
    clusters = AgglomerativeClustering(min(MOST, len(said) // 2), connectivity=neighbours)
    labels = clusters.fit_predict(encode(said)).tolist()
    stretches = groupby(zip(labels, said, strict=True), key=lambda pair: pair[0])
    matters = (" ".join(sentence for _, sentence in stretch) for _, stretch in stretches)
    return [[(matter, 1.0), (text, 0.5)] for matter in matters]


def sentences(text: str) -> list[str]:
    """Sentences of a text as people type it: short ones join the one before, run-on ones are cut."""
    out: list[str] = []
    for sentence in filter(None, map(str.strip, _END.split(text))):
        if out and len(sentence) < _SHORT:
            out[-1] += f" {sentence}"
        else:
            words = sentence.split()
            parts = max(1, round(len(words) / _LONG))
            out += [" ".join(part) for part in np.array_split(words, parts)]
    return out


RULES: Mapping[str, Rule] = MappingProxyType({"decompose": decompose, "expand": expand, "feedback": feedback})
