"""Rarity of terms in the background stories, and BM25 by it."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index import SparseIndex, rarity

ANALYSER = Analyser("english", "en")


def test_rarity_by_hand() -> None:
    # "land" stands in both stories, "goat" in one, "cheque" in none; ln(3 / (n + 1/2)) / ln 6
    weight = rarity(["my land is my land", "the land and the goat"], ANALYSER)
    assert weight("land") == pytest.approx(math.log(3 / 2.5) / math.log(6))
    assert weight("goat") == pytest.approx(math.log(3 / 1.5) / math.log(6))
    assert weight("chequ") == pytest.approx(1.0)
    assert rarity([], ANALYSER)("land") == 1.0


@given(st.lists(st.sampled_from(["one", "two three", "three four five", "five"]), min_size=1, max_size=9))
def test_rarity_falls_with_use_and_stays_in_its_bounds(texts: list[str]) -> None:
    weight = rarity(texts, ANALYSER)
    terms = sorted({t for x in texts for t in ANALYSER.terms(x)} | {"never"})
    used = {t: sum(t in ANALYSER.terms(x) for x in texts) for t in terms}
    ordered = sorted(terms, key=lambda t: used[t])
    assert all(0 <= weight(t) <= 1 + 1e-9 for t in terms)
    assert all(weight(a) >= weight(b) - 1e-12 for a, b in itertools.pairwise(ordered))


def test_weights_of_one_are_plain_scores_of_distinct_terms() -> None:
    texts = ["land sold twice", "goat sold", "cheque returned unpaid", "land land land and goat"]
    index = SparseIndex.build(texts, ANALYSER, 1.5, 0.75)
    assert index.scores("goat land", lambda t: 1.0) == pytest.approx(index.scores("goat land"), abs=1e-6)
    assert index.scores("goat goat goat", lambda t: 1.0) == pytest.approx(index.scores("goat"), abs=1e-6)
    weights = {"goat": 0.25, "land": 2.0}
    by_hand = 0.25 * index.scores("goat") + 2 * index.scores("land")
    assert index.scores("the goat on my land, unseen", lambda t: weights.get(t, 0.0)) == pytest.approx(
        by_hand
    )
    assert not index.scores("unseen", lambda t: 1.0).any()
