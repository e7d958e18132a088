"""What a run of the chain gives."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from citegrain.tasks.online.hits import Hit


@dataclass
class CascadeResult:
    """What the stages return.

    Attributes
    ----------
    runs
        Run of each step by name, in order: the channels, ``fused``, ``variants``, ``joined``, ``expanded``,
        ``reranked``, ``selected``.
    hits
        What was selected, as it is shown, by query.
    answers
        Table ``answers``.
    features
        Table ``features``, where a ranker joins the channels.
    scope, estimates
        Tables of these names, where probabilities are estimated.
    traces
        Table of this name, where a controller searched.
    """

    queries: pa.Table
    runs: dict[str, pa.Table]
    hits: dict[str, list[Hit]]
    answers: pa.Table
    features: pa.Table | None = None
    scope: pa.Table | None = None
    estimates: pa.Table | None = None
    traces: pa.Table | None = None
