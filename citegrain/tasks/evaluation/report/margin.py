"""Labels of points in the right margin, each joined to its point by a thin line: none can cover another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from citegrain.tasks.evaluation.report.canvas import FAINT, broken
from citegrain.tasks.evaluation.report.front import undominated
from citegrain.tasks.evaluation.studies import Row

LINES = 18  # lines of text that a figure of the usual height can hold
WIDE = 44  # characters of a line


def label_in_margin(axes: Any, rows: Sequence[Row], factor: int, marked: Sequence[str]) -> None:
    """Name the points of a scatter plot of ``value`` (times ``factor``) against ``ms``.

    Where there is no room for all names, those of ``chosen`` alone are told.
    """
    lines = max((broken(r["configuration"], WIDE).count("\n") + 1 for r in rows), default=1)
    room = LINES // lines
    named = rows if len(rows) <= room else chosen(rows, marked)[:room]
    named = sorted(named, key=lambda r: (-r["value"], r["ms"]))
    low, high = axes.get_ylim()
    wanted = [(r["value"] * factor - low) / (high - low) for r in named]
    for row, y in zip(named, spread(wanted, lines / LINES), strict=True):
        axes.annotate(
            broken(row["configuration"], WIDE),
            xy=(row["ms"], row["value"] * factor),
            xytext=(1.04, y),
            textcoords="axes fraction",
            va="center",
            fontsize=8.5 if lines == 1 else 7.5,
            linespacing=1.0,
            arrowprops={
                "arrowstyle": "-",
                "color": FAINT,
                "lw": 0.7,
                "shrinkA": 2,
                "shrinkB": 4,
                "relpos": (0, 0.5),
            },
        )
    axes.set_ylim(low, high)


def chosen(rows: Sequence[Row], marked: Sequence[str]) -> list[Row]:
    """Those that are marked, then those that none beats in both time and value, best first."""
    first = [r for r in rows if r["configuration"] in marked]
    return first + [r for r in reversed(undominated(rows)) if r not in first]


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Places from 0 to 1 near those wanted, falling, at least ``gap`` apart.

    Parameters
    ----------
    wanted
        Falling; at most 1 + 1 / ``gap`` of them.
    """
    out: list[float] = []
    for place in wanted:
        out.append(min(place, out[-1] - gap) if out else min(place, 1.0))
    floor = 0.0
    for i in reversed(range(len(out))):  # push back what fell below the axis
        out[i] = max(out[i], floor)
        floor = out[i] + gap
    return out
