"""The bench flow as Prefect draws it: one task for each stage run, whichever configurations it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from prefect import flow, get_run_logger
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Failed

from citegrain.flows.shared.cluster import Cluster, open_cluster
from citegrain.flows.shared.pool import Failed as Lost
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
    ClusterError
        If the cluster of the runner cannot be used.
    StoreError
        If something cannot be written.
    """
    overrides = {member.name: member.overrides for member in study.members}
    runner = study.settings.runner
    opened = open_cluster(runner, progress) if runner.kind == "dask" else nullcontext()
    with opened as cluster, drawn(study.settings.artifacts_folder):
        bench(study.name, study.benchmark.name, overrides, Local((study, progress, cluster)))
        study.lost_workers = cluster.lost if cluster else []


@flow(name="bench", flow_run_name="bench {study}", validate_parameters=False)
def bench(
    study: str,
    benchmark: str,
    configurations: Mapping[str, Sequence[str]],
    work: Local[tuple[Study, Progress, Cluster | None]],
) -> None:
    """Run the study in ``work``; Prefect shows the other parameters: names, overrides by configuration."""
    graph, progress, cluster = work.value
    states: dict[str, State[Any]] = {}
    for name in graph.steps():
        nodes = [n for n in graph.nodes.values() if n.work.name == name]
        missing = [n for n in nodes if not n.outcome.ready]
        with progress.step(name, len(missing) * len(graph.texts)) as done:
            elsewhere = _on_workers(cluster, missing, graph) if cluster else {}
            for node in nodes:
                before = [states[read.recipe] for read in node.reads.values()]
                states[node.recipe] = _run_node(node, graph, before, done, elsewhere.get(node.recipe))
    _publish_counts(graph)


@stage_task
def stage_run(work: Work, compute: Callable[[], Outcome]) -> State[Local[Outcome]]:
    """One stage run over all queries."""
    outcome = compute()
    if outcome.failure:
        get_run_logger().error("%s: %s", work.name, outcome.failure)
        return Failed(message=outcome.failure)
    state = "in the store" if outcome.cached else "computed"
    params = ", ".join(f"{name}={value}" for name, value in work.params.items())
    failed = f", {len(outcome.lost)} queries failed" if outcome.lost else ""
    message = f"{work.name}: {state}, {outcome.seconds:.2f} s{failed}; {params}"
    return completed(message, Local(outcome), outcome.cached)


def _on_workers(cluster: Cluster, nodes: Sequence[Node], study: Study) -> dict[str, Callable[[], Outcome]]:
    """Give the stage runs of a step, none of which reads another, to the workers; what waits for each."""
    jobs = {n.recipe: (n.work, {k: one.lean for k, one in n.inputs.items()}, study.store) for n in nodes}
    futures = cluster.start(nodes[0].work.stage.name, run_lean, jobs) if nodes else {}

    def wait(node: Node) -> Outcome:
        result = cluster.result(futures[node.recipe])
        return Outcome(node.work.stage, failure=result.reason) if isinstance(result, Lost) else result

    return {node.recipe: partial(wait, node) for node in nodes}


def run_lean(work: Work, inputs: dict[str, Outcome], store: Store) -> Outcome:
    """A stage run in another process."""
    return work.run(inputs, store, Counter()).lean


def _run_node(
    node: Node,
    study: Study,
    before: Sequence[State[Any]],
    done: Callable[[int], None],
    elsewhere: Callable[[], Outcome] | None,
) -> State[Any]:
    """One stage run as a task, and its outcome on the node; ``elsewhere`` waits for a worker's."""
    counter, work, present = Counter(done), node.work, node.outcome
    here = partial(work.run, node.inputs, study.store, counter)
    compute = (lambda: present) if present.ready else elsewhere or here
    state = run_task(stage_run, _title(node, study), work, compute, after=before)
    if state.is_failed():
        node.outcome = Outcome(work.stage, failure=state.message or "failed")
    else:
        node.outcome = state.result().value
        if not node.outcome.cached:
            study.computed[work.stage.name] = study.computed.get(work.stage.name, 0) + 1
    if not present.ready:
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
