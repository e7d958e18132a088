"""A re-index as Prefect draws it: index, compare, gate, publish; its report as an artefact."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed

from citegrain.flows.index.run import run_plan
from citegrain.flows.reindex.gate import GateResult, gate
from citegrain.flows.reindex.steps import Job, ReindexOutcome, compare, settle, summary, unjudged
from citegrain.flows.shared.prefect_tasks import Local, completed, drawn, run_task
from citegrain.flows.shared.progress import Progress, current_progress
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.evaluation.promotion import REFUSED
from citegrain.tasks.offline.corpus import CorpusError


def run_flow(job: Job, progress: Progress) -> ReindexOutcome:
    """Run what follows the plan of a re-index. Raises Expected; what is published stays as it is then."""
    settings = job.settings
    outcomes: list[ReindexOutcome] = []
    try:
        with drawn(settings.artifacts_folder, progress):
            shown = settings.corpus.name, settings.benchmark.label, job.plan.in_words
            reindex_flow(*shown, Local((job, outcomes)))
    except StoreError as error:
        if not outcomes:
            raise
        progress.say(f"{outcomes[0].state}, but Prefect keeps no report of it: {error}")
    return outcomes[0]


@flow(name="reindex", flow_run_name="reindex {corpus}", validate_parameters=False)
def reindex_flow(
    corpus: str, benchmark: str, plan: str, run: Local[tuple[Job, list[ReindexOutcome]]]
) -> State[None]:
    """Index, compare, judge, publish. All parameters but ``run`` are for Prefect's page."""
    job, outcomes = run.value
    outcome = _outcome(job)
    outcomes.append(outcome)  # what was decided is decided, though Prefect should fail from here on
    if outcome.report is not None or not job.current:
        key = f"amendments-{re.sub('[^a-z0-9]+', '-', corpus.lower()).strip('-')}"
        create_markdown_artifact(key=key, markdown=summary(outcome), description=outcome.state)
    return state_of(outcome)


def _outcome(job: Job) -> ReindexOutcome:
    """Each task has an edge from those whose results it reads."""
    indexed = run_task(build, f"index {len(job.plan.documents)} documents", job)
    new, plan = indexed.result().value
    job = replace(job, plan=plan)  # which documents are refused is known by now
    outcome = unjudged(job, new)
    if outcome is not None:
        return outcome
    given: tuple[Any, ...] = (job, new)
    after = [indexed]
    if job.current:
        names = f"{job.current[:8]} and {new.name[:8]}"
        counted = "{0.table.num_rows} provisions changed".format
        compared = run_task(compare, f"compare {names}", job, new, after=[indexed], says=counted)
        changes = compared.result().value
        title = f"gate: {len(job.benchmark.records)} queries of {names}"
        given = job.settings, job.benchmark, changes
        judged = run_task(gate, title, *given, after=[indexed, compared], says=_reasons)
        given, after = (job, new, changes, judged.result().value), [compared, judged]
    published = run_task(settle, f"publish {new.name[:8]}", *given, after=after, says="{0.state}".format)
    settled: ReindexOutcome = published.result().value
    return settled


def build(job: Job) -> State[Any]:
    """The new build, by the index flow where something of it is missing."""
    result = run_plan(job.plan, job.setup, job.settings.runner, current_progress())
    if result.build is None:
        raise CorpusError("no document could be indexed; what was published stays")
    return completed(f"build {result.build.name}", (result.build, result.plan))


def _reasons(gated: GateResult) -> str:
    return "; ".join(gated.verdict.reasons) or "no reason to refuse"


def state_of(outcome: ReindexOutcome) -> State[None]:
    """The state in which Prefect's run of a re-index ends, named as the outcome is."""
    reasons = outcome.verdict.reasons if outcome.state == REFUSED and outcome.verdict else ()
    message = "; ".join([outcome.build.name, *reasons, *outcome.left_out])
    return Completed(name=outcome.state.capitalize(), message=message)
