"""The command that makes a study readable: ``citegrain report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import fail, in_one_line, line, out, settings_of, shown

if TYPE_CHECKING:
    from citegrain.tasks.evaluation.studies import StudyFolder

Words = Annotated[
    list[str] | None,
    typer.Argument(
        help="Name or folder of a study, the newest if none is given; of several, STUDY or "
        "STUDY/CONFIGURATION, the page of the first shows all beside each other. Then overrides."
    ),
]


def report(words: Words = None) -> None:
    """Write a study's report.html, and its figures as SVG and PNG."""
    from citegrain.flows.cli.showing import side_by_side
    from citegrain.flows.study.folder import write_pages
    from citegrain.tasks.evaluation.joining import JoinError
    from citegrain.tasks.evaluation.report import side_by_side_table, write_report
    from citegrain.tasks.evaluation.studies import StudyReadError, read_study

    overrides = [w for w in words or [] if "=" in w]
    names = [w for w in words or [] if "=" not in w]
    settings = settings_of(overrides)
    chosen = [_folder(name, settings.reports_folder) for name in names or [""]]
    folder, configuration = chosen[0]
    with in_one_line(folder, more=(JoinError, StudyReadError)):
        runs = _runs(chosen) if configuration or len(chosen) > 1 else []
        write_pages(read_study(folder), settings)
        page = write_report(folder, runs)
    if runs:
        out.print(side_by_side(side_by_side_table(runs)))
    line(shown(page))


def _runs(chosen: list[tuple[Path, str]]) -> list[tuple[StudyFolder, str]]:
    """What is shown beside each other; of a study without a configuration the one it is about."""
    from citegrain.tasks.evaluation.joining import name_runs
    from citegrain.tasks.evaluation.studies import read_study

    studies = [(read_study(folder), configuration) for folder, configuration in chosen]
    return list(name_runs([(study, name or study.focus) for study, name in studies]).values())


def _folder(name: str, reports: Path) -> tuple[Path, str]:
    """Folder of the study named, by its name or as a path, and its configuration if one is named.

    Of no name it is the newest.
    """
    from citegrain.tasks.evaluation.joining import run_folder
    from citegrain.tasks.evaluation.studies import FACTS

    if name and (Path(name) / FACTS).is_file():
        return Path(name).resolve(), ""
    try:
        return run_folder(reports, name)
    except FileNotFoundError as error:
        fail(str(error), 2 if name else 1)
