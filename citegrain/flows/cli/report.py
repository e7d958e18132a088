"""The command that makes a study readable: ``citegrain report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citegrain.flows.cli.terminal import fail, line, settings_of, shown

Words = Annotated[
    list[str] | None,
    typer.Argument(help="Name or folder of a study, the newest if none is given; then overrides."),
]


def report(words: Words = None) -> None:
    """Write a study's report: report.html, and its figures as SVG and PNG."""
    from citegrain.tasks.core.store.artefacts import explain
    from citegrain.tasks.evaluation.report import write_report
    from citegrain.tasks.evaluation.studies import StudyReadError

    overrides = [w for w in words or [] if "=" in w]
    names = [w for w in words or [] if "=" not in w]
    if len(names) > 1:
        fail(f"one study at a time, not {' and '.join(names)}", 2)
    folder = _folder("".join(names), settings_of(overrides).reports_folder)
    try:
        page = write_report(folder)
    except StudyReadError as error:
        fail(str(error), 1)
    except OSError as error:
        fail(explain(error, folder), 1)
    line(shown(page))


def _folder(name: str, reports: Path) -> Path:
    """Folder of the study named, by its name or as a path; of the newest where none is."""
    from citegrain.tasks.evaluation.studies import FACTS, study_folder

    if name and (Path(name) / FACTS).is_file():
        return Path(name).resolve()
    try:
        return study_folder(reports, name)
    except FileNotFoundError as error:
        fail(str(error), 2 if name else 1)
