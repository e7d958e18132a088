"""A study from its configurations to its folder: plan, flow, tables, files, in the order of the functions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study.folder import collect, write_pages, write_study
from citegrain.flows.study.study import Study, StudyError, begin_study
from citegrain.tasks.core.endpoint import pending_requests
from citegrain.tasks.evaluation.report import write_report
from citegrain.tasks.evaluation.studies import read_study


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
    """The study with what was missing computed. Where nothing is, no flow is started."""
    if study.complete:
        return study
    prefect_environment.apply(study.settings.artifacts_folder)
    from citegrain.flows.study.flow import bench_flow

    return replace(bench_flow(study, progress), started_flow=True)


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
