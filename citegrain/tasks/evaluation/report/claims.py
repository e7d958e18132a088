"""What a report says in sentences: the results, what was declared, and which effects are shown."""

import math
from collections.abc import Mapping, Sequence

from citegrain.tasks.core.pages import Column, Table, TableCell
from citegrain.tasks.evaluation.compare import ALPHA, holm
from citegrain.tasks.evaluation.report.cells import (
    DASH,
    counted,
    difference_cell,
    interval,
    is_number,
    lowered,
    number,
    p_value,
    title,
    unit,
    words,
)
from citegrain.tasks.evaluation.report.declared import versus
from citegrain.tasks.evaluation.report.tables import funnel_counts
from citegrain.tasks.evaluation.score import kinds_with
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen, rows_by

RULE = f"its interval excludes 0 and its p by Holm is below {ALPHA:g}"
CROSS = " × "


def supported(row: Row) -> bool:
    """Whether an effect is shown: its interval excludes 0, and its p by Holm is below .05."""
    return _excludes_zero(row) and is_number(row["p_holm"]) and row["p_holm"] < ALPHA


def verdicts_table(study: StudyFolder) -> Table:
    """What a document claims of configurations against the baseline, and whether it is so here."""
    compared = {(row["configuration"], row["metric"]): row for row in study.rows("comparisons")}
    rows = []
    for name, claim in study.facts["claims"].items():
        metric, direction = claim.split()
        row, verdict = compared.get((name, metric)), "not measured"
        difference, p = TableCell(DASH), TableCell(DASH)
        if row is not None:
            difference = difference_cell(metric, row["difference"], row["lo"], row["hi"])
            p, verdict = TableCell(p_value(row["p_holm"])), "not beyond chance"
            if supported(row):
                verdict = "shown" if (row["difference"] > 0) == (direction == "higher") else "reversed"
        said = TableCell(f"{words(metric)} {direction}")
        rows.append([TableCell(name), said, difference, p, TableCell(verdict)])
    columns = [
        Column("claim", is_text=True),
        Column("difference"),
        Column("p by Holm"),
        Column("verdict", is_text=True),
    ]
    return Table(f"Claims, against {study.baseline}", columns, rows)


def family_rows(study: StudyFolder) -> list[Row]:
    """The confirmatory effects, of metrics that the program knows."""
    return [
        r
        for r in study.rows("effects")
        if r["confirmatory"] and r["metric"] in kinds_with(study.facts["own_metrics"])
    ]


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
    return {metric: divided(rows) for metric, rows in rows_by(family_rows(study), "metric").items()}


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
    null = [r for r in rows if is_number(r["effect"]) and not supported(r)]
    return shown, null, [r for r in rows if not is_number(r["effect"])]


def not_shown(row: Row) -> str:
    """An effect that is not shown: its size, what was detectable, and why if one condition holds."""
    metric = row["metric"]
    parts = [effect_size(row)]
    if is_number(row["mde"]):
        parts.append(f"detectable: {number(metric, row['mde'])}")
    if _excludes_zero(row):
        parts.append(f"the interval excludes 0, p by Holm is {p_value(row['p_holm'])}")
    elif is_number(row["p_holm"]) and row["p_holm"] < ALPHA:
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
        if model is None or not is_number(row["effect"]) or not is_number(model["estimate"]):
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
    tested = [r for r in rows if is_number(r["p"])]
    low = sum(r["p"] < ALPHA for r in tested)
    verb = "has" if low == 1 else "have"
    return (
        f"Of {counted(len(tested), 'test')} {low} {verb} p < {ALPHA:g}; were there no effect at all, "
        f"about {ALPHA * len(tested):.1f} would."
    )


def _excludes_zero(row: Row) -> bool:
    return is_number(row["lo"]) and is_number(row["hi"]) and (row["lo"] > 0 or row["hi"] < 0)


def findings(study: StudyFolder) -> list[str]:
    """The results in a few sentences, each with its interval and n."""
    sentences = [_best(study, metric) for metric in ("primary_accuracy", "ndcg_10")]
    sentences += [_decided(study), _detectable(study), _lost(study), _sure(study), _abstained(study)]
    return [sentence for sentence in sentences if sentence]


def _best(study: StudyFolder, metric: str) -> str:
    values = {n: value for n in study.scored if (value := study.value(n, metric)) > -math.inf}
    if not values:
        return ""
    best = max(values.values())
    names = [name for name, value in values.items() if value == best]
    row = study.cells[names[0], metric]
    text = f"{number(metric, best)}{unit(metric)} {interval(metric, row['lo'], row['hi'])}, n = {row['n']}"
    if len(values) == 1:
        return f"{title(metric)}: {text}."
    others = f" (and {counted(len(names) - 1, 'other')})" if len(names) > 1 else ""
    luck = f" It is the highest of {len(values)} cells: in part by luck." if study.facts["design"] else ""
    return f"Highest {lowered(title(metric))}: {names[0]}{others}, {text}.{luck}"


def _decided(study: StudyFolder) -> str:
    rows = study.rows("comparisons")
    if not rows:
        return ""
    decided = [r for r in rows if is_number(r["p_holm"]) and r["p_holm"] < ALPHA]
    begin = f"Of {counted(len(rows), 'comparison')} with {rows[0]['baseline']}, "
    if not decided:
        return begin + f"none has p < {ALPHA:g} after Holm's adjustment."
    names = ", ".join(
        f"{r['configuration']} by {lowered(title(r['metric']))} "
        f"({number(r['metric'], r['difference'], sign=True)})"
        for r in decided[:4]
    )
    more = f" and {len(decided) - 4} more" if len(decided) > 4 else ""
    verb = "has" if len(decided) == 1 else "have"
    return begin + f"{len(decided)} {verb} p < {ALPHA:g} after Holm's adjustment: {names}{more}."


def _detectable(study: StudyFolder) -> str:
    """How great a difference would have had to be, by the first metric that was declared."""
    rows = study.rows("comparisons")
    least = [r["mde"] for r in rows if r["metric"] == rows[0]["metric"] and is_number(r["mde"])]
    if not least:
        return ""
    metric = rows[0]["metric"]
    low, high = number(metric, min(least)), number(metric, max(least))
    points = " percentage points" if unit(metric) else ""
    size = low if low == high else f"{low} to {high}"
    return (
        f"With these n, a true difference in {lowered(title(metric))} of less than {size}{points} "
        "is detected less than four times in five."
    )


def _lost(study: StudyFolder) -> str:
    counts = funnel_counts(study, primaries=True).get(study.focus, {})
    missed = {loss: n for loss, n in counts.items() if loss != "found"}
    if not counts or not missed:
        return ""
    worst = max(missed, key=lambda loss: missed[loss])
    return (
        f"Of {counted(sum(counts.values()), 'primary provision')}, {study.focus} found "
        f"{counts.get('found', 0)}; its largest loss is “{words(worst).lower()}” ({missed[worst]})."
    )


def _sure(study: StudyFolder) -> str:
    """What the most confident half of the answers is worth."""
    row = study.cells.get((study.focus, "selective_50"))
    if row is None or not is_number(row["value"]):
        return ""
    value = f"{number('selective_50', row['value'])}% {interval('selective_50', row['lo'], row['hi'])}"
    half = f"the half of {counted(row['n'], 'complaint')} of which {study.focus} is surest"
    return f"In {half}, the first charge is the primary provision in {value}."


def _abstained(study: StudyFolder) -> str:
    row = study.cells.get((study.focus, "abstained_out_of_scope"))
    if row is None or not is_number(row["value"]):
        return ""
    abstained = f"{round(row['value'] * row['n'])} of {counted(row['n'], 'complaint')}"
    return f"{study.focus} abstained on {abstained} to which nothing applies."


def family(study: StudyFolder) -> str:
    """What was declared to be compared, or why nothing is."""
    rows = study.rows("comparisons")
    if not rows:
        if len(study.configurations) < 2:
            return "The study has one configuration: there is nothing to compare it with."
        if study.baseline and study.baseline not in study.scored:
            return f"The baseline, {study.baseline}, has no scores: no declared comparison could be made."
        return "No comparison was declared."
    metrics = [title(m) for m in first_seen(rows, "metric")]
    others = first_seen(rows, "configuration")
    when = "declared before the scores were seen" if study.facts["declared"] else "chosen from finished runs"
    text = (
        f"The family, {when}: {_listed(others)} against the baseline, "
        f"{rows[0]['baseline']}, by {' and '.join(metrics)}: {counted(len(rows), 'comparison')}. "
        f"p is adjusted by Holm over exactly these."
    )
    failed = [c for c in study.configurations if c not in study.scored]
    return text + (f" Not in it, because they have no scores: {', '.join(failed)}." if failed else "")


def _listed(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"each of {len(names)} configurations"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
