"""The comparisons that were declared, and no others."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import pyarrow as pa

from citegrain.tasks.core.schemas import COMPARISONS
from citegrain.tasks.evaluation.compare.cells import cells, derive_seed
from citegrain.tasks.evaluation.compare.pairs import holm, paired

Contrast = tuple[str, str, str]
"""Baseline, configuration, metric."""


def compare(scores: pa.Table, kinds: Mapping[str, str], family: Sequence[Contrast], seed: int) -> pa.Table:
    """One row a declared comparison, in the order declared, adjusted by Holm over exactly these.

    A comparison without a shared query keeps its row, with n = 0 and NaN, and counts in the
    adjustment. The seed comes from ``seed`` and the metric, so that a row does not depend on the
    rest of the family but for ``p_holm``.

    Parameters
    ----------
    family
        Baseline, configuration and metric of each comparison, declared before the scores are seen.

    Returns
    -------
    pa.Table
        ``COMPARISONS``.

    Raises
    ------
    ValueError
        If a comparison is declared twice in either direction, compares a configuration with itself, or
        names a configuration without scores or a metric without a kind.
    """
    by_configuration = cells(scores, kinds)
    _check(family, by_configuration, kinds)
    rows: list[dict[str, object]] = []
    p_values: list[float] = []
    for baseline, configuration, metric in family:
        a, b = (by_configuration[name].get(metric, {}) for name in (baseline, configuration))
        found = paired(a, b, kinds[metric], derive_seed(seed, metric))
        p_values.append(found.p)
        rows.append(
            {
                "baseline": baseline,
                "configuration": configuration,
                "metric": metric,
                "difference": found.difference,
                "lo": found.lo,
                "hi": found.hi,
                "n": found.n,
                "wins": found.wins,
                "losses": found.losses,
                "p": found.p,
                "mde": found.mde,
            }
        )
    rows = [row | {"p_holm": p} for row, p in zip(rows, holm(p_values), strict=True)]
    return COMPARISONS.conform(COMPARISONS.rows(rows))


def _check(family: Sequence[Contrast], configurations: Container[str], kinds: Mapping[str, str]) -> None:
    seen: set[tuple[frozenset[str], str]] = set()
    for baseline, configuration, metric in family:
        what = f"family: {configuration} against {baseline} by {metric}"
        for name in (baseline, configuration):
            if name not in configurations:
                raise ValueError(f"{what}: {name} has no scores")
        if metric not in kinds:
            raise ValueError(f"{what}: no kind is given of the metric")
        if baseline == configuration:
            raise ValueError(f"{what}: the same configuration")
        pair = (frozenset((baseline, configuration)), metric)
        if pair in seen:
            raise ValueError(f"{what}: declared twice")
        seen.add(pair)
