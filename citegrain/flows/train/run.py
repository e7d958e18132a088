"""A training from its plan to its weights. One that has been done starts no flow."""

from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.progress import Progress
from citegrain.flows.train.training import TrainingPlan, TrainingResult


def run_train(plan: TrainingPlan, progress: Progress) -> TrainingResult:
    """Train where it has not been done; what is there starts no flow."""
    progress.say(plan.line)
    if plan.present:
        return TrainingResult(plan, plan.present, False)
    prefect_environment.apply(plan.settings.artifacts_folder)
    from citegrain.flows.train.flow import run_flow

    return run_flow(plan, progress)
