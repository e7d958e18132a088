"""The comparisons that were declared, and no others."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import pyarrow as pa

from citegrain.tasks.core.schemas import COMPARISONS
from citegrain.tasks.evaluation.compare.intervals import POOLED
from citegrain.tasks.evaluation.compare.pairs import holm, paired
from citegrain.tasks.evaluation.compare.pooled import paired_pooled
from citegrain.tasks.evaluation.compare.values import derive_seed, values_by_configuration

_NUMBERS = ("difference", "lo", "hi", "n", "wins", "losses", "p", "mde")


def compare(
    scores: pa.Table, kinds: Mapping[str, str], family: Sequence[tuple[str, str, str]], seed: int
) -> pa.Table:
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
    by_configuration = values_by_configuration(scores, kinds)
    _check(family, by_configuration, kinds)
    rows: list[dict[str, object]] = []
    p_values: list[float] = []
    for baseline, configuration, metric in family:
        a, b = (by_configuration[name] for name in (baseline, configuration))
        seeded = derive_seed(seed, metric)
        if kinds[metric] == POOLED:
            compared = paired_pooled(a, b, metric, seeded)
        else:
            compared = paired(a.get(metric, {}), b.get(metric, {}), kinds[metric], seeded)
        p_values.append(compared.p)
        row = {"baseline": baseline, "configuration": configuration, "metric": metric}
        rows.append(row | {name: getattr(compared, name) for name in _NUMBERS})
    rows = [row | {"p_holm": p} for row, p in zip(rows, holm(p_values), strict=True)]
    return COMPARISONS.conform(COMPARISONS.rows(rows))


def _check(
    family: Sequence[tuple[str, str, str]], configurations: Container[str], kinds: Mapping[str, str]
) -> None:
    seen: set[tuple[frozenset[str], str]] = set()
    for baseline, configuration, metric in family:
        what = f"family: {configuration} against {baseline} by {metric}"
        for name in (baseline, configuration):
            if name not in configurations:
                raise ValueError(f"{what}: {name} has no scores")
        if metric not in kinds:
            raise ValueError(f"{what}: the kind of the metric is missing")
        if baseline == configuration:
            raise ValueError(f"{what}: a configuration is compared with itself")
        pair = (frozenset((baseline, configuration)), metric)
        if pair in seen:
            raise ValueError(f"{what}: declared twice")
        seen.add(pair)
