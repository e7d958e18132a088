"""The training flow as Prefect draws it: one task, since what it yields is one artefact."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State

from citegrain.flows.shared.prefect_tasks import Local, completed, drawn, run_task, stage_task
from citegrain.flows.shared.progress import Progress, current_progress, show_progress
from citegrain.flows.train.training import TrainingPlan, TrainingResult, gains_table, learn


def run_flow(plan: TrainingPlan, progress: Progress) -> TrainingResult:
    """Run the flow for a training that has not been done."""
    with show_progress(progress), drawn(plan.settings.artifacts_folder):
        result: TrainingResult = train_flow(plan.config.name, plan.line, Local(plan)).value
        return result


@flow(name="train", flow_run_name="train {name}", validate_parameters=False)
def train_flow(name: str, plan: str, training: Local[TrainingPlan]) -> Local[TrainingResult]:
    """Train, and show what was learned. All parameters but ``training`` are for Prefect's page."""
    result: TrainingResult = run_task(train, f"train {name}", training).result().value
    learned = gains_table(result)
    heads, *rows = learned.texts(lambda text, *_: text)
    cells = [dict(zip(heads, row, strict=True)) for row in rows]
    create_table_artifact(key="learned", table=cells, description=learned.caption)
    return Local(result)


@stage_task
def train(training: Local[TrainingPlan]) -> State[Any]:
    """The whole training; a run that was killed goes on from its last checkpoint."""
    plan = training.value
    with current_progress().step("train", plan.steps) as done:
        result = learn(plan, done)
    return completed(f"{plan.config.name}: {result.artefact.path.name}", Local(result))
