"""The command that compares finished runs: ``citegrain compare``."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from citegrain.flows.cli.terminal import fail, in_one_line, line, settings_of, shown

Words = Annotated[
    list[str],
    typer.Argument(help="STUDY or STUDY/CONFIGURATION, two or more, the baseline first; then overrides."),
]


def compare(words: Words) -> None:
    """Compare finished runs on a benchmark, each with the first."""
    from citegrain.flows.cli.showing import show
    from citegrain.tasks.evaluation.joining import JoinError, join_runs, name_runs, run_folder
    from citegrain.tasks.evaluation.report import write_report
    from citegrain.tasks.evaluation.studies import StudyReadError, read_study

    settings = settings_of([w for w in words if "=" in w])
    reports = settings.reports_folder
    names = [w for w in words if "=" not in w]
    try:
        folders = [run_folder(reports, name) for name in names]
    except FileNotFoundError as error:
        fail(str(error), 2)
    with in_one_line(settings.artifacts_folder, more=(JoinError, StudyReadError)):
        studies = [(read_study(folder), configuration) for folder, configuration in folders]
        chosen = [(study, name) for study, c in studies for name in ([c] if c else study.scored)]
        title = settings.bench.name or "-vs-".join(name.replace("/", "-") for name in names)[:100]
        command = shlex.join(["citegrain", *sys.argv[1:]])
        join_runs(name_runs(chosen), settings.sweep.metrics, command, reports / title)
        page = write_report(reports / title)
    show(read_study(reports / title))
    line(shown(page))
