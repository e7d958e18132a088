"""Choose, among candidates, the ascending series of numbers that is best supported."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from citegrain.tasks.law.numbers import Order, letters_between, order_of
from citegrain.tasks.offline.structure.candidates import Candidate

_MISSING = 0.8
_LETTER = 0.4
_UNLISTED = 0.3
_CAP = 12.0

_Array = npt.NDArray[np.float64]


class _Gaps:
    """Penalty for the numbers that a step from one section to the next leaves out."""

    def __init__(self, orders: list[Order], listed: Sequence[str]) -> None:
        self.orders = orders
        self.integers = np.array([o[0] for o in orders], dtype=float)
        contents = sorted({order_of(n) for n in listed})
        self.listed = bool(contents)
        self.below = np.array([bisect_left(contents, o) for o in orders], dtype=float)
        self.up_to = np.array([bisect_right(contents, o) for o in orders], dtype=float)

    def start(self, to: int) -> float:
        """Penalty for a series that begins at ``orders[to]``."""
        if self.listed:
            return min(_CAP, _MISSING * float(self.below[to]))
        integer, letters = self.orders[to]
        return min(_CAP, _MISSING * max(0, integer - 1) + (_UNLISTED if letters else 0.0))

    def steps(self, to: int) -> _Array:
        """Penalty for ``orders[to]`` directly after each lesser order."""
        if self.listed:
            unlisted = 0.0 if self.up_to[to] > self.below[to] else _UNLISTED
            skipped = np.maximum(self.below[to] - self.up_to[:to], 0.0)
            return np.asarray(np.minimum(_MISSING * skipped + unlisted, _CAP))
        integer, letters = self.orders[to]
        lead = _LETTER * (ord(letters[0]) - ord("A") + len(letters)) if letters else 0.0
        out: _Array = np.minimum(_MISSING * (integer - self.integers[:to] - 1) + lead, _CAP)
        at = to - 1
        while at >= 0 and self.orders[at][0] == integer:
            out[at] = min(_CAP, _LETTER * letters_between(self.orders[at][1], letters))
            at -= 1
        return out


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
    if not candidates:
        return []
    orders = sorted({c.order for c in candidates})
    rank = {order: i for i, order in enumerate(orders)}
    gaps = _Gaps(orders, listed)
    totals = np.full(len(orders), -np.inf)  # best total of a series that ends in each number
    last: list[int] = [-1] * len(orders)  # index of the candidate that ends it
    back: list[int] = [-1] * len(candidates)  # index of each candidate's predecessor
    penalties: dict[int, _Array] = {}
    for i, candidate in enumerate(candidates):
        to = rank[candidate.order]
        best, previous = -gaps.start(to), -1
        if to:
            if to not in penalties:
                penalties[to] = gaps.steps(to)
            reached = totals[:to] - penalties[to]
            at = int(reached.argmax())
            if reached[at] > best:
                best, previous = float(reached[at]), last[at]
        back[i] = previous
        if best + candidate.score > totals[to]:
            totals[to], last[to] = best + candidate.score, i
    series: list[Candidate] = []
    node = last[int(totals.argmax())]
    while node >= 0:
        series.append(candidates[node])
        node = back[node]
    return series[::-1]
