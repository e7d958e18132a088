"""What a schedule runs: a re-index, its report as an artefact of Prefect, its end as a named state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from citegrain.flows.reindex.run import Outcome, run_reindex, summary
from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.progress import Progress, Silent
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.evaluation.promotion import FIRST

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
        As of ``reindex.run.run_reindex``.
    """
    outcome = run_reindex(settings, progress, force)
    if outcome.report is None and outcome.state != FIRST:
        return outcome
    prefect_environment.apply(settings.artifacts_folder)  # before Prefect is imported
    from prefect import flow
    from prefect.artifacts import create_markdown_artifact

    from citegrain.flows.shared.prefect_tasks import drawn

    @flow(name="reindex", flow_run_name=f"reindex {settings.corpus.name}", validate_parameters=False)
    def report() -> State[None]:
        create_markdown_artifact(key=_key(settings), markdown=summary(outcome), description=outcome.state)
        return _state(outcome)

    try:
        with drawn(settings.artifacts_folder):
            report()
    except StoreError as error:  # what was decided is decided
        progress.say(f"{outcome.state}, but Prefect keeps no report of it: {error}")
    return outcome


def _key(settings: Settings) -> str:
    """Key of the artefact: of each corpus its own, in the signs that Prefect takes."""
    return f"amendments-{re.sub('[^a-z0-9]+', '-', settings.corpus.name.lower()).strip('-')}"


def _state(outcome: Outcome) -> State[None]:
    from prefect.states import Completed

    told = [outcome.build.name, *outcome.left_out]
    return Completed(name=outcome.state.capitalize(), message="; ".join(told))
