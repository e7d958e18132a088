"""The commands that bring a corpus up to date, and that train a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import (
    DryRun,
    Overrides,
    Terminal,
    build_folder,
    fail,
    in_one_line,
    is_named,
    line,
    note,
    out,
    published,
    rendered,
    settings_of,
    shown,
    write_report,
)
from citegrain.tasks.core.errors import printable

if TYPE_CHECKING:
    from citegrain.flows.index.inputs import IndexResult
    from citegrain.flows.reindex.steps import ReindexOutcome
    from citegrain.flows.shared.settings import Settings

EXIT_REFUSED = 5
"""Exit code of a re-index whose build the gate refused."""

_LISTED = 40  # provisions of an Act and kind that are named

Force = Annotated[bool, typer.Option("--force", help="Promote what the gate refuses; it is recorded.")]


def index(
    overrides: Overrides = None,
    strict: Annotated[
        bool, typer.Option(help="Exit 3 if any document is refused, doubtful or incomplete.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Index a corpus of documents and publish the build."""
    from citegrain.flows.index.inputs import prepare
    from citegrain.flows.index.run import plan_index, run_index

    settings = settings_of(overrides)
    terminal = Terminal()
    begun = time.monotonic()
    with in_one_line(settings.artifacts_folder):
        if dry_run:
            out.print(plan_index(prepare(settings)).in_words)
            return
        result = run_index(settings, terminal)
    wrong = _show_report(result, settings, time.monotonic() - begun)
    if result.build is None:
        raise typer.Exit(1)
    if strict and wrong:
        raise typer.Exit(3)


def _show_report(result: IndexResult, settings: Settings, seconds: float) -> int:
    """Print what became of each file, and keep it under reports/; returns how many documents are wrong."""
    data = result.report()
    text = json.dumps(data, indent=1, ensure_ascii=False, default=str)
    write_report(settings.reports_folder / f"index-{settings.corpus.name}.json", text + "\n")
    if result.started_flow and data["indexed"]:
        from citegrain.tasks.core.pages import Table

        lines = []
        for row in data["indexed"]:
            counts = str(row["pages"] or ""), str(row["sections"])
            lines.append((row["title"], str(row["version_date"] or ""), *counts, row["verdict"]))
        heads = ("title", "version", "pages", "sections", "read")
        out.print(rendered(Table.of_texts(f"Indexed into {settings.corpus.name}", heads, lines)))
    for row in data["indexed"]:
        notes = [f"{row['verdict']}: {row['verdict_reason']}"] * bool(row["verdict_reason"])
        notes += [row["account"]] * bool(row["account"])
        notes += [f"page {problem['pages']}: {problem['reason']}" for problem in row["pages_not_read"]]
        for remark in [*notes, *row["warnings"]]:
            line(f"{printable(row['file'])}: {remark}")
        for name in row["same_bytes"]:
            line(f"{printable(name)}: the same bytes as {printable(row['file'])}")
    for row in data["refused"]:
        line(f"{printable(row['file'])}: not indexed: {row['reason']}")
    if reasons := data["texts_untranslated"]:
        line(f"{len(reasons)} texts are not translated, and the next run tries again: {reasons[0]}")
    if result.build is not None:
        from citegrain.flows.index.inputs import unread_lay_texts

        if unread := unread_lay_texts(settings, result.build):
            line(unread)
    if result.build is None:
        note("nothing was published")
    elif result.started_flow:
        work_done = ", ".join(computed_units(result.computed, result.long_texts)) or "nothing"
        out.print(f"made: {work_done}\npublished {shown(result.build)} in {seconds:.1f} s")
    else:
        out.print(f"nothing to do: {shown(result.build)} is up to date ({seconds:.1f} s)")
    if "index" in data:
        out.print(data["index"])
    wrong = [row["is_document"] for row in data["refused"]]
    return sum(map(bool, [*wrong, *(row["verdict_reason"] for row in data["indexed"])]))


def computed_units(computed: Mapping[str, int], long_texts: int) -> list[str]:
    """What each stage made, with its unit: ``1 document parsed``, ``3 texts embedded``."""
    from citegrain.tasks.offline.chain import DOCUMENT_STAGES

    units = {stage.name: stage.unit for stage in DOCUMENT_STAGES}
    units |= {"translate": "texts translated", "embed": "texts embedded", "index": "build"}
    of_one = {stage: unit.replace("s ", " ", 1) for stage, unit in units.items()}
    counts = {stage: f"{n} {(of_one if n == 1 else units)[stage]}" for stage, n in computed.items()}
    if long_texts:
        counts["embed"] += f" ({long_texts} longer than the encoder reads at once)"
    return list(counts.values())


def reindex(overrides: Overrides = None, force: Force = False, dry_run: DryRun = False) -> None:
    """Re-index what changed, say what moved, and promote or refuse."""
    from citegrain.flows.index.inputs import prepare
    from citegrain.flows.index.run import plan_index
    from citegrain.flows.reindex.run import run_reindex
    from citegrain.tasks.evaluation.promotion import REFUSED

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        if dry_run:
            line(plan_index(prepare(settings, publish=False)).in_words)
            return
        outcome = run_reindex(settings, Terminal(), force)
    _show_outcome(outcome)
    if outcome.state == REFUSED:
        line("The build before it stays; --force promotes this one all the same.")
        raise typer.Exit(EXIT_REFUSED)


def _show_outcome(outcome: ReindexOutcome) -> None:
    """The state, why, and where the report is."""
    from citegrain.tasks.law.editions_compared import LABELS

    line(f"{outcome.state}{' by force' if outcome.forced else ''}: {shown(outcome.build)}")
    for reason in outcome.left_out:
        line(reason, style="yellow")
    verdict = outcome.verdict
    for reason in verdict.reasons if verdict else ():
        line(reason, style="red")
    if outcome.report is None or verdict is None:
        return
    kinds = outcome.amendments.column("kind").to_pylist()
    line(", ".join(f"{kinds.count(kind)} {label}" for kind, label in LABELS.items()))
    for amended in _amended(outcome):
        line(amended)
    for sentence in verdict.sentences:
        line(f"benchmark: {sentence}")
    if not verdict.compared:
        line(f"benchmark: {verdict.nothing}; benchmark= names one for these Acts", style="yellow")
    if verdict.compared or verdict.excluded:
        caused = sum(bool(c.causes) for c in verdict.changed)
        line(
            f"{len(verdict.changed)} answers changed, {caused} by amended provisions, the others as ranks "
            f"moved by new neighbours; {len(verdict.excluded)} complaints left out"
        )
    line(f"report: {shown(outcome.report / 'amendments.html')}")


def _amended(outcome: ReindexOutcome) -> Iterator[str]:
    """For each Act a line: what of it was amended, by kind."""
    from citegrain.tasks.law.editions_compared import AMENDING, numbered

    for act_id in dict.fromkeys(outcome.amendments.column("act_id").to_pylist()):
        rows = [row for row in outcome.amendments.to_pylist() if row["act_id"] == act_id]
        parts = []
        for kind in AMENDING:
            names = [numbered(row) for row in rows if row["kind"] == kind]
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            parts += [f"{kind} {', '.join(names[:_LISTED])}{more}"] * bool(names)
        if parts:
            yield f"{outcome.titles.get(act_id, act_id)}: {'; '.join(parts)}"


def lay_texts(overrides: Overrides = None, dry_run: DryRun = False) -> None:
    """Let a language model write lay texts for an indexed folder.

    They are lines of lay_texts.jsonl in that folder, which may be written by hand: {"act": "arms-act-1959",
    "section": "25", "plain": "...", "scene": "...", "message": "..."}. Index the folder again to search them.
    """
    from citegrain.flows.index.lay_texts import add_lay_texts, plan_lay_texts

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        requests, tokens = plan_lay_texts(settings)
        line(f"{len(requests)} provisions without lay texts: about {tokens:,} tokens to read")
        for said in [] if dry_run else add_lay_texts(requests, settings, Terminal()):
            line(said)


Keep = Annotated[bool, typer.Option(help="Copy what was learned to data/models.")]


def train(overrides: Overrides = None, keep: Keep = True, dry_run: DryRun = False) -> None:
    """Train a reader, a ranker or a reranker on a published build."""
    from citegrain.flows.study.tracking import log_training
    from citegrain.flows.train.training import digests, gains_table, plan_training, run_train, ship
    from citegrain.tasks.offline.models import SHIPPED

    given = published(overrides)
    settings = settings_of(given)
    folder = build_folder(settings, is_named(given))
    if folder is None:
        fail(f"no build is published in {settings.builds_folder}: run citegrain index", 1)
    with in_one_line(settings.artifacts_folder):
        plan = plan_training(settings, folder)
        if dry_run:
            line(plan.line)
            return
        result = run_train(plan, Terminal())
        shipped = ship(result, SHIPPED) if keep else None
        if settings.bench.mlflow:
            log_training(result.artefact.path, settings.artifacts_folder)
    out.print(rendered(gains_table(result)))
    if not result.started_flow:
        note("nothing to do: this model is trained already")
    if shipped:
        line(f"kept in {shown(shipped)}")
        for name, sha256 in digests(result).items():
            line(f"SHA-256 of {name}: {sha256}")
