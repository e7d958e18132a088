"""The training flow as Prefect draws it: one task, since what it yields is one artefact."""

from __future__ import annotations

from prefect import flow
from prefect.artifacts import create_table_artifact

from citegrain.flows.shared.prefect_tasks import Local, drawn, run_task
from citegrain.flows.shared.progress import Progress
from citegrain.flows.train.training import TrainingPlan, TrainingResult, gains_table, learn


def run_flow(plan: TrainingPlan, progress: Progress) -> TrainingResult:
    """Run the flow for a training that has not been done."""
    with drawn(plan.settings.artifacts_folder, progress):
        result: TrainingResult = train_flow(plan.config.name, plan.line, Local(plan)).value
        return result


@flow(name="train", flow_run_name="train {name}", validate_parameters=False)
def train_flow(name: str, plan: str, training: Local[TrainingPlan]) -> Local[TrainingResult]:
    """Train, and show what was learned. All parameters but ``training`` are for Prefect's page."""
    state = run_task(learn, f"train {name}", training.value, says="{0.artefact.path.name}".format)
    result: TrainingResult = state.result().value
    learned = gains_table(result)
    heads, *rows = learned.texts(lambda text, *_: text)
    cells = [dict(zip(heads, row, strict=True)) for row in rows]
    create_table_artifact(key="learned", table=cells, description=learned.caption)
    return Local(result)
