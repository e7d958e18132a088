"""The command that brings a corpus up to date: ``citegrain reindex``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import (
    DryRun,
    Overrides,
    Terminal,
    fail,
    in_one_line,
    line,
    settings_of,
    shown,
)

if TYPE_CHECKING:
    from citegrain.flows.reindex.steps import Outcome

EXIT_BUSY = 4
"""Exit code of a re-index that left because another one is at work."""

EXIT_REFUSED = 5
"""Exit code of a re-index whose build the gate refused."""

Force = Annotated[bool, typer.Option("--force", help="Promote what the gate refuses; it is recorded.")]


def reindex(overrides: Overrides = None, force: Force = False, dry_run: DryRun = False) -> None:
    """Re-index what changed, say what moved, and promote or refuse."""
    from citegrain.flows.index.inputs import prepare
    from citegrain.flows.index.run import plan_index
    from citegrain.flows.reindex.run import run_reindex
    from citegrain.tasks.core.store import ReindexBusy
    from citegrain.tasks.evaluation.promotion import REFUSED

    settings = settings_of(overrides)
    try:
        with in_one_line(settings.artifacts_folder):
            if dry_run:
                line(plan_index(prepare(settings, publish=False)).in_words)
                return
            outcome = run_reindex(settings, Terminal(), force)
    except ReindexBusy as error:
        fail(str(error), EXIT_BUSY)
    _show(outcome)
    if outcome.state == REFUSED:
        raise typer.Exit(EXIT_REFUSED)


def _show(outcome: Outcome) -> None:
    """The state, why, and where the report is."""
    from citegrain.tasks.law.amend import AMENDING

    line(f"{outcome.state}{' by force' if outcome.forced else ''}: {shown(outcome.build)}")
    for reason in outcome.left_out:
        line(reason, style="yellow")
    verdict = outcome.verdict
    for reason in verdict.reasons if verdict else ():
        line(reason, style="red")
    if outcome.report is None or verdict is None:
        return
    kinds = outcome.amendments.column("kind").to_pylist()
    line(", ".join(f"{kinds.count(kind)} {kind}" for kind in AMENDING))
    for sentence in verdict.sentences:
        line(f"benchmark: {sentence}")
    if not verdict.compared:
        line("benchmark: nothing could be compared; benchmark= names one for these Acts", style="yellow")
    if verdict.compared or verdict.excluded:
        caused = sum(bool(c.causes) for c in verdict.changed)
        line(
            f"{len(verdict.changed)} answers changed, {caused} by amended provisions, the others as ranks "
            f"moved by new neighbours; {len(verdict.excluded)} complaints left out"
        )
    line(f"report: {shown(outcome.report / 'amendments.html')}")
