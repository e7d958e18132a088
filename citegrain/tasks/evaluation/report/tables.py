"""The tables of a report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow.compute as pc

from citegrain.tasks.core.pages import Column, Table, TableCell
from citegrain.tasks.evaluation.compare import ALPHA, PROPORTION, breakdown
from citegrain.tasks.evaluation.report.cells import (
    DASH,
    count_cell,
    dimension,
    heading,
    is_number,
    measure,
    measured_cell,
    n_in_head,
    name_cell,
    one_of,
    spent_cell,
    tested_cells,
    text_cell,
    title,
    words,
)
from citegrain.tasks.evaluation.report.declared import differing, query_times
from citegrain.tasks.evaluation.score import (
    DATED_METRICS,
    KINDS,
    LOSSES,
    METRICS,
    PROSE_METRICS,
    SPAN_METRICS,
)
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen, rows_by
from citegrain.tasks.online.query import INTENTS, intents_of

MAIN = ("primary_accuracy", "complete_accuracy", "primary_5", "fused_primary_20", "ndcg_10")
_ABSTENTION = {
    "abstained_out_of_scope": "Out of scope: abstained",
    "abstained_in_scope": "In scope: abstained",
    "elsewhere_accuracy": "Law that governs instead: named",
    "failed": "No answer",
}
_CONFIDENCE = ("confidence", "ece", "brier", "aurc", "selective_50", "selective_80")
_STEPS = {
    "fused": "fuse",
    "estimated": "estimate",
    "reranked": "rerank",
    "selected": "select",
    "answers": "answer",
    "single_p50": "median",
    "single_p95": "of 95%",
    "single_max": "longest",
}


def summary_table(
    study: StudyFolder,
    metrics: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
) -> Table:
    """Metrics of configurations with their intervals, and the time of a query; of all, the main ones."""
    if metrics is None:
        metrics = [m for m in main_metrics(study) if is_measured(study, m)]
    columns, cells = measured_columns(study, metrics, with_times=True)
    shown = study.configurations if names is None else names
    rows = [[name_cell(study, name), *cells(name)] for name in shown]
    return Table("Main metrics with 95% intervals.", columns, rows, classes="sortable stacked")


def measured_columns(
    study: StudyFolder, metrics: Sequence[str], with_times: bool = False
) -> tuple[list[Column], Callable[[str], list[TableCell]]]:
    """A column for each metric, and one for the time of a query; and what gives a configuration's cells."""
    n = {m: shared_n(study, m) for m in metrics}
    times = query_times(study.rows("timings")) if with_times else {}
    columns = [Column(heading(m), n_in_head(n[m])) for m in metrics]
    columns += [Column("A query, ms", "median")] if times else []

    def cells(name: str) -> list[TableCell]:
        row = [measured_cell(study.cells.get((name, m)), m, n[m]) for m in metrics]
        return row + ([spent_cell(times.get(name))] if times else [])

    return columns, cells


def costs_table(study: StudyFolder) -> Table:
    """What a query takes where a model is asked: milliseconds, tokens and price, at the median and of 95%."""
    wholes = [row for row in study.rows("timings") if row["step"] in ("single_p50", "single_p95")]
    asking = [
        name for name in study.scored if any(r["tokens_in"] for r in wholes if r["configuration"] == name)
    ]
    rows = []
    for name in study.scored if asking else ():
        cells = [name_cell(study, name)]
        of_name = {row["step"]: row for row in wholes if row["configuration"] == name}
        for key in ("ms", "tokens", "cost"):
            for step in ("single_p50", "single_p95"):
                row = of_name.get(step, {})
                tokens = (row.get("tokens_in") or 0) + (row.get("tokens_out") or 0)
                cells.append(spent_cell(tokens if key == "tokens" else row.get(key)))
        rows.append(cells)
    heads = [Column(what, at) for what in ("ms", "Tokens", "Price") for at in ("median", "of 95%")]
    return Table("What a query takes, with a model's tokens and their price.", heads, rows)


def main_metrics(study: StudyFolder) -> list[str]:
    """Metrics of the summary: the main ones, then those that the study has declared beyond them."""
    theirs = study.facts["own_metrics"]
    declared = [m for m in (*study.facts["metrics"], *theirs) if m in METRICS or m in theirs]
    return list(dict.fromkeys([*(special_metrics(study) or MAIN), *declared]))


def special_metrics(study: StudyFolder) -> Sequence[str]:
    """The main ones where gold depends on the day, is characters, or words; none where it is provisions."""
    if is_measured(study, "nugget_5"):
        return DATED_METRICS
    if is_measured(study, "text_recall"):
        return SPAN_METRICS
    in_words = is_measured(study, "page_accuracy") and not is_measured(study, "primary_accuracy")
    return PROSE_METRICS if in_words else ()


def is_measured(study: StudyFolder, metric: str) -> bool:
    """Whether any configuration has a value of the metric."""
    return any((name, metric) in study.cells for name in study.scored)


def all_metrics_table(study: StudyFolder) -> Table:
    """Every metric with its meaning, a line a metric."""
    columns = [Column("Meaning", is_text=True), Column("Interval", is_text=True), Column("n")]
    columns += [Column(name) for name in study.scored]
    rows = []
    for metric, (kind, meaning) in {**METRICS, **study.facts["own_metrics"]}.items():
        if not is_measured(study, metric):
            continue
        n = shared_n(study, metric)
        texts = (metric, meaning, "Wilson" if kind == PROPORTION else "BCa", str(n) if n else DASH)
        row = [TableCell(text) for text in texts]
        rows.append(row + [measured_cell(study.cells.get((c, metric)), metric, n) for c in study.scored])
    return Table("Every metric with its 95% interval and n.", columns, rows, "Metric", "stacked code")


def comparison_tables(study: StudyFolder) -> list[Table]:
    """The declared comparisons, a table a metric."""
    out = []
    for metric, rows in rows_by(study.rows("comparisons"), "metric").items():
        baseline = rows[0]["baseline"]
        caption = f"{title(metric)}: configuration minus {baseline}, paired by query, {measure(metric)}."
        out.append(Table(caption, _COMPARED, [_compared(r) for r in rows], classes="sortable"))
    return out


_COMPARED = (
    Column("Difference"), Column("95% interval"), Column("n"), Column("Wins–losses"), Column("p"),
    Column("p", "Holm"), Column("Detectable", "80% power"),
)  # fmt: skip


def _compared(row: Row) -> list[TableCell]:
    cells = tested_cells(row, strong=is_number(row["p_holm"]) and row["p_holm"] < ALPHA)
    difference = cells["difference"]
    return [
        text_cell(row["configuration"]),
        replace(difference, small=""),
        TableCell(difference.small or DASH, sort=row["lo"]),
        *(cells[name] for name in ("n", "won_lost", "p", "p_holm", "detectable")),
    ]


def funnel_table(study: StudyFolder, primaries: bool) -> Table:
    """Counts of provisions by where they were lost, a line a configuration."""
    counts = funnel_counts(study, primaries)
    losses = [loss for loss in LOSSES if any(loss in by_loss for by_loss in counts.values())]
    rows = [
        [
            name_cell(study, name),
            *(count_cell(by_loss.get(loss, 0)) for loss in losses),
            count_cell(sum(by_loss.values())),
        ]
        for name, by_loss in counts.items()
    ]
    what = "primary provisions" if primaries else "all provisions that apply"
    columns = [*(Column(words(loss)) for loss in losses), Column("n")]
    return Table(f"Where {what} were lost.", columns, rows, classes="sortable counts")


def funnel_counts(study: StudyFolder, primaries: bool) -> dict[str, dict[str, int]]:
    """Number of provisions by configuration and by where they were lost."""
    counts: dict[str, dict[str, int]] = {}
    for row in study.rows("funnel"):
        if row["primary"] or not primaries:
            by_loss = counts.setdefault(row["configuration"], {})
            by_loss[row["lost_at"]] = by_loss.get(row["lost_at"], 0) + 1
    return counts


def breakdown_tables(study: StudyFolder) -> dict[str, Table]:
    """By metric: its values by groups of complaints."""
    rows = study.rows("breakdown")
    names = first_seen(rows, "configuration")
    out = {}
    for metric, of_metric in rows_by(rows, "metric").items():
        columns, n = group_columns(of_metric)
        by_place = {(r["configuration"], r["dimension"], r["group"]): r for r in of_metric}
        lines = [
            [name_cell(study, c), *(measured_cell(by_place.get((c, *g)), metric, n[g]) for g in n)]
            for c in names
        ]
        caption = f"{heading(metric)}, by groups of complaints, with 95% intervals."
        out[metric] = Table(caption, columns, lines, classes="stacked")
    return out


def group_columns(rows: Sequence[Row]) -> tuple[list[Column], dict[tuple[str, str], int]]:
    """A column for each group of complaints; and the n of each where all its rows share it, else 0."""
    seen: dict[tuple[str, str], set[int]] = {}
    for row in rows:
        seen.setdefault((row["dimension"], row["group"]), set()).add(row["n"])
    n = {place: one_of(numbers) for place, numbers in seen.items()}
    return [Column(words(g), n_in_head(n[d, g]), dimension(d)) for d, g in n], n


def abstention_table(study: StudyFolder) -> Table:
    """Who abstained where nothing applies, and where something does."""
    n = {m: shared_n(study, m) for m in _ABSTENTION if is_measured(study, m)}
    columns = [Column(f"{_ABSTENTION[m]},\N{NO-BREAK SPACE}%", n_in_head(n[m])) for m in n]
    rows = [
        [name_cell(study, name), *(_abstained(study.cells.get((name, m)), m, n[m]) for m in n)]
        for name in study.scored
    ]
    return Table("Abstention, with Wilson's 95% intervals.", columns, rows)


def _abstained(row: Row | None, metric: str, n: int) -> TableCell:
    share = measured_cell(row, metric, n)
    if row is None or not is_number(row["value"]):
        return share
    text = f"{round(row['value'] * row['n'])} of {row['n']}"
    return replace(share, text=text, small=f"{share.text} {share.small}")


def confidence_table(study: StudyFolder) -> Table | None:
    """How sure the answers of each configuration are, and how rightly; None where none says."""
    names = [name for name in study.scored if (name, "ece") in study.cells]
    metrics = [m for m in _CONFIDENCE if any((name, m) in study.cells for name in names)]
    columns, cells = measured_columns(study, metrics)
    rows = [[name_cell(study, name), *cells(name)] for name in names]
    return Table("Confidence with 95% intervals.", columns, rows, classes="stacked") if rows else None


def timings_table(study: StudyFolder) -> Table:
    """Milliseconds a query by step, and of whole queries."""
    times: dict[str, dict[str, float]] = {}
    for row in study.rows("timings"):
        times.setdefault(row["configuration"], {})[row["step"]] = row["ms"]
    measured = dict.fromkeys(step for by_step in times.values() for step in by_step)
    steps = sorted(measured, key=lambda step: step.startswith("single_"))  # else in the order of the work
    groups = ["Asked by itself" if step.startswith("single_") else "In the batch" for step in steps]
    titles = [_STEPS.get(step, step.replace("_", " ")) for step in steps]
    columns = [Column(title, group=group) for title, group in zip(titles, groups, strict=True)]
    rows = [
        [name_cell(study, name), *(spent_cell(by_step.get(s)) for s in steps)]
        for name, by_step in times.items()
    ]
    return Table("Milliseconds a query.", columns, rows, classes="counts")


def configurations_table(study: StudyFolder) -> Table | None:
    """The parameters by which configurations differ; None where none does."""
    configurations: Mapping[str, Row] = study.facts["configurations"]
    differ, values = differing({name: facts["config"] for name, facts in configurations.items()})
    if len(configurations) < 2 or not differ:
        return None
    caption = "The parameters by which configurations differ."
    if len(differ) > len(configurations):  # the longer side downwards
        columns = [Column(name, is_text=True) for name in configurations]
        rows = [
            [TableCell(key), *(TableCell(values[name].get(key, DASH)) for name in configurations)]
            for key in differ
        ]
        return Table(caption, columns, rows, "Parameter", "code")
    columns = [Column(key.partition(".")[2], group=key.partition(".")[0], is_text=True) for key in differ]
    rows = [
        [name_cell(study, name), *(TableCell(values[name].get(key, DASH)) for key in differ)]
        for name in configurations
    ]
    return Table(caption, columns, rows, classes="code")


def shared_n(study: StudyFolder, metric: str) -> int:
    """n of a metric where it is the same for all configurations, else 0."""
    return one_of({row["n"] for (_, name), row in study.cells.items() if name == metric})


_BY_QUESTION = ("primary_1", "hit_1", "primary_5", "primary_20")
_ALL, _NONE = "(all)", "(none of these)"


def side_by_side_table(runs: Sequence[tuple[StudyFolder, str]]) -> Table:
    """Rankings of each run by what is asked, the benchmarks of a group below each other.

    ``runs``: a study and one of its configurations each; that they measured the same is said, not asked for.
    """
    measured = [_by_group(*run) for run in runs]
    rows = [
        [
            TableCell(group),
            TableCell(str(study.facts["benchmark"]["name"]), f"{study.folder.name}/{configuration}"),
            TableCell(str(max(row["n"] for row in cells.values()))),
            *(measured_cell(cells.get(metric), metric, 1) for metric in _BY_QUESTION),
        ]
        for group in (_ALL, *INTENTS, _NONE)
        for (study, configuration), groups in zip(runs, measured, strict=True)
        if (cells := groups.get(group))
    ]
    columns = [Column("Benchmark", is_text=True), Column("n"), *(Column(heading(m)) for m in _BY_QUESTION)]
    return Table(_caption(runs), columns, rows, "Asks for")


def _caption(runs: Sequence[tuple[StudyFolder, str]]) -> str:
    configs = {str(i): study.facts["configurations"][name]["config"] for i, (study, name) in enumerate(runs)}
    differ, _ = differing(configs)
    weights = {study.facts["configurations"][name]["weights"] for study, name in runs}
    differ += ["the encoder's weights"] * (len(weights) > 1)
    same = f"The configurations differ in {', '.join(differ)}" if differ else "One configuration"
    return f"{same}. By words of the complaint, with Wilson's 95% intervals; one may ask for several things."


def _by_group(study: StudyFolder, configuration: str) -> dict[str, dict[str, Row]]:
    """Rows of ``BREAKDOWN`` by group and metric."""
    wanted = (pc.field("configuration") == configuration) & pc.field("metric").isin(_BY_QUESTION)
    scores = study.tables["scores"].filter(wanted)
    groups = [
        (query, "asks", group)
        for query in pc.unique(scores.column("query_id")).to_pylist()
        for group in _groups(study.facts["questions"].get(query, {}).get("text", ""))
    ]
    out: dict[str, dict[str, Row]] = {}
    for row in breakdown(scores, KINDS, groups, _BY_QUESTION, 0).to_pylist():
        out.setdefault(row["group"], {})[row["metric"]] = row
    return out


def _groups(text: str) -> Iterator[str]:
    yield _ALL
    if text:  # it may not have been kept
        yield from intents_of(text) or [_NONE]
