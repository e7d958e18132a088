"""A build of a corpus whose documents are made here, in one process and without a flow."""

from __future__ import annotations

from citegrain.flows.index.inputs import prepare
from citegrain.flows.index.run import plan_index
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.offline import chain
from citegrain.tasks.offline.assemble import embed_missing, make_build
from citegrain.tasks.offline.plan import BuildSetup, IndexPlan, resolve


def planned(chosen: Settings) -> tuple[IndexPlan, BuildSetup]:
    """A plan whose documents are all there, without a flow."""
    setup = prepare(chosen)
    plan = plan_index(setup)
    for stage in chain.DOCUMENT_STAGES:
        jobs = plan.jobs(stage)
        plan = plan.with_outcomes(stage, {k: stage.run(*job, setup.documents) for k, job in jobs.items()})
    return resolve(plan, setup), setup


def built(plan: IndexPlan, setup: BuildSetup) -> Build:
    embed_missing(plan, setup, lambda n: None)
    return Build.open(make_build(resolve(plan, setup), setup))
