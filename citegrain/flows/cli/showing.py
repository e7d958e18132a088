"""What the commands that measure print: tables of a study and of a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from citegrain.flows.cli.terminal import line, out
from citegrain.tasks.evaluation.report import (
    DASH,
    heading,
    interval,
    milliseconds,
    number,
    p_value,
    supported,
    told_effect,
)
from citegrain.tasks.evaluation.score import LOSSES
from citegrain.tasks.evaluation.studies import first_seen

if TYPE_CHECKING:
    from citegrain.flows.study.calibrate import Choice
    from citegrain.flows.study.results import Results
    from citegrain.flows.study.study import Study

_SHOWN = ("primary_accuracy", "complete_accuracy", "fused_primary_20", "ndcg_10")
_BEST = 8  # cells of a factorial study that are told


def show(study: Study, results: Results) -> None:
    """Print the summary, then comparisons and funnel; of a factorial study its best cells and effects."""
    scope = sum(r.in_scope for r in study.benchmark.records)
    told = f"{study.benchmark.name} ({study.benchmark.split}), {study.settings.corpus.name}"
    told = f"{told}: {scope} complaints in scope, 95% intervals"
    if results.effects.num_rows:
        _show_factorial(results, told)
    else:
        out.print(summary(results, told))
        if results.comparisons.num_rows:
            out.print(comparisons(results))
        out.print(_funnel(results))
    beyond = len(study.texts) - scope
    rows = _by_name(results, "abstained_out_of_scope")
    if beyond and rows and not results.effects.num_rows:
        told = ", ".join(f"{name} {round(r['value'] * r['n'])} of {r['n']}" for name, r in rows.items())
        line(f"abstained where nothing applies: {told}")


def _show_factorial(results: Results, title: str) -> None:
    """Print the best cells and the declared effects: all cells fill more than a screen."""
    names = _best(results, _BEST)
    out.print(summary(results, f"The best {len(names)} cells. {title}", names))
    out.print(effects(results.effects.to_pylist()))


def _best(results: Results, number: int) -> list[str]:
    """Names of the configurations with the greatest primary accuracy, the first of equals first."""
    rows = [r for r in _by_name(results, _SHOWN[0]).values() if r["value"] == r["value"]]
    return [r["configuration"] for r in sorted(rows, key=lambda r: -r["value"])[:number]]


def _by_name(results: Results, metric: str) -> dict[str, Mapping[str, Any]]:
    return {r["configuration"]: r for r in results.summary.to_pylist() if r["metric"] == metric}


def summary(results: Results, title: str, names: Sequence[str] | None = None) -> Table:
    """A line a configuration, or of ``names``: the main metrics with intervals, the time of a query."""
    table = plain_table(title, "", *(fill(heading(metric), 12) for metric in _SHOWN), "ms")
    cells = {metric: _by_name(results, metric) for metric in _SHOWN}
    times = {r["configuration"]: r["ms"] for r in results.timings.to_pylist() if r["step"] == "single_p50"}
    measured = dict.fromkeys(results.summary.column("configuration").to_pylist())
    for name in measured if names is None else names:
        row = [name]
        for metric in _SHOWN:
            cell = cells[metric].get(name)
            row.append(_told(metric, cell["value"], cell["lo"], cell["hi"]) if cell else DASH)
        table.add_row(*row, milliseconds(times.get(name)))
    return table


def _told(metric: str, value: float, lo: float, hi: float, sign: bool = False) -> str:
    """The value, and below it its interval."""
    return f"{number(metric, value, sign)}\n{interval(metric, lo, hi, sign)}"


def comparisons(results: Results) -> Table:
    """A line a declared comparison."""
    rows = results.comparisons.to_pylist()
    table = plain_table(
        f"Against {rows[0]['baseline']}, paired by query; p by Holm over these {len(rows)}",
        "", "metric", "difference", "won-lost", "p", "detectable",
    )  # fmt: skip
    for row in rows:
        metric = row["metric"]
        table.add_row(
            row["configuration"],
            metric,
            _told(metric, row["difference"], row["lo"], row["hi"], sign=True),
            f"{row['wins']}-{row['losses']}",
            p_value(row["p_holm"]),
            number(metric, row["mde"]),
        )
    return table


def effects(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A line a declared effect, by metric, those shown marked.

    Parameters
    ----------
    rows
        Those of ``EFFECTS``; exploratory ones are left out.
    """
    declared = [row for row in rows if row["confirmatory"]]
    # a study has them contrast by contrast
    family = [row for name in first_seen(declared, "metric") for row in declared if row["metric"] == name]
    table = plain_table(
        f"What each component is worth; p by Holm over these {len(family)}; * shown",
        "", "effect", "won-lost", "p", "detectable",
    )  # fmt: skip
    for at, row in enumerate(family):
        metric = row["metric"]
        if at == 0 or metric != family[at - 1]["metric"]:
            table.add_row(metric)
        table.add_row(
            ("* " if supported(row) else "  ") + told_effect(row),
            _told(metric, row["effect"], row["lo"], row["hi"], sign=True),
            f"{row['wins']}-{row['losses']}",
            p_value(row["p_holm"]),
            number(metric, row["mde"]),
        )
    return table


def _funnel(results: Results) -> Table:
    rows = [r for r in results.funnel.to_pylist() if r["primary"]]
    names = list(dict.fromkeys(r["configuration"] for r in rows))
    table = plain_table("Where the primary provision was lost", "", *names)
    for loss in LOSSES:
        counts = [sum(r["configuration"] == n and r["lost_at"] == loss for r in rows) for n in names]
        if any(counts):
            table.add_row(loss.replace("_", " "), *(str(c) for c in counts))
    return table


def tried(choice: Choice) -> Table:
    """The values of a factor with their evidence, the chosen one marked."""
    table = plain_table(f"{choice.factor}: {' '.join(choice.chosen)}", "", choice.metric, "difference", "p")
    for row in choice.tried:
        difference = _told(choice.metric, row.difference, row.lo, row.hi, sign=True)
        mark = "* " if row.overrides == choice.chosen else "  "
        table.add_row(
            mark + " ".join(row.overrides),
            number(choice.metric, row.value),
            difference if row.difference else "",
            p_value(row.p),
        )
    return table


def plain_table(title: str, *columns: str) -> Table:
    """An empty table under a title: names at the left, numbers at the right."""
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
        title_style="bold",
    )
    for at, name in enumerate(columns):
        if at:
            table.add_column(name, justify="right", no_wrap=True)
        else:
            table.add_column(name, overflow="fold", min_width=10)
    return table
