"""A study's folder as one HTML page that needs nothing beside it: no style, font or picture of others."""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from markupsafe import Markup

from citegrain.tasks.core.pages import templates
from citegrain.tasks.core.store.files import temporary_name, write_atomically
from citegrain.tasks.evaluation.compare import ALPHA, POWER
from citegrain.tasks.evaluation.report import claims, summing_up, tables, wording
from citegrain.tasks.evaluation.report.factorial import (
    draw_factorial,
    draw_pareto,
    factorial,
    many,
    some_cells,
)
from citegrain.tasks.evaluation.report.reproduce import command_of, commit_of
from citegrain.tasks.evaluation.report.worst import STAGES, worst_queries
from citegrain.tasks.evaluation.score import LOSSES
from citegrain.tasks.evaluation.studies import StudyFolder, read_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = "report.html"
FIGURES = "figures"
SECTIONS = ("effects", "interactions", "results", "funnel", "breakdown")  # those that have figures
SHOWN = 12  # configurations in the figure of the breakdown
WORST = 10


@dataclass(frozen=True)
class Plot:
    """A figure with the section it belongs to and what is said below it."""

    section: str
    figure: Figure
    caption: str

    @cached_property
    def svg(self) -> str:
        """The drawing as SVG."""
        from citegrain.tasks.evaluation.report.canvas import to_svg

        return to_svg(self.figure)


def render_study(folder: Path) -> str:
    """The report of a study as HTML.

    Parameters
    ----------
    folder
        What ``citegrain bench`` or ``citegrain sweep`` wrote.

    Raises
    ------
    StudyReadError
        If the folder holds no study that can be read.
    """
    study = read_study(folder)
    return _page(study, draw(study))


def write_report(folder: Path) -> Path:
    """Write ``report.html`` and ``figures/`` into a study's folder; returns the page's path.

    Raises
    ------
    StudyReadError
        If the folder holds no study that can be read.
    OSError
        If it cannot be written.
    """
    from citegrain.tasks.evaluation.report.canvas import to_png

    study = read_study(folder)
    plots = draw(study)
    part = folder / temporary_name(f".{FIGURES}-")
    part.mkdir()
    try:
        for name, plot in plots.items():
            (part / f"{name}.svg").write_text(plot.svg, encoding="utf-8")
            (part / f"{name}.png").write_bytes(to_png(plot.figure))
        shutil.rmtree(folder / FIGURES, ignore_errors=True)
        part.rename(folder / FIGURES)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    write_atomically(folder / PAGE, _page(study, plots))
    return folder / PAGE


def draw(study: StudyFolder) -> dict[str, Plot]:
    """Every figure that the study has numbers for, by the name of its file."""
    # some of a factorial study's many cells are looked at closely; what compares them shows all
    close = some_cells(study)
    out = {name: Plot(*made) for name, made in draw_factorial(study).items()}
    out |= _draw_results(study) | _draw_funnel(close)
    return out if "effects_by_group" in out and many(study) else out | _draw_breakdown(close)


def _draw_results(study: StudyFolder) -> dict[str, Plot]:
    from citegrain.tasks.evaluation.report import (
        figures,  # matplotlib takes most of a second to load: only who draws waits
    )

    held = study.tables
    out: dict[str, Plot] = {}
    measured = [
        metric
        for metric in dict.fromkeys(("primary_accuracy", "ndcg_10", *study.facts["metrics"]))
        if any((name, metric) in study.cells for name in study.scored)
    ]
    for metric in measured if not many(study) else ():
        made = figures.forest(held["summary"], metric, study.baseline)
        out[metric] = Plot("results", made, summing_up.forest_caption(study, metric))
    timed = sum(r["step"] == "single_p50" for r in study.rows("timings"))
    if timed > 1 and "primary_accuracy" in measured:
        if study.facts["design"]:
            out["accuracy_time"] = Plot("results", *draw_pareto(study, "primary_accuracy"))
            return out
        marked = (study.baseline, study.focus)
        made = figures.accuracy_against_time(held["summary"], held["timings"], "primary_accuracy", marked)
        out["accuracy_time"] = Plot("results", made, summing_up.TIME_CAPTION)
    return out


def _draw_funnel(study: StudyFolder) -> dict[str, Plot]:
    from citegrain.tasks.evaluation.report import figures

    rows = study.tables["funnel"]
    if not rows.num_rows:
        return {}
    return {
        name: Plot("funnel", figures.funnel(rows, primaries), summing_up.funnel_caption(primaries))
        for name, primaries in (("funnel_primary", True), ("funnel_all", False))
    }


def _draw_breakdown(study: StudyFolder) -> dict[str, Plot]:
    from citegrain.tasks.evaluation.report import figures

    rows, metrics = study.tables["breakdown"], summing_up.broken_down(study)
    if not metrics or not figures.panels_of(rows, metrics[0]):
        return {}
    chosen = summing_up.most_telling(study, metrics[0], SHOWN)
    whole = {c: row["value"] for (c, m), row in study.cells.items() if m == metrics[0]}
    made = figures.breakdown(rows, metrics[0], chosen, whole)
    caption = summing_up.breakdown_caption(study, chosen)
    return {f"breakdown_{metrics[0]}": Plot("breakdown", made, caption)}


def _page(study: StudyFolder, plots: Mapping[str, Plot]) -> str:
    environment = templates("citegrain.tasks.evaluation.report")
    environment.filters |= {
        "breakable": wording.breakable,
        "words": wording.words,
        "title": wording.title,
        "moment": wording.moment,
    }
    told = environment.get_template("study.html.j2").render(_context(study, plots, environment))
    # half a surrogate pair, which JSON can hold, is no text
    return told.encode("utf-8", "replace").decode("utf-8")


def _context(study: StudyFolder, plots: Mapping[str, Plot], environment: Environment) -> dict[str, Any]:
    """Everything the template reads. Only our own style, script and drawings are marked as safe."""
    script, style = (_source(environment, name) for name in ("study.js", "study.css"))
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    facts = study.facts
    parts = factorial(study)
    worst, equal = worst_queries(study, study.focus, WORST) if study.focus else ([], 0)
    commit, dirty = commit_of(facts["environment"])
    return {
        "study": study,
        "facts": facts,
        "benchmark": facts["benchmark"],
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "script_hash": hashed,
        "plots": _inlined(plots),
        "factorial": parts,
        "many": many(study),
        # an ordinary study has these sections whether or not there is anything in them
        "answered": study.has_answers or not facts["design"],
        "compared": bool(study.rows("comparisons")) or not facts["design"],
        "abstention": any(m.startswith("abstained") for _, m in study.cells) or not facts["design"],
        "findings": claims.verdicts(study) + summing_up.findings(study),
        "family": summing_up.family(study),
        "tables": _tables(study),
        "worst": worst,
        "worst_equal": equal,
        "stages": STAGES if study.has_answers or not facts["design"] else STAGES[:-1],
        "losses": LOSSES,
        "commands": {
            name: command_of(facts["command"], told["overrides"])
            for name, told in facts["configurations"].items()
        },
        "builds": summing_up.builds(study),
        "commit": commit,
        "dirty": dirty,
        "counted": wording.counted,
        "rule": claims.RULE,
        "alpha": ALPHA,
        "power": POWER,
    }


def _tables(study: StudyFolder) -> dict[str, Any]:
    close = some_cells(study)
    return {
        "configurations": None if study.facts["design"] else tables.configurations_table(study),
        "summary": tables.summary_table(study),
        "all": tables.all_metrics_table(close),
        "comparisons": tables.comparison_tables(study),
        "funnel": tables.funnel_table(close, primaries=True),
        "funnel_all": tables.funnel_table(close, primaries=False),
        "breakdown": tables.breakdown_tables(close),
        "abstention": tables.abstention_table(close),
        "timings": tables.timings_table(close),
    }


def _inlined(plots: Mapping[str, Plot]) -> dict[str, list[tuple[str, Markup, str]]]:
    """Name, drawing and caption of each figure, by section."""
    from citegrain.tasks.evaluation.report.canvas import inline

    out: dict[str, list[tuple[str, Markup, str]]] = {name: [] for name in SECTIONS}
    for name, plot in plots.items():
        drawn = Markup(inline(plot.svg, name, plot.caption))  # noqa: S704
        out[plot.section].append((name, drawn, plot.caption))
    return out


def _source(environment: Environment, name: str) -> str:
    """A file beside the template, as it is."""
    if environment.loader is None:
        return ""
    return environment.loader.get_source(environment, name)[0]
