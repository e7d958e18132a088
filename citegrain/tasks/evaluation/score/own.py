"""Metrics of one's own: functions that a configuration names by their import paths, ``module:function``."""

import inspect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from citegrain.tasks.core.plugins import Plugins
from citegrain.tasks.evaluation.score.gold import GoldQuery, Predicted
from citegrain.tasks.evaluation.score.metrics import KINDS
from citegrain.tasks.online.builds import PublishedBuild

Described = Mapping[str, Sequence[str]]
"""Kind and meaning of metrics by name."""


def own_metrics(names: Iterable[str], key: str = "metrics") -> dict[str, tuple[str, str]]:
    """Kind and meaning of those of the names that are import paths.

    One that returns ``bool``, as it is annotated, is a proportion, any other a mean. The first line of its
    docstring is its meaning. Raises ValueError if one cannot be imported.
    """
    functions = {name: Plugins(key, ()).function(name) for name in names if ":" in name}
    return {name: (_kind(f), (inspect.getdoc(f) or "").partition("\n")[0]) for name, f in functions.items()}


def _kind(function: Any) -> str:
    returned = inspect.signature(function).return_annotation
    said = returned if isinstance(returned, str) else inspect.formatannotation(returned)
    is_bool = set(re.findall(r"\w+", said)) - {"None", "Optional", "typing"} == {"bool"}
    return "proportion" if is_bool else "mean"


def kinds_with(theirs: Described) -> dict[str, str]:
    """Kinds of all metrics, those of one's own among them."""
    return {**KINDS, **{name: kind for name, (kind, _) in theirs.items()}}


def own_scores(
    names: Iterable[str],
    build: PublishedBuild,
    query: GoldQuery,
    ranking: Sequence[str],
    answer: Predicted,
) -> dict[str, float]:
    """Values of a query; none of a metric that gives None.

    ``ranking``: provisions, best first. Raises ValueError if a function breaks, or gives no number.
    """
    out = {}
    for name in names:
        try:
            value = Plugins("metrics", ()).function(name)(build, query, ranking, answer)
            number = math.nan if value is None else float(value)
        except Exception as error:  # the function of another may raise anything
            what = f"{type(error).__name__}: {error}"
            raise ValueError(f"metric {name}, query {query.query_id}: {what}") from error
        if value is not None and not math.isfinite(number):
            raise ValueError(
                f"metric {name}, query {query.query_id}: {value} is no number; give None for none"
            )
        if value is not None:
            out[name] = number
    return out
