"""The command that answers a complaint: ``citegrain ask``."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from citegrain.flows.cli.terminal import (
    build_folder,
    err,
    fail,
    in_one_line,
    line,
    out,
    published,
    settings_of,
)

if TYPE_CHECKING:
    from citegrain.tasks.law.asof import AsOf
    from citegrain.tasks.online.cascade import CascadeResult
    from citegrain.tasks.online.hits import Hit

_ASKED = "q"


def ask(
    question: Annotated[list[str], typer.Argument(help="The complaint in plain words, then overrides.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    k: Annotated[int, typer.Option(help="Provisions to return; 0 as configured.", min=0, max=100)] = 0,
    as_of: Annotated[
        str,
        typer.Option(
            help="Day whose law applies, YYYY-MM-DD, or auto: as the complaint says; today if not given."
        ),
    ] = "",
    explain: Annotated[bool, typer.Option(help="Show rank and score of each provision by stage.")] = False,
    save: Annotated[bool, typer.Option(help="Keep pair scores and model replies for later runs.")] = False,
) -> None:
    """Find the provisions that apply to a complaint. Needs no network and no server."""
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
    _warn_of_table(settings.corpus.counterparts, build.unknown_counterparts)
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


def _split_question(words: list[str]) -> tuple[str, list[str]]:
    """The question and the overrides among the arguments of ``ask``."""
    questions = [w for w in words if not _is_override(w)]
    return " ".join(questions).strip(), [w for w in words if _is_override(w)]


def _is_override(word: str) -> bool:
    head = word.split("=", 1)[0].lstrip("+~")
    return "=" in word and " " not in head and head.replace(".", "").replace("_", "").isalnum()


def _check_day(as_of: str) -> None:
    """End with one line if ``--as-of`` names no day."""
    from citegrain.tasks.law.asof import AUTO

    try:
        valid = as_of in ("", AUTO) or date.fromisoformat(as_of).isoformat() == as_of
    except ValueError:
        valid = False
    if not valid:
        fail(f"--as-of {as_of}: must be a day as YYYY-MM-DD, or auto", 2)


def _warn_of_table(path: str, unknown: list[str]) -> None:
    """Say which sections of the user's table of counterparts are not in the build."""
    if unknown:
        first = ", ".join([*unknown[:3], *(["..."] if len(unknown) > 3 else [])])
        err.print(f"{path}: not in this build: {first} ({len(unknown)} in all)")


def _show_answer(answer: dict[str, Any], hits: list[Hit], applied: AsOf) -> None:
    from citegrain.flows.shared.counterparts import counterpart_line

    line(applied.line())
    if not answer["charges"] and not answer["error"]:
        out.print(f"no provision in force on {applied.day} fits")
    by_id = {hit.provision_id: hit for hit in hits}
    for number, charge in enumerate(answer["charges"], 1):
        line(f"{number}. {charge['law']}", style="bold")
        if charge["heading"] or charge["description"]:
            line(f"   {charge['heading'] or charge['description']}")
        if charge["quote"]:
            line(f"   {charge['quote']}", style="dim")
        hit = by_id.get(charge["provision_id"])
        if hit is not None:
            attributes = [f"{name}: {value}" for name, value in hit.attributes.items() if value]
            line("   " + "  ".join([str(charge["link"]), f"score {charge['score']:.4f}", *attributes]))
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
