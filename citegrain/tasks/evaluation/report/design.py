"""What a factorial study declares, as its page shows it: factors, cells, the family, holes, aliases."""

from __future__ import annotations

import math
from collections.abc import Sequence

from citegrain.tasks.evaluation.design import Contrast, Design
from citegrain.tasks.evaluation.report.aggregates import timed, undominated
from citegrain.tasks.evaluation.report.wording import counted, known, lowered, title
from citegrain.tasks.evaluation.studies import Row, StudyFolder

FEW = 12  # configurations up to which each is shown in every section


def design_of(study: StudyFolder) -> Design | None:
    """The design; None of an ordinary study."""
    facts = study.facts["design"]
    return Design(facts["factors"], facts["cells"], facts["aliases"]) if facts else None


def size(design: Design) -> str:
    """``64 cells, all of 4 × 2 × 2 × 2 × 2``, or how many of these a fraction has."""
    shape = " × ".join(str(len(levels)) for levels in design.factors.values())
    cells = counted(len(design.cells), "cell")
    if design.full:
        return f"{cells}, all of {shape}"
    every = math.prod(len(levels) for levels in design.factors.values())
    return f"{cells}, a fraction of the {every} of {shape}"


def levels_of(study: StudyFolder) -> dict[str, dict[str, str]]:
    """The overrides of each level, by factor and level."""
    facts = study.facts["design"]
    return {
        factor: {level: " ".join(facts["levels"].get(factor, {}).get(level, [])) for level in levels}
        for factor, levels in facts["factors"].items()
    }


def contrasts_of(study: StudyFolder) -> list[Contrast]:
    """The contrasts that were declared."""
    return [Contrast(c["factor"], c["level"], c["against"]) for c in study.facts["design"]["contrasts"]]


def holes_of(study: StudyFolder) -> dict[str, str]:
    """Cells without scores, each with the reason; it is empty where the study does not say."""
    facts, configurations = study.facts["design"], study.facts["configurations"]
    names = [*facts["holes"], *(name for name in facts["cells"] if name not in study.scored)]
    return {name: configurations.get(name, {}).get("failure", "") for name in names}


def family_of(study: StudyFolder) -> str:
    """What was declared before the scores were seen."""
    metrics = [lowered(title(m)) for m in study.facts["design"]["metrics"]]
    contrasts = contrasts_of(study)
    if not contrasts or not metrics:
        return "No family was declared."
    listed = "; ".join(versus(c.factor, c.level, c.against) for c in contrasts)
    number = counted(len(contrasts) * len(metrics), "effect")
    return (
        f"{counted(len(contrasts), 'contrast')} ({listed}) by {' and '.join(metrics)}: {number}, declared "
        f"before the scores were seen. p is adjusted by Holm over exactly these; all else is exploratory."
    )


def versus(factor: str, level: str, against: str) -> str:
    """``retrieval: rrf against dense``."""
    return f"{factor}: {level} against {against}"


def reference_cell(study: StudyFolder) -> str:
    """The cell of the levels that contrasts compare with; empty where there is none with scores."""
    against: dict[str, set[str]] = {}
    for contrast in contrasts_of(study):
        against.setdefault(contrast.factor, set()).add(contrast.against)
    for name, cell in study.facts["design"]["cells"].items():
        if name in study.scored and all(against.get(f) == {level} for f, level in cell.items()):
            return str(name)
    return ""


def front_cells(study: StudyFolder, metric: str = "primary_accuracy") -> list[str]:
    """Cells that no other beats in both the metric and the time of a query."""
    rows: Sequence[Row] = timed(study.rows("summary"), study.rows("timings"), metric)
    return [row["configuration"] for row in undominated(rows)]


def many(study: StudyFolder) -> bool:
    """Whether a factorial study has so many cells that sections show only some of them."""
    return bool(study.facts["design"]) and len(study.configurations) > FEW


def some_cells(study: StudyFolder) -> StudyFolder:
    """The study with only the cells that are looked at closely, if it has many; else unchanged."""
    return study.only(telling_cells(study)) if many(study) else study


def telling_cells(study: StudyFolder) -> dict[str, str]:
    """At most ``FEW`` cells to look at closely, in the order of the study, and what each stands for."""
    why: dict[str, list[str]] = {}
    for name, reason in _candidates(study):
        if name:
            why.setdefault(name, []).append(reason)
    chosen = list(why)[:FEW]
    return {name: ", ".join(why[name]) for name in study.scored if name in chosen}


def _candidates(study: StudyFolder) -> list[tuple[str, str]]:
    out = [(study.focus, "looked at closely"), (reference_cell(study), "reference")]
    for metric in study.facts["design"]["metrics"]:
        values = {c: r["value"] for (c, m), r in study.cells.items() if m == metric and known(r["value"])}
        if values:
            out.append((max(values, key=lambda c: values[c]), f"best {lowered(title(metric))}"))
            out.append((min(values, key=lambda c: values[c]), f"least {lowered(title(metric))}"))
    return out + [(name, "undominated") for name in reversed(front_cells(study))]
