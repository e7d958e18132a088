"""What a schedule runs: a re-index, its report as an artefact of Prefect, its end as a named state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows import prefect_environment
from flows.progress import Progress, Silent
from flows.reindexing import NO_CHANGE, Outcome, run_reindex, summary
from flows.settings import Settings, load_settings

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State


def reindex(overrides: list[str]) -> State[None]:
    """Re-index as a schedule does, without a terminal.

    Parameters
    ----------
    overrides
        Hydra overrides: the corpus, and the benchmark of the gate.

    Returns
    -------
    State
        Completed, and named ``No change``, ``Promoted``, ``First build`` or ``Refused``.
    """
    return _state(run(load_settings(overrides), Silent()))


def run(settings: Settings, progress: Progress, force: bool = False) -> Outcome:
    """Re-index and publish the report; where nothing changed no flow is started.

    Raises
    ------
    BenchmarkError, BuildError, CorpusError, RegistryError, ModelError, ReindexBusy, StoreError
        As of :func:`flows.reindexing.run_reindex`.
    """
    outcome = run_reindex(settings, progress, force)
    if outcome.state == NO_CHANGE:
        return outcome
    prefect_environment.apply(settings.artifacts_folder)  # before Prefect is imported
    from prefect import flow
    from prefect.artifacts import create_markdown_artifact

    from flows.prefect_tasks import drawn

    @flow(name="reindex", flow_run_name=f"reindex {settings.corpus.name}", validate_parameters=False)
    def report() -> State[None]:
        create_markdown_artifact(key="amendments", markdown=summary(outcome), description=outcome.state)
        return _state(outcome)

    with drawn(settings.artifacts_folder):
        report()
    return outcome


def _state(outcome: Outcome) -> State[None]:
    from prefect.states import Completed

    return Completed(name=outcome.state.capitalize(), message=outcome.build.name)
