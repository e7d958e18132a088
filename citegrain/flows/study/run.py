"""A study from its configurations to its folder: plan, flow, tables, files, in the order of the functions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from citegrain.flows.shared import prefect_environment
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.flows.study.folder import collect, write_pages, write_study
from citegrain.flows.study.study import Study, StudyError, begin_study
from citegrain.tasks.core.endpoint import pending_requests
from citegrain.tasks.core.stage import Tables
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
) -> tuple[Study, Tables, Path] | None:
    """Measure configurations and write the study; None where only the plan is asked for.

    ``baseline`` and ``metrics``: the family of comparisons, declared before anything runs: each with
    ``baseline``, by ``metrics``. Raises BenchmarkError, CorpusError, RegistryError, ModelError, StoreError,
    StudyError if nothing can be measured.
    """
    study = begin_study(name, members, settings, progress, strict, make_builds=not plan_only)
    if plan_only:
        return None
    study = make_study(replace(study, baseline=baseline, metrics=metrics), progress)
    return finish(study, progress, command)


def make_study(study: Study, progress: Progress) -> Study:
    """The study with what was missing computed. Where nothing is, no flow is started."""
    if study.complete:
        return study
    prefect_environment.apply(study.settings.artifacts_folder)
    from citegrain.flows.study.flow import bench_flow

    return replace(bench_flow(study, progress), started_flow=True)


def finish(study: Study, progress: Progress, command: list[str]) -> tuple[Study, Tables, Path]:
    """Compare the scores; write, draw and log the study.

    Raises StoreError, StudyError if nothing was scored, or the folder cannot be written; BatchPending if a
    model's replies are missing.
    """
    endpoints = [m.cascade.endpoint for m in study.members if m.cascade and m.cascade.endpoint]
    if any(m.failure for m in study.members) and (waiting := pending_requests(endpoints)):
        raise waiting
    if all(m.scores is None for m in study.members):
        raise StudyError(f"no configuration could be scored: {study.members[0].failure}")
    settings = study.settings
    tables = collect(study)
    folder = write_study(study, tables, command)
    if settings.bench.report:
        write_pages(read_study(folder), settings)
        write_report(folder)
    if settings.bench.mlflow:
        _log(folder, settings, progress)
    return study, tables, folder


def _log(folder: Path, settings: Settings, progress: Progress) -> None:
    """Log a study to MLflow. Where that fails, the study stands all the same."""
    from citegrain.flows.study.tracking import log_study

    try:
        log_study(folder, settings.artifacts_folder)
    except Exception as error:
        progress.say(f"not logged to MLflow: {type(error).__name__}: {str(error).splitlines()[0]}")
