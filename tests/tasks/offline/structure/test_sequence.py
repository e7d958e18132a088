"""The best ascending series, against every subset tried out."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.law.numbers import order_of
from citegrain.tasks.offline.structure.candidates import Candidate
from citegrain.tasks.offline.structure.sequence import _Gaps, best_series


def candidate(row: int, number: str, score: float = 1.0) -> Candidate:
    return Candidate(row, number, order_of(number), len(number), False, False, False, False, "", score)


def total(series: list[Candidate], everything: list[Candidate], listed: list[str]) -> float:
    orders = sorted({c.order for c in everything})
    gaps = _Gaps(orders, listed)
    value = -gaps.start(orders.index(series[0].order)) + sum(c.score for c in series)
    for a, b in pairwise(series):
        value -= float(gaps.steps(orders.index(b.order))[orders.index(a.order)])
    return value


numbers = st.sampled_from(["1", "2", "2A", "2AA", "3", "5", "7", "8A", "40"])


@settings(max_examples=150)
@given(
    st.lists(st.tuples(numbers, st.sampled_from([0.5, 1.0, 3.5])), min_size=1, max_size=8),
    st.lists(numbers, unique=True, max_size=6),
)
def test_no_other_series_scores_higher(scored: list[tuple[str, float]], listed: list[str]) -> None:
    everything = [candidate(i, n, s) for i, (n, s) in enumerate(scored)]
    series = best_series(everything, listed)
    assert all(a.row < b.row and a.order < b.order for a, b in pairwise(series))
    best = max(
        total(list(subset), everything, listed)
        for size in range(1, len(everything) + 1)
        for subset in combinations(everything, size)
        if all(a.order < b.order for a, b in pairwise(subset))
    )
    assert abs(total(series, everything, listed) - best) < 1e-9


def test_quoted_sections_of_another_law_are_stepped_over() -> None:
    rows = ["1", "2", "3", "4", "5", "6", "376DA", "376DB", "7", "8", "9", "10"]
    series = best_series([candidate(i, n, 2.0) for i, n in enumerate(rows)])
    assert [c.number for c in series] == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]


def test_a_jump_over_a_repealed_range_is_taken() -> None:
    rows = ["1", "2", "3", "40", "41", "42", "43", "44", "45", "46", "47", "48"]
    series = best_series([candidate(i, n, 4.0) for i, n in enumerate(rows)])
    assert len(series) == len(rows)


def test_nothing_gives_nothing() -> None:
    assert best_series([]) == []
