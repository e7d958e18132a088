"""The training flow as Prefect draws it: one task, since what it makes is one artefact."""

from __future__ import annotations

from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.progress import Progress
from citegrain.flows.train.run import TrainingPlan, TrainingResult, gains, learn
from citegrain.tasks.train import SIDES


def run_train(plan: TrainingPlan, progress: Progress) -> TrainingResult:
    """Train where it has not been done; what is there starts no flow.

    Raises
    ------
    StoreError, ModelError
        If it cannot be written or loaded.
    """
    progress.say(plan.line)
    if plan.present:
        return TrainingResult(plan, plan.present, False)
    prefect_environment.apply(plan.settings.artifacts_folder)  # before Prefect is imported
    from prefect import flow
    from prefect.artifacts import create_table_artifact
    from prefect.client.schemas.objects import State
    from prefect.states import Completed

    from citegrain.flows.shared.prefect_tasks import drawn, run_as_task

    results: list[TrainingResult] = []

    def run() -> State[None]:
        with progress.step("train", plan.steps) as done:
            results.append(learn(plan, done))
        return Completed(message=results[0].artefact.path.name)

    @flow(name="train", flow_run_name=plan.config.name)
    def train_flow() -> None:
        run_as_task("train", f"train {plan.key.digest[:8]}", run)
        heads = ("kept back", "texts", "provisions", *SIDES[plan.config.kind], "difference")
        rows = [
            dict(zip(heads, (g.label, g.n, g.gained.n, *g.cells), strict=True)) for g in gains(results[0])
        ]
        create_table_artifact(
            key="learned", table=rows, description="What was learned, on what was kept back"
        )

    with drawn(plan.settings.artifacts_folder):
        train_flow()
    return results[0]
