"""A re-index from its sources to the plan: what changed, and whether there is anything to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from citegrain.flows.index.inputs import fetch_corpus, prepare, published_sources
from citegrain.flows.index.run import plan_index
from citegrain.flows.reindex.steps import Job, ReindexOutcome, unjudged
from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.progress import Progress, Silent, log_line
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.store import reindexing
from citegrain.tasks.evaluation.benchmark import open_benchmark
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
    from citegrain.flows.reindex.flow import state_of

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
        prefect_environment.apply(settings.artifacts_folder)
        from citegrain.flows.reindex.flow import run_flow

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
