"""Values of a metric, by query and by cell of a design, and their intervals: Wilson's or BCa's bootstrap."""

import hashlib
import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from citegrain.tasks.evaluation.design import Design

Floats = npt.NDArray[np.float64]
Statistic = Callable[..., Floats]

PROPORTION, MEAN, POOLED = "proportion", "mean", "pooled"

LEVEL = 0.95
RESAMPLES = 9999
SAME = 1e-12  # numbers that differ by less than this share of the largest are equal but for rounding
BATCH = 131_072  # values drawn at a time: 1 MB, which stays in the cache; five times faster than all at once


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over ``n`` queries with the bounds of its interval; NaN where there is none."""

    value: float
    lo: float
    hi: float
    n: int


def steady_mean(values: Floats, axis: int = -1) -> Floats:
    """Mean of numbers within -1..1, the same in whatever order they are added up.

    Resampled means that are equal must compare as equal: BCa and the permutation test count those
    below and at the mean observed, and a difference in the last bit would move whole atoms.
    """
    return np.asarray(np.round(np.mean(values, axis=axis), 12))


def wilson(successes: int, n: int) -> Interval:
    """Share of successes with its score interval; NaN for no trials.

    Source: Wilson 1927; Brown, Cai and DasGupta 2001, Eq. 4. Computed by SciPy.
    """
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    bounds = stats.binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return Interval(successes / n, float(bounds.low), float(bounds.high), n)


def bca(values: Sequence[float] | Floats, seed: int, resamples: int = RESAMPLES) -> Interval:
    """Mean of ``values`` with its bias-corrected and accelerated bootstrap interval.

    Fewer than two values have no spread to draw from: the bounds are NaN. Values that are all equal
    give their own value as both bounds, since every resample has the same mean; that is what the
    data say, not certainty. Where BCa itself is not defined (every resampled mean lies on one side
    of the mean, which takes very few resamples), the percentile interval of the same resamples is given.
    Raises ValueError if a value is not finite.

    ``values``: one a query, shape (n,). The draw goes by position: give them in an order that means
    something. ``seed``: the same seed and n draw the same positions, whatever the values.

    Source: Efron 1987; Efron and Tibshirani 1993, chapter 14. Computed by SciPy.
    """
    sample = np.asarray(values, dtype=np.float64)
    n = len(sample)
    if not np.isfinite(sample).all():
        raise ValueError("bca: a value is not finite")
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0)
    value = math.fsum(sample) / n
    scale = float(np.max(np.abs(sample)))
    if np.ptp(sample) <= SAME * scale:
        bound = value if n > 1 else math.nan
        return Interval(value, bound, bound, n)
    return bootstrapped(value, sample / scale, steady_mean, seed, resamples, scale)


def bootstrapped(
    value: float,
    sample: npt.NDArray[Any],
    statistic: Statistic,
    seed: int,
    resamples: int = RESAMPLES,
    scale: float = 1.0,
) -> Interval:
    """A value with the BCa interval of a statistic; with the percentile interval where BCa is not defined.

    Fewer than two have no spread to draw from: the bounds are NaN.

    Parameters
    ----------
    value
        The statistic of the whole sample; its interval includes it, whatever the bounds are rounded to.
    sample
        What is drawn from, shape (n,).
    statistic
        Of samples along an axis, many at once; equal in the last bit where it is equal.
    scale
        By what the bounds are multiplied.
    """
    n = len(sample)
    if n < 2:
        return Interval(value, math.nan, math.nan, n)
    settings: dict[str, Any] = {
        "confidence_level": LEVEL,
        "vectorized": True,
        "batch": max(1, BATCH // n),
        "rng": np.random.default_rng(seed),
    }
    data = (sample,)
    with warnings.catch_warnings():
        # SciPy says so where BCa is not defined; the bounds are NaN then, which is seen below
        warnings.simplefilter("ignore")
        drawn = stats.bootstrap(data, statistic, n_resamples=resamples, **settings)
        bounds = drawn.confidence_interval
        if math.isnan(bounds.low) or math.isnan(bounds.high):
            bounds = stats.bootstrap(
                data, statistic, n_resamples=0, bootstrap_result=drawn, method="percentile", **settings
            ).confidence_interval
    lo, hi = scale * float(bounds.low), scale * float(bounds.high)
    return Interval(value, min(lo, value), max(hi, value), n)


def kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], seed: int, resamples: int = RESAMPLES
) -> Interval:
    """Cohen's kappa of two labellings with the BCa bootstrap interval over what was labelled.

    Where both use one category alone, chance explains all and kappa is 0 / 0: NaN. Where they agree
    throughout, both bounds are 1, since every resample agrees too: that is what the data say, not
    certainty. Fewer than two items have no spread to draw from: the bounds are NaN.

    The bootstrap is taken because the usual standard error is that of a large sample of few categories;
    primaries have about as many categories as there are complaints. Raises ValueError if the two are not of
    one length.

    ``first`` and ``second``: category of each item, in the same order; categories are not ordered. ``seed``:
    the same seed and n draw the same positions.

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
    if n > 1 and (a == b).all():
        return Interval(value, value, value, n)
    matches = (a[:, None] == b[None, :]).astype(np.float64)

    def statistic(items: npt.NDArray[np.intp], axis: int = -1) -> Floats:
        return _kappas(matches, np.moveaxis(items, axis, -1))

    return bootstrapped(value, np.arange(n), statistic, seed, resamples)


def _kappas(matches: Floats, items: npt.NDArray[np.intp]) -> Floats:
    """Kappa of each resample; 1 for one of a single category, in which nothing differs.

    ``matches``: whether the first label of a row's item is the second label of a column's, shape (n, n): with
    the weights w of a resample, agreement is w . diagonal and chance agreement w . matches . w. ``items``:
    positions drawn, shape (..., size).
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


Values = dict[str, float]
"""Value by query id, in the order of the ids."""

COLUMNS = ("configuration", "query_id", "metric", "value")


def values_by_configuration(scores: pa.Table, kinds: Mapping[str, str]) -> dict[str, dict[str, Values]]:
    """Values by configuration, metric and query.

    Configurations and metrics are in the order of their first rows, and all configurations have the same
    metrics. Queries are in the order of their ids, so that no number depends on the order of the rows. Raises
    ValueError if a value is null or not finite, a row is there twice, or a proportion has a value other than
    0 and 1.

    ``scores``: in long form, ``configuration``, ``query_id``, ``metric``, ``value``. A value that is missing
    has no row. ``kinds``: ``proportion``, ``mean`` or ``pooled`` by metric; may name more metrics than the
    table has. A pooled one is computed from others, and has no rows.
    """
    columns = [scores.column(name).to_pylist() for name in COLUMNS]
    metrics = dict.fromkeys(columns[2])
    out: dict[str, dict[str, Values]] = {c: {m: {} for m in metrics} for c in dict.fromkeys(columns[0])}
    for configuration, query_id, metric, value in zip(*columns, strict=True):
        where = f"scores: {configuration}, {query_id}, {metric}"
        if None in (configuration, query_id, value) or not math.isfinite(value):
            raise ValueError(f"{where}: {value} is not a score; leave out the row of a missing one")
        if kinds[metric] == PROPORTION and value not in (0, 1):
            raise ValueError(f"{where}: {value}: a proportion has values 0 and 1 only")
        values = out[configuration][metric]
        if query_id in values:
            raise ValueError(f"{where}: appears twice")
        values[query_id] = float(value)
    return {
        configuration: {metric: dict(sorted(values.items())) for metric, values in by_metric.items()}
        for configuration, by_metric in out.items()
    }


def queries_by_group(groups: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str], set[str]]:
    """Ids of queries by dimension and group, dimensions together, each by first appearance.

    ``groups``: ``query_id``, ``dimension``, ``group``.
    """
    by_dimension: dict[str, dict[str, set[str]]] = {}
    for query_id, dimension, group in groups:
        by_dimension.setdefault(dimension, {}).setdefault(group, set()).add(query_id)
    return {(d, g): ids for d, by_group in by_dimension.items() for g, ids in by_group.items()}


def derive_seed(seed: int, *names: str) -> int:
    """A separate seed for each sequence of names, the same on every machine.

    Configurations are left out of the names on purpose: the same queries are then drawn for all of
    them, and a configuration that is added changes no number that was there.
    """
    text = "\x1f".join([str(seed), *names])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@dataclass(frozen=True, slots=True)
class Grid:
    """Values of one metric.

    ``cells``: cells that have a value at all, in the order of the design. ``queries``: queries that have a
    value in any of them, in the order of their ids. ``values``: shape (cells, queries); NaN where there is
    none.
    """

    cells: Sequence[str]
    queries: Sequence[str]
    values: Floats


def grid(by_configuration: Mapping[str, Mapping[str, Values]], design: Design, metric: str) -> Grid:
    """Values of a metric in the cells of a design; what lies outside the design is left out."""
    by_cell = {name: by_configuration.get(name, {}).get(metric, {}) for name in design.cells}
    by_cell = {name: values for name, values in by_cell.items() if values}
    queries = sorted(set().union(*by_cell.values()))
    place = {query_id: i for i, query_id in enumerate(queries)}
    values = np.full((len(by_cell), len(queries)), np.nan)
    for row, cell in zip(values, by_cell.values(), strict=True):
        row[[place[query_id] for query_id in cell]] = list(cell.values())
    return Grid(list(by_cell), queries, values)


def grids_of(
    scores: pa.Table, kinds: Mapping[str, str], design: Design, metrics: Sequence[str]
) -> dict[str, Grid]:
    """Values of each metric in the cells of a design. Raises ValueError as `values_by_configuration` does."""
    by_configuration = values_by_configuration(scores, kinds)
    return {metric: grid(by_configuration, design, metric) for metric in metrics}
