"""The tables of a report."""

from __future__ import annotations

from collections.abc import Mapping

from citegrain.tasks.evaluation.compare import ALPHA, PROPORTION
from citegrain.tasks.evaluation.report.cells import (
    Cell,
    Column,
    Table,
    measured_cell,
    name_cell,
    table,
    time_cell,
)
from citegrain.tasks.evaluation.report.reproduce import differing
from citegrain.tasks.evaluation.report.wording import (
    DASH,
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
from citegrain.tasks.evaluation.score import LOSSES, METRICS
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen

MAIN = ("primary_accuracy", "complete_accuracy", "primary_5", "fused_primary_20", "ndcg_10")
_ABSTENTION = {
    "abstained_out_of_scope": "Out of scope: abstained",
    "abstained_in_scope": "In scope: abstained",
    "failed": "No answer",
}
_STEPS = {
    "query": "query",
    "dense": "dense",
    "sparse": "sparse",
    "provision": "provision",
    "lay_dense": "lay dense",
    "lay_sparse": "lay sparse",
    "fused": "fuse",
    "reranked": "rerank",
    "selected": "select",
    "answers": "answer",
    "single_p50": "median",
    "single_max": "longest",
}


def summary_table(study: StudyFolder) -> Table:
    """The main metrics of each configuration with their intervals, and the time of a query."""
    metrics = [m for m in main_metrics(study) if any((c, m) in study.cells for c in study.scored)]
    shared = {m: shared_n(study, m) for m in metrics}
    times = _times(study)
    columns = [Column(heading(m), f"n = {shared[m]}" if shared[m] else "") for m in metrics]
    timed = any("single_p50" in held for held in times.values())
    columns += [Column("A query, ms", "median")] if timed else []
    rows = []
    for name in study.configurations:
        row = [name_cell(study, name)]
        row += [measured_cell(study.cells.get((name, m)), m, shared[m]) for m in metrics]
        if timed:
            row.append(time_cell(times.get(name, {}).get("single_p50")))
        rows.append(row)
    return table("Main metrics with 95% intervals.", columns, rows, classes="sortable stacked")


def main_metrics(study: StudyFolder) -> list[str]:
    """Metrics of the summary: the main ones, then those that the study has declared beyond them."""
    declared = [m for m in study.facts["metrics"] if m in METRICS]
    return list(dict.fromkeys([*MAIN, *declared]))


def all_metrics_table(study: StudyFolder) -> Table:
    """Every metric with its meaning, a line a metric."""
    held = [m for m in METRICS if any((c, m) in study.cells for c in study.scored)]
    columns = [Column("Meaning", told=True), Column("Interval", told=True), Column("n")]
    columns += [Column(name) for name in study.scored]
    rows = []
    for metric in held:
        kind, meaning = METRICS[metric]
        n = shared_n(study, metric)
        row = [Cell(metric), Cell(meaning), Cell("Wilson" if kind == PROPORTION else "BCa")]
        row.append(Cell(str(n) if n else DASH))
        row += [measured_cell(study.cells.get((c, metric)), metric, n) for c in study.scored]
        rows.append(row)
    return table("Every metric with its 95% interval and n.", columns, rows, "Metric", "stacked code")


def comparison_tables(study: StudyFolder) -> list[Table]:
    """The declared comparisons, a table a metric."""
    rows = study.rows("comparisons")
    out = []
    for metric in first_seen(rows, "metric"):
        own = [r for r in rows if r["metric"] == metric]
        measure = "percentage points" if unit(metric) else "its own unit"
        caption = f"{title(metric)}: configuration minus {own[0]['baseline']}, paired by query, in {measure}."
        out.append(table(caption, _COMPARED, [_compared(r, metric) for r in own], classes="sortable"))
    return out


_COMPARED = (
    Column("Difference"), Column("95% interval"), Column("n"), Column("Wins–losses"), Column("p"),
    Column("p", "Holm"), Column("Detectable", "80% power"),
)  # fmt: skip


def _compared(row: Row, metric: str) -> list[Cell]:
    adjusted = row["p_holm"]
    return [
        Cell(row["configuration"], sort=row["configuration"]),
        Cell(number(metric, row["difference"], sign=True), sort=row["difference"], strong=_significant(row)),
        Cell(interval(metric, row["lo"], row["hi"], sign=True) or DASH, sort=row["lo"]),
        Cell(str(row["n"]), sort=row["n"]),
        Cell(f"{row['wins']}{DASH}{row['losses']}", sort=row["wins"] - row["losses"]),
        Cell(p_value(row["p"]), sort=row["p"]),
        Cell(p_value(adjusted), sort=adjusted, strong=_significant(row)),
        Cell(number(metric, row["mde"]), sort=row["mde"]),
    ]


def _significant(row: Row) -> bool:
    return known(row["p_holm"]) and bool(row["p_holm"] < ALPHA)


def funnel_table(study: StudyFolder, primaries: bool) -> Table:
    """Counts of provisions by where they were lost, a line a configuration."""
    counts = funnel_counts(study, primaries)
    held = [loss for loss in LOSSES if any(loss in own for own in counts.values())]
    rows = [
        [
            name_cell(study, name),
            *(Cell(str(own.get(loss, 0)), sort=own.get(loss, 0)) for loss in held),
            Cell(str(sum(own.values())), sort=sum(own.values())),
        ]
        for name, own in counts.items()
    ]
    what = "primary provisions" if primaries else "all provisions that apply"
    columns = [*(Column(words(loss)) for loss in held), Column("n")]
    return table(f"Where {what} were lost.", columns, rows, classes="sortable counts")


def funnel_counts(study: StudyFolder, primaries: bool) -> dict[str, dict[str, int]]:
    """Number of provisions by configuration and by where they were lost."""
    counts: dict[str, dict[str, int]] = {}
    for row in study.rows("funnel"):
        if row["primary"] or not primaries:
            own = counts.setdefault(row["configuration"], {})
            own[row["lost_at"]] = own.get(row["lost_at"], 0) + 1
    return counts


def breakdown_tables(study: StudyFolder) -> dict[str, Table]:
    """By metric: its values by groups of complaints."""
    rows = study.rows("breakdown")
    out = {}
    for metric in first_seen(rows, "metric"):
        own = {(r["configuration"], r["dimension"], r["group"]): r for r in rows if r["metric"] == metric}
        groups = list(dict.fromkeys((d, g) for _, d, g in own))
        shared = {key: one_of({r["n"] for (_, *at), r in own.items() if tuple(at) == key}) for key in groups}
        columns = [
            Column(words(g), f"n = {shared[d, g]}" if shared[d, g] else "", dimension(d)) for d, g in groups
        ]
        named = first_seen(rows, "configuration")
        lines = [
            [name_cell(study, c), *(measured_cell(own.get((c, *key)), metric, shared[key]) for key in groups)]
            for c in named
        ]
        caption = f"{heading(metric)}, by groups of complaints, with 95% intervals."
        out[metric] = table(caption, columns, lines, classes="stacked")
    return out


def abstention_table(study: StudyFolder) -> Table:
    """Who abstained where nothing applies, and where something does."""
    held = [m for m in _ABSTENTION if any((c, m) in study.cells for c in study.scored)]
    shared = {m: shared_n(study, m) for m in held}
    columns = [
        Column(f"{_ABSTENTION[m]},\N{NO-BREAK SPACE}%", f"n = {shared[m]}" if shared[m] else "") for m in held
    ]
    rows = []
    for name in study.scored:
        cells = [study.cells.get((name, m)) for m in held]
        pairs = zip(cells, held, strict=True)
        rows.append([name_cell(study, name), *(_counted(cell, m, shared[m]) for cell, m in pairs)])
    return table("Abstention, with Wilson's 95% intervals.", columns, rows)


def _counted(cell: Row | None, metric: str, shared: int) -> Cell:
    made = measured_cell(cell, metric, shared)
    if cell is None or not known(cell["value"]):
        return made
    return Cell(f"{round(cell['value'] * cell['n'])} of {cell['n']}", f"{made.text} {made.small}", made.sort)


def timings_table(study: StudyFolder) -> Table:
    """Milliseconds a query by step, and of whole queries."""
    times = _times(study)
    held = dict.fromkeys(step for own in times.values() for step in own)
    steps = [s for s in _STEPS if s in held] + [s for s in held if s not in _STEPS]
    columns = [
        Column(_STEPS.get(s, s), group="Asked by itself" if s.startswith("single_") else "In the batch")
        for s in steps
    ]
    rows = [[name_cell(study, name), *(time_cell(own.get(s)) for s in steps)] for name, own in times.items()]
    return table("Milliseconds a query.", columns, rows, classes="counts")


def configurations_table(study: StudyFolder) -> Table | None:
    """The parameters by which configurations differ; None where none does."""
    told: Mapping[str, Row] = study.facts["configurations"]
    differ, values = differing({name: own["config"] for name, own in told.items()})
    if len(told) < 2 or not differ:
        return None
    caption = "The parameters by which configurations differ."
    if len(differ) > len(told):  # the longer side downwards
        columns = [Column(name, told=True) for name in told]
        rows = [[Cell(key), *(Cell(values[name].get(key, DASH)) for name in told)] for key in differ]
        return table(caption, columns, rows, "Parameter", "code")
    columns = [Column(key.partition(".")[2], group=key.partition(".")[0], told=True) for key in differ]
    rows = [[name_cell(study, name), *(Cell(values[name].get(k, DASH)) for k in differ)] for name in told]
    return table(caption, columns, rows, classes="code")


# What they are made of ---------------------------------------------------------


def _times(study: StudyFolder) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for row in study.rows("timings"):
        out.setdefault(row["configuration"], {})[row["step"]] = row["ms"]
    return out


def shared_n(study: StudyFolder, metric: str) -> int:
    """n of a metric where it is the same for all configurations, else 0."""
    return one_of({cell["n"] for (_, own), cell in study.cells.items() if own == metric})


def one_of(numbers: set[int]) -> int:
    """The only number; 0 where there are several."""
    return numbers.pop() if len(numbers) == 1 else 0
