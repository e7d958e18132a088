"""How many provisions to give: the set that is expected to score best, or that holds the primary one.

Candidates come with probabilities (stage ``estimate``) and are taken in the order of these.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
BEYOND = 2.0
"""The conformal score of a question whose provision is not among the candidates."""


def expected_f1(applies: Sequence[float], longest: int) -> Vector:
    """Expected F1 of the first 1, 2, ... ``longest`` candidates.

    Candidates are taken as independent, and none beside them as applicable. With t of the m given and r of
    the others applicable F1 is 2t / (m + t + r). Source: Jansche 2007, expectation under independence.

    Parameters
    ----------
    applies
        Probability of each candidate, greatest first.
    """
    rest = [np.ones(1)]
    for p in reversed(applies):
        rest.append(np.convolve(rest[-1], [1 - p, p]))
    given, out = np.ones(1), []
    for m, p in enumerate(applies[:longest], 1):
        given = np.convolve(given, [1 - p, p])
        others = rest[len(applies) - m]
        t, r = np.arange(len(given))[:, None], np.arange(len(others))[None, :]
        out.append(float((given[:, None] * others[None, :] * 2 * t / (m + t + r)).sum()))
    return np.array(out)


def expected_exact(applies: Sequence[float], longest: int) -> Vector:
    """Probability that the first 1, 2, ... ``longest`` candidates are exactly those that apply."""
    p = np.clip(np.asarray(applies, dtype=np.float64), 0.0, 1.0)
    inside = np.cumprod(p)
    outside = np.append(np.cumprod((1 - p)[::-1])[::-1][1:], 1.0)
    return np.asarray((inside * outside)[:longest])


def least_probability(scores: Sequence[float], coverage: float) -> float:
    """Candidates of this probability and above hold the right one in ``coverage`` of exchangeable questions.

    One less the ceil((n + 1) coverage)-th smallest score; below 0, so that all candidates are given, where n
    is too small for it, or too many questions have no right candidate. Source: Sadinle, Lei and Wasserman
    2019, the least ambiguous sets, with the correction for finite samples.

    Parameters
    ----------
    scores
        Of questions that were kept apart: one less the probability of the right candidate; ``BEYOND`` where
        it is not among them.
    """
    rank = int(np.ceil((len(scores) + 1) * coverage))
    return 1 - float(np.sort(scores)[rank - 1]) if rank <= len(scores) else 1 - BEYOND
