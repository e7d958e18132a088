"""Which figures a study has, in which section of the page each stands, and what is said below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow.compute as pc
from matplotlib.figure import Figure

from citegrain.tasks.evaluation.compare import CONFIDENCE, RIGHT, outcomes, values_by_configuration
from citegrain.tasks.evaluation.report import effects_figures, figures
from citegrain.tasks.evaluation.report.cells import is_number, lowered, title
from citegrain.tasks.evaluation.report.claims import RULE, family_rows
from citegrain.tasks.evaluation.report.declared import (
    against,
    design_of,
    many,
    query_costs,
    query_times,
    some_cells,
    timed,
)
from citegrain.tasks.evaluation.report.drawing import to_svg
from citegrain.tasks.evaluation.report.effects_tables import group_rows
from citegrain.tasks.evaluation.report.tables import is_measured
from citegrain.tasks.evaluation.score import KINDS
from citegrain.tasks.evaluation.studies import StudyFolder, first_seen

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
        figure = effects_figures.effects(rows, metric)
        out[f"effects_{metric}"] = Plot("effects", figure, _effects_caption(metric))
    several = design.full and len(design.factors) > 1  # else there are no two factors to interact
    if several and is_measured(study, MAIN):
        figure = effects_figures.interactions(design, study.tables["summary"], MAIN)
        out[f"interactions_{MAIN}"] = Plot("interactions", figure, _INTERACTIONS)
    if rows_by_group := group_rows(study, MAIN):
        figure = effects_figures.by_group(rows_by_group, MAIN)
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
            figure, caption = effects_figures.pareto(design, summary, timings, MAIN), _PARETO
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
