"""Which section of a new Act took the place of which section of an old one, from their own words.

A code that replaces another keeps most sections, merges some (a definition and its punishment become two
sub-sections of one), drops some and adds some. So every old section is compared with the new sections and
their parts, by heading, by text, and by where its neighbours went; several may go to one, and some to none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]
_WORD = re.compile(r"[a-z]+")
_PLURAL = re.compile(r"(?<=[^\Ws])s$")
_COMMON = frozenset(
    {"the", "of", "or", "and", "to", "in", "a", "any", "by", "be", "for", "an", "is", "as", "shall", "such"}
    | {"that", "which", "with", "on", "it", "not", "this", "may"}
)
_HEADING, _WITHIN, _ORDER = 0.5, 0.5, 0.1
_STRONG = 0.7  # of 2 at most, and a little for order: enough by itself
_WEAK = 0.4  # enough where each is the best of the other
_NEIGHBOURS, _SPREAD = 3, 3.0


@dataclass(frozen=True, slots=True)
class Section:
    """What is compared of a section: its heading, its text, and the texts of its sub-sections and clauses."""

    heading: str
    text: str
    parts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """An old section and the new one that took its place, by position, with the score of the match."""

    old: int
    new: int
    score: float


def match_sections(old: Sequence[Section], new: Sequence[Section]) -> list[Link]:
    """Links between the sections of two Acts, each in the order of the Act.

    Every old section is linked to the new one that is most alike, if it is much alike, or alike at
    all and the old one is most alike to it as well. A new section without a link is linked to the old
    one within which its words stand, by the same rule: one section may have been split.

    Likeness is the cosine of the texts (or of the old text and a part of the new), half the cosine of the
    headings, half the share of the old text's words that the new one has, all by TF-IDF of words and pairs
    of words, and a little for standing where the old section's neighbours went.
    """
    if not old or not new:
        return []
    there, back = _likeness(old, new)
    forth = there.argmax(axis=1)
    chosen = {}
    for i, j in enumerate(forth.tolist()):
        if there[i, j] >= _STRONG or (there[i, j] >= _WEAK and int(there[:, j].argmax()) == i):
            chosen[i, j] = float(there[i, j])
    led_to = {j for _, j in chosen}
    for j, i in enumerate(back.argmax(axis=0).tolist()):
        if j not in led_to and back[i, j] >= _STRONG:
            chosen[i, j] = float(back[i, j])
    return [Link(i, j, score) for (i, j), score in sorted(chosen.items())]


def _likeness(old: Sequence[Section], new: Sequence[Section]) -> tuple[Scores, Scores]:
    """Likeness of each old to each new section by what the new has of the old, and back; (old, new) each."""
    heads, _, _ = _compare([s.heading for s in old], [s.heading for s in new])
    texts = [s.text for s in new]
    owner = list(range(len(new)))
    for j, section in enumerate(new):
        texts += section.parts
        owner += [j] * len(section.parts)
    cosine, terms, whence = _compare([s.text for s in old], texts)
    everything = slice(0, len(new))
    alike = cosine[:, everything].copy()
    np.maximum.at(alike.T, owner[len(new) :], cosine[:, len(new) :].T)
    there = _HEADING * heads + alike + _WITHIN * terms[:, everything]
    back = _HEADING * heads + cosine[:, everything] + _WITHIN * whence[:, everything]
    return there + _ORDER * _order(there), back


def _order(scores: Scores) -> Scores:
    """For each pair how near the new section is to where the neighbours of the old one went."""
    best, sure = scores.argmax(axis=1), scores.max(axis=1) >= _STRONG
    places = np.arange(scores.shape[1])
    near = np.exp(-np.abs(places[None, :] - best[:, None]) / _SPREAD) * sure[:, None]
    out = np.zeros_like(scores)
    for step in range(1, _NEIGHBOURS + 1):
        out[step:] += near[:-step] / step
        out[:-step] += near[step:] / step
    return out


def _compare(left: Sequence[str], right: Sequence[str]) -> tuple[Scores, Scores, Scores]:
    """Cosines, the share of each left text that a right one has, and the other way; (left, right) each.

    Terms are words and pairs of words; weights (1 + log count) log(N / texts with it), as of TF-IDF.
    """
    from scipy import sparse  # only for who compares Acts

    ids: dict[str, int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for row, text in enumerate([*left, *right]):
        words = [_PLURAL.sub("", w) for w in _WORD.findall(text.lower()) if w not in _COMMON]
        for term in words:
            columns.append(ids.setdefault(term, len(ids)))
        for first, second in pairwise(words):
            columns.append(ids.setdefault(first + " " + second, len(ids)))
        rows += [row] * max(0, 2 * len(words) - 1)
    shape = (len(left) + len(right), max(1, len(ids)))
    counts = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
    counts.sum_duplicates()
    texts_with = np.bincount(counts.indices, minlength=shape[1])
    idf = np.log((1 + shape[0]) / (1 + texts_with)).astype(np.float32)
    weights = counts.copy()
    weights.data = (1 + np.log(counts.data)) * idf[counts.indices]
    norms = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    present = counts.copy()
    present.data = np.sqrt(idf[counts.indices])
    totals = np.asarray(present.multiply(present).sum(axis=1)).ravel()
    n = len(left)
    products = (weights[:n] @ weights[n:].T).toarray()
    shared = (present[:n] @ present[n:].T).toarray()
    tiny = np.float32(1e-9)
    return (
        (products / np.maximum(norms[:n, None] * norms[None, n:], tiny)).astype(np.float32),
        (shared / np.maximum(totals[:n, None], tiny)).astype(np.float32),
        (shared / np.maximum(totals[None, n:], tiny)).astype(np.float32),
    )
