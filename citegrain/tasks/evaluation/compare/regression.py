"""Cross-check of the main effects by a regression: a GEE of all factors with the queries as clusters."""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from statsmodels.genmod.cov_struct import Exchangeable
from statsmodels.genmod.families import Binomial, Gaussian
from statsmodels.genmod.generalized_estimating_equations import GEE

from citegrain.tasks.core.schemas import MODEL
from citegrain.tasks.evaluation.compare.intervals import PROPORTION, Floats
from citegrain.tasks.evaluation.compare.values import Grid, grids_of
from citegrain.tasks.evaluation.design import Contrast, Design, dummies

Row = dict[str, Any]

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
