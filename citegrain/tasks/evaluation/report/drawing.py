"""The parts that figures are made of: points with intervals, stacked bars, scales, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from citegrain.tasks.evaluation.report.canvas import ACCENT, INK, ROW, keep_spines
from citegrain.tasks.evaluation.report.wording import interval, known, number, scale, title, unit
from citegrain.tasks.evaluation.studies import Row

COUNTED = 24  # configurations up to which bars tell their counts; a table does in any case
FIGURE_SPACE = "\u2007"  # as wide as a digit

# what the law at hand lacks is grey; what stages lose goes from dark to light in their order
LOSS_COLOURS: Mapping[str, str] = {
    "not_indexed": "#3d3d3d",
    "not_in_force": "#7d7d7d",
    "not_retrieved": "#7f2704",
    "cut_by_fusion": "#b5480f",
    "cut_by_rerank": "#e07b2c",
    "cut_by_selection": "#f5ab66",
    "cut_by_generator": "#fbd7ac",
    "wrong_order": "#9cc7e2",
    "failed": "#e3e3e3",
    "found": "#0b5a99",
}
_DARK = ("not_indexed", "not_in_force", "not_retrieved", "cut_by_fusion", "found")


def draw_dots(
    axes: Any, rows: Sequence[Row], metric: str, baseline: str, places: Sequence[int] | None = None
) -> None:
    """A point and its interval a row, at y = 0, 1, ... or at ``places``."""
    factor = scale(metric)
    for y, row in zip(places if places is not None else range(len(rows)), rows, strict=True):
        if known(row["lo"]) and known(row["hi"]):
            axes.hlines(y, row["lo"] * factor, row["hi"] * factor, color=ACCENT, lw=1.5, zorder=2)
        fill = "white" if row["configuration"] == baseline else ACCENT
        axes.plot([row["value"] * factor], [y], "o", ms=5.5, mfc=fill, mec=ACCENT, mew=1.2, zorder=3)


def draw_bars(axes: Any, loss: str, counts: Sequence[int], left: Sequence[int], most: int) -> Any:
    """One category of stacked bars with its counts; returns what a legend shows of it."""
    colours = {"color": LOSS_COLOURS[loss], "edgecolor": "white", "lw": 0.8}
    hatch = "////" if loss == "failed" else None
    bars = axes.barh(range(len(counts)), counts, left=left, height=0.72, hatch=hatch, **colours)
    for y, (count, start) in enumerate(zip(counts, left, strict=True)):
        if len(counts) <= COUNTED and count >= 0.018 * most * len(str(count)) > 0:  # where the digits fit
            colour = "white" if loss in _DARK else INK
            axes.text(start + count / 2, y, str(count), ha="center", va="center", color=colour, fontsize=8)
    return bars


def draw_legend(figure: Figure, handles: Mapping[str, Any]) -> None:
    """Above the axes, to be read line by line, though matplotlib fills column by column."""
    items = list(handles.items())
    half = -(-len(items) // 2)
    if len(items) > 6:
        items = [item for pair in zip_longest(items[:half], items[half:]) for item in pair if item]
    figure.legend(
        [handle for _, handle in items], [name for name, _ in items], loc="outside upper left",
        ncols=half if len(items) > 6 else max(1, len(items)),
        handlelength=1.1, handleheight=1.0, columnspacing=1.5, borderaxespad=0.2,
    )  # fmt: skip


def set_names(axes: Any, names: Sequence[str]) -> None:
    """Names of the rows, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    keep_spines(axes, "bottom")


def height_of(names: Sequence[str]) -> float:
    """Inches that rows of these names take."""
    lines = max((name.count("\n") + 1 for name in names), default=1)
    return max(1, len(names)) * (ROW + 0.15 * (lines - 1))


def draw_values(axes: Any, rows: Sequence[Row], metric: str) -> None:
    """The numbers themselves, right of the points."""
    told = [number(metric, row["value"]) for row in rows]
    width = max(map(len, told), default=0)
    for y, (value, row) in enumerate(zip(told, rows, strict=True)):
        text = f"{value.rjust(width, FIGURE_SPACE)}  {interval(metric, row['lo'], row['hi'])}"
        axes.text(1.02, y, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5)


def set_scale(axes: Any, rows: Sequence[Row], metric: str, steps: int = 8) -> None:
    """The x axis from 0, or from the least bound where that is far from 0; never beyond what can be."""
    bounds = [row[end] for row in rows for end in ("lo", "value", "hi") if known(row[end])]
    low, high = min(bounds, default=0.0), max(bounds, default=1.0)
    low = 0.0 if low < 0.3 * high else low
    air = 0.04 * (high - low) or 0.02
    axes.set_xlim(max(low - air, -0.015) * scale(metric), min(high + air, 1.015) * scale(metric))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=steps, steps=[1, 2, 5, 10]))
    axes.grid(axis="x", color="#ececec", lw=0.7)
    axes.set_axisbelow(True)


def set_decades(axes: Any, values: Sequence[float]) -> None:
    """Ticks at 1, 2 and 5 times each power of ten, told as plain numbers."""
    ticks = [step * 10.0**power for power in range(-3, 8) for step in (1, 2, 5)]
    low, high = min(values, default=1.0) / 1.35, max(values, default=10.0) * 1.35
    while high / low < 6:  # at least two ticks
        low, high = low / 1.2, high * 1.2
    axes.set_xlim(low, high)
    shown = [t for t in ticks if low <= t <= high]
    axes.xaxis.set_major_locator(FixedLocator(shown if len(shown) <= 9 else shown[:: -(-len(shown) // 9)]))
    axes.xaxis.set_minor_locator(FixedLocator([]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def measured(metric: str, rows: Sequence[Row]) -> str:
    """``primary accuracy, % (n = 54)``."""
    return f"{title(metric)}{in_unit(metric)} (n = {span([r['n'] for r in rows])})"


def in_unit(metric: str) -> str:
    """``, %`` of a share, nothing of a plain number."""
    return f", {unit(metric)}" if unit(metric) else ""


def span(numbers: Sequence[int]) -> str:
    """A number, or the range of several."""
    if not numbers:
        return "0"
    return str(min(numbers)) if min(numbers) == max(numbers) else f"{min(numbers)}–{max(numbers)}"
