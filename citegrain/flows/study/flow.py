"""The bench flow as Prefect draws it: one task for each stage run, whichever configurations it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prefect import flow, get_run_logger
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Failed

from citegrain.flows.shared.prefect_tasks import Local, completed, drawn, run_task, stage_task
from citegrain.flows.shared.progress import Progress
from citegrain.flows.study.nodes import Counter, Node, Outcome, Work
from citegrain.flows.study.study import Study
from citegrain.tasks.core.store import Store


def bench_flow(study: Study, progress: Progress) -> None:
    """Compute what is missing of a study, stage by stage, the scores of its configurations last.

    A stage run that fails is noted in ``study`` and stops no other.

    Raises
    ------
    StoreError
        If something cannot be written.
    """
    overrides = {member.name: member.overrides for member in study.members}
    with drawn(study.settings.artifacts_folder):
        bench(study.name, study.benchmark.name, overrides, Local((study, progress)))


@flow(name="bench", flow_run_name="bench {study}", validate_parameters=False)
def bench(
    study: str,
    benchmark: str,
    configurations: Mapping[str, Sequence[str]],
    work: Local[tuple[Study, Progress]],
) -> None:
    """Run the study in ``work``; Prefect shows the other parameters: names, overrides by configuration."""
    graph, progress = work.value
    states: dict[str, State[Any]] = {}
    for name in graph.steps():
        nodes = [n for n in graph.nodes.values() if n.work.name == name]
        missing = sum(not n.outcome.ready for n in nodes)
        with progress.step(name, missing * len(graph.texts)) as done:
            for node in nodes:
                before = [states[read.recipe] for read in node.reads.values()]
                states[node.recipe] = _run_node(node, graph, before, done)
    _publish_counts(graph)


@stage_task
def stage_run(
    work: Work, inputs: dict[str, Outcome], present: Outcome | None, store: Store, progress: Counter
) -> State[Local[Outcome]]:
    """One stage run over all queries; ``present`` is its outcome where the plan knows it already."""
    outcome = present or work.run(inputs, store, progress)
    if outcome.failure:
        get_run_logger().error("%s: %s", work.name, outcome.failure)
        return Failed(message=outcome.failure)
    state = "in the store" if outcome.cached else "computed"
    params = ", ".join(f"{name}={value}" for name, value in work.params.items())
    failed = f", {len(outcome.lost)} queries failed" if outcome.lost else ""
    message = f"{work.name}: {state}, {outcome.seconds:.2f} s{failed}; {params}"
    return completed(message, Local(outcome), outcome.cached)


def _run_node(
    node: Node, study: Study, before: Sequence[State[Any]], done: Callable[[int], None]
) -> State[Any]:
    """One stage run as a task, and its outcome on the node."""
    counter, work = Counter(done), node.work
    present = node.outcome if node.outcome.ready else None
    given = work, node.inputs, present, study.store, counter
    state = run_task(stage_run, _title(node, study), *given, after=before)
    if state.is_failed():
        node.outcome = Outcome(work.stage, failure=state.message or "failed")
    else:
        node.outcome = state.result().value
        if not node.outcome.cached:
            study.computed[work.stage.name] = study.computed.get(work.stage.name, 0) + 1
    if present is None:
        done(len(study.texts) - counter.count)
    return state


def _title(node: Node, study: Study) -> str:
    """``score NAME``; of a step the number of queries, and the configurations where it does not serve all."""
    served = [m.name for m in study.living if node is m.score or node is m.nodes.get(node.work.name)]
    whom = served[0] if len(served) == 1 else f"{len(served)} configurations"
    if node.work.name == "score":
        return f"score {whom}"
    title = f"{node.work.name}: {len(study.texts)} queries"
    return title if len(served) == len(study.living) else f"{title} for {whom}"


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
