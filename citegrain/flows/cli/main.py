"""The command line: ``citegrain index | ask | reindex | serve | rollback | bench | sweep | ablate | ...``.

Exit 0: done. 1: nothing published or no answer. 2: wrong arguments. 3: with ``--strict``, published but
files were refused. 4: another re-index is at work. 5: the gate refused the new build.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from citegrain.flows.cli.agreement import register as register_agreement
from citegrain.flows.cli.bench import register
from citegrain.flows.cli.reindex import register as register_reindex
from citegrain.flows.cli.report import register as register_report
from citegrain.flows.cli.reproduce import register as register_reproduce
from citegrain.flows.cli.serve import register as register_serve
from citegrain.flows.cli.terminal import (
    Overrides,
    Terminal,
    build_folder,
    err,
    fail,
    line,
    out,
    published,
    settings_of,
    shown,
)
from citegrain.flows.cli.train import register as register_train

if TYPE_CHECKING:
    from citegrain.flows.index.result import IndexResult
    from citegrain.flows.shared.settings import Settings
    from citegrain.tasks.law.asof import AsOf
    from citegrain.tasks.online.cascade import CascadeResult
    from citegrain.tasks.online.hits import Hit

_ASKED = "q"

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Citation-grounded retrieval over statutes: PDFs of Acts in, cited provisions out.",
)
store_app = typer.Typer(no_args_is_help=True, help="The artefact store.")
app.add_typer(store_app, name="store")
register(app)
register_reproduce(app)
register_report(app)
register_agreement(app)
register_train(app)
register_reindex(app)
register_serve(app)


@app.command()
def index(
    overrides: Overrides = None,
    strict: Annotated[bool, typer.Option(help="Exit 3 if any file was refused.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Print the plan and do nothing.")] = False,
) -> None:
    """Index a corpus of PDFs and publish the build."""
    from citegrain.flows.cli.terminal import in_one_line
    from citegrain.flows.index.inputs import prepare
    from citegrain.flows.index.run import plan_index, run_index

    settings = settings_of(overrides)
    terminal = Terminal()
    begun = time.monotonic()
    with in_one_line(settings.artifacts_folder):
        if plan:
            out.print(plan_index(settings, prepare(settings)).line())
            return
        result = run_index(settings, terminal)
    refused = _show_report(result, settings, time.monotonic() - begun)
    if result.build is None:
        raise typer.Exit(1)
    if strict and refused:
        raise typer.Exit(3)


def _show_report(result: IndexResult, settings: Settings, seconds: float) -> int:
    """Print what became of each file, and keep it under reports/; returns how many were refused."""
    from citegrain.tasks.offline.chain import DOCUMENT_STAGES

    data = result.report()
    folder = settings.artifacts_folder / "reports"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data, indent=1, ensure_ascii=False, default=str)
        (folder / f"index-{settings.corpus.name}.json").write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        err.print(f"the report could not be written: {error.strerror}")
    if result.started_flow and data["indexed"]:
        table = Table(title=f"Indexed into {settings.corpus.name}", title_justify="left")
        for column, justify in (
            ("Act", "left"),
            ("version", "left"),
            ("pages", "right"),
            ("sections", "right"),
        ):
            table.add_column(column, justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in data["indexed"]:
            table.add_row(
                row["title"], str(row["version_date"] or ""), str(row["pages"]), str(row["sections"])
            )
        out.print(table)
    for row in data["indexed"]:
        for problem in row["pages_not_read"]:
            line(f"{row['file']}: page {problem['pages']}: {problem['reason']}")
        for warning in row["warnings"]:
            line(f"{row['file']}: {warning}")
        for name in row["same_bytes"]:
            line(f"{name}: the same bytes as {row['file']}")
    for row in data["refused"]:
        line(f"{row['file']}: not indexed: {row['reason']}")
    if result.build is None:
        err.print("nothing was published")
    elif result.started_flow:
        units = {stage.name: stage.unit for stage in DOCUMENT_STAGES} | {
            "embed": "texts embedded",
            "index": "build",
        }
        made = ", ".join(f"{n} {units[stage]}" for stage, n in result.made.items()) or "nothing"
        long = f" ({result.long_texts} of them longer than the encoder reads at once)"
        out.print(
            f"made: {made}{long if result.long_texts else ''}\n"
            f"published {shown(result.build)} in {seconds:.1f} s"
        )
    else:
        out.print(f"nothing to do: {shown(result.build)} is up to date ({seconds:.1f} s)")
    return len(data["refused"])


def _split_question(words: list[str]) -> tuple[str, list[str]]:
    """The question and the overrides among the arguments of ``ask``."""
    questions = [w for w in words if not _is_override(w)]
    return " ".join(questions).strip(), [w for w in words if _is_override(w)]


def _is_override(word: str) -> bool:
    head = word.split("=", 1)[0].lstrip("+~")
    return "=" in word and " " not in head and head.replace(".", "").replace("_", "").isalnum()


@app.command()
def ask(
    question: Annotated[list[str], typer.Argument(help="The complaint in plain words, then overrides.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    k: Annotated[int, typer.Option(help="Provisions to return; 0 as configured.", min=0, max=100)] = 0,
    as_of: Annotated[
        str,
        typer.Option(
            help="Day whose law applies, YYYY-MM-DD, or auto: as the complaint tells it; today if not given."
        ),
    ] = "",
    explain: Annotated[bool, typer.Option(help="Show rank and score of each provision by stage.")] = False,
    save: Annotated[bool, typer.Option(help="Keep pair scores and model replies for later runs.")] = False,
) -> None:
    """Find the provisions that apply to a complaint. Needs no network and no server."""
    from citegrain.flows.cli.terminal import in_one_line
    from citegrain.flows.shared.asking import as_json as answer_json
    from citegrain.flows.shared.asking import day_of, endpoint, open_build
    from citegrain.flows.shared.timing import StepTimes
    from citegrain.tasks.core.schemas import SchemaError
    from citegrain.tasks.online.cascade import Cascade

    text, overrides = _split_question(question)
    if not text:
        fail("the question is empty", 2)
    named = any(o.startswith(("corpus.name=", "corpus=")) for o in overrides)
    overrides = published([*overrides, f"select.k={k}"] if k else overrides)
    settings = settings_of(overrides)
    _check_day(as_of)
    today = datetime.now(UTC).astimezone().date()
    folder = build_folder(settings, named)
    if folder is None:
        fail("no build is published yet: run make demo or citegrain index", 1)
    with in_one_line(settings.artifacts_folder, more=(SchemaError, ValueError)):
        build = open_build(folder, settings)
        applied = day_of(as_of, text, today, build)
        store = settings.store_folder if save else None
        cascade = Cascade(build, settings.cascade, store, endpoint(settings.generate))
        times = StepTimes(cascade)
        result = cascade.run({_ASKED: text}, applied.day, times)
    answer = answer_json(text, applied, build, result)
    _warn_of_table(settings.corpus.counterparts, build.untold)
    if as_json:
        print(json.dumps(answer, indent=1, ensure_ascii=False))
    else:
        if not named:
            err.print(f"asking the build {folder.name} (corpus.name=NAME asks another)")
        _show_answer(answer, result.hits[_ASKED], applied)
        if explain:
            _show_explanation(result, build.citations, times.seconds)
    if answer["error"]:
        fail(answer["error"], 1)


def _check_day(as_of: str) -> None:
    """End with one line if ``--as-of`` tells no day."""
    from citegrain.tasks.law.asof import AUTO

    try:
        right = as_of in ("", AUTO) or date.fromisoformat(as_of).isoformat() == as_of
    except ValueError:
        right = False
    if not right:
        fail(f"--as-of {as_of}: a day as YYYY-MM-DD is wanted, or auto", 2)


def _warn_of_table(path: str, untold: list[str]) -> None:
    """Say which sections of the user's table of counterparts the build does not hold."""
    if untold:
        told = ", ".join([*untold[:3], *(["..."] if len(untold) > 3 else [])])
        err.print(f"{path}: not in this build: {told} ({len(untold)} in all)")


def _show_answer(answer: dict[str, Any], hits: list[Hit], applied: AsOf) -> None:
    from citegrain.flows.shared.counterparts import counterpart_line

    line(applied.line())
    if not answer["charges"] and not answer["error"]:
        out.print(f"no provision in force on {applied.day} was found that fits")
    by_id = {hit.provision_id: hit for hit in hits}
    for number, charge in enumerate(answer["charges"], 1):
        line(f"{number}. {charge['law']}", style="bold")
        if charge["heading"] or charge["description"]:
            line(f"   {charge['heading'] or charge['description']}")
        if charge["quote"]:
            line(f"   {charge['quote']}", style="dim")
        hit = by_id.get(charge["provision_id"])
        if hit is not None:
            told = [f"{name}: {value}" for name, value in hit.attributes.items() if value]
            line("   " + "  ".join([str(charge["link"]), f"score {charge['score']:.4f}", *told]))
        other = counterpart_line(charge)
        if other:
            line(f"   {other}")
        if charge["verification"] != "verified":
            line(f"   not verified: {charge['verification'].replace('_', ' ')}", style="red")
    if answer["note"] and answer["charges"]:
        line(answer["note"])


def _show_explanation(
    result: CascadeResult, citations: dict[str, str | None], seconds: dict[str, float]
) -> None:
    """Rank and score of each provision in every stage, and where the time went."""
    from citegrain.tasks.online.cascade import explain

    steps = list(result.runs)
    table = Table(title="Rank (score) of each provision by stage", title_justify="left")
    for name in ("", *steps):
        table.add_column(name, justify="right", no_wrap=True)
    for number, row in enumerate(explain(result, _ASKED, citations), 1):
        table.add_row(str(number), *(f"{row[s][0]} ({row[s][1]:.3f})" if row[s] else "-" for s in steps))
    out.print(table)
    line("  ".join(f"{name} {1000 * s:.0f} ms" for name, s in seconds.items()))


@app.command()
def rollback(overrides: Overrides = None) -> None:
    """Make the previous build of a corpus current again."""
    from citegrain.flows.cli.terminal import in_one_line
    from citegrain.tasks.evaluation.promotion import ROLLED_BACK, write_record
    from citegrain.tasks.offline.index import read_pointer
    from citegrain.tasks.offline.index import rollback as roll

    settings = settings_of(published(overrides))
    with in_one_line(settings.artifacts_folder, more=(ValueError,)):
        folder = settings.builds_folder / settings.corpus.name
        before = read_pointer(folder / "current")
        key = roll(settings.builds_folder, settings.corpus.name)
        write_record(folder, datetime.now(UTC).isoformat(timespec="seconds"), ROLLED_BACK, key, before)
    out.print(f"{settings.corpus.name}: current is {key}")


@store_app.command("gc")
def store_gc(overrides: Overrides = None) -> None:
    """Clear what neither the current nor the previous build of any corpus needs."""
    from citegrain.flows.cli.terminal import in_one_line
    from citegrain.tasks.core.store import collect_garbage

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        done = collect_garbage(settings.artifacts_folder, time.time())
    out.print(
        f"cleared {done.builds} builds, {done.artefacts} artefacts, {done.segments} row segments, "
        f"{done.leftovers} leftovers: {done.bytes / 2**20:.1f} MiB"
    )


def main() -> None:
    """Entry point of the console script."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        app()
    except KeyboardInterrupt:
        err.print("stopped; what was finished is kept, the next run goes on from there")
        sys.exit(130)
