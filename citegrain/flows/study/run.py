"""A study from its configurations to its folder: plan, flow, tables, files.

Prefect draws one task for each stage run, whichever configurations it serves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from citegrain.flows.shared.cluster import Cluster, open_cluster
from citegrain.flows.shared.pool import Failed
from citegrain.flows.shared.prefect_tasks import (
    Local,
    as_flow,
    completed,
    drawn,
    failed,
    run_task,
    show_table,
)
from citegrain.flows.shared.progress import Progress, current_progress
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study.folder import collect, write_pages, write_study
from citegrain.flows.study.nodes import Node, StageResult
from citegrain.flows.study.study import Study, StudyError, begin_study
from citegrain.tasks.core.endpoint import pending_requests
from citegrain.tasks.core.store import Store
from citegrain.tasks.evaluation.report import write_report
from citegrain.tasks.evaluation.studies import read_study
from citegrain.tasks.online.steps import Step

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State


def run_study(
    name: str,
    members: Mapping[str, tuple[list[str], Settings]],
    settings: Settings,
    progress: Progress,
    command: list[str],
    baseline: str = "",
    metrics: Sequence[str] = (),
    strict: bool = False,
    plan_only: bool = False,
) -> Study:
    """Measure configurations and write the study, unless only the plan is asked for.

    ``baseline``, ``metrics``: the family that is declared before: each with ``baseline``, by ``metrics``.
    Raises Expected, StudyError if nothing can be measured.
    """
    study = begin_study(name, members, settings, progress, strict, make_builds=not plan_only)
    if plan_only:
        return study
    study = make_study(replace(study, baseline=baseline, metrics=metrics), progress)
    finish(study, progress, command)
    return study


def make_study(study: Study, progress: Progress) -> Study:
    """The study with what is missing computed, stage by stage, scores last; what fails stops no other.

    Where nothing is missing, no flow is started.
    """
    if study.complete:
        return study
    overrides = {member.name: member.overrides for member in study.members}
    runner = study.settings.runner
    results = dict(study.results)
    opened = open_cluster(runner, progress) if runner.kind == "dask" else nullcontext()
    with drawn(study.settings.artifacts_folder, progress), opened as cluster:
        flow = as_flow(_bench, "bench", "bench {study}")
        flow(study.name, study.benchmark.name, overrides, Local((study, results, cluster)))
        lost = cluster.lost if cluster else []
    return replace(study.with_results(results), lost_workers=lost, started_flow=True)


def _bench(
    study: str,
    benchmark: str,
    configurations: Mapping[str, Sequence[str]],
    work: Local[tuple[Study, dict[str, StageResult], Cluster | None]],
) -> None:
    """Run the study in ``work`` and add to its results, by recipe. Prefect shows the other parameters."""
    graph, results, cluster = work.value
    states: dict[str, State[Any]] = {}
    for name in graph.steps():
        nodes = [n for n in graph.nodes.values() if n.step.name == name]
        missing = [n for n in nodes if n.recipe not in results]
        with current_progress().step(name, len(missing) * len(graph.texts)) as done:
            remote = _on_workers(cluster, missing, results, graph.store) if cluster else {}
            for node in nodes:
                state = _run_node(node, graph, results, states, done, remote.get(node.recipe))
                lost = StageResult(node.step.stage, failure=state.message or "failed")
                states[node.recipe] = state
                results[node.recipe] = lost if state.is_failed() else state.result().value
    scored = graph.with_results(results)
    rows = [
        {
            "configuration": m.name,
            "queries": len(scored.texts),
            "queries that failed": len(m.lost),
            "failed because": m.failure,
        }
        for m in scored.members
    ]
    show_table("configurations", rows, scored.line)


def stage_run(step: Step, compute: Callable[[], StageResult]) -> State[Any]:
    """One stage run over all queries."""
    result = compute()
    if result.failure:
        return failed(step.name, result.failure)
    state = "in the store" if result.cached else "computed"
    params = ", ".join(f"{name}={value}" for name, value in step.params.items())
    lost = f", {len(result.lost)} queries failed" if result.lost else ""
    message = f"{step.name}: {state}, {result.facts.get('seconds', 0.0):.2f} s{lost}; {params}"
    return completed(message, result, result.cached)


def _on_workers(
    cluster: Cluster, nodes: Sequence[Node], results: Mapping[str, StageResult], store: Store
) -> dict[str, Callable[[], StageResult]]:
    """Give the stage runs of a step, none of which reads another, to the workers; what waits for each."""
    jobs = {n.recipe: (n, {k: r.portable for k, r in n.inputs(results).items()}, store) for n in nodes}
    futures = cluster.start(nodes[0].step.stage.name, run_on_worker, jobs) if nodes else {}

    def wait(node: Node) -> StageResult:
        result = cluster.result(futures[node.recipe])
        return StageResult(node.step.stage, failure=result.reason) if isinstance(result, Failed) else result

    return {node.recipe: partial(wait, node) for node in nodes}


def run_on_worker(node: Node, inputs: dict[str, StageResult], store: Store) -> StageResult:
    """A stage run in another process."""
    return node.run(inputs, store).portable


def _run_node(
    node: Node,
    study: Study,
    results: Mapping[str, StageResult],
    states: Mapping[str, State[Any]],
    done: Callable[[int], None],
    remote: Callable[[], StageResult] | None,
) -> State[Any]:
    """One stage run as a task, after those it reads; ``remote`` waits for a worker's."""
    stored = results.get(node.recipe)
    counted = 0

    def count(queries: int) -> None:
        nonlocal counted
        counted += queries
        done(queries)

    here = partial(node.run, node.inputs(results), study.store, count)
    compute = (lambda: stored) if stored is not None else remote or here
    after = [states[recipe] for recipe in node.reads.values()]
    state = run_task(stage_run, _title(node, study), node.step, compute, after=after)
    if stored is None:
        done(len(study.texts) - counted)
    return state


def _title(node: Node, study: Study) -> str:
    """``score NAME``; of a step the number of queries, and the configurations where it does not serve all."""
    served = [m.name for m in study.living if node is m.score or node is m.nodes.get(node.step.name)]
    whom = served[0] if len(served) == 1 else f"{len(served)} configurations"
    if node.step.name == "score":
        return f"score {whom}"
    title = f"{node.step.name}: {len(study.texts)} queries"
    return title if len(served) == len(study.living) else f"{title} for {whom}"


def finish(study: Study, progress: Progress, command: list[str]) -> None:
    """Compare the scores; write, draw and log the study. Raises StudyError, BatchPending."""
    endpoints = [m.cascade.endpoint for m in study.members if m.cascade and m.cascade.endpoint]
    if any(m.failure for m in study.members) and (waiting := pending_requests(endpoints)):
        raise waiting
    if all(m.scores is None for m in study.members):
        raise StudyError(f"no configuration could be scored: {study.members[0].failure}")
    settings = study.settings
    write_study(study, collect(study), command)
    if settings.bench.report:
        write_pages(read_study(study.folder), settings)
        write_report(study.folder)
    if settings.bench.mlflow:
        from citegrain.flows.study.tracking import log_study

        try:
            log_study(study.folder, settings.artifacts_folder)
        except Exception as error:  # the study stands all the same
            progress.say(f"not logged to MLflow: {type(error).__name__}: {str(error).splitlines()[0]}")
