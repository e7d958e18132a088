"""An index run from its settings to its build: plan, flow, publishing. A plan that is done starts no flow.

Prefect draws one task a stage, with an edge from each stage that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from citegrain.flows.index.inputs import IndexResult, corpus_sources, fetch_corpus, prepare
from citegrain.flows.shared.cluster import Cluster, ClusterError, open_workers
from citegrain.flows.shared.configs import RunnerConfig
from citegrain.flows.shared.pool import Failed, WorkerPool
from citegrain.flows.shared.prefect_tasks import Local, as_flow, completed, drawn, run_task, show_table
from citegrain.flows.shared.progress import Progress, current_progress
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.endpoint import metered
from citegrain.tasks.core.store import Artefact, StoreError
from citegrain.tasks.offline import chain, embed, index
from citegrain.tasks.offline.assemble import embed_missing, make_build, publish, translate_missing
from citegrain.tasks.offline.corpus import CorpusError
from citegrain.tasks.offline.document import Artefacts, CorpusDocument, DocumentStage, Setup
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan, new_plan, resolve

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

Workers: TypeAlias = WorkerPool | Cluster
"""Who does the work of documents."""


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
    with drawn(setup.store.parent, progress), open_workers(runner, progress) as workers:
        run = Local((replace(planned, started_flow=True), workers))
        shown = setup.name, len(plan.documents), setup.encoding.model.name, plan.in_words
        result: IndexResult = as_flow(_index, "index", "index {corpus}")(*shown, run).value
        return replace(result, lost_workers=workers.lost if isinstance(workers, Cluster) else [])


def _index(
    corpus: str, documents: int, encoder: str, in_words: str, run: Local[tuple[IndexResult, Workers]]
) -> Local[IndexResult]:
    """Make what is missing, stage by stage. All parameters but ``run`` are for Prefect's page."""
    result, workers = run.value
    setup = result.setup
    states: dict[str, State[Any]] = {}
    for stage in (s for s in chain.DOCUMENT_STAGES if s.chosen(setup.documents)):
        states[stage.name], result = _document_stage(stage, result, workers, states)
    if isinstance(workers, WorkerPool):
        workers.end()
    rows = [
        {
            "file": document.source.relative,
            "pages": (document.row or {}).get("n_pages", 0),
            "acts": ", ".join(act.act_id for act in document.acts),
            "not indexed because": document.refusal or "",
        }
        for document in result.plan.documents
    ]
    show_table("documents", rows, "Documents of the corpus")
    if not result.plan.indexed:
        return Local(result)
    plan = resolve(result.plan, setup)
    if foreign := len(plan.foreign()) if setup.translator else 0:
        name, after = f"translate {foreign} texts", [states["chunk"]]
        states["translate"] = run_task(translate_texts, name, plan, setup, after=after)
        translated, errors = states["translate"].result().value
        result = _with_computed(replace(result, untranslated=errors), "translate", translated)
        plan = resolve(plan, setup)
    texts = len(plan.representations(setup)[0].passages(plan.indexed))
    after = [states.get("translate", states["chunk"])]
    states["embed"] = run_task(embed_texts, f"embed {texts} texts", plan, setup, workers, after=after)
    embedded = states["embed"].result().value
    result = _with_computed(replace(result, long_texts=embedded.long), "embed", embedded.encoded)
    plan = resolve(plan, setup)
    built = run_task(index_build, "index 1 build", plan, setup, after=states.values())
    result = replace(result, plan=plan, build=built.result().value)
    return Local(_with_computed(result, "index", int(plan.build is None)))


def _with_computed(result: IndexResult, stage: str, runs: int) -> IndexResult:
    """A result that says how many runs of a stage were computed, unless there were none."""
    return replace(result, computed={**result.computed, stage: runs}) if runs else result


def _document_stage(
    stage: DocumentStage, result: IndexResult, workers: Workers, states: Mapping[str, State[Any]]
) -> tuple[State[Any], IndexResult]:
    """One stage over all documents that need it, as one task, and the result with what became of them."""
    setup = result.setup.documents
    jobs = result.plan.jobs(stage)
    pdfs = "1 PDF" if len(jobs) == 1 else f"{len(jobs)} PDFs"
    name = f"{stage.name} {pdfs}" if jobs else f"{stage.name}: all present"
    state = run_task(
        run_stage, name, stage, jobs, setup, workers, after=[states[read] for read in stage.reads]
    )
    outcomes = state.result().value
    result = replace(result, plan=result.plan.with_outcomes(stage, outcomes))
    if jobs:
        n_computed = sum(isinstance(outcome, Artefact) for outcome in outcomes.values())
        result = replace(result, computed={**result.computed, stage.name: n_computed})
    return state, result


def run_stage(
    stage: DocumentStage,
    jobs: Mapping[str, tuple[CorpusDocument, Artefacts]],
    setup: Setup,
    workers: Workers,
) -> State[Any]:
    """The artefact of each document by id, or why there is none. Raises StoreError if none can be written."""
    if not jobs:
        return completed(f"{stage.name}: every artefact is in the store", {}, cached=True)
    arguments = {key: (document, done, setup) for key, (document, done) in jobs.items()}
    with current_progress().step(stage.name, len(jobs)) as done:
        outcomes = workers.run(stage.name, stage.run, arguments, lambda key: done(1))
    failures = {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, Failed)}
    for failure in failures.values():
        if failure.fatal:
            raise StoreError(failure.reason)
    reasons = {key: failure.reason for key, failure in failures.items()}
    message = (
        f"{stage.name}: {len(jobs) - len(failures)} of {len(jobs)} documents{_split(workers, stage.name)}"
    )
    return completed(message, outcomes | reasons)


def translate_texts(plan: IndexPlan, setup: BuildSetup) -> State[Any]:
    """English for the passages in Hindi that have none: how many were translated, why others were not."""
    texts = len(plan.foreign())
    with current_progress().step("translate", texts) as done:
        translated, errors = translate_missing(plan, setup, done)
    return completed(f"translate: {texts - len(errors)} of {texts} texts", (translated, errors))


def embed_texts(plan: IndexPlan, setup: BuildSetup, workers: Workers) -> State[Any]:
    """Vectors of the passages that have none."""
    vectors = [how for how in plan.representations(setup) if not how.tokens]
    texts = sum(len(how.passages(plan.indexed)) for how in vectors)
    remotely = partial(_embed_on, workers) if isinstance(workers, Cluster) else None
    missing = sum(len(how.missing(plan.indexed)) for how in plan.representations(setup))
    with current_progress().step("embed", missing) as done, metered() as usage:
        embedded = embed_missing(plan, setup, done, remotely)
    if usage.tokens_in:
        cost = f", which cost {usage.cost:.4f}" if usage.cost else ""
        current_progress().say(f"embed: the API read {usage.tokens_in:,} tokens{cost}")
    if not embedded.encoded:
        return completed("embed: every vector is in the store", embedded, cached=True)
    message = f"embed: {embedded.encoded} of {texts} texts embedded, {embedded.long} of them long"
    return completed(message + _split(workers, "embed"), embedded)


def _embed_on(
    cluster: Cluster,
    encoding: embed.Encoding,
    passages: Mapping[str, embed.ChunkText],
    progress: Callable[[int], None],
) -> embed.Embedded:
    """Encode passages on the workers, a segment a job; each loads the encoder once."""
    shards = embed.write_shards(encoding.store, passages, bool(encoding.config.late))
    done = embed.Embedded()
    try:
        jobs = {str(shard): (encoding, shard) for shard in shards}
        for key, part in cluster.finished(cluster.start("embed", embed.embed_shard, jobs)):
            if isinstance(part, Failed):
                raise ClusterError(f"embed: {part.reason}")
            done = embed.Embedded(done.encoded + part.encoded, done.long + part.long)
            progress(shards[Path(key)])
    finally:
        for shard in shards:
            shard.unlink(missing_ok=True)
    return done


def _split(workers: Workers, stage: str) -> str:
    """What each worker of a cluster did of a stage, for its log."""
    return workers.split(stage) if isinstance(workers, Cluster) else ""


def index_build(plan: IndexPlan, setup: BuildSetup) -> State[Any]:
    """The build of the documents, published where the run is meant to."""
    if plan.build is not None:
        publish(plan.build, plan, setup)
        return completed("index: the build is in the store", plan.build, cached=True)
    with current_progress().step("index", 1) as done:
        folder = make_build(plan, setup)
        done(1)
    return completed(f"index: build {folder.name} of {len(plan.indexed)} documents", folder)
