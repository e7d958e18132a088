"""Agreement of two labellings beyond chance: Cohen's kappa with its bootstrap interval."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
from statsmodels.stats.inter_rater import cohens_kappa

from citegrain.tasks.evaluation.compare.intervals import LEVEL, RESAMPLES, Floats, Interval, bootstrapped


def kappa(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    seed: int,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> Interval:
    """Cohen's kappa of two labellings with the BCa bootstrap interval over what was labelled.

    Where both use one category alone, chance explains all and kappa is 0 / 0: NaN. Where they agree
    throughout, both bounds are 1, since every resample agrees too: that is what the data say, not
    certainty. Fewer than two items have no spread to draw from: the bounds are NaN.

    The bootstrap is taken because the usual standard error is that of a large sample of few categories;
    primaries have about as many categories as there are complaints.

    Parameters
    ----------
    first, second
        Category of each item, in the same order; categories are not ordered.
    seed
        The same seed and n draw the same positions.

    Raises
    ------
    ValueError
        If the two are not of one length.

    Notes
    -----
    Source: Cohen 1960, computed by statsmodels; the bootstrap by SciPy.
    """
    if len(first) != len(second):
        raise ValueError("kappa: the two labellings must be of the same items")
    n = len(first)
    categories = {category: i for i, category in enumerate(dict.fromkeys([*first, *second]))}
    if len(categories) < 2:
        return Interval(math.nan, math.nan, math.nan, n)
    a, b = (np.array([categories[c] for c in labels], dtype=np.intp) for labels in (first, second))
    table = np.zeros((len(categories), len(categories)))
    np.add.at(table, (a, b), 1)
    value = round(float(cohens_kappa(table, return_results=False)), 12) + 0.0  # as its resamples are; no -0
    if n < 2:
        return Interval(value, math.nan, math.nan, n)
    if (a == b).all():
        return Interval(value, value, value, n)
    matches = (a[:, None] == b[None, :]).astype(np.float64)

    def statistic(items: npt.NDArray[np.intp], axis: int = -1) -> Floats:
        return _kappas(matches, np.moveaxis(items, axis, -1))

    low, high = bootstrapped(np.arange(n), statistic, seed, level, resamples)
    return Interval(value, min(low, value), max(high, value), n)


def _kappas(matches: Floats, items: npt.NDArray[np.intp]) -> Floats:
    """Kappa of each resample; 1 for one of a single category, in which nothing differs.

    Parameters
    ----------
    matches
        Whether the first label of a row's item is the second label of a column's, shape (n, n): with the
        weights w of a resample, agreement is w . diagonal and chance agreement w . matches . w.
    items
        Positions drawn, shape (..., size).
    """
    size, n = items.shape[-1], len(matches)
    rows = items.reshape(-1, size).astype(np.intp)
    places = rows + n * np.arange(len(rows))[:, None]
    weights = np.bincount(places.ravel(), minlength=len(rows) * n).reshape(-1, n).astype(np.float64)
    # counts, hence whole numbers and exact
    agreed = size * (weights @ matches.diagonal())
    chance = ((weights @ matches) * weights).sum(axis=1)
    rest = size * size - chance
    out = np.where(rest > 0, (agreed - chance) / np.where(rest > 0, rest, 1), 1.0)
    return np.asarray(np.round(out, 12).reshape(items.shape[:-1]) + 0.0)
