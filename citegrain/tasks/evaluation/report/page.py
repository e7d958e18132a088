"""What is written of a study: one HTML page that needs nothing beside it, and what other tools read.

The latter are runs as ``trec_eval`` reads them, and the CSV of the paper-QA system. It has semicolons (Table
4.5 of that thesis), and is standard or detailed. ``similarity`` compares an answer with a reference answer.
Benchmarks of complaints have none: the column stays empty, as do source and page where nothing applies. A
question without a source is not counted as found. ``seed``, ``template_id`` and ``open_knowledge`` are those
of an answer in prose, and empty where there is none.
"""

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
from citegrain.tasks.evaluation.report.declared import builds_of, commit_of
from citegrain.tasks.evaluation.report.failures import STAGES, shares_table, worst_queries
from citegrain.tasks.evaluation.report.tables import side_by_side_table
from citegrain.tasks.evaluation.score import LOSSES
from citegrain.tasks.evaluation.studies import StudyFolder, command_of, read_study

if TYPE_CHECKING:
    from citegrain.tasks.evaluation.report.plots import Plot

import csv
import json
from collections.abc import Iterable, Iterator

from citegrain.tasks.core.runs import trec_column

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


STANDARD = (
    "seed",
    "llm",
    "template_id",
    "open_knowledge",
    "question_id",
    "source_accuracy",
    "page_accuracy",
    "similarity",
)
DETAILED = (*STANDARD[:5], "question", *STANDARD[5:], "found_sources", "found_pages", "llm_response")


def trec_lines(rankings: Mapping[str, Sequence[str]], tag: str) -> Iterator[str]:
    """Lines ``query Q0 document rank score tag``; the score falls with the rank, so that ties cannot arise.

    ``rankings``: labels of provisions by query id, best first.
    """
    for query, labels in rankings.items():
        for rank, label in enumerate(labels, 1):
            yield f"{trec_column(query)} Q0 {trec_column(label)} {rank} {1 / rank:.6f} {tag}"


def paper_qa_rows(
    texts: Mapping[str, str],
    scores: Mapping[str, Mapping[str, float]],
    sources: Mapping[str, Sequence[tuple[str, int]]],
    answers: Mapping[str, str],
    run: Mapping[str, Any],
    cited_only: bool = False,
) -> list[dict[str, Any]]:
    """Rows with the columns of ``DETAILED``, one a query.

    ``sources``: (file, page) of what was selected, or of what was cited, by query id, in order. ``run``:
    ``seed``, ``llm``, ``template_id`` and ``open_knowledge`` of the configuration. ``cited_only``: whether
    source and page are measured over what the answer cites alone.
    """
    prefix = "cited_" if cited_only else ""
    rows = []
    for query, text in texts.items():
        pages: dict[str, list[int]] = {}
        for file, page in dict.fromkeys(sources.get(query, ())):
            pages.setdefault(file, []).append(page)
        measured = scores.get(query, {})
        rows.append(
            {
                **run,
                "question_id": query,
                "question": text,
                "source_accuracy": _rounded(measured.get(f"{prefix}source_accuracy")),
                "page_accuracy": _rounded(measured.get(f"{prefix}page_accuracy")),
                "similarity": _rounded(measured.get("similarity")),
                "found_sources": "; ".join(pages),
                "found_pages": json.dumps(pages, ensure_ascii=False),
                "llm_response": answers.get(query, ""),
            }
        )
    return rows


def _rounded(value: float | None) -> float | str:
    return "" if value is None else round(value, 4)


def write_csv(
    path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str], append: bool = False
) -> None:
    """Write rows with ``;`` between the columns; ``append``: behind what is there, after an empty line."""
    more = append and path.is_file() and path.stat().st_size > 0
    with path.open("a" if more else "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter=";", extrasaction="ignore", lineterminator="\n")
        if more:
            file.write("\n")
        else:
            writer.writeheader()
        writer.writerows(rows)
