"""The figures of a factorial study: effects with their intervals, interactions, accuracy against time."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from citegrain.tasks.evaluation.design import Design
from citegrain.tasks.evaluation.report.cells import is_number, lowered, scale, span, title, unit, words
from citegrain.tasks.evaluation.report.claims import effect_name, supported
from citegrain.tasks.evaluation.report.declared import Means, level_means, timed
from citegrain.tasks.evaluation.report.drawing import (
    ACCENT,
    INK,
    LEVELS,
    SOFT,
    broken,
    draw_interval,
    draw_numbers,
    draw_panels,
    drawn,
    height_of,
    in_unit,
    keep_spines,
    line_look,
    set_grid,
    set_names,
)
from citegrain.tasks.evaluation.report.figures import accuracy_against
from citegrain.tasks.evaluation.studies import Row


def effects(rows: Sequence[Row], metric: str) -> Figure:
    """Effects of a metric with their intervals around a line at 0; those not shown are hollow.

    ``rows``: the confirmatory rows of ``EFFECTS``.
    """
    shown = [r for r in rows if r["metric"] == metric and is_number(r["effect"])]
    names = [broken(effect_name(r), 44) for r in shown]
    with drawn(0.9 + height_of(names)) as figure:
        axes = figure.add_subplot()
        for y, row in enumerate(shown):
            fill, width = (ACCENT, 2.0) if supported(row) else ("white", 1.1)
            draw_interval(axes, y, row, metric, "effect", fill, width)
        draw_numbers(axes, shown, metric, "effect", supported)
        set_names(axes, names)
        _set_differences(axes, shown, scale(metric))
        n = span([r["n"] for r in shown])
        axes.set_xlabel(f"{_on(metric)}, with 95% intervals (n = {n})")
        return figure


def _on(metric: str) -> str:
    measure = "percentage points" if unit(metric) else "in its own unit"
    return f"Effect on {lowered(title(metric))}, {measure}"


def _set_differences(axes: Any, rows: Sequence[Row], factor: int, steps: int = 8) -> None:
    """The x axis over all intervals and 0, at which a line stands."""
    axes.axvline(0, color=SOFT, lw=0.9, zorder=1)
    bounds = [r[end] * factor for r in rows for end in ("lo", "effect", "hi") if is_number(r[end])]
    low, high = min([0.0, *bounds]), max([0.0, *bounds])
    air = 0.05 * (high - low) or 1.0
    axes.set_xlim(low - air, high + air)
    set_grid(axes, steps)


def by_group(rows: Sequence[Row], metric: str) -> Figure:
    """Effects on a metric by groups of queries: a panel a group, in it an effect a line, all on one scale.

    ``rows``: those of ``EFFECTS`` by group, of one metric.
    """
    panels: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        panels.setdefault((row["dimension"], row["group"]), []).append(row)
    effect_names = list(dict.fromkeys(map(effect_name, rows)))

    def draw(axes: Any, in_panel: Sequence[Row]) -> None:
        for row in in_panel:
            if is_number(row["effect"]):
                y = effect_names.index(effect_name(row))
                draw_interval(axes, y, row, metric, "effect", "#8fb9d9", 1.1)
        _set_differences(axes, rows, scale(metric), 4)

    return draw_panels(panels, [broken(name, 30) for name in effect_names], _on(metric), draw)


def interactions(design: Design, summary: pa.Table, metric: str) -> Figure:
    """Means of a metric by level, every two factors a panel: one along x, the other as lines.

    The factors of most levels stand along x, so that panels have few lines. All panels have one scale.

    ``design``: a full one. ``summary``: ``SUMMARY``; cells that it lacks are holes, see ``level_means``.
    """
    values = {
        r["configuration"]: r["value"] * scale(metric)
        for r in summary.to_pylist()
        if r["metric"] == metric and is_number(r["value"])
    }
    order = sorted(design.factors, key=lambda f: -len(design.factors[f]))
    across, down = order[:-1], order[1:]
    widths = [0.5 + 0.5 * len(design.factors[f]) for f in across]
    with drawn(0.9 + 1.45 * len(down)) as figure:
        grid = figure.subplots(
            len(down), len(across) + 1, sharey=True, squeeze=False, width_ratios=[*widths, 1.1]
        )
        for axes in grid.ravel():
            axes.set_visible(False)
        for column, row in combinations(range(len(order)), 2):
            axes = grid[row - 1][column]
            axes.set_visible(True)
            means = level_means(design, values, order[column], order[row])
            _draw_lines(axes, design, means, order[column], order[row])
            axes.tick_params(labelleft=column == 0, labelbottom=True)
            if row == len(order) - 1:
                axes.set_xlabel(words(order[column]))
        for row, name in enumerate(down):
            _draw_key(grid[row][row + 1], name, design.factors[name])
        figure.supylabel(f"Mean {lowered(title(metric))} over cells{in_unit(metric)}", fontsize=9, color=INK)
        return figure


def _draw_lines(axes: Any, design: Design, means: Means, along: str, lines: str) -> None:
    """A panel: a line a level of ``lines`` over the levels of ``along``."""
    levels = design.factors[along]
    for place, level in enumerate(design.factors[lines]):
        if means:
            heights = [means[x, level] for x in levels]
            axes.plot(range(len(levels)), heights, ms=4.5, lw=1.3, **line_look(place))
    if not means:
        axes.text(0.5, 0.5, "no matched cells", transform=axes.transAxes, ha="center", fontsize=8, color=SOFT)
    axes.set_xticks(range(len(levels)), levels)
    axes.set_xlim(-0.35, len(levels) - 0.65)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    axes.grid(axis="y", color="#ececec", lw=0.7)
    axes.tick_params(length=0)
    keep_spines(axes, "bottom", "left")


def _draw_key(axes: Any, name: str, levels: Sequence[str]) -> None:
    """What the lines of a row of panels are, in the place behind its last panel."""
    axes.set_visible(True)
    axes.set_axis_off()
    handles = [Line2D([], [], ms=4.5, lw=1.3, **line_look(place)) for place in range(len(levels))]
    axes.legend(
        handles, list(levels), title=words(name), loc="center left", alignment="left",
        title_fontsize=8.5, handlelength=2.4, borderaxespad=0.1,
    )  # fmt: skip


def pareto(design: Design, summary: pa.Table, timings: pa.Table, metric: str) -> Figure:
    """A metric against the median time of a query asked alone, a point a cell.

    Colour and shape show the levels of the factor that times depend on most.
    """
    rows = [
        r
        for r in timed(summary.to_pylist(), timings.to_pylist(), metric)
        if r["configuration"] in design.cells
    ]
    shaped = slowest_factor(design, {r["configuration"]: r["x"] for r in rows})
    kinds = {
        f"{words(shaped)}: {level}": {c for c, cell in design.cells.items() if cell[shaped] == level}
        for level in design.factors.get(shaped, ())
    }
    return accuracy_against(rows, metric, kinds=kinds or {"": design.cells})


def slowest_factor(design: Design, times: Mapping[str, float]) -> str:
    """The factor between whose levels mean times differ most, in ratio; empty where they are all alike."""
    best, slowest = 1.01, ""  # what differs by less than 1% is noise
    for factor, levels in design.factors.items():
        means = []
        for level in levels:
            of_level = [times[c] for c, cell in design.cells.items() if c in times and cell[factor] == level]
            means += [float(np.exp(np.mean(np.log(of_level))))] if of_level else []
        ratio = max(means, default=1.0) / min(means, default=1.0)
        if ratio > best and len(levels) <= len(LEVELS):
            best, slowest = ratio, factor
    return slowest
