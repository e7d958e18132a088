"""The command that brings a corpus up to date: ``citegrain reindex``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal import Overrides, Terminal, fail, line, settings_of, shown

if TYPE_CHECKING:
    from flows.reindexing import Outcome

EXIT_REFUSED = 5
"""Exit code of a re-index whose build the gate refused."""

Force = Annotated[bool, typer.Option("--force", help="Promote what the gate refuses; it is recorded.")]


def reindex(overrides: Overrides = None, force: Force = False) -> None:
    """Re-index where sources changed, say what moved, and promote the build if it is no worse."""
    from flows.reindex import run
    from flows.reindexing import REFUSED
    from tasks.benchmark import BenchmarkError
    from tasks.builds import BuildError
    from tasks.corpus import CorpusError, RegistryError
    from tasks.corpus.demo import DemoError
    from tasks.models import ModelError
    from tasks.store import EXIT_BUSY, ReindexBusy, StoreError
    from tasks.store.artefacts import explain

    settings = settings_of(overrides)
    try:
        outcome = run(settings, Terminal(), force)
    except ReindexBusy as error:
        fail(str(error), EXIT_BUSY)
    except (
        BenchmarkError,
        BuildError,
        CorpusError,
        DemoError,
        ModelError,
        RegistryError,
        StoreError,
    ) as error:
        fail(str(error), 1)
    except OSError as error:
        fail(explain(error, settings.artifacts_folder), 1)
    _show(outcome)
    if outcome.state == REFUSED:
        raise typer.Exit(EXIT_REFUSED)


def _show(outcome: Outcome) -> None:
    """The state, why, and where the report is."""
    from tasks.amend import AMENDING

    counts = {
        kind: sum(k == kind for k in outcome.amendments.column("kind").to_pylist()) for kind in AMENDING
    }
    line(f"{outcome.state}{' by force' if outcome.forced else ''}: {shown(outcome.build)}")
    if outcome.before is None:
        return
    line(", ".join(f"{n} {kind}" for kind, n in counts.items()))
    verdict = outcome.verdict
    if verdict is not None:
        for reason in verdict.reasons:
            line(reason, style="red")
        if verdict.compared is not None:
            found = verdict.compared
            interval = f"[{100 * found.lo:+.1f}, {100 * found.hi:+.1f}]"
            line(f"benchmark: {100 * found.difference:+.1f} points {interval}, n = {found.n}")
        line(f"{len(verdict.changed)} answers moved, {len(verdict.excluded)} complaints left out")
    if outcome.report is not None:
        line(f"report: {shown(outcome.report / 'amendments.html')}")


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(reindex)
