"""What the effects of a study support: which are shown, which are not, and whether a second model agrees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from citegrain.tasks.evaluation.compare import ALPHA, holm
from citegrain.tasks.evaluation.report.design import versus
from citegrain.tasks.evaluation.report.wording import counted, interval, known, number, p_value, title, unit
from citegrain.tasks.evaluation.score import METRICS
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen

RULE = f"its interval excludes 0 and its p by Holm is below {ALPHA:g}"
CROSS = " × "


def supported(row: Row) -> bool:
    """Whether an effect is shown: its interval excludes 0, and its p by Holm is below .05."""
    return _excludes_zero(row) and known(row["p_holm"]) and row["p_holm"] < ALPHA


def family_rows(study: StudyFolder) -> list[Row]:
    """The confirmatory effects, of metrics that the program knows."""
    return [r for r in study.rows("effects") if r["confirmatory"] and r["metric"] in METRICS]


def effect_name(row: Row) -> str:
    """An effect in words: ``retrieval: rrf against dense``; of an interaction both of its contrasts."""
    name = versus(row["factor"], row["level"], row["against"])
    if row["by_factor"]:
        name += CROSS + versus(row["by_factor"], row["by_level"], row["by_against"])
    return name


def effect_size(row: Row) -> str:
    """``+4.2 points [+1.1, +7.2]``."""
    metric = row["metric"]
    points = " points" if unit(metric) else ""
    bounds = interval(metric, row["lo"], row["hi"], sign=True)
    return f"{number(metric, row['effect'], sign=True)}{points} {bounds}".strip()


def claims_of(study: StudyFolder) -> dict[str, tuple[list[Row], list[Row], list[Row]]]:
    """The declared effects by metric: those shown, those not, and those that could not be estimated."""
    rows = family_rows(study)
    return {
        metric: divided([r for r in rows if r["metric"] == metric]) for metric in first_seen(rows, "metric")
    }


def verdicts(study: StudyFolder) -> list[str]:
    """The declared effects in a sentence or two a metric; those not shown have no numbers."""
    out = []
    for metric, (shown, null, unknown) in claims_of(study).items():
        n = len(shown) + len(null) + len(unknown)
        text = f"{title(metric)}: {len(shown)} of {counted(n, 'declared effect')} shown"
        if shown:
            text += ": " + "; ".join(f"{effect_name(r)}, {effect_size(r)}" for r in shown)
        text += "."
        if null:
            text += f" No effect shown: {'; '.join(effect_name(r) for r in null)}."
        out.append(text)
    return out


def divided(rows: Sequence[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Effects that are shown, those that are not, and those that could not be estimated."""
    shown = [r for r in rows if supported(r)]
    null = [r for r in rows if known(r["effect"]) and not supported(r)]
    return shown, null, [r for r in rows if not known(r["effect"])]


def not_shown(row: Row) -> str:
    """An effect that is not shown: its size, what was detectable, and why if one condition holds."""
    metric = row["metric"]
    parts = [effect_size(row)]
    if known(row["mde"]):
        parts.append(f"detectable: {number(metric, row['mde'])}")
    if _excludes_zero(row):
        parts.append(f"the interval excludes 0, p by Holm is {p_value(row['p_holm'])}")
    elif known(row["p_holm"]) and row["p_holm"] < ALPHA:
        parts.append(f"p by Holm is {p_value(row['p_holm'])}, the interval includes 0")
    return f"{effect_name(row)} ({'; '.join(parts)})"


def disagreements(study: StudyFolder) -> tuple[int, list[str]]:
    """How many confirmatory effects a model was fitted for too, and those on which the two differ.

    The model's p-values are adjusted by Holm over the same family, so that both verdicts have one standard.
    """
    models = fitted(study)
    compared, out = 0, []
    for row in family_rows(study):
        model = models.get((row["metric"], row["contrast"]))
        if model is None or not known(row["effect"]) or not known(model["estimate"]):
            continue
        compared += 1
        ours, theirs = supported(row), supported(model)
        if ours != theirs:
            verdict = "shown by the declared test alone" if ours else "shown by the GEE alone"
        elif ours and row["effect"] * model["estimate"] < 0:
            verdict = "shown by both, in opposite directions"
        else:
            continue
        out.append(f"{title(row['metric'])}, {effect_name(row)}: {verdict}")
    return compared, out


def fitted(study: StudyFolder) -> Mapping[tuple[str, str], Row]:
    """Rows of the model by metric and contrast, of the confirmatory effects, each with its p by Holm."""
    models = {(r["metric"], r["contrast"]): r for r in study.rows("model")}
    family = [(r["metric"], r["contrast"]) for r in family_rows(study)]
    adjusted = holm([models[key]["p"] if key in models else math.nan for key in family])
    return {
        key: {**models[key], "p_holm": p} for key, p in zip(family, adjusted, strict=True) if key in models
    }


def by_chance(rows: Sequence[Row]) -> str:
    """How many exploratory effects have p below .05, and how many would without any effect."""
    tested = [r for r in rows if known(r["p"])]
    low = sum(r["p"] < ALPHA for r in tested)
    verb = "has" if low == 1 else "have"
    return (
        f"Of {counted(len(tested), 'test')} {low} {verb} p < {ALPHA:g}; were there no effect at all, "
        f"about {ALPHA * len(tested):.1f} would."
    )


def _excludes_zero(row: Row) -> bool:
    return known(row["lo"]) and known(row["hi"]) and (row["lo"] > 0 or row["hi"] < 0)
