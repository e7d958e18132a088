"""Accuracy against time: what was measured of both, and what nothing else beats in both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from citegrain.tasks.evaluation.report.wording import known
from citegrain.tasks.evaluation.studies import Row


def timed(summary: Iterable[Row], timings: Iterable[Row], metric: str) -> list[dict[str, Any]]:
    """Rows of a metric with ``ms``, the median time of a query asked by itself; others are left out."""
    times = {r["configuration"]: r["ms"] for r in timings if r["step"] == "single_p50"}
    return [
        {**r, "ms": times[r["configuration"]]}
        for r in summary
        if r["metric"] == metric and known(r["value"]) and times.get(r["configuration"], 0) > 0
    ]


def undominated(rows: Sequence[Row]) -> list[Row]:
    """Those that none beats in both ``ms`` and ``value``, fastest first; of equals the first."""
    front: list[Row] = []
    for row in sorted(rows, key=lambda r: (r["ms"], -r["value"])):
        if not front or row["value"] > front[-1]["value"]:
            front.append(row)
    return front
