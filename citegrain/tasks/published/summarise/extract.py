"""Summaries without a model: sentences of the text, by likeness to all of it and by place."""

from __future__ import annotations

import re

import numpy as np

_FEWEST = 20  # characters: less of a sentence says nothing
_BREAK = re.compile(r"(?<=[.;:?!।])\s+|\n+")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line; what has fewer than three words is none."""
    parts = (" ".join(part.split()) for part in _BREAK.split(text))
    return [part for part in parts if len(re.findall(r"[^\W\d_]{2,}", part)) >= 3]


def ranked(parts: list[str]) -> list[int]:
    """Places of sentences, the best first: near to the centroid of all, and near to the beginning.

    Both count alike, each as a share of its greatest value. Source: Radev et al. 2004 (MEAD), sections 3.1 to
    3.3, without the likeness to the first sentence.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    early = np.linspace(1, 0, len(parts), endpoint=False)
    try:
        weights = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit_transform(parts)
    except ValueError:  # nothing but stop words
        return list(range(len(parts)))
    central = np.asarray(weights @ np.asarray(weights.mean(axis=0)).ravel())
    return [int(i) for i in np.argsort(-(central / central.max() + early).round(9), kind="stable")]


def extract(text: str, chars: int, tolerance: int) -> str:
    """Sentences of a text of ``chars`` characters together, at most ``tolerance`` more, in their order.

    The best are taken as far as they fit; where much room is left, the next one is cut at a word.
    """
    parts = sentences(text)
    taken: dict[int, str] = {}
    for place in ranked(parts):
        room = chars + tolerance - sum(len(t) + 1 for t in taken.values())
        if len(parts[place]) <= room:
            taken[place] = parts[place]
        elif room - tolerance >= _FEWEST:
            taken[place] = cut(parts[place], room - tolerance)
    return " ".join(taken[place] for place in sorted(taken))


def cut(text: str, chars: int) -> str:
    """A text of at most so many characters, cut between words where there are any."""
    return text if len(text) <= chars else text[: chars + 1].rpartition(" ")[0] or text[:chars]


def context(summary: str, title: str, before: str, after: str, fewest: int, most: int) -> str:
    """A context of a chunk: what its document and section are, and the nearest words of its neighbours.

    It has ``fewest`` to ``most`` words; fewer, where there are no more.
    """
    lead = " ".join(part for part in (summary, title) if part).split()[:most]
    missing = max(0, fewest - len(lead))
    near, far = before.split(), after.split()
    first = min(len(near), max(missing // 2, missing - len(far)))
    return " ".join([*lead, *near[len(near) - first :], *far[: missing - first]])
