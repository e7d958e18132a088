"""A re-index as Prefect draws it: index, compare, gate, publish; its report as an artefact."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed

from citegrain.flows.index.run import run_plan
from citegrain.flows.reindex.gate import GateResult
from citegrain.flows.reindex.steps import (
    BuildComparison,
    Job,
    ReindexOutcome,
    compare,
    judge,
    settle,
    summary,
    unjudged,
)
from citegrain.flows.shared.prefect_tasks import Local, completed, drawn, run_task, stage_task
from citegrain.flows.shared.progress import Progress, current_progress, show_progress
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.evaluation.promotion import REFUSED
from citegrain.tasks.offline.corpus import CorpusError


def run_flow(job: Job, progress: Progress) -> ReindexOutcome:
    """Run what follows the plan of a re-index.

    Raises BuildError, CorpusError, StoreError if it cannot be done; what is published stays as it is.
    """
    settings = job.settings
    outcomes: list[ReindexOutcome] = []
    try:
        with show_progress(progress), drawn(settings.artifacts_folder):
            reindex_flow(
                settings.corpus.name, settings.benchmark.label, job.plan.in_words, Local((job, outcomes))
            )
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
        compared = run_task(compare_builds, f"compare {names}", job, new, after=[indexed])
        changes = compared.result().value
        title = f"gate: {len(job.benchmark.records)} queries of {names}"
        judged = run_task(judge_builds, title, job, changes, after=[indexed, compared])
        given, after = (job, new, changes, judged.result().value), [compared, judged]
    published = run_task(publish, f"publish {new.name[:8]}", *given, after=after)
    settled: ReindexOutcome = published.result().value
    return settled


@stage_task
def build(job: Job) -> State[Any]:
    """The new build, by the index flow where something of it is missing."""
    result = run_plan(job.plan, job.setup, job.settings.runner, current_progress())
    if result.build is None:
        raise CorpusError("no document could be indexed; what was published stays")
    return completed(f"build {result.build.name}", Local((result.build, result.plan)))


@stage_task
def compare_builds(job: Job, new: Path) -> State[Any]:
    """What changed from the current build to the new one."""
    compared = compare(job, new)
    return completed(f"{compared.table.num_rows} provisions changed", Local(compared))


@stage_task
def judge_builds(job: Job, compared: BuildComparison) -> State[Any]:
    """The verdict of the gate."""
    with current_progress().step("gate", 2) as done:
        gated = judge(job, compared, done)
    return completed("; ".join(gated.verdict.reasons) or "no reason to refuse", Local(gated))


@stage_task
def publish(
    job: Job, new: Path, compared: BuildComparison | None = None, gated: GateResult | None = None
) -> State[Any]:
    """Report, record and pointer; of the first build of a name record and pointer."""
    outcome = settle(job, new, compared, gated)
    return completed(outcome.state, Local(outcome))


def state_of(outcome: ReindexOutcome) -> State[None]:
    """The state in which Prefect's run of a re-index ends, named as the outcome is."""
    reasons = outcome.verdict.reasons if outcome.state == REFUSED and outcome.verdict else ()
    message = "; ".join([outcome.build.name, *reasons, *outcome.left_out])
    return Completed(name=outcome.state.capitalize(), message=message)
