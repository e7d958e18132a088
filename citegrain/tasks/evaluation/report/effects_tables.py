"""The tables of a factorial study: effects, their cross-check, interactions, groups, cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citegrain.tasks.evaluation.report.cells import Cell, Column, Table, measured_cell, table, time_cell
from citegrain.tasks.evaluation.report.claims import family_rows, fitted, supported, told_effect
from citegrain.tasks.evaluation.report.design import design_of, front_cells
from citegrain.tasks.evaluation.report.tables import one_of, shared_n
from citegrain.tasks.evaluation.report.wording import (
    DASH,
    decimal,
    dimension,
    heading,
    interval,
    known,
    number,
    p_value,
    title,
    unit,
    words,
)
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen

ALL = "all"  # how a table of effects tells that queries are not grouped
CELL_METRICS = ("primary_accuracy", "ndcg_10")


def effect_tables(study: StudyFolder) -> dict[str, Table]:
    """The declared effects by metric, beside them what the GEE makes of each where one was fitted."""
    rows, models = family_rows(study), fitted(study)
    design = design_of(study)
    group = "By matched cells" if design is None or design.full else "By least squares"
    out = {}
    for metric in first_seen(rows, "metric"):
        own = [r for r in rows if r["metric"] == metric]
        cross = {key: m for key, m in models.items() if key[0] == metric}
        columns = _columns(_matched(study, "pairs"), group if cross else "", adjusted=True)
        if cross:
            columns += _cross_columns(cross)
        lines = []
        for row in own:
            line = _effect(row, adjusted=True)
            lines.append(line + _crossed(cross, row) if cross else line)
        caption = f"{title(metric)}: the declared effects, {_measure(metric)}."
        out[metric] = table(caption, columns, lines, "Effect", "effects stacked")
    return out


def _cross_columns(models: Mapping[tuple[str, str], Row]) -> list[Column]:
    group = "Cross-check by GEE"
    if _logistic(models):
        return [Column("Estimate", "log odds ratio", group), Column("Difference", "", group)]
    return [Column("Estimate", "difference", group)]


def _logistic(models: Mapping[tuple[str, str], Row]) -> bool:
    """Whether estimates are log odds ratios; of a linear model they are the differences themselves."""
    return any(m["family"] == "binomial" for m in models.values())


def _crossed(models: Mapping[tuple[str, str], Row], row: Row) -> list[Cell]:
    """Estimate with its interval, and the difference that it makes of the metric where that is another."""
    model, metric = models.get((row["metric"], row["contrast"])), row["metric"]
    if model is None or not known(model["estimate"]):
        return [Cell(DASH)] * (2 if _logistic(models) else 1)
    told, lo, hi = (_estimate(model, metric, model[part]) for part in ("estimate", "lo", "hi"))
    cells = [Cell(told, f"[{lo}, {hi}]", model["estimate"], supported(model))]
    if _logistic(models):
        cells.append(Cell(number(metric, model["difference"], sign=True), sort=model["difference"]))
    return cells


def _estimate(model: Row, metric: str, value: float) -> str:
    """A coefficient: a log odds ratio has no unit, a difference of means that of its metric."""
    if model["family"] == "binomial" and known(value):
        return decimal(value, 2, sign=True)
    return number(metric, value, sign=True)


def _measure(metric: str) -> str:
    return "in percentage points" if unit(metric) else "in its own unit"


def _columns(matched: tuple[str, str], group: str, adjusted: bool) -> list[Column]:
    out = [Column("Effect", "95% interval", group), Column("n", "", group), Column(*matched, group)]
    out += [Column("Won–lost", "", group), Column("p", "", group)]
    out += [Column("p", "Holm", group)] if adjusted else []
    return [*out, Column("Detectable", "80% power", group)]


def _matched(study: StudyFolder, what: str) -> tuple[str, str]:
    """Heading of the numbers of matched cells; those of a fraction have no partners."""
    design = design_of(study)
    return ("Matched", what) if design is None or design.full else ("Cells", "")


def _effect(row: Row, adjusted: bool) -> list[Cell]:
    metric, strong = row["metric"], adjusted and supported(row)
    name = told_effect(row)
    bounds = interval(metric, row["lo"], row["hi"], sign=True)
    cells = [
        Cell(name, sort=name),
        Cell(number(metric, row["effect"], sign=True), bounds, row["effect"], strong),
        Cell(str(row["n"]), sort=row["n"]),
        Cell(str(row["matched"]), sort=row["matched"]),
        Cell(f"{row['wins']}{DASH}{row['losses']}", sort=row["wins"] - row["losses"]),
        Cell(p_value(row["p"]), sort=row["p"]),
    ]
    if adjusted:
        cells.append(Cell(p_value(row["p_holm"]), sort=row["p_holm"], strong=strong))
    return [*cells, Cell(number(metric, row["mde"]), sort=row["mde"])]


def interaction_tables(study: StudyFolder) -> dict[str, Table]:
    """Interactions over all queries by metric, the least p first."""
    rows = interaction_rows(study)
    out = {}
    for metric in first_seen(rows, "metric"):
        own = sorted(
            (r for r in rows if r["metric"] == metric), key=lambda r: r["p"] if known(r["p"]) else 2.0
        )
        caption = (
            f"Exploratory. {title(metric)}: interactions, {_measure(metric)}: how much greater the "
            "first effect is under the second's level than under what that is compared with. p is unadjusted."
        )
        lines = [_effect(r, adjusted=False) for r in own]
        columns = _columns(_matched(study, "fours"), "", adjusted=False)
        out[metric] = table(caption, columns, lines, "Interaction", "sortable stacked effects")
    return out


def interaction_rows(study: StudyFolder) -> list[Row]:
    """Exploratory interactions over all queries."""
    return [
        r
        for r in study.rows("effects")
        if r["kind"] == "interaction" and r["dimension"] == ALL and not r["confirmatory"]
    ]


def group_tables(study: StudyFolder) -> dict[str, Table]:
    """Effects by groups of queries, a table a metric, a column a group."""
    out = {}
    for metric in first_seen(study.rows("effects"), "metric"):
        own = group_rows(study, metric)
        if not own:
            continue
        groups = list(dict.fromkeys((r["dimension"], r["group"]) for r in own))
        held = {(r["contrast"], r["dimension"], r["group"]): r for r in own}
        shared = {g: one_of({r["n"] for (_, *at), r in held.items() if tuple(at) == g}) for g in groups}
        columns = [Column(words(g), _n(shared[d, g]), dimension(d)) for d, g in groups]
        named = {r["contrast"]: told_effect(r) for r in own}
        lines = [
            [Cell(name), *(_grouped(held.get((contrast, *g)), shared[g]) for g in groups)]
            for contrast, name in named.items()
        ]
        caption = (
            f"Exploratory. {title(metric)}: effects by groups of complaints, {_measure(metric)}, "
            "with 95% intervals. Groups are not compared by tests."
        )
        out[metric] = table(caption, columns, lines, "Effect", "stacked effects")
    return out


def group_rows(study: StudyFolder, metric: str) -> list[Row]:
    """Effects of one factor on a metric, by groups of queries."""
    return [
        r
        for r in study.rows("effects")
        if r["kind"] == "main" and r["dimension"] != ALL and r["metric"] == metric
    ]


def _grouped(row: Row | None, shared: int) -> Cell:
    if row is None or not known(row["effect"]):
        return Cell(DASH)
    bounds = interval(row["metric"], row["lo"], row["hi"], sign=True)
    own = "" if shared else f"n = {row['n']}"
    return Cell(number(row["metric"], row["effect"], sign=True), " ".join(filter(None, (bounds, own))))


def cells_table(study: StudyFolder) -> Table:
    """Every cell with its levels, the greatest primary accuracy first, cells without scores last."""
    design = study.facts["design"]
    metrics = [m for m in dict.fromkeys((*CELL_METRICS, *design["metrics"])) if _measured(study, m)]
    shared = {m: shared_n(study, m) for m in metrics}
    times = {r["configuration"]: r["ms"] for r in study.rows("timings") if r["step"] == "single_p50"}
    columns = [Column(words(f), told=True) for f in design["factors"]]
    columns += [Column(heading(m), _n(shared[m])) for m in metrics]
    columns += [Column("A query, ms", "median")] if times else []
    front = front_cells(study)
    rows = []
    for name in _by_value(study, list(design["cells"]), metrics):
        row = [_cell_name(study, name, front)]
        row += [Cell(level, sort=level) for level in _levels(study, name)]
        row += [measured_cell(study.cells.get((name, m)), m, shared[m]) for m in metrics]
        rows.append(row + ([time_cell(times.get(name))] if times else []))
    caption = "Every cell: its levels, and its metrics with 95% intervals."
    return table(caption, columns, rows, "Cell", "sortable stacked tall cells")


def _by_value(study: StudyFolder, names: Sequence[str], metrics: Sequence[str]) -> list[str]:
    def order(name: str) -> tuple[bool, float]:
        value = study.cells.get((name, metrics[0]), {}).get("value") if metrics else None
        return not known(value), -value if known(value) else 0.0

    return sorted(names, key=order)


def _levels(study: StudyFolder, name: str) -> list[str]:
    design = study.facts["design"]
    return [str(design["cells"][name].get(factor, DASH)) for factor in design["factors"]]


def _cell_name(study: StudyFolder, name: str, front: Sequence[str]) -> Cell:
    marks = ["undominated"] if name in front else []
    if name not in study.scored:
        marks.append("no scores")
    return Cell(name, ", ".join(marks), name)


def _measured(study: StudyFolder, metric: str) -> bool:
    return any((name, metric) in study.cells for name in study.scored)


def _n(shared: int) -> str:
    return f"n = {shared}" if shared else ""
