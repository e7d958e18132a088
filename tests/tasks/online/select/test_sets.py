"""Sets by probabilities: against every outcome spelled out, and coverage where it is promised."""

from __future__ import annotations

from itertools import product
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.online.select import expected_exact, expected_f1, least_probability

PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=7).map(lambda p: sorted(p, reverse=True))


@settings(max_examples=60)
@given(PROBABILITIES)
def test_as_all_outcomes_spelled_out_have_it(applies: list[float]) -> None:
    f1, exact = np.zeros(len(applies)), np.zeros(len(applies))
    for outcome in product((0, 1), repeat=len(applies)):
        chance = float(np.prod([p if true else 1 - p for p, true in zip(applies, outcome, strict=True)]))
        for m in range(1, len(applies) + 1):
            right = sum(outcome[:m])
            f1[m - 1] += chance * 2 * right / (m + sum(outcome))
            exact[m - 1] += chance * (right == m == sum(outcome))
    assert np.allclose(expected_f1(applies, 10), f1)
    assert np.allclose(expected_exact(applies, 10), exact)


def test_sure_ones_are_given_and_no_more() -> None:
    assert int(np.argmax(expected_f1([0.95, 0.9, 0.1, 0.05], 4))) + 1 == 2
    assert int(np.argmax(expected_exact([0.95, 0.4, 0.1], 3))) + 1 == 1
    assert len(expected_f1([0.5] * 20, 5)) == 5


def test_the_least_probability_has_the_correction_for_few_questions() -> None:
    scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert least_probability(scores, 0.9) == pytest.approx(0.1), "the ninth of nine: ceil(10 x .9)"
    assert least_probability(scores, 0.5) == pytest.approx(0.5)
    assert least_probability(scores, 0.95) < 0 and least_probability([], 0.5) < 0


@pytest.mark.parametrize("coverage", [0.8, 0.9])
def test_exchangeable_questions_are_covered(coverage: float) -> None:
    """Over many draws the mean coverage is at least what is asked for, and at most 1 / (n + 1) more."""
    random = np.random.default_rng(1)
    covered = []
    for _ in range(2000):
        scores = random.random(60) ** 2
        covered.append(1 - scores[-1] >= least_probability(scores[:-1].tolist(), coverage))
    least = ceil(60 * coverage) / 60
    assert abs(np.mean(covered) - least) < 3.5 * np.sqrt(coverage * (1 - coverage) / 2000)
