"""The training flow as Prefect draws it: one task, since what it makes is one artefact."""

from __future__ import annotations

from prefect import flow
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.objects import State
from prefect.states import Completed

from flows.offline import Progress
from flows.prefect_tasks import drawn, run_as_task
from flows.training import TrainingPlan, TrainingResult, gains, learn


def train_flow(plan: TrainingPlan, progress: Progress) -> TrainingResult:
    """Run the flow.

    Raises
    ------
    StoreError, ModelError
        As the work raised it.
    """
    made: list[TrainingResult] = []

    def run() -> State[None]:
        with progress.step("train", plan.steps) as done:
            made.append(learn(plan, done))
        return Completed(message=str(made[0].artefact.path.name))

    @flow(name="train", flow_run_name=plan.settings.train.name)
    def drawn_flow() -> None:
        run_as_task("train", f"train {plan.key.digest[:8]}", run)
        rows = [
            dict(
                zip(
                    ("kept back", "texts", "base", "reader", "difference"),
                    (g.told, g.n, *g.cells),
                    strict=True,
                )
            )
            for g in gains(made[0])
        ]
        create_table_artifact(
            key="learned", table=rows, description="What was learned, on what was kept back"
        )

    with drawn(plan.settings.artifacts_folder):
        drawn_flow()
    return made[0]
