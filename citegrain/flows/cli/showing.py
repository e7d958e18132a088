"""What the commands that measure print: tables of a study and of a calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from citegrain.flows.cli.terminal import line, out, rendered
from citegrain.tasks.core.pages import Column, Table, TableCell
from citegrain.tasks.evaluation.report import (
    costs_table,
    declared_effects,
    difference_cell,
    family_rows,
    funnel_table,
    main_metrics,
    number,
    p_value,
    shares_table,
    special_metrics,
    summary_table,
    tested_table,
    verdicts_table,
)
from citegrain.tasks.evaluation.studies import Row, StudyFolder

if TYPE_CHECKING:
    from rich.console import RenderableType

    from citegrain.flows.study.calibrate import Choice

_METRICS = ("primary_accuracy", "complete_accuracy", "fused_primary_20", "ndcg_10")
_BEYOND = {
    "abstained_out_of_scope": "abstained where nothing applies",
    "elsewhere_accuracy": "named the law that governs instead",
}
_LONG = 24  # characters of a name that has room in a table
_BEST = 8  # cells of a factorial study that are shown


def with_short_names(study: StudyFolder) -> tuple[StudyFolder, dict[str, str]]:
    """The study with a short name in the place of each long one, and the long ones by their short ones."""
    names = {n: f"c{i}" for i, n in enumerate(study.configurations, 1) if len(n) > _LONG}
    if not names:
        return study, {}

    def short(table: pa.Table) -> pa.Table:
        for column in {"configuration", "baseline"}.intersection(table.column_names):
            values = [names.get(name, name) for name in table.column(column).to_pylist()]
            at = table.column_names.index(column)
            table = table.set_column(
                at, table.schema.field(at), pa.array(values, table.schema.field(at).type)
            )
        return table

    facts = {**study.facts, "baseline": names.get(study.baseline, study.baseline)}
    for key in ("configurations", "claims"):
        facts[key] = {names.get(name, name): one for name, one in facts.get(key, {}).items()}
    tables = {name: short(table) for name, table in study.tables.items()}
    return replace(study, facts=facts, tables=tables), {c: name for name, c in names.items()}


def show(study: StudyFolder) -> None:
    """Print the summary, then comparisons and funnel; of a factorial study its best cells and effects."""
    study, names = with_short_names(study)
    for short, name in names.items():
        line(f"{short}: {name}")
    benchmark = study.facts["benchmark"]
    title = (
        f"{benchmark['name']} ({benchmark['split']}), {study.facts['corpus']}: "
        f"{benchmark['in_scope']} complaints in scope, 95% intervals"
    )
    if study.tables["effects"].num_rows:
        best = _best(study)
        out.print(summary(study, f"The best {len(best)} cells. {title}", best))
        out.print(rendered(declared_effects(family_rows(study))))
        return
    if benchmark["in_scope"]:
        out.print(summary(study, title, study.scored))
    if (costs := costs_table(study)).rows:
        out.print(rendered(costs))
    if rows := study.rows("comparisons"):
        out.print(comparisons(rows))
    if study.facts.get("claims"):
        out.print(rendered(verdicts_table(study)))
    if study.tables["shares"].num_rows:
        out.print(rendered(shares_table(study)))
    if study.tables["funnel"].num_rows:
        out.print(_funnel(study))
    if benchmark["queries"] > benchmark["in_scope"]:
        for metric, what in _BEYOND.items():
            cells = {name: study.cells.get((name, metric)) for name in study.scored}
            counts = [f"{name} {round(r['value'] * r['n'])} of {r['n']}" for name, r in cells.items() if r]
            if counts:
                line(f"{what}: {', '.join(counts)}")


def _best(study: StudyFolder) -> list[str]:
    """The configurations with the most of the first metric that is shown, the first of equals first."""
    values = {name: study.value(name, _shown(study)[0]) for name in study.scored}
    return sorted((n for n, v in values.items() if v > -math.inf), key=lambda name: -values[name])[:_BEST]


def _shown(study: StudyFolder) -> Sequence[str]:
    declared: list[str] = [*study.facts["metrics"], *study.facts["own_metrics"]]
    return main_metrics(study) if special_metrics(study) else list(dict.fromkeys([*declared, *_METRICS]))


def summary(
    study: StudyFolder, title: str, names: Sequence[str], metrics: Sequence[str] = ()
) -> RenderableType:
    """A line a configuration: the metrics, else the main ones, with intervals, and the time of a query."""
    table = summary_table(study, metrics or _shown(study), names)
    return rendered(replace(table, caption=title, row_heading=""))


def comparisons(rows: Sequence[Row]) -> RenderableType:
    """A line a declared comparison."""
    caption = f"Against {rows[0]['baseline']}, paired by query; p by Holm over these {len(rows)}"
    return rendered(tested_table(caption, [(row["configuration"], row) for row in rows], True))


def _funnel(study: StudyFolder) -> RenderableType:
    """A line a loss: few configurations have a column each."""
    content = funnel_table(study, primaries=True)
    losses = [TableCell(column.heading.lower()) for column in content.columns[:-1]]
    lines = [[loss, *(row[place] for row in content.rows)] for place, loss in enumerate(losses, 1)]
    columns = [Column(row[0].text) for row in content.rows]
    return rendered(Table("Where the primary provision was lost", columns, lines, ""))


def side_by_side(content: Table) -> RenderableType:
    """A line a group of complaints and benchmark, as the page has it but for the names of the studies."""
    lines = [
        [TableCell(f"{group.text}\n{benchmark.text}, n = {n.text}"), *cells]
        for group, benchmark, n, *cells in content.rows
    ]
    return rendered(replace(content, columns=content.columns[2:], rows=lines))


def tried(choice: Choice) -> RenderableType:
    """The values of a factor with their evidence, the chosen one marked."""
    lines = []
    for row in choice.tried:
        mark = "* " if row.overrides == choice.chosen else "  "
        difference = difference_cell(choice.metric, row.difference, row.lo, row.hi)
        cells = [
            TableCell(mark + " ".join(row.overrides)),
            TableCell(number(choice.metric, row.value)),
            difference if row.difference else TableCell(""),
            TableCell(p_value(row.p)),
        ]
        lines.append(cells)
    columns = [Column(choice.metric), Column("difference"), Column("p")]
    return rendered(Table(f"{choice.factor}: {' '.join(choice.chosen)}", columns, lines, ""))
