"""A study's folder as one HTML page that needs nothing beside it: no style, font or picture of others."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from markupsafe import Markup

from citegrain.tasks.core.pages import encodable, source_of, templates
from citegrain.tasks.core.store.artefacts import replaced_folder
from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.evaluation.compare import ALPHA, POWER
from citegrain.tasks.evaluation.report import cells, claims, declared, effects_tables, failures, tables
from citegrain.tasks.evaluation.report.declared import builds_of, command_of, commit_of
from citegrain.tasks.evaluation.report.failures import STAGES, worst_queries
from citegrain.tasks.evaluation.report.kinds import shares_table
from citegrain.tasks.evaluation.report.tables import side_by_side_table
from citegrain.tasks.evaluation.score import LOSSES
from citegrain.tasks.evaluation.studies import StudyFolder, read_study

if TYPE_CHECKING:
    from citegrain.tasks.evaluation.report.plots import Plot

PAGE = "report.html"
FIGURES = "figures"
# those that have figures
SECTIONS = ("effects", "interactions", "results", "funnel", "breakdown", "confidence")
WORST = 10
_FILTERS = (
    cells.breakable, cells.words, cells.title, cells.lowered, cells.moment, claims.effect_name,
    claims.effect_size, claims.not_shown,
)  # fmt: skip


def write_report(folder: Path, side_by_side: Sequence[tuple[StudyFolder, str]] = ()) -> Path:
    """Write ``report.html`` and ``figures/`` into a study's folder; returns the page's path.

    ``side_by_side``: runs that the page shows beside each other, if any: studies and their configurations.

    Raises StudyReadError if the folder holds no study that can be read, OSError if it cannot be written.
    """
    # matplotlib takes most of a second to load: only who draws waits
    from citegrain.tasks.evaluation.report.drawing import to_png
    from citegrain.tasks.evaluation.report.plots import draw

    study = read_study(folder)
    plots = draw(study)
    with replaced_folder(folder / FIGURES) as part:
        for name, plot in plots.items():
            (part / f"{name}.svg").write_text(plot.svg, encoding="utf-8")
            (part / f"{name}.png").write_bytes(to_png(plot.figure))
    write_atomically(folder / PAGE, _page(study, plots, side_by_side))
    return folder / PAGE


def _page(
    study: StudyFolder, plots: Mapping[str, Plot], side_by_side: Sequence[tuple[StudyFolder, str]] = ()
) -> str:
    environment = templates("citegrain.tasks.evaluation.report")
    environment.filters |= {f.__name__: f for f in _FILTERS}
    environment.globals |= {
        "counted": cells.counted,
        "claims": claims,
        "declared": declared,
        "effects_tables": effects_tables,
        "rule": claims.RULE,
        "alpha": ALPHA,
        "power": POWER,
    }
    table = side_by_side_table(side_by_side) if side_by_side else None
    context = _context(study, plots, environment) | {"side_by_side": table}
    return encodable(environment.get_template("study.html.j2").render(context))


def _context(study: StudyFolder, plots: Mapping[str, Plot], environment: Environment) -> dict[str, Any]:
    """Everything the template reads. Only our own style, script and drawings are marked as safe."""
    script, style = (source_of(environment, name) for name in ("study.js", "study.css"))
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    facts = study.facts
    worst, equal = worst_queries(study, study.focus, WORST) if study.focus else ([], 0)
    commit, dirty = commit_of(facts["environment"])
    return {
        "study": study,
        "facts": facts,
        "benchmark": facts["benchmark"],
        "style": style,
        "script": script,
        "script_hash": hashed,
        "plots": _inlined(plots),
        "design": declared.design_of(study),
        "many": declared.many(study),
        # an ordinary study has these sections whether or not there is anything in them
        "answered": study.has_answers or not facts["design"],
        "compared": bool(study.rows("comparisons")) or not facts["design"],
        "abstention": any(m.startswith("abstained") for _, m in study.cells) or not facts["design"],
        "findings": claims.verdicts(study) + claims.findings(study),
        "family": claims.family(study),
        "tables": _tables(study),
        "worst": worst,
        "worst_equal": equal,
        "worst_by": failures.worst_by(study),
        "stages": STAGES if study.has_answers or not facts["design"] else STAGES[:-1],
        "losses": LOSSES,
        "modes": failures.MODES,
        "commands": {
            name: command_of(facts["command"], configuration["overrides"])
            for name, configuration in facts["configurations"].items()
        },
        "builds": builds_of(study),
        "commit": commit,
        "dirty": dirty,
    }


def _tables(study: StudyFolder) -> dict[str, Any]:
    close = declared.some_cells(study)
    return {
        "configurations": None if study.facts["design"] else tables.configurations_table(study),
        "summary": tables.summary_table(study),
        "all": tables.all_metrics_table(close),
        "comparisons": tables.comparison_tables(study),
        "funnel": tables.funnel_table(close, primaries=True),
        "funnel_all": tables.funnel_table(close, primaries=False),
        "failures": failures.failures_table(close, primaries=True),
        "failures_all": failures.failures_table(close, primaries=False),
        "breakdown": tables.breakdown_tables(close),
        "confidence": tables.confidence_table(close),
        "abstention": tables.abstention_table(close),
        "shares": shares_table(close),
        "costs": tables.costs_table(study),
        "timings": tables.timings_table(close),
    }


def _inlined(plots: Mapping[str, Plot]) -> dict[str, list[tuple[str, Markup, str]]]:
    """Name, drawing and caption of each figure, by section."""
    from citegrain.tasks.evaluation.report.drawing import inline

    out: dict[str, list[tuple[str, Markup, str]]] = {name: [] for name in SECTIONS}
    for name, plot in plots.items():
        drawn = Markup(inline(plot.svg, name, plot.caption))  # noqa: S704
        out[plot.section].append((name, drawn, plot.caption))
    return out
