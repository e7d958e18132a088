"""The bench flow as Prefect draws it: one task for each stage run, whichever configurations it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prefect import flow, get_run_logger
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from citegrain.flows.shared.prefect_tasks import Local, drawn, run_task, stage_task
from citegrain.flows.shared.progress import Progress
from citegrain.flows.study.nodes import Counter, Node, Outcome, Queries, run_stage
from citegrain.flows.study.scoring import Scored, run_scoring
from citegrain.flows.study.study import Member, Study, score_key, timed_queries
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store import Store
from citegrain.tasks.evaluation.score import GoldQuery
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.steps import Step

States = dict[str, State[Any]]
"""State of the task of each stage run, by its recipe."""


def bench_flow(study: Study, progress: Progress) -> None:
    """Compute what is missing of a study, stage by stage, and score its configurations.

    A stage run or configuration that fails is noted in ``study`` and stops no other.

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
    states: States = {}
    for step in graph.steps():
        nodes = [n for n in graph.nodes.values() if n.step.name == step]
        missing = sum(not n.outcome.ready for n in nodes)
        with progress.step(step, missing * len(graph.texts)) as done:
            for node in nodes:
                states[node.recipe] = _run_node(node, graph, states, done)
    with progress.step("score", len(graph.living)) as done:
        for member in graph.living:
            _run_scoring(member, graph, states)
            done(1)
    _publish_counts(graph)


@stage_task
def stage_run(
    step: Step,
    cascade: Cascade,
    queries: Local[Queries],
    inputs: dict[str, Outcome],
    present: Outcome | None,
    store: Store,
    progress: Counter,
) -> State[Local[Outcome]]:
    """One stage run over all queries; ``present`` is its outcome where the plan knows it already."""
    outcome = present or run_stage(step, cascade, queries.value, inputs, store, progress)
    params = ", ".join(f"{name}={value}" for name, value in step.params.items())
    done = f"{len(queries.value.texts) - len(outcome.lost)} queries in {outcome.seconds:.2f} s; {params}"
    return _end(step.name, outcome, outcome.failure, done)


@stage_task
def scoring(
    name: str,
    cascade: Cascade,
    queries: Local[Queries],
    gold: Local[list[GoldQuery]],
    inputs: dict[str, Outcome],
    present: Scored | None,
    key: Key | None,
    store: Store,
    timed: int,
) -> State[Local[Scored]]:
    """The scores of one configuration; ``present`` where the plan knows them already."""
    failure = next((f"{step}: {one.failure}" for step, one in inputs.items() if one.failure), "")
    if failure:
        return _end(name, None, failure, "")
    scored = present or run_scoring(cascade, queries.value, gold.value, inputs, key, store, timed)
    return _end(name, scored, "", f"{scored.scores.num_rows} scores")


def _end(name: str, result: Outcome | Scored | None, failure: str, done: str) -> State[Any]:
    """The state of a task, and its line in the log of Prefect's page."""
    logger = get_run_logger()
    if result is None or failure:
        logger.error("%s: %s", name, failure)
        return Failed(message=failure)
    message = f"{name}: in the store; {done}" if result.cached else f"{name}: {done}"
    logger.info(message)
    # local: Prefect takes two results that share any object, such as a schema, for one that reads the other
    state = "Cached" if result.cached else "Completed"
    return Completed(name=state, message=message, data=Local(result))


def _run_node(node: Node, study: Study, states: States, done: Callable[[int], None]) -> State[Any]:
    """One stage run as a task, and its outcome on the node."""
    counter = Counter(done)
    present = node.outcome if node.outcome.ready else None
    state = run_task(
        stage_run,
        _title(node, study),
        node.step,
        node.cascade,
        Local(study.queries),
        node.inputs,
        present,
        study.store,
        counter,
        after=[states[read.recipe] for read in node.reads.values()],
    )
    if state.is_failed():
        node.outcome = Outcome(node.step.schema, failure=state.message or "failed")
    else:
        node.outcome = state.result().value
        if not node.outcome.cached:
            _count(node.step.stage.name, study)
    if present is None:
        done(len(study.texts) - counter.count)
    return state


def _title(node: Node, study: Study) -> str:
    """Step and number of queries; the configurations too, where the study has others."""
    served = [m.name for m in study.living if m.nodes.get(node.step.name) is node]
    whom = served[0] if len(served) == 1 else f"{len(served)} configurations"
    title = f"{node.step.name}: {len(study.texts)} queries"
    return title if len(served) == len(study.living) else f"{title} for {whom}"


def _run_scoring(member: Member, study: Study, states: States) -> None:
    """The scores of a configuration as a task, and their outcome on the configuration."""
    judged = member.judged
    state = run_task(
        scoring,
        f"score {member.name}",
        member.name,
        member.cascade,
        Local(study.queries),
        Local(member.gold),
        {name: node.outcome for name, node in judged.items()},
        member.scored,
        score_key(member, study),
        study.store,
        timed_queries(member, study),
        after=[states[node.recipe] for node in judged.values()],
    )
    if state.is_failed():
        member.failure = state.message or "failed"
    else:
        scored = member.scored = state.result().value
        if not scored.cached:
            _count("score", study)


def _count(stage: str, study: Study) -> None:
    study.computed[stage] = study.computed.get(stage, 0) + 1


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
