"""The commands that measure: ``citegrain bench | sweep | calibrate | ui``."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table

from flows.terminal import Overrides, Terminal, fail, line, out, published, settings_of, shown

if TYPE_CHECKING:
    from flows.calibrating import Choice
    from flows.results import Results
    from flows.settings import Settings
    from flows.study import Study

Strict = Annotated[bool, typer.Option(help="Refuse a benchmark that cites what is not indexed.")]
Plan = Annotated[bool, typer.Option("--plan", help="Print the plan and do nothing.")]
Members = dict[str, tuple[list[str], "Settings"]]

_SHOWN = {
    "primary_accuracy": "primary %",
    "complete_accuracy": "whole set %",
    "fused_primary_20": "fused 20 %",
    "ndcg_10": "nDCG@10",
}


def bench(overrides: Overrides = None, strict: Strict = False, plan: Plan = False) -> None:
    """Measure one configuration on a benchmark."""
    from flows.settings import ELSEWHERE

    told = published(overrides)
    settings = settings_of(told)
    own = [o for o in told if re.split(r"[.=]", o.lstrip("+~"), maxsplit=1)[0] not in ELSEWHERE]
    name = _named(own)
    title = settings.bench.name or f"{name}-{settings.corpus.name}-{settings.benchmark.label}"
    _measure(title, {name: (own, settings)}, settings, strict, plan)


def sweep(overrides: Overrides = None, strict: Strict = False, plan: Plan = False) -> None:
    """Measure the configurations of a sweep on a benchmark, by one plan that shares work."""
    told = published(overrides)
    settings = settings_of(told)
    chosen = settings.sweep
    if chosen is None:
        fail("no sweep is chosen", 2)
    members: Members = {n: (o, settings_of([*told, *o])) for n, o in chosen.members().items()}
    title = settings.bench.name or f"{chosen.name}-{settings.corpus.name}-{settings.benchmark.label}"
    baseline = chosen.baseline or next(iter(members))
    _measure(title, members, settings, strict, plan, baseline, chosen.metrics)


def _named(overrides: list[str]) -> str:
    """A name for a configuration that is told by overrides."""
    parts = [re.sub(r"[^\w.-]+", "_", o.removeprefix("experiment=").lstrip("+~")) for o in overrides]
    return "-".join(parts)[:60].strip("._-") or "default"


def _measure(
    title: str,
    members: Members,
    settings: Settings,
    strict: bool,
    plan: bool,
    baseline: str = "",
    metrics: list[str] | None = None,
) -> None:
    from flows.measuring import Declared, run_study

    begun = time.monotonic()
    declared = Declared(baseline, tuple(metrics or ()))
    with _errors(settings):
        done = run_study(title, members, settings, declared, Terminal(), sys.argv[1:], strict, plan)
    if done is None:
        return
    study, results, folder = done
    show(study, results)
    made = ", ".join(f"{n} {stage}" for stage, n in study.made.items()) or "nothing"
    seconds = time.monotonic() - begun
    page = folder / "report.html"
    out.print(f"made: {made}; {shown(page if page.is_file() else folder)} ({seconds:.1f} s)", soft_wrap=True)
    for member in study.members:
        if member.failure:
            line(f"{member.name}: failed: {member.failure}", style="red")
        elif member.lost:
            query, why = next(iter(member.lost.items()))
            line(f"{member.name}: {len(member.lost)} queries failed, the first {query}: {why}", style="red")
    if any(m.failure for m in study.members):
        raise typer.Exit(1)


@contextmanager
def _errors(settings: Settings) -> Iterator[None]:
    """Whatever keeps a study from being measured, in one line."""
    from flows.study import StudyError
    from tasks.benchmark import BenchmarkError
    from tasks.corpus import CorpusError, RegistryError
    from tasks.models import ModelError
    from tasks.store import StoreError
    from tasks.store.artefacts import explain

    try:
        yield
    except (BenchmarkError, CorpusError, RegistryError, ModelError, StoreError, StudyError) as error:
        fail(str(error), 2 if isinstance(error, BenchmarkError) else 1)
    except OSError as error:
        fail(explain(error, settings.artifacts_folder), 1)


def show(study: Study, results: Results) -> None:
    """Print the summary, the declared comparisons and the funnel."""
    scope = sum(r.in_scope for r in study.benchmark.records)
    told = f"{study.benchmark.name} ({study.benchmark.split}), {study.settings.corpus.name}"
    out.print(_summary(results, f"{told}: {scope} complaints in scope, 95% intervals"))
    if results.comparisons.num_rows:
        out.print(_comparisons(results))
    out.print(_funnel(results))
    beyond = len(study.texts) - scope
    if beyond:
        rows = _by_name(results, "abstained_out_of_scope")
        told = ", ".join(f"{name} {round(r['value'] * r['n'])} of {r['n']}" for name, r in rows.items())
        line(f"abstained where nothing applies: {told}")


def _by_name(results: Results, metric: str) -> dict[str, Mapping[str, Any]]:
    return {r["configuration"]: r for r in results.summary.to_pylist() if r["metric"] == metric}


def _summary(results: Results, title: str) -> Table:
    table = _table(title, "", *_SHOWN.values(), "ms")
    cells = {metric: _by_name(results, metric) for metric in _SHOWN}
    times = {r["configuration"]: r["ms"] for r in results.timings.to_pylist() if r["step"] == "single_p50"}
    for name in dict.fromkeys(results.summary.column("configuration").to_pylist()):
        row = [name]
        for metric in _SHOWN:
            cell = cells[metric].get(name)
            scale = 1 if metric == "ndcg_10" else 100
            row.append(_interval(cell, scale) if cell else "-")
        table.add_row(*row, f"{times[name]:.0f}" if name in times else "-")
    return table


def _interval(cell: Mapping[str, Any], scale: int) -> str:
    """The value, and below it its interval: in per cent, or as it is."""
    if scale == 100:
        return f"{100 * cell['value']:.1f}\n[{100 * cell['lo']:.1f}, {100 * cell['hi']:.1f}]"
    return f"{cell['value']:.3f}\n[{cell['lo']:.3f}, {cell['hi']:.3f}]"


def _comparisons(results: Results) -> Table:
    rows = results.comparisons.to_pylist()
    table = _table(
        f"Against {rows[0]['baseline']}, paired by query; p by Holm over these {len(rows)}",
        "", "metric", "difference", "won-lost", "p", "detectable",
    )  # fmt: skip
    for row in rows:
        scale = 1 if row["metric"] in ("ndcg_10", "mrr", "map") else 100
        sign = "+" if row["difference"] >= 0 else ""
        table.add_row(
            row["configuration"],
            row["metric"],
            sign + _interval({"value": row["difference"], "lo": row["lo"], "hi": row["hi"]}, scale),
            f"{row['wins']}-{row['losses']}",
            f"{row['p_holm']:.3f}",
            f"{scale * row['mde']:.{1 if scale == 100 else 3}f}",
        )
    return table


def _funnel(results: Results) -> Table:
    from tasks.score import LOSSES

    rows = [r for r in results.funnel.to_pylist() if r["primary"]]
    names = list(dict.fromkeys(r["configuration"] for r in rows))
    table = _table("Where the primary provision was lost", "", *names)
    for loss in LOSSES:
        counts = [sum(r["configuration"] == n and r["lost_at"] == loss for r in rows) for n in names]
        if any(counts):
            table.add_row(loss.replace("_", " "), *(str(c) for c in counts))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 2, 0, 0),
        show_edge=False,
        title_style="bold",
    )
    for number, name in enumerate(columns):
        if number:
            table.add_column(name, justify="right", no_wrap=True)
        else:
            table.add_column(name, overflow="fold", min_width=10)
    return table


def calibrate(
    overrides: Overrides = None,
    write: Annotated[str, typer.Option(help="Also write the choices to conf/experiment/NAME.yaml.")] = "",
) -> None:
    """Choose thresholds and operators on a development split, with the evidence of each choice."""
    from flows.calibrating import calibrate as run
    from flows.calibrating import install

    told = published(overrides)
    settings = settings_of(told)
    if write and not re.fullmatch(r"\w+", write):
        fail(f"--write {write}: letters, digits and _", 2)
    with _errors(settings):
        choices, file = run(told, settings, Terminal(), sys.argv[1:], write or "calibrated")
    for choice in choices:
        out.print(_tried(choice))
    line(shown(install(file, write)) if write else shown(file))


def _tried(choice: Choice) -> Table:
    table = _table(f"{choice.factor}: {' '.join(choice.chosen)}", "", choice.metric, "difference", "p")
    for row in choice.tried:
        interval = f"{row.difference:+.3f}\n[{row.lo:+.3f}, {row.hi:+.3f}]"
        mark = "* " if row.overrides == choice.chosen else "  "
        table.add_row(
            mark + " ".join(row.overrides),
            f"{row.value:.3f}",
            interval if row.difference else "",
            f"{row.p:.3f}",
        )
    return table


def ui(
    overrides: Overrides = None,
    mlflow_port: Annotated[int, typer.Option(help="Port of MLflow.")] = 5000,
    prefect_port: Annotated[int, typer.Option(help="Port of Prefect.")] = 4200,
) -> None:
    """Open the pages of MLflow and Prefect on loopback, the newest study ready to compare."""
    from flows.ui import UiError, serve

    try:
        serve(settings_of(overrides), mlflow_port, prefect_port, line)
    except UiError as error:
        fail(str(error), 1)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(bench)
    app.command()(sweep)
    app.command()(calibrate)
    app.command()(ui)
