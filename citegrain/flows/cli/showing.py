"""What the commands that measure print: tables of a study and of a calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from citegrain.flows.cli.terminal import line, out, plain_table
from citegrain.tasks.evaluation.report import Table as TableContent
from citegrain.tasks.evaluation.report import (
    TableCell,
    by_characters,
    difference_cell,
    effect_name,
    family_rows,
    funnel_table,
    main_metrics,
    number,
    p_value,
    summary_table,
    supported,
    tested_cells,
)
from citegrain.tasks.evaluation.studies import Row, StudyFolder, first_seen

if TYPE_CHECKING:
    from rich.table import Table

    from citegrain.flows.study.calibrate import Choice

_METRICS = ("primary_accuracy", "complete_accuracy", "fused_primary_20", "ndcg_10")
_BEYOND = {
    "abstained_out_of_scope": "abstained where nothing applies",
    "elsewhere_accuracy": "named the law that governs instead",
}
_BEST = 8  # cells of a factorial study that are shown
_TESTED = ("difference", "won_lost", "p_holm", "detectable")


def show(study: StudyFolder) -> None:
    """Print the summary, then comparisons and funnel; of a factorial study its best cells and effects."""
    benchmark = study.facts["benchmark"]
    title = (
        f"{benchmark['name']} ({benchmark['split']}), {study.facts['corpus']}: "
        f"{benchmark['in_scope']} complaints in scope, 95% intervals"
    )
    if study.tables["effects"].num_rows:
        best = _best(study)
        out.print(summary(study, f"The best {len(best)} cells. {title}", best))
        out.print(effects(family_rows(study)))
        return
    if benchmark["in_scope"]:
        out.print(summary(study, title, study.scored))
    if rows := study.rows("comparisons"):
        out.print(comparisons(rows))
    if benchmark["in_scope"] and not by_characters(study):
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
    return main_metrics(study) if by_characters(study) else _METRICS


def summary(study: StudyFolder, title: str, names: Sequence[str]) -> Table:
    """A line a configuration: the main metrics with intervals, the time of a query."""
    metrics = _shown(study)
    content = summary_table(study, metrics, names)
    heads = [column.heading for column in content.columns[: len(metrics)]]
    table = plain_table(
        title, "", *(fill(head, 12) for head in heads), *["ms"][: len(content.columns) - len(metrics)]
    )
    for row in content.rows:
        times = [cell.text for cell in row[len(metrics) + 1 :]]
        table.add_row(row[0].text, *(_lines(cell) for cell in row[1 : len(metrics) + 1]), *times)
    return table


def _lines(cell: TableCell) -> str:
    """The value, and below it its interval."""
    return f"{cell.text}\n{cell.small}".rstrip()


def _tested(row: Row) -> list[str]:
    cells = tested_cells(row)
    return [_lines(cells[name]) for name in _TESTED]


def comparisons(rows: Sequence[Row]) -> Table:
    """A line a declared comparison.

    Parameters
    ----------
    rows
        Those of ``COMPARISONS``.
    """
    table = plain_table(
        f"Against {rows[0]['baseline']}, paired by query; p by Holm over these {len(rows)}",
        "", "metric", "difference", "won-lost", "p", "detectable",
    )  # fmt: skip
    for row in rows:
        table.add_row(row["configuration"], row["metric"], *_tested(row))
    return table


def effects(family: Sequence[Row]) -> Table:
    """A line a declared effect, by metric, those shown marked.

    Parameters
    ----------
    family
        Those of ``EFFECTS`` that were declared.
    """
    table = plain_table(
        f"What each component is worth; p by Holm over these {len(family)}; * shown",
        "", "effect", "won-lost", "p", "detectable",
    )  # fmt: skip
    for metric in first_seen(family, "metric"):
        table.add_row(metric)
        for row in family:
            if row["metric"] == metric:
                table.add_row(("* " if supported(row) else "  ") + effect_name(row), *_tested(row))
    return table


def _funnel(study: StudyFolder) -> Table:
    """A line a loss: few configurations have a column each."""
    content = funnel_table(study, primaries=True)
    table = plain_table("Where the primary provision was lost", "", *(row[0].text for row in content.rows))
    for place, column in enumerate(content.columns[:-1], 1):
        table.add_row(column.heading.lower(), *(row[place].text for row in content.rows))
    return table


def beside(content: TableContent) -> Table:
    """A line a group of complaints and benchmark, as the page has it but for the names of the studies."""
    heads = [fill(column.heading, 12) for column in content.columns[2:]]
    table = plain_table(content.caption, content.row_heading.lower(), *heads)
    for group, benchmark, n, *cells in content.rows:
        table.add_row(f"{group.text}\n{benchmark.text}, n = {n.text}", *map(_lines, cells))
    return table


def tried(choice: Choice) -> Table:
    """The values of a factor with their evidence, the chosen one marked."""
    table = plain_table(f"{choice.factor}: {' '.join(choice.chosen)}", "", choice.metric, "difference", "p")
    for row in choice.tried:
        difference = difference_cell(choice.metric, row.difference, row.lo, row.hi)
        mark = "* " if row.overrides == choice.chosen else "  "
        table.add_row(
            mark + " ".join(row.overrides),
            number(choice.metric, row.value),
            _lines(difference) if row.difference else "",
            p_value(row.p),
        )
    return table
