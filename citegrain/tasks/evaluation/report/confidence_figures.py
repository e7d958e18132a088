"""The figures of confidence: what is wrong at which coverage, and whether confidence is true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from citegrain.tasks.evaluation.compare import Outcomes, bins_of, ece_by_chance, risks, wilson
from citegrain.tasks.evaluation.report.canvas import (
    ACCENT,
    INK,
    SOFT,
    broken,
    house_style,
    keep_spines,
    new_figure,
    settled,
)
from citegrain.tasks.evaluation.report.drawing import LEVELS, draw_legend
from citegrain.tasks.evaluation.report.wording import decimal

SHOWN = len(LEVELS)
"""Configurations in a figure: as many lines can be told apart."""


def risk_coverage(outcomes: Mapping[str, Outcomes]) -> Figure:
    """Share of wrong answers among the queries of the greatest confidence, at each coverage, a line each.

    Parameters
    ----------
    outcomes
        By configuration, of all queries.
    """
    with house_style():
        figure = new_figure(3.9)
        axes = figure.add_subplot()
        handles: dict[str, Any] = {}
        for place, (name, of) in enumerate(outcomes.items()):
            colour, _, dashes = LEVELS[place % len(LEVELS)]
            shares = 100 * risks(of.confidence, of.right)
            coverage = 100 * np.arange(1, len(of) + 1) / len(of)
            (handles[broken(name)],) = axes.plot(coverage, shares, color=colour, ls=dashes, lw=1.5)
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        axes.grid(color="#ececec", lw=0.7)
        axes.set_axisbelow(True)
        n = {len(of) for of in outcomes.values()}
        axes.set_xlabel(f"Coverage: queries answered, the surest first, % (n = {max(n)})")
        axes.set_ylabel("Risk: of these, first charge wrong, %")
        draw_legend(figure, handles)
        return settled(figure)


def reliability(outcomes: Mapping[str, Outcomes]) -> Figure:
    """Share of right first charges by ten bins of confidence with Wilson's intervals, a panel each.

    Below each panel stands how many queries a bin has.

    Parameters
    ----------
    outcomes
        By configuration, of the queries to which something is charged.
    """
    with house_style():
        figure = new_figure(4.0)
        size = (2, len(outcomes))
        grid = figure.subplots(*size, sharex=True, sharey="row", squeeze=False, height_ratios=[4, 1])
        for (upper, lower), (name, of) in zip(grid.T, outcomes.items(), strict=True):
            upper.set_title(f"{broken(name, 22)} (n = {len(of)})", loc="left")
            _draw_bins(upper, lower, of)
        grid[0][0].set_ylabel("First charge right, %")
        grid[1][0].set_ylabel("Queries")
        figure.supxlabel("Probability given to the first charge, %", fontsize=9, color=INK)
        return settled(figure)


def _draw_bins(upper: Any, lower: Any, of: Outcomes) -> None:
    """The bins of one configuration: shares on top, counts below."""
    places = bins_of(of.confidence)
    upper.plot([0, 100], [0, 100], color=SOFT, lw=0.8, ls=(0, (2, 3)), zorder=1)
    for number in np.unique(places):
        within = places == number
        share = wilson(int(of.right[within].sum()), int(within.sum()))
        mean = 100 * of.confidence[within].mean()
        upper.vlines(mean, 100 * share.lo, 100 * share.hi, color=ACCENT, lw=1.3, alpha=0.55, zorder=2)
        upper.plot(
            [mean], [100 * share.value], "o", color=ACCENT, ms=5.5, mec="white", clip_on=False, zorder=3
        )
        bar = lower.bar(10 * number + 5, share.n, width=9.2, color=ACCENT)
        lower.bar_label(bar, fontsize=7, padding=1)
    for axes in (upper, lower):
        axes.set_xlim(0, 100)
        keep_spines(axes, "bottom", "left")
    chance = f"true probabilities: ECE {decimal(ece_by_chance(of), 3)}"
    upper.text(98, 3, chance, ha="right", fontsize=7.5, color=SOFT)
    upper.set_ylim(0, 100)
    upper.grid(color="#ececec", lw=0.7)
    upper.set_axisbelow(True)
    lower.margins(y=0.35)
    lower.set_yticks([])
    keep_spines(lower, "bottom")
