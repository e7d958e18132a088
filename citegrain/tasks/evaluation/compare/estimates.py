"""Effects of a factorial study over matched cells, and their cross-check by a regression of all factors."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from statsmodels.genmod.cov_struct import Exchangeable
from statsmodels.genmod.families import Binomial, Gaussian
from statsmodels.genmod.generalized_estimating_equations import GEE

from citegrain.tasks.core.schemas import EFFECTS, MODEL
from citegrain.tasks.evaluation.compare.pairs import DRAWN, holm, mean_difference
from citegrain.tasks.evaluation.compare.values import (
    PROPORTION,
    SAME,
    Floats,
    Grid,
    derive_seed,
    grids_of,
    queries_by_group,
)
from citegrain.tasks.evaluation.design import Contrast, Design, dummies, interaction, interactions, main

Row = dict[str, Any]

ALL = "all"
"""Dimension and group of a row that takes every query."""
EXPLORED = 4_999
"""Sign patterns drawn for an exploratory row: the least p is 4e-4, and at .05 its error is .003. There are
many such rows and they decide nothing, so they need not take the time of `DRAWN`."""


@dataclass(frozen=True, slots=True)
class QueryEffects:
    """The effect on each query.

    ``queries``: ids of those that have a value in every cell that the effect rests on, in order. ``values``:
    sum over cells of weight times value, shape (queries,). ``matched``: pairs (fours) of cells that it rests
    on; in a fraction cells; 0 where it cannot be estimated.
    """

    queries: Sequence[str]
    values: Floats
    matched: int


OnQueries = Mapping[tuple[Contrast, str], QueryEffects]
"""Effects on each query, by contrast and metric."""


def effects(
    scores: pa.Table,
    kinds: Mapping[str, str],
    design: Design,
    contrasts: Sequence[Contrast],
    metrics: Sequence[str],
    seed: int,
    groups: Sequence[tuple[str, str, str]] = (),
) -> pa.Table:
    """Main effects, interactions of two factors, and main effects by group of queries.

    In this order: the declared contrasts on all queries (confirmatory: Holm over exactly these
    rows), every two of them as interaction (exploratory; none in a fraction, which cannot tell them
    apart), and by dimension and group the declared contrasts again (exploratory). Within each the
    contrasts stand as declared, and for each the metrics as named; dimensions and groups by first
    appearance. An effect that cannot be estimated keeps its row, with n = 0 and NaN, and counts in the
    adjustment; of a group without a value there is no row.

    The seed of a row comes from ``seed``, the metric and the group. The contrast is left out on purpose:
    the same queries are then drawn for all of them, a contrast that is added changes no other row but
    for ``p_holm``, and a contrast turned round has the same p and minus the effect, to the last bit. Raises
    ValueError as `values_by_configuration` does. Returns ``EFFECTS``.

    Parameters
    ----------
    scores
        Long form: ``configuration`` (a cell of the design; others are left out), ``query_id``, ``metric``,
        ``value``; see `values_by_configuration`. A cell without any value of a metric is a hole in the
        design for that metric: its matched pair is left out.
    kinds
        ``proportion`` or ``mean`` by metric.
    contrasts, metrics
        The family: each contrast by each metric, declared before the scores are seen.
    groups
        ``query_id``, ``dimension``, ``group``; a query may lie in several groups of one dimension.
    """
    grids = grids_of(scores, kinds, design, metrics)
    on_queries = {
        (contrast, metric): main_effect(grids[metric], design, contrast)
        for contrast in contrasts
        for metric in metrics
    }
    rows = _confirmatory(on_queries, seed)
    if design.full:
        rows += _of_two_factors(grids, design, contrasts, seed)
    rows += _by_group(on_queries, grids, groups, seed)
    return EFFECTS.conform(EFFECTS.rows([_EXPLORATORY | row for row in rows]))


def _confirmatory(on_queries: OnQueries, seed: int) -> list[Row]:
    """The declared contrasts on all queries, adjusted together."""
    rows = [
        _main(contrast, metric) | _numbers(on, derive_seed(seed, metric), DRAWN) | {"confirmatory": True}
        for (contrast, metric), on in on_queries.items()
    ]
    adjusted = holm([row["p"] for row in rows])
    return [row | {"p_holm": p} for row, p in zip(rows, adjusted, strict=True)]


def _of_two_factors(
    grids: Mapping[str, Grid], design: Design, contrasts: Sequence[Contrast], seed: int
) -> list[Row]:
    """Every two contrasts as interaction."""
    return [
        _interaction(a, b, metric)
        | _numbers(interaction_effect(values, design, a, b), derive_seed(seed, metric))
        for a, b in interactions(contrasts)
        for metric, values in grids.items()
    ]


def _by_group(
    on_queries: OnQueries, grids: Mapping[str, Grid], groups: Sequence[tuple[str, str, str]], seed: int
) -> list[Row]:
    """The declared contrasts within each group that has a value."""
    return [
        _main(contrast, metric)
        | {"dimension": dimension, "group": group}
        | _numbers(_among(on, members), derive_seed(seed, metric, dimension, group))
        for (dimension, group), members in queries_by_group(groups).items()
        for (contrast, metric), on in on_queries.items()
        if not members.isdisjoint(grids[metric].queries)
    ]


def main_effect(values: Grid, design: Design, contrast: Contrast) -> QueryEffects:
    """What the contrast does on each query, averaged over the matched cells that have values."""
    return _on_queries(values, *main(design, contrast, set(values.cells)))


def interaction_effect(values: Grid, design: Design, a: Contrast, b: Contrast) -> QueryEffects:
    """What ``a`` does on each query under ``b.level`` more than under ``b.against``."""
    return _on_queries(values, *interaction(design, a, b, set(values.cells)))


def _on_queries(values: Grid, weights: Mapping[str, float], matched: int) -> QueryEffects:
    used = [i for i, cell in enumerate(values.cells) if weights.get(cell)]
    if not used:
        return QueryEffects([], np.empty(0), 0)
    taken = values.values[used]
    complete: list[int] = np.flatnonzero(~np.isnan(taken).any(axis=0)).tolist()
    weight = np.array([weights[values.cells[i]] for i in used])
    return QueryEffects([values.queries[i] for i in complete], _weighed(weight, taken[:, complete]), matched)


def _weighed(weights: Floats, values: Floats) -> Floats:
    """Weighted sums over cells, 0 where they differ from it in the last bits alone.

    Weights such as 1/3 leave something there where the sum is 0, and that would be a win or a loss.
    No more is rounded than that: `steady_mean` takes sums that differ in the last bits for equal, and
    could not do so after a rounding as coarse as that.
    """
    # summed along cells and not by BLAS: in the same order on every machine
    sums = np.asarray(np.sum(weights[:, np.newaxis] * values, axis=0))
    sums[np.abs(sums) <= SAME * np.max(np.abs(values), axis=0)] = 0.0
    return sums


def _numbers(on: QueryEffects, seed: int, drawn: int = EXPLORED) -> Row:
    tested = asdict(mean_difference(on.values, seed, drawn=drawn))
    return {"effect": tested.pop("difference"), **tested, "matched": on.matched}


def _among(on: QueryEffects, members: set[str]) -> QueryEffects:
    inside = np.array([query_id in members for query_id in on.queries], dtype=bool)
    queries = [query_id for query_id in on.queries if query_id in members]
    return QueryEffects(queries, on.values[inside], on.matched)


_EXPLORATORY: Row = {
    "by_factor": None,
    "by_level": None,
    "by_against": None,
    "dimension": ALL,
    "group": ALL,
    "confirmatory": False,
    "p_holm": math.nan,
}


def _main(contrast: Contrast, metric: str) -> Row:
    return {"kind": "main", "contrast": contrast.label, **asdict(contrast), "metric": metric}


def _interaction(a: Contrast, b: Contrast, metric: str) -> Row:
    return _main(a, metric) | {
        "kind": "interaction",
        "contrast": f"{a.label} x {b.label}",
        "by_factor": b.factor,
        "by_level": b.level,
        "by_against": b.against,
    }


Levels = Mapping[str, Sequence[str]]
FAMILIES = {"binomial": Binomial, "gaussian": Gaussian}

_SEPARATED = 1e-6
"""A predicted share nearer to 0 or 1 than this means that a coefficient runs to infinity: no benchmark is
large enough to estimate such a share."""
_NONE = 1e-9  # coefficients and standard errors below this share of the data's spread are rounding


def model(
    scores: pa.Table,
    kinds: Mapping[str, str],
    design: Design,
    contrasts: Sequence[Contrast],
    metrics: Sequence[str],
) -> pa.Table:
    """One row a contrast and metric: the effect as a model of all factors together has it.

    Generalised estimating equations with the queries as clusters, an exchangeable working correlation and the
    robust (sandwich) covariance; main effects only, one coefficient for each level of a factor but the
    first. Proportions have a logistic model, means a linear one. It uses every value there is. `effects`
    takes matched cells and whole queries, so the two differ where cells are missing.

    Rows are ordered as in `effects`: contrasts as declared, for each the metrics as named. NaN where
    there is no answer: a level without a cell, effects that the cells cannot separate, fewer queries than
    coefficients, values without spread, a share of 0 or 1 (its log odds are infinite), no convergence. An
    effect of exactly 0 on every query has the interval [0, 0] and p = 1, as in `effects`.

    ``scores``, ``kinds``, ``contrasts``, ``metrics``: as in `effects`. Raises ValueError as they do there.
    Returns ``MODEL``. ``difference`` of a logistic model is the mean over the cells present of the share
    predicted with the level minus that with the other, the rest of the factors as in the cell.

    Source: Liang and Zeger 1986 (GEE, sandwich); Robins 1986 (standardisation, for ``difference``). Computed
    by statsmodels.
    """
    grids = grids_of(scores, kinds, design, metrics)
    names = {metric: "binomial" if kinds[metric] == PROPORTION else "gaussian" for metric in metrics}
    fits = {metric: fit(grids[metric], design, names[metric]) for metric in metrics}
    rows: list[Row] = [
        {
            "metric": metric,
            "contrast": contrast.label,
            "family": names[metric],
            **_row(fits[metric], contrast, [design.cells[name] for name in grids[metric].cells]),
            "n": len(grids[metric].queries),
            "cells": len(grids[metric].cells),
        }
        for contrast in contrasts
        for metric in metrics
    ]
    return MODEL.conform(MODEL.rows(rows))


def fit(values: Grid, design: Design, family: str) -> tuple[Any, Levels] | None:
    """The model of all main effects by statsmodels and the levels in its columns; None without one."""
    present = [design.cells[name] for name in values.cells]
    # a level without a cell would be a column of zeros: the rest can still be estimated
    levels = {
        f: [lv for lv in every if any(c[f] == lv for c in present)] for f, every in design.factors.items()
    }
    columns = np.array([dummies(levels, cell) for cell in present])
    n = len(values.queries)
    if not present or n < columns.shape[1] or np.linalg.matrix_rank(columns) < columns.shape[1]:
        return None
    has = ~np.isnan(values.values.T)
    of_query, of_cell = np.nonzero(has)
    outcome = values.values.T[has]
    if np.ptp(outcome) == 0:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = GEE(
                outcome,
                columns[of_cell],
                groups=of_query,
                family=FAMILIES[family](),
                cov_struct=Exchangeable(),
            ).fit()
            predicted = result.model.family.link.inverse(columns @ result.params)
            sound = result.converged and np.isfinite(result.cov_params()).all()
        except (ValueError, ArithmeticError, AttributeError):  # a singular matrix, or no result at all
            return None
    if family == "binomial" and np.min(np.minimum(predicted, 1 - predicted)) < _SEPARATED:
        return None
    return (result, levels) if sound else None


def _row(fitted: tuple[Any, Levels] | None, contrast: Contrast, present: Sequence[Mapping[str, str]]) -> Row:
    if fitted is None or not {contrast.level, contrast.against} <= set(fitted[1][contrast.factor]):
        return dict.fromkeys(("estimate", "lo", "hi", "p", "difference"), math.nan)
    result, levels = fitted
    high, low = (
        np.array([dummies(levels, {**cell, contrast.factor: level}) for cell in present])
        for level in (contrast.level, contrast.against)
    )
    row = _combination(result, high[0] - low[0])
    inverse = result.model.family.link.inverse
    difference = float(np.mean(inverse(high @ result.params) - inverse(low @ result.params)))
    return row | {"difference": difference if row["estimate"] else 0.0}


def _combination(result: Any, weights: Floats) -> Row:
    """Estimate, interval and Wald test of a sum of coefficients, by the robust covariance."""
    scale = float(np.std(result.model.endog))
    with np.errstate(all="ignore"):
        tested = result.t_test(weights)
    value, se = float(np.squeeze(tested.effect)), float(np.squeeze(tested.sd))
    if not se > _NONE * scale:  # the effect is the same on every query
        value = value if abs(value) > _NONE * scale else 0.0
        return {"estimate": value, "lo": value, "hi": value, "p": math.nan if value else 1.0}
    lo, hi = np.squeeze(tested.conf_int())
    return {"estimate": value, "lo": float(lo), "hi": float(hi), "p": float(np.squeeze(tested.pvalue))}
