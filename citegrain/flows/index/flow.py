"""The index flow as Prefect draws it: one task a stage, in the order of the DAG."""

from __future__ import annotations

from prefect import flow
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed

from citegrain.flows.index.offline import (
    IndexResult,
    batch_name,
    document_jobs,
    publish,
    run_build,
    run_documents,
    run_embed,
)
from citegrain.flows.index.plan import STAGES, Context, passages, resolve
from citegrain.flows.index.pool import WorkerPool, worker_pool
from citegrain.flows.shared.prefect_tasks import drawn, run_as_task
from citegrain.flows.shared.progress import Progress
from citegrain.tasks.offline.corpus import CorpusError


def index_flow(result: IndexResult, context: Context, progress: Progress) -> None:
    """Run the flow for a plan that is not complete; fills in ``result``.

    Raises
    ------
    StoreError
        If something cannot be written.
    CorpusError
        If no document could be indexed: nothing is published then.
    """
    corpus = context.settings.corpus.name
    plan = result.plan

    @flow(name="index", flow_run_name=f"index {corpus}", validate_parameters=False)
    def dag() -> None:
        with worker_pool(context.settings.runner) as pool:
            for stage in STAGES:
                _documents(stage, result, context, progress, pool)
        _publish_counts(result)
        if not plan.indexed:
            return
        _embed(result, context, progress)
        _build(result, context, progress)

    with drawn(context.settings.artifacts_folder):
        dag()
    if not plan.indexed:
        raise CorpusError("no document could be indexed; nothing was published")


def _documents(
    stage: str, result: IndexResult, context: Context, progress: Progress, pool: WorkerPool
) -> None:
    """One stage over all documents that need it, as one task."""
    jobs = document_jobs(stage, result.plan.documents, context)
    name = batch_name(stage, list(jobs) or [d.source.document_id for d in result.plan.documents])

    def run() -> State[None]:
        if not jobs:
            return Completed(name="Cached", message="every artefact is in the store")
        with progress.step(stage, len(jobs)) as done:
            result.made[stage] = run_documents(stage, result.plan, context, pool, done)
        return Completed(message=f"{result.made[stage]} of {len(jobs)} documents")

    run_as_task(stage, name, run)


def _embed(result: IndexResult, context: Context, progress: Progress) -> None:
    texts = passages(result.plan)

    def run() -> State[None]:
        with progress.step("embed", len(texts)) as done:
            embedded = run_embed(result.plan, context, done)
        if not embedded.encoded:
            return Completed(name="Cached", message="every vector is in the store")
        result.made["embed"], result.long_texts = embedded.encoded, embedded.long
        return Completed(message=f"{embedded.encoded} of {len(texts)} texts, {embedded.long} long")

    run_as_task("embed", batch_name("embed", list(texts)), run)


def _build(result: IndexResult, context: Context, progress: Progress) -> None:
    after = resolve(result.plan.documents, context)
    result.plan.key = after.key
    name = f"index {after.key.digest[:8]}" if after.key else "index"

    def run() -> State[None]:
        if after.build is not None:
            publish(after.build, context)
            result.build = after.build
            return Completed(name="Cached", message="the build is there")
        with progress.step("index", 1) as done:
            result.build = run_build(result.plan, context)
            done(1)
        result.made["index"] = 1
        return Completed(message=str(result.build.name))

    run_as_task("index", name, run)


def _publish_counts(result: IndexResult) -> None:
    """The counts that matter as a table in Prefect's own pages."""
    rows = []
    for document in result.plan.documents:
        row = document.row or {}
        rows.append(
            {
                "file": document.source.relative,
                "pages": row.get("n_pages", 0),
                "acts": ", ".join(i.act_id for i in document.identities),
                "not indexed because": document.refusal or "",
            }
        )
    create_table_artifact(key="documents", table=rows, description="Documents of the corpus")
