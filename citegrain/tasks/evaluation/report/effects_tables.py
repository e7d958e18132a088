"""The tables of a factorial study: effects, their cross-check, interactions, groups, cells."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citegrain.tasks.core.pages import Column, Table, TableCell
from citegrain.tasks.evaluation.report.cells import (
    DASH,
    count_cell,
    decimal,
    effect_cell,
    heading,
    is_number,
    measure,
    number,
    span,
    tested_cells,
    text_cell,
    title,
    words,
)
from citegrain.tasks.evaluation.report.claims import effect_name, family_rows, fitted, supported
from citegrain.tasks.evaluation.report.declared import design_of, front_cells
from citegrain.tasks.evaluation.report.tables import group_columns, is_measured, measured_columns
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen, rows_by

ALL = "all"  # the dimension of effects over all queries
CELL_METRICS = ("primary_accuracy", "ndcg_10")


_TESTED = ("difference", "won_lost", "p_holm", "detectable")


def tested_table(caption: str, rows: Sequence[tuple[str, Row]], by_metric: bool = False) -> Table:
    """A line a comparison or effect, in short: difference, queries won and lost, adjusted p.

    ``rows``: what each line is called, and its row of ``COMPARISONS`` or ``EFFECTS``. ``by_metric``: whether
    a column before the numbers names the metric.
    """
    heads = ["difference" if by_metric else "effect", "won-lost", "p", "detectable"]
    columns = [*[Column("metric", is_text=True)] * by_metric, *map(Column, heads)]
    lines = []
    for name, row in rows:
        cells = tested_cells(row)
        metrics = [TableCell(heading(row["metric"]))] * by_metric
        lines.append([TableCell(name), *metrics, *(cells[n] for n in _TESTED)])
    return Table(caption, columns, lines, "")


def declared_effects(family: Sequence[Row]) -> Table:
    """A line a declared effect, by metric, those shown marked.

    ``family``: those of ``EFFECTS`` that were declared.
    """
    caption = f"What each component is worth; p by Holm over these {len(family)}; * shown"
    table = tested_table(caption, [])
    lines: list[Sequence[TableCell]] = []
    for metric, rows in rows_by(family, "metric").items():
        by_name = [(("* " if supported(r) else "  ") + effect_name(r), r) for r in rows]
        lines.append([TableCell(f"{heading(metric)} (n = {span([r['n'] for r in rows])})")])
        lines += tested_table("", by_name).rows
    return replace(table, rows=lines)


def effect_tables(study: StudyFolder) -> dict[str, Table]:
    """The declared effects by metric, beside them the estimates of the GEE where one was fitted."""
    models = fitted(study)
    design = design_of(study)
    group = "By matched cells" if design is None or design.full else "By least squares"
    out = {}
    for metric, rows in rows_by(family_rows(study), "metric").items():
        cross = {key: m for key, m in models.items() if key[0] == metric}
        columns = _columns(study, "pairs", group if cross else "", adjusted=True)
        columns += _cross_columns(cross) if cross else []
        lines = [_effect(r, adjusted=True) + (_crossed(cross, r) if cross else []) for r in rows]
        caption = f"{title(metric)}: the declared effects, {measure(metric)}."
        out[metric] = Table(caption, columns, lines, "Effect", "effects stacked")
    return out


def _cross_columns(models: Mapping[tuple[str, str], Row]) -> list[Column]:
    group = "Cross-check by GEE"
    if _logistic(models):
        return [Column("Estimate", "log odds ratio", group), Column("Difference", "", group)]
    return [Column("Estimate", "difference", group)]


def _logistic(models: Mapping[tuple[str, str], Row]) -> bool:
    """Whether estimates are log odds ratios; of a linear model they are the differences themselves."""
    return any(m["family"] == "binomial" for m in models.values())


def _crossed(models: Mapping[tuple[str, str], Row], row: Row) -> list[TableCell]:
    """Estimate with its interval, and the difference in the metric that follows where that is another."""
    model, metric = models.get((row["metric"], row["contrast"])), row["metric"]
    if model is None or not is_number(model["estimate"]):
        return [TableCell(DASH)] * (2 if _logistic(models) else 1)
    estimate, lo, hi = (_estimate(model, metric, model[part]) for part in ("estimate", "lo", "hi"))
    cells = [TableCell(estimate, f"[{lo}, {hi}]", sort=model["estimate"], strong=supported(model))]
    if _logistic(models):
        cells.append(TableCell(number(metric, model["difference"], sign=True), sort=model["difference"]))
    return cells


def _estimate(model: Row, metric: str, value: float) -> str:
    """A coefficient: a log odds ratio has no unit, a difference of means that of its metric."""
    if model["family"] == "binomial" and is_number(value):
        return decimal(value, 2, sign=True)
    return number(metric, value, sign=True)


def _columns(study: StudyFolder, matched: str, group: str, adjusted: bool) -> list[Column]:
    design = design_of(study)
    # cells of a fraction have no partners
    cells = ("Matched", matched) if design is None or design.full else ("Cells", "")
    out = [Column("Effect", "95% interval", group), Column("n", "", group), Column(*cells, group)]
    out += [Column("Won–lost", "", group), Column("p", "", group)]
    out += [Column("p", "Holm", group)] if adjusted else []
    return [*out, Column("Detectable", "80% power", group)]


def _effect(row: Row, adjusted: bool) -> list[TableCell]:
    cells = tested_cells(row, strong=adjusted and supported(row)) | {"matched": count_cell(row["matched"])}
    names = ["difference", "n", "matched", "won_lost", "p", "p_holm", "detectable"]
    return [text_cell(effect_name(row)), *(cells[n] for n in names if adjusted or n != "p_holm")]


def interaction_tables(study: StudyFolder) -> dict[str, Table]:
    """Interactions over all queries by metric, the least p first."""
    columns = _columns(study, "fours", "", adjusted=False)
    out = {}
    for metric, rows in rows_by(interaction_rows(study), "metric").items():
        caption = (
            f"Exploratory. {title(metric)}: interactions, {measure(metric)}: how much greater the first "
            "effect is under the second factor's level than under its reference. p is unadjusted."
        )
        ranked = sorted(rows, key=lambda r: r["p"] if is_number(r["p"]) else 2.0)
        lines = [_effect(r, adjusted=False) for r in ranked]
        out[metric] = Table(caption, columns, lines, "Interaction", "sortable stacked effects")
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
        rows = group_rows(study, metric)
        if not rows:
            continue
        columns, n = group_columns(rows)
        by_place = {(r["contrast"], r["dimension"], r["group"]): r for r in rows}
        names = {r["contrast"]: effect_name(r) for r in rows}
        lines = [
            [TableCell(name), *(effect_cell(by_place.get((contrast, *g)), n[g]) for g in n)]
            for contrast, name in names.items()
        ]
        caption = (
            f"Exploratory. {title(metric)}: effects by groups of complaints, {measure(metric)}, "
            "with 95% intervals. Groups are not compared by tests."
        )
        out[metric] = Table(caption, columns, lines, "Effect", "stacked effects")
    return out


def group_rows(study: StudyFolder, metric: str) -> list[Row]:
    """Effects of one factor on a metric, by groups of queries."""
    return [
        r
        for r in study.rows("effects")
        if r["kind"] == "main" and r["dimension"] != ALL and r["metric"] == metric
    ]


def cells_table(study: StudyFolder) -> Table:
    """Every cell with its levels, the greatest primary accuracy first, cells without scores last."""
    design = study.facts["design"]
    metrics = [m for m in dict.fromkeys((*CELL_METRICS, *design["metrics"])) if is_measured(study, m)]
    columns, cells = measured_columns(study, metrics, with_times=True)
    factors = [Column(words(f), is_text=True) for f in design["factors"]]
    front = front_cells(study)
    rows = []
    for name in sorted(design["cells"], key=lambda cell: -study.value(cell, metrics[0]) if metrics else 0):
        row = [_cell_name(study, name, front)]
        row += [text_cell(str(design["cells"][name].get(factor, DASH))) for factor in design["factors"]]
        rows.append(row + cells(name))
    caption = "Every cell: its levels, and its metrics with 95% intervals."
    return Table(caption, [*factors, *columns], rows, "Cell", "sortable stacked tall cells")


def _cell_name(study: StudyFolder, name: str, front: Sequence[str]) -> TableCell:
    marks = ["undominated"] if name in front else []
    if name not in study.scored:
        marks.append("no scores")
    return TableCell(name, ", ".join(marks), sort=name)
