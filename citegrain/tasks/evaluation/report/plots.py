"""The figures of a study: which it has, in which section of the page each stands, what is said below it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from citegrain.tasks.evaluation.compare import CONFIDENCE, RIGHT, outcomes, values_by_configuration
from citegrain.tasks.evaluation.design import Design
from citegrain.tasks.evaluation.report import figures
from citegrain.tasks.evaluation.report.cells import is_number, lowered, scale, span, title, unit, words
from citegrain.tasks.evaluation.report.claims import RULE, effect_name, family_rows, supported
from citegrain.tasks.evaluation.report.declared import (
    Means,
    against,
    design_of,
    level_means,
    many,
    query_costs,
    query_times,
    some_cells,
    timed,
)
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
    to_svg,
)
from citegrain.tasks.evaluation.report.effects_tables import group_rows
from citegrain.tasks.evaluation.report.figures import accuracy_against
from citegrain.tasks.evaluation.report.tables import is_measured
from citegrain.tasks.evaluation.score import KINDS
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen


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


SHOWN = 12  # configurations in the figure of the breakdown
MAIN = "primary_accuracy"


@dataclass(frozen=True)
class Plot:
    """A figure with the section it belongs to and what is said below it."""

    section: str
    figure: Figure
    caption: str

    @cached_property
    def svg(self) -> str:
        """The drawing as SVG."""
        return to_svg(self.figure)


def draw(study: StudyFolder) -> dict[str, Plot]:
    """Every figure that the study has numbers for, by the name of its file."""
    # of many cells a few are looked at closely; what compares cells shows all
    close = some_cells(study)
    out = _draw_effects(study) | _draw_results(study)
    if traces := close.rows("traces"):  # of a controller
        out["courses"] = Plot("results", figures.courses(traces), _COURSES)
    out |= _draw_funnel(close) | _draw_confidence(close)
    return out if "effects_by_group" in out and many(study) else out | _draw_breakdown(close)


def _draw_effects(study: StudyFolder) -> dict[str, Plot]:
    """What only factorial studies draw."""
    design = design_of(study)
    if design is None:
        return {}
    out: dict[str, Plot] = {}
    rows = family_rows(study)
    for metric in first_seen([r for r in rows if is_number(r["effect"])], "metric"):
        figure = effects(rows, metric)
        out[f"effects_{metric}"] = Plot("effects", figure, _effects_caption(metric))
    several = design.full and len(design.factors) > 1  # else there are no two factors to interact
    if several and is_measured(study, MAIN):
        figure = interactions(design, study.tables["summary"], MAIN)
        out[f"interactions_{MAIN}"] = Plot("interactions", figure, _INTERACTIONS)
    if rows_by_group := group_rows(study, MAIN):
        figure = by_group(rows_by_group, MAIN)
        out["effects_by_group"] = Plot("breakdown", figure, _BY_GROUP)
    return out


def _draw_results(study: StudyFolder) -> dict[str, Plot]:
    summary, timings = study.tables["summary"], study.tables["timings"]
    out: dict[str, Plot] = {}
    metrics = dict.fromkeys((MAIN, "ndcg_10", *study.facts["metrics"]))
    measured = [metric for metric in metrics if is_measured(study, metric)]
    for metric in measured if not many(study) else ():
        figure = figures.forest(summary, metric, study.baseline)
        out[metric] = Plot("results", figure, _forest_caption(study, metric))
    if len(query_times(study.rows("timings"))) > 1 and MAIN in measured:
        if design := design_of(study):
            figure, caption = pareto(design, summary, timings, MAIN), _PARETO
        else:
            marked = (study.baseline, study.focus)
            rows = timed(summary.to_pylist(), timings.to_pylist(), MAIN)
            figure, caption = figures.accuracy_against(rows, MAIN, marked=marked), _TIME
        out["accuracy_time"] = Plot("results", figure, caption)
    costs = {label: query_costs(study.rows("timings"), name) for name, label in _COSTS.items()}
    for label in [label for label, spent in costs.items() if spent and MAIN in measured][:1]:
        rows = against(summary.to_pylist(), costs[label], MAIN)
        out["accuracy_cost"] = Plot("results", figures.accuracy_against(rows, MAIN, label), _COST)
    return out


def _draw_funnel(study: StudyFolder) -> dict[str, Plot]:
    rows = study.tables["funnel"]
    if not rows.num_rows:
        return {}
    return {
        name: Plot(
            "funnel", figures.funnel(rows, primaries), f"{what}, by the stage where it was lost; {_DARK_BLUE}"
        )
        for name, primaries, what in (
            ("funnel_primary", True, "The primary provision of each complaint"),
            ("funnel_all", False, "All provisions that apply"),
        )
    }


def _draw_breakdown(study: StudyFolder) -> dict[str, Plot]:
    rows, metrics = study.tables["breakdown"], first_seen(study.rows("breakdown"), "metric")
    metric = MAIN if MAIN in metrics else next(iter(metrics), "")
    if not figures.panels_of(rows, metric):
        return {}
    names = _most_telling(study, metric)
    overall = {c: row["value"] for (c, m), row in study.cells.items() if m == metric}
    figure = figures.breakdown(rows, metric, names, overall)
    return {f"breakdown_{metric}": Plot("breakdown", figure, _breakdown_caption(study, metric, names))}


def _draw_confidence(study: StudyFolder) -> dict[str, Plot]:
    """Risk at each coverage, and reliability; nothing where no confidence was estimated."""
    needed = pc.field("metric").isin([CONFIDENCE, RIGHT, "failed"])  # the last is measured of every query
    values = values_by_configuration(study.tables["scores"].filter(needed), KINDS)
    out: dict[str, Plot] = {}
    for name, metric, figure, caption in (
        ("risk_coverage", "aurc", figures.risk_coverage, _RISK),
        ("reliability", "ece", figures.reliability, _RELIABILITY),
    ):
        telling = [c for c in _most_telling(study, MAIN) if (c, metric) in study.cells]
        shown = {c: outcomes(values[c], charged=metric == "ece") for c in telling[: figures.SHOWN]}
        if shown:
            out[name] = Plot("confidence", figure(shown), caption)
    return out


def _most_telling(study: StudyFolder, metric: str) -> list[str]:
    """At most ``SHOWN`` configurations, in the order of the study: the baseline, the focus, then the best."""
    first = (study.baseline, study.focus)
    chosen = sorted(study.scored, key=lambda name: (name not in first, -study.value(name, metric)))[:SHOWN]
    return [name for name in study.scored if name in chosen]


# Captions -----------------------------------------------------------------------


def _effects_caption(metric: str) -> str:
    return (
        f"The declared effects on {lowered(title(metric))}, with 95% intervals. Full points and bold "
        f"numbers: effects that are shown ({RULE}). Hollow points: no effect is shown."
    )


def _forest_caption(study: StudyFolder, metric: str) -> str:
    text = f"{title(metric)} of each configuration, with 95% intervals."
    if study.baseline in study.scored and len(study.scored) > 1:
        text += f" Hollow point and dotted line: the baseline, {study.baseline}."
    return text + " Each interval is of one configuration: the paired comparisons show whether two differ."


def _breakdown_caption(study: StudyFolder, metric: str, names: Sequence[str]) -> str:
    text = f"{title(metric)} by groups of complaints, with 95% intervals; grey ticks: over all complaints."
    if len(names) < len(study.scored):
        text += f" {len(names)} of {len(study.scored)} configurations: the baseline, {study.focus}, the best."
    return text + " Groups are not compared by tests: they show where to look next."


_RISK = (
    "Share of complaints whose first charge is wrong, if only those with the most confidence are answered; "
    "lower is better. A charge where nothing applies is a wrong one, and so are complaints without a charge, "
    "which come last. Between equal confidence the mean over all orders."
)
_RELIABILITY = (
    "Share of first charges that are right in ten bins of the probability given to them, with Wilson's 95% "
    "intervals, and below it the complaints in each bin. On the dotted line the probability is true. "
    "In grey: the ECE that chance alone gives so many complaints whose probabilities are all true."
)
_DARK_BLUE = "dark blue: found."
_AGAINST = (
    "Primary accuracy with its 95% interval against {}; up and to the left is better. Those that no other "
    "beats in both are joined by steps; whether two of them differ is not tested."
)
_TIME = _AGAINST.format("the median time of a query asked by itself")
_COST = _AGAINST.format("what a query costs")
_COURSES = (
    "Evidence pool and confidence by round of the controller (Figure 3.5 of the thesis, from these runs): "
    "means over the complaints, and the middle half of them. A complaint that ended keeps its last values. "
    "Of more than four configurations the first four are shown."
)
_INTERACTIONS = (
    "Exploratory. Mean primary accuracy by the levels of every two factors, over the cells that have them: "
    "lines that run parallel mean that the two do not interact. The scale does not begin at 0. Means "
    "have no intervals here: for the intervals of their differences see the table of interactions."
)
_BY_GROUP = (
    "Exploratory. Effects on primary accuracy by groups of complaints, with 95% intervals. Groups are not "
    "compared by tests: they show where to look next."
)
_COSTS = {
    "cost": "Price of a query by a language model",
    "tokens": "Tokens of a query: prompts and replies of a language model",
}
_PARETO = f"{_TIME} They are drawn full, and chosen by their point estimates among many cells."
