"""The bench flow as Prefect draws it: one task a stage run, whichever configurations it serves."""

from __future__ import annotations

from collections.abc import Callable

from prefect import flow
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from citegrain.flows.shared.prefect_tasks import drawn, run_as_task
from citegrain.flows.shared.progress import Progress
from citegrain.flows.study.nodes import Node, make_node
from citegrain.flows.study.study import Member, Study, score_member
from citegrain.tasks.core.store import Store


def bench_flow(study: Study, progress: Progress) -> None:
    """Make what is missing of a study, stage by stage, and score its configurations.

    A stage run or configuration that fails is noted in ``study`` and stops no other.

    Raises
    ------
    StoreError
        If something cannot be written.
    """

    @flow(name="bench", flow_run_name=f"bench {study.name}", validate_parameters=False)
    def dag() -> None:
        for step in study.steps():
            nodes = [n for n in study.nodes.values() if n.step.name == step]
            missing = sum(not n.ready for n in nodes)
            with progress.step(step, missing * len(study.texts)) as done:
                for node in nodes:
                    _draw(node, study, done)
        with progress.step("score", len(study.living)) as done:
            for member in study.living:
                _draw_score(member, study)
                done(1)
        _publish_counts(study)

    with drawn(study.settings.artifacts_folder):
        dag()


def _draw(node: Node, study: Study, done: Callable[[int], None]) -> None:
    stage = node.step.stage.name
    told = 0

    def tell(queries: int) -> None:
        nonlocal told
        told += queries
        done(queries)

    def run() -> State[None]:
        if node.ready:
            return Completed(name="Cached", message=f"{node.step.name}: in the store")
        make_node(node, study.asked, Store(study.settings.store_folder), tell)
        done(max(0, len(study.texts) - told))
        if node.failure:
            return Failed(message=node.failure)
        if node.cached:
            return Completed(name="Cached", message=f"{node.step.name}: in the store")
        study.made[stage] = study.made.get(stage, 0) + 1
        return Completed(message=f"{node.step.name}: {len(study.texts) - len(node.lost)} queries")

    key = node.key
    name = f"{stage} {key.digest[:8] if key else node.recipe[:8]}"
    run_as_task(stage, name, run)


def _draw_score(member: Member, study: Study) -> None:
    def run() -> State[None]:
        if member.scores is not None:
            return Completed(name="Cached", message=f"{member.name}: in the store")
        score_member(member, study)
        if member.failure:
            return Failed(message=member.failure)
        study.made["score"] = study.made.get("score", 0) + 1
        return Completed(message=member.name)

    run_as_task("score", f"score {member.name}", run)


def _publish_counts(study: Study) -> None:
    """What became of each configuration, as a table in Prefect's own pages."""
    rows = [
        {
            "configuration": m.name,
            "queries": len(study.texts),
            "queries that failed": len(m.lost),
            "failed because": m.failure,
        }
        for m in study.members
    ]
    create_table_artifact(key="configurations", table=rows, description=study.line)
