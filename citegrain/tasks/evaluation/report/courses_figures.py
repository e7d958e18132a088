"""Figure 3.5 of the thesis from real runs: how the evidence pool and confidence go from round to round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from citegrain.tasks.evaluation.report.canvas import broken, house_style, new_figure, settled
from citegrain.tasks.evaluation.report.drawing import LEVELS, draw_legend

Row = Mapping[str, Any]
_PANELS = (("pool", "Chunks in the evidence pool"), ("confidence", "Confidence h"))


def courses(rows: Sequence[Row]) -> Figure:
    """Mean pool and confidence by round, a line each configuration, with the middle half of the complaints.

    A complaint that ended keeps its last values.

    Parameters
    ----------
    rows
        Of ``traces``, with ``configuration``.
    """
    decided = [row for row in rows if row["operation"] == "decide"]
    names = list(dict.fromkeys(row["configuration"] for row in decided))
    with house_style():
        figure = new_figure(3.6)
        handles: dict[str, Any] = {}
        for axes, (column, label) in zip(figure.subplots(1, 2), _PANELS, strict=True):
            for place, name in enumerate(names[: len(LEVELS)]):
                values = by_round([r for r in decided if r["configuration"] == name], column)
                colour, _, dashes = LEVELS[place]
                rounds = np.arange(values.shape[1])
                axes.fill_between(
                    rounds, *np.quantile(values, [0.25, 0.75], axis=0), color=colour, alpha=0.12, lw=0
                )
                (handle,) = axes.plot(
                    rounds, values.mean(axis=0), color=colour, ls=dashes, lw=1.5, marker="o", ms=4
                )
                handles[f"{broken(name)} (n = {len(values)})"] = handle
            axes.set_xticks(rounds)
            axes.set_ylim(bottom=0)
            axes.set_xlabel("Round")
            axes.set_ylabel(label)
        draw_legend(figure, handles)
        return settled(figure)


def by_round(rows: Sequence[Row], column: str) -> npt.NDArray[np.float64]:
    """Values of each complaint from round 0, which is 0, to the last: shape (queries, rounds + 1)."""
    last = max(row["round"] for row in rows)
    out: dict[str, npt.NDArray[np.float64]] = {}
    for row in rows:
        values = out.setdefault(row["query_id"], np.zeros(last + 1))
        values[row["round"] :] = row[column]
    return np.stack(list(out.values()))
