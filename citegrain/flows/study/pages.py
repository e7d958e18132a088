"""The worst queries of a study as pages: the answer that was scored, with the pages of the PDFs."""

from __future__ import annotations

from datetime import date

from citegrain.flows.shared.answering import answer_content, answer_sheet
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.pages import page_of
from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.evaluation.report import WORST, worst_queries
from citegrain.tasks.evaluation.studies import StudyFolder
from citegrain.tasks.law.asof import ASKED, AsOf
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.builds import BuildError, PublishedBuild


def write_pages(study: StudyFolder, settings: Settings) -> None:
    """Write a page for each of the worst queries; the report links those that are there.

    None is written where the build is gone, or answers were not kept or are of an earlier version.
    """
    if not study.focus:
        return
    configuration, questions = study.facts["configurations"][study.focus], study.facts["questions"]
    answers = study.answers(study.focus)
    try:
        folder = settings.builds_folder / study.facts["corpus"] / str(configuration["build"])
        build = PublishedBuild.open(folder, settings.models_folder)
        for query in worst_queries(study, study.focus, WORST)[0]:
            day, row = questions.get(query.query_id, {}).get("as_of"), answers.get(query.query_id)
            if day and row and row["answer"]:
                content = answer_content(build, query.text, AsOf(date.fromisoformat(day), ASKED), dict(row))
                path = study.folder / page_of(query.query_id)
                path.parent.mkdir(exist_ok=True)
                write_atomically(path, answer_sheet(build, content))
    except (BuildError, ModelError, ValueError, KeyError):
        return  # the report is whole without them
