"""An index run from its settings to its build: plan, flow, publishing. A plan that is done starts no flow."""

from dataclasses import replace
from pathlib import Path

from citegrain.flows.index.inputs import IndexResult, corpus_sources, fetch_corpus, prepare
from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.configs import RunnerConfig
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.offline import index
from citegrain.tasks.offline.assemble import publish
from citegrain.tasks.offline.corpus import CorpusError
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan, new_plan, resolve


def plan_index(setup: BuildSetup) -> IndexPlan:
    """What a run would do."""
    sources = corpus_sources(setup.corpus)
    plan = new_plan(sources, setup.documents)
    return resolve(plan, setup)


def build_for(settings: Settings, progress: Progress, make: bool = True, exact: bool = False) -> Path | None:
    """The build that a configuration searches, made if it is not there; ``current`` is not moved.

    A corpus that is given by its name alone is searched as it was published, unless the configuration changes
    an offline stage or ``exact`` is true. Where the build is not there and ``make`` is false, None. Raises
    CorpusError if it has to be made and the files are not at hand.
    """
    by_name_alone = settings.corpus.kind == "published"
    if by_name_alone and not exact and settings.offline == load_settings([]).offline:
        folder = settings.builds_folder / settings.corpus.name
        current = index.read_pointer(folder / "current")
        if current:
            return folder / current
    setup = prepare(settings, publish=False)
    plan = plan_index(setup)
    unread = sum("parse" in d.missing for d in plan.documents)
    if by_name_alone and unread:
        raise CorpusError(
            f"{settings.corpus.name}: {unread} documents would have to be parsed anew, and by its name alone "
            "their files are not at hand: add corpus=folder corpus.path=DIR, and what they were indexed with"
        )
    if plan.complete and plan.build is not None:
        return plan.build
    progress.say(f"a build is missing: {plan.in_words.partition(', ')[2]}")  # of one configuration
    if not make:
        return None
    result = run_plan(plan, setup, settings.runner, progress)
    if result.build is None:
        raise CorpusError("no build could be made")
    return result.build


def run_index(settings: Settings, progress: Progress) -> IndexResult:
    """Index a corpus: fetch it where it is given by URLs, plan, make what is missing, publish.

    Raises Expected if the run cannot begin or cannot write; nothing that was published is lost.
    """
    setup = prepare(settings)  # first: what is wrong with it is reported before anything is fetched
    fetch_corpus(setup.corpus, settings.corpus.http, progress)
    plan = plan_index(setup)
    progress.say(plan.in_words)
    return run_plan(plan, setup, settings.runner, progress)


def run_plan(plan: IndexPlan, setup: BuildSetup, runner: RunnerConfig, progress: Progress) -> IndexResult:
    """Make what a plan lacks, and publish it if the run is to; without documents there is no build."""
    planned = IndexResult(plan, setup, plan.in_words)
    if plan.complete:
        if plan.build is not None:
            publish(plan.build, plan, setup)
        return replace(planned, build=plan.build)
    prefect_environment.apply(setup.store.parent)
    from citegrain.flows.index.flow import run_flow

    return run_flow(replace(planned, started_flow=True), runner, progress)
