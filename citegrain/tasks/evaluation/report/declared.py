"""What a study declares and what each row was measured with: design, cells, command, parameters, build."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from citegrain.tasks.evaluation.design import Contrast, Design
from citegrain.tasks.evaluation.report.cells import counted, is_number, lowered, title
from citegrain.tasks.evaluation.studies import Row, StudyFolder

Means = dict[tuple[str, str], float]


def query_times(timings: Iterable[Row]) -> dict[str, float]:
    """Median milliseconds of a query asked by itself, by configuration."""
    return {r["configuration"]: r["ms"] for r in timings if r["step"] == "single_p50"}


def query_costs(timings: Iterable[Row], name: str) -> dict[str, float]:
    """``tokens`` or ``cost`` of a query by configuration, over all steps; empty where no model was asked."""
    out: dict[str, float] = {}
    parts = ("cost",) if name == "cost" else ("tokens_in", "tokens_out")
    for row in timings:
        spent = 0.0 if row["step"].startswith("single_") else sum(row.get(part) or 0.0 for part in parts)
        out[row["configuration"]] = out.get(row["configuration"], 0.0) + spent
    return out if any(out.values()) else {}


def against(summary: Iterable[Row], spent: Mapping[str, float], metric: str) -> list[dict[str, Any]]:
    """Rows of a metric with ``x``, what a query of the configuration takes; others are left out."""
    return [
        {**r, "x": spent[r["configuration"]]}
        for r in summary
        if r["metric"] == metric and is_number(r["value"]) and is_number(spent.get(r["configuration"]))
    ]


def timed(summary: Iterable[Row], timings: Iterable[Row], metric: str) -> list[dict[str, Any]]:
    """Rows of a metric with ``x``, the median milliseconds of a query asked by itself."""
    return against(summary, {c: ms for c, ms in query_times(timings).items() if ms > 0}, metric)


def undominated(rows: Sequence[Row]) -> list[Row]:
    """Those that none beats in both ``x`` and ``value``, cheapest first; of equals the first."""
    front: list[Row] = []
    for row in sorted(rows, key=lambda r: (r["x"], -r["value"])):
        if not front or row["value"] > front[-1]["value"]:
            front.append(row)
    return front


def level_means(design: Design, values: Mapping[str, float], a: str, b: str) -> Means:
    """Mean over cells by (level of ``a``, level of ``b``).

    Only surroundings (levels of the other factors) in which every combination of ``a`` and ``b`` has a value
    count. Otherwise a hole would move one mean and not those it is compared with.

    ``values``: the metric by cell; a cell that it lacks is a hole.

    Returns nothing where no surroundings are complete.
    """
    n_combinations = len(design.factors[a]) * len(design.factors[b])
    blocks: dict[tuple[tuple[str, str], ...], Means] = {}
    for name, cell in design.cells.items():
        if name in values:
            around = tuple(sorted((f, level) for f, level in cell.items() if f not in (a, b)))
            blocks.setdefault(around, {})[cell[a], cell[b]] = values[name]
    complete = [block for block in blocks.values() if len(block) == n_combinations]
    return (
        {key: float(np.mean([block[key] for block in complete])) for key in complete[0]} if complete else {}
    )


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


def front_cells(study: StudyFolder) -> list[str]:
    """Cells that no other beats in both primary accuracy and the time of a query."""
    rows: Sequence[Row] = timed(study.rows("summary"), study.rows("timings"), "primary_accuracy")
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
        values = {c: r["value"] for (c, m), r in study.cells.items() if m == metric and is_number(r["value"])}
        if values:
            out.append((max(values, key=lambda c: values[c]), f"best {lowered(title(metric))}"))
            out.append((min(values, key=lambda c: values[c]), f"least {lowered(title(metric))}"))
    return out + [(name, "undominated") for name in reversed(front_cells(study))]


def commit_of(environment: Mapping[str, Any]) -> tuple[str, bool]:
    """(git commit, whether there were changes that were not committed); empty where git did not know."""
    commit = str(environment.get("git_commit") or "")
    return commit.removesuffix("-dirty"), commit.endswith("-dirty")


def differing(configs: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Parameters by which configurations differ, and every configuration's parameters as text.

    Returns the names of those that differ, in the order of the stages, and parameters by configuration.
    """
    flat = {name: dict(_flat(config)) for name, config in configs.items()}
    names = list(dict.fromkeys(key for parameters in flat.values() for key in parameters))
    differ = [key for key in names if len({parameters.get(key) for parameters in flat.values()}) > 1]
    return differ, flat


def _flat(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    out = []
    for stage, values in config.items():
        items = values.items() if isinstance(values, Mapping) else [("", values)]
        out += [(f"{stage}.{key}".rstrip("."), _formatted(value)) for key, value in items]
    return out


def _formatted(value: Any) -> str:
    """A value as an override writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_formatted(v) for v in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_formatted(v)}" for k, v in value.items()) + "}"
    return str(value) if value not in ("", None) else "none"


def builds_of(study: StudyFolder) -> list[dict[str, Any]]:
    """The builds that configurations were measured on: key, content, weights, and those configurations."""
    out: dict[str, dict[str, Any]] = {}
    for name, facts in study.facts["configurations"].items():
        if key := facts["build"]:
            build = {"key": key, "content": facts["build_content"], "weights": facts["weights"]}
            out.setdefault(key, build | {"configurations": []})["configurations"].append(name)
    return list(out.values())
