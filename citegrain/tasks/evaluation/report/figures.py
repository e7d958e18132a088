"""The figures of a study, each from one of its tables. They are drawn, not shown: no window, no global state.

Colours differ without colour vision too: by lightness along an ordered ramp, by shape, or by a label.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from citegrain.tasks.evaluation.compare import Outcomes, bins_of, ece_by_chance, risks, wilson
from citegrain.tasks.evaluation.report.cells import decimal, is_number, scale, span, title, words
from citegrain.tasks.evaluation.report.declared import undominated
from citegrain.tasks.evaluation.report.drawing import (
    ACCENT,
    INK,
    LEVELS,
    SOFT,
    broken,
    draw_bars,
    draw_front,
    draw_interval,
    draw_legend,
    draw_numbers,
    draw_panels,
    drawn,
    height_of,
    in_unit,
    keep_spines,
    label_in_margin,
    line_look,
    measured,
    set_names,
    set_scale,
    set_times,
)
from citegrain.tasks.evaluation.score import LOSSES
from citegrain.tasks.evaluation.studies import Row, first_seen

SORTED_FROM = 13  # configurations from which a forest is sorted by value


def forest(summary: pa.Table, metric: str, baseline: str = "") -> Figure:
    """A metric of each configuration with its 95% interval; the baseline's point is hollow.

    ``summary``: ``SUMMARY``. From 13 configurations they stand in the order of their values, else as in the
    table.
    """
    rows = [r for r in summary.to_pylist() if r["metric"] == metric and is_number(r["value"])]
    if len(rows) >= SORTED_FROM:
        rows.sort(key=lambda r: -r["value"])
    names = [broken(r["configuration"]) for r in rows]
    with drawn(0.85 + height_of(names)) as figure:
        axes = figure.add_subplot()
        for y, row in enumerate(rows):
            is_baseline = row["configuration"] == baseline
            draw_interval(axes, y, row, metric, fill="white" if is_baseline else ACCENT)
            if is_baseline:
                axes.axvline(row["value"] * scale(metric), color=SOFT, lw=0.7, ls=(0, (2, 3)), zorder=0)
        draw_numbers(axes, rows, metric)
        set_names(axes, names)
        axes.set_xlabel(measured(metric, rows) + ", with 95% intervals")
        set_scale(axes, rows, metric)
        return figure


def funnel(rows: pa.Table, primaries: bool) -> Figure:
    """Where the provisions that apply were lost: stacked counts a configuration, in the order of the stages.

    ``rows``: ``FUNNEL`` of a study. ``primaries``: whether primary provisions alone are counted, else all
    that apply.
    """
    counted = [r for r in rows.to_pylist() if r["primary"] or not primaries]
    configurations = first_seen(counted, "configuration")
    counts = {
        loss: [sum(r["configuration"] == c and r["lost_at"] == loss for r in counted) for c in configurations]
        for loss in LOSSES
    }
    names = [broken(c) for c in configurations]
    with drawn(1.55 + height_of(names)) as figure:
        axes = figure.add_subplot()
        handles, left = {}, [0] * len(names)
        most = max((sum(column) for column in zip(*counts.values(), strict=True)), default=1)
        for loss, lengths in counts.items():
            if any(lengths):
                handles[words(loss).lower()] = draw_bars(axes, loss, lengths, left, most)
                left = [a + b for a, b in zip(left, lengths, strict=True)]
        set_names(axes, names)
        axes.set_xlim(0, most)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8, steps=[1, 2, 5, 10]))
        what = "Primary provisions" if primaries else "Applicable provisions"
        axes.set_xlabel(f"{what} (n = {span([sum(c) for c in zip(*counts.values(), strict=True)])})")
        draw_legend(figure, handles)
        return figure


def breakdown(
    rows: pa.Table, metric: str, configurations: Sequence[str], overall: Mapping[str, float] | None = None
) -> Figure:
    """A metric by groups of queries: a panel a group, in it a configuration a line.

    ``rows``: ``BREAKDOWN``. A dimension of one group is left out: it says nothing that the whole does not.
    ``overall``: value of the whole benchmark by configuration, drawn as a grey tick behind the point.
    """
    panels = panels_of(rows, metric)
    values = overall or {}
    shown = [by_name[c] for by_name in panels.values() for c in configurations if c in by_name]

    def draw(axes: Any, rows: Sequence[Row]) -> None:
        for row in rows:
            y, mean = configurations.index(row["configuration"]), values.get(row["configuration"])
            if is_number(mean):
                axes.plot([mean * scale(metric)], [y], "|", color="#a8a8a8", ms=11, mew=1.6, zorder=1)
            draw_interval(axes, y, row, metric)
        set_scale(axes, shown, metric, 4)

    return draw_panels(
        {place: [by_name[c] for c in configurations if c in by_name] for place, by_name in panels.items()},
        [broken(c, 28) for c in configurations],
        f"{title(metric)}{in_unit(metric)}, with 95% intervals",
        draw,
    )


def accuracy_against(
    rows: Sequence[Row],
    metric: str,
    label: str = "",
    marked: Sequence[str] = (),
    kinds: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Figure:
    """A metric with its interval against ``x``, what a query takes; those that none beats in both are joined.

    Parameters
    ----------
    label
        What ``x`` is, from 0; by default it is a time, on a log scale.
    marked
        Configurations that are named in any case. Where there is no room for all, only they and those
        that no other configuration beats in both are.
    kinds
        Of many cells: names by what the legend calls them, each with a colour and a shape. Only cells that no
        other beats in both have names and intervals; the others are light.
    """
    factor, front = scale(metric), undominated(rows)
    full = front if kinds else rows
    with drawn(3.9) as figure:
        axes = figure.add_subplot()
        draw_front(axes, front, full, factor)
        handles = {}
        for place, (name, of_kind) in enumerate((kinds or {"": [r["configuration"] for r in rows]}).items()):
            look = line_look(place) | {"ls": "", "mec": "white"}
            for row in rows:
                if row["configuration"] in of_kind:
                    alpha, size, above = (1.0, 6.5, 3) if row in full else (0.35, 4.5, 2)
                    at = [row["x"]], [row["value"] * factor]
                    axes.plot(*at, alpha=alpha, ms=size, zorder=above, **look)
            handles[name] = Line2D([], [], ms=6, **look)
        if label:
            axes.set(xlabel=label, ylabel=measured(metric, rows))
            axes.set_xlim(left=-0.04 * max(row["x"] for row in rows))
        else:
            set_times(axes, rows, metric)
        label_in_margin(axes, full, factor, marked)
        if len(handles) > 1:
            draw_legend(figure, handles)
        return figure


def panels_of(rows: pa.Table, metric: str) -> dict[tuple[str, str], dict[str, Row]]:
    """Rows by (dimension, group) and configuration, of dimensions that have two groups or more."""
    measured_rows = [r for r in rows.to_pylist() if r["metric"] == metric and is_number(r["value"])]
    groups: dict[str, set[str]] = {}
    for row in measured_rows:
        groups.setdefault(row["dimension"], set()).add(row["group"])
    out: dict[tuple[str, str], dict[str, Row]] = {}
    for row in measured_rows:
        if len(groups[row["dimension"]]) > 1:
            out.setdefault((row["dimension"], row["group"]), {})[row["configuration"]] = row
    return out


SHOWN = len(LEVELS)
"""Configurations in a figure: as many lines can be told apart."""


def risk_coverage(outcomes: Mapping[str, Outcomes]) -> Figure:
    """Share of wrong answers among the queries of the greatest confidence, at each coverage, a line each.

    ``outcomes``: by configuration, of all queries.
    """
    with drawn(3.9) as figure:
        axes = figure.add_subplot()
        handles: dict[str, Any] = {}
        for place, (name, judged) in enumerate(outcomes.items()):
            shares = 100 * risks(judged.confidence, judged.right)
            coverage = 100 * np.arange(1, len(judged) + 1) / len(judged)
            look = line_look(place) | {"marker": None}
            (handles[broken(name)],) = axes.plot(coverage, shares, lw=1.5, **look)
        axes.set(xlim=(0, 100), ylim=(0, 100), axisbelow=True)
        axes.grid(color="#ececec", lw=0.7)
        n = max(map(len, outcomes.values()))
        axes.set_xlabel(f"Coverage: queries answered, the surest first, % (n = {n})")
        axes.set_ylabel("Risk: of these, first charge wrong, %")
        draw_legend(figure, handles)
        return figure


def reliability(outcomes: Mapping[str, Outcomes]) -> Figure:
    """Share of right first charges by ten bins of confidence with Wilson's intervals, a panel each.

    Below each panel stands how many queries a bin has.

    ``outcomes``: by configuration, of the queries to which something is charged.
    """
    with drawn(4.0) as figure:
        size = (2, len(outcomes))
        grid = figure.subplots(*size, sharex=True, sharey="row", squeeze=False, height_ratios=[4, 1])
        for (upper, lower), (name, judged) in zip(grid.T, outcomes.items(), strict=True):
            upper.set_title(f"{broken(name, 22)} (n = {len(judged)})", loc="left")
            _draw_bins(upper, lower, judged)
        grid[0][0].set_ylabel("First charge right, %")
        grid[1][0].set_ylabel("Queries")
        figure.supxlabel("Probability given to the first charge, %", fontsize=9, color=INK)
        return figure


def _draw_bins(upper: Any, lower: Any, judged: Outcomes) -> None:
    """The bins of one configuration: shares on top, counts below."""
    places = bins_of(judged.confidence)
    upper.plot([0, 100], [0, 100], color=SOFT, lw=0.8, ls=(0, (2, 3)), zorder=1)
    for number in np.unique(places):
        within = places == number
        share = wilson(int(judged.right[within].sum()), int(within.sum()))
        mean = 100 * judged.confidence[within].mean()
        upper.vlines(mean, 100 * share.lo, 100 * share.hi, color=ACCENT, lw=1.3, alpha=0.55, zorder=2)
        upper.plot(
            [mean], [100 * share.value], "o", color=ACCENT, ms=5.5, mec="white", clip_on=False, zorder=3
        )
        bar = lower.bar(10 * number + 5, share.n, width=9.2, color=ACCENT)
        lower.bar_label(bar, fontsize=7, padding=1)
    for axes in (upper, lower):
        axes.set_xlim(0, 100)
        keep_spines(axes, "bottom", "left")
    chance = f"true probabilities: ECE {decimal(ece_by_chance(judged), 3)}"
    upper.text(98, 3, chance, ha="right", fontsize=7.5, color=SOFT)
    upper.set_ylim(0, 100)
    upper.grid(color="#ececec", lw=0.7)
    upper.set_axisbelow(True)
    lower.margins(y=0.35)
    lower.set_yticks([])
    keep_spines(lower, "bottom")


_PANELS = (("pool", "Chunks in the evidence pool"), ("confidence", "Confidence h"))


def courses(rows: Sequence[Row]) -> Figure:
    """Mean pool and confidence by round, a line each configuration, with the middle half of the complaints.

    A complaint that ended keeps its last values.

    ``rows``: of ``traces``, with ``configuration``.
    """
    decided = [row for row in rows if row["operation"] == "decide"]
    names = list(dict.fromkeys(row["configuration"] for row in decided))
    with drawn(3.6) as figure:
        handles: dict[str, Any] = {}
        for axes, (column, label) in zip(figure.subplots(1, 2), _PANELS, strict=True):
            for place, name in enumerate(names[: len(LEVELS)]):
                values = by_round([r for r in decided if r["configuration"] == name], column)
                look = line_look(place) | {"marker": "o"}
                rounds = np.arange(values.shape[1])
                middle = np.quantile(values, [0.25, 0.75], axis=0)
                axes.fill_between(rounds, *middle, color=look["color"], alpha=0.12, lw=0)
                (handle,) = axes.plot(rounds, values.mean(axis=0), lw=1.5, ms=4, **look)
                handles[f"{broken(name)} (n = {len(values)})"] = handle
            axes.set_xticks(rounds)
            axes.set_ylim(bottom=0)
            axes.set_xlabel("Round")
            axes.set_ylabel(label)
        draw_legend(figure, handles)
        return figure


def by_round(rows: Sequence[Row], column: str) -> npt.NDArray[np.float64]:
    """Values of each complaint from round 0, which is 0, to the last: shape (queries, rounds + 1)."""
    last = max(row["round"] for row in rows)
    out: dict[str, npt.NDArray[np.float64]] = {}
    for row in rows:
        values = out.setdefault(row["query_id"], np.zeros(last + 1))
        values[row["round"] :] = row[column]
    return np.stack(list(out.values()))
