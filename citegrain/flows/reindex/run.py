"""A re-index: what changed in the sources, and whether anything is to do; index, compare, gate, publish."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from citegrain.flows.index.inputs import fetch_corpus, prepare, published_sources
from citegrain.flows.index.run import plan_index, run_plan
from citegrain.flows.reindex.gate import GateResult, gate
from citegrain.flows.reindex.steps import Job, ReindexOutcome, compare, settle, summary, unjudged
from citegrain.flows.shared.prefect_tasks import Local, as_flow, completed, drawn, run_task, show_report
from citegrain.flows.shared.progress import Progress, Silent, current_progress, log_line
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.store import StoreError, reindexing
from citegrain.tasks.evaluation.benchmark import open_benchmark
from citegrain.tasks.evaluation.promotion import REFUSED
from citegrain.tasks.offline import index
from citegrain.tasks.offline.corpus import CorpusError, compare_sources
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State


class _Log(Silent):
    """Progress of a schedule: its lines within a step, of servers that do not answer."""

    in_step = False

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """No bar."""
        self.in_step = True
        yield lambda n: None
        self.in_step = False

    def say(self, line: str) -> None:
        """To the log, where the step still runs."""
        if self.in_step:
            log_line(line)


def reindex(overrides: list[str]) -> State[None]:
    """Re-index as a schedule does, without a terminal, by overrides for the corpus and the gate's benchmark.

    The state is Completed, and named ``No change``, ``Promoted``, ``First build`` or ``Refused``.
    """
    return state_of(run_reindex(load_settings(overrides), _Log()))


def run_reindex(settings: Settings, progress: Progress, force: bool = False) -> ReindexOutcome:
    """Bring a corpus up to date: stop where nothing changed, else build, report, judge and promote.

    ``force``: whether a build that the gate refuses is promoted all the same. Raises Expected, ReindexBusy;
    what is published stays as it is then.
    """
    name = settings.corpus.name
    if settings.corpus.kind == "published":
        raise CorpusError(
            f"{name}: a corpus given by its name alone has no sources: add corpus=folder or corpus=http"
        )
    folder = settings.builds_folder / index.check_name(name)
    with reindexing(folder, settings.reindex.wait):
        # first: what is wrong with them is reported before anything is fetched
        benchmark, setup = open_benchmark(settings.benchmark), prepare(settings, publish=False)
        fetched = fetch_corpus(setup.corpus, settings.corpus.http, progress)
        unfetched = [one.line for one in fetched if one.reason]
        plan = plan_index(setup)
        current = index.read_pointer(folder / "current")
        _say_sources(setup, plan, current, progress)
        progress.say(plan.in_words)
        job = Job(settings, benchmark, setup, plan, current, force, unfetched)
        outcome = unjudged(job, plan.build) if plan.complete and plan.build is not None else None
        if outcome is not None:
            return outcome
        return run_flow(job, progress)


def _say_sources(setup: BuildSetup, plan: IndexPlan, current: str, progress: Progress) -> None:
    """Say what was added, removed and changed since the current build."""
    if not current:
        return
    now = [source for document in plan.documents for source in document.files]
    try:
        before = published_sources(setup.corpus)
    except (CorpusError, OSError, ValueError):
        return  # the gate will say that the build cannot be read
    refused = {d.source.document_id for d in plan.documents if d.refusal}
    progress.say(compare_sources(before, now, refused).line)


def run_flow(job: Job, progress: Progress) -> ReindexOutcome:
    """Run what follows the plan of a re-index. Raises Expected; what is published stays as it is then."""
    settings = job.settings
    outcomes: list[ReindexOutcome] = []
    try:
        with drawn(settings.artifacts_folder, progress):
            shown = settings.corpus.name, settings.benchmark.label, job.plan.in_words
            as_flow(_reindex, "reindex", "reindex {corpus}")(*shown, Local((job, outcomes)))
    except StoreError as error:
        if not outcomes:
            raise
        progress.say(f"{outcomes[0].state}, but Prefect keeps no report of it: {error}")
    return outcomes[0]


def _reindex(
    corpus: str, benchmark: str, plan: str, run: Local[tuple[Job, list[ReindexOutcome]]]
) -> State[None]:
    """Index, compare, judge, publish. All parameters but ``run`` are for Prefect's page."""
    job, outcomes = run.value
    outcome = _outcome(job)
    outcomes.append(outcome)  # what was decided is decided, though Prefect should fail from here on
    if outcome.report is not None or not job.current:
        key = f"amendments-{re.sub('[^a-z0-9]+', '-', corpus.lower()).strip('-')}"
        show_report(key, summary(outcome), outcome.state)
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
    from prefect.states import Completed

    reasons = outcome.verdict.reasons if outcome.state == REFUSED and outcome.verdict else ()
    message = "; ".join([outcome.build.name, *reasons, *outcome.left_out])
    return Completed(name=outcome.state.capitalize(), message=message)
