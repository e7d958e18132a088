"""Choose, among candidates, the ascending series of numbers that is best supported."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from tasks.structure.candidates import Candidate
from tasks.structure.numbers import Order, letters_between, order_of

_MISSING = 0.8
_UNLISTED = 0.3
_CAP = 12.0


class _Gaps:
    """Penalty for the numbers that a step from one section to the next leaves out."""

    def __init__(self, listed: Sequence[str]) -> None:
        self.listed: list[Order] = sorted({order_of(n) for n in listed})

    def start(self, to: Order) -> float:
        """Penalty for a series that begins at ``to``."""
        if self.listed:
            return min(_CAP, _MISSING * bisect_left(self.listed, to))
        return min(_CAP, _MISSING * max(0, to[0] - 1) + (_UNLISTED if to[1] else 0.0))

    def step(self, a: Order, b: Order) -> float:
        """Penalty for ``b`` directly after ``a``, a < b."""
        if self.listed:
            skipped = bisect_left(self.listed, b) - bisect_right(self.listed, a)
            at = bisect_left(self.listed, b)
            known = at < len(self.listed) and self.listed[at] == b
            return min(_CAP, _MISSING * max(0, skipped) + (0.0 if known else _UNLISTED))
        if a[0] == b[0]:
            return min(_CAP, 0.4 * letters_between(a[1], b[1]))
        letters = ord(b[1][0]) - ord("A") + len(b[1]) if b[1] else 0
        return min(_CAP, _MISSING * (b[0] - a[0] - 1) + 0.4 * letters)


def best_series(candidates: Sequence[Candidate], listed: Sequence[str] = ()) -> list[Candidate]:
    """The strictly ascending series of candidates with the highest total score.

    The total is the sum of the candidates' scores less a penalty for each number
    left out: by the table of contents where there is one (``listed``), else by counting.
    Dynamic programming over candidates in reading order, one best end a number:
    O(candidates x distinct numbers).

    Parameters
    ----------
    candidates
        Scored, in reading order.
    listed
        Numbers in the table of contents.
    """
    gaps = _Gaps(listed)
    # best series that ends in a number: (total, candidate, its predecessor's entry)
    ends: dict[Order, tuple[float, Candidate, object]] = {}
    steps: dict[tuple[Order, Order], float] = {}
    best: tuple[float, Candidate, object] | None = None
    for candidate in candidates:
        to = candidate.order
        top, link = -gaps.start(to), None
        for order, entry in ends.items():
            if order < to and entry[0] > top:
                pair = (order, to)
                penalty = steps.get(pair)
                if penalty is None:
                    penalty = steps[pair] = gaps.step(order, to)
                if entry[0] - penalty > top:
                    top, link = entry[0] - penalty, entry
        total = top + candidate.score
        if to not in ends or total > ends[to][0]:
            entry = (total, candidate, link)
            ends[to] = entry
            if best is None or total > best[0]:
                best = entry
    series: list[Candidate] = []
    node: object = best
    while node is not None:
        _, candidate, node = node  # type: ignore[misc]
        series.append(candidate)
    return series[::-1]
