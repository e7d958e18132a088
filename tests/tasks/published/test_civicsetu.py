"""CivicSetu on what it was made for: questions that name a section or rule, over an Act and rules of States."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.progress import Silent
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade

QUESTIONS = [
    json.loads(line)
    for line in Path(__file__).with_name("rera_questions.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Thirty; ``near``: the provisions that punish its breach, carry it out or are carried out, of which one is right."""


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.model
def test_the_section_is_given_and_with_it_what_punishes_or_carries_it_out(
    shared: Path, tmp_path: Path
) -> None:
    files = [*(shared / "corpus/rules").glob("*.pdf"), *(shared / "corpus/acts").glob("real_estate*.pdf")]
    (tmp_path / "pdf").mkdir()
    for file in files:
        shutil.copy(file, tmp_path / "pdf")
    settings = load_settings(
        ["experiment=civicsetu", "rerank=plain", "corpus=folder", f"corpus.path='{tmp_path}/pdf'", "corpus.name=rera", f"artifacts='{tmp_path}/artifacts'"]
    )  # fmt: skip
    run_index(settings, Silent())
    build = PublishedBuild.open(tmp_path / "artifacts/builds/rera")
    result = Cascade(build, settings.cascade).run({row["id"]: row["text"] for row in QUESTIONS})
    given = {
        query: [build.citations[chunk] for chunk, _ in ranked]
        for query, ranked in rankings(result.tables["selected"]).items()
    }
    assert all(row["names"] == given[row["id"]][0] for row in QUESTIONS)
    near = [row["id"] for row in QUESTIONS if set(row["near"]) & set(given[row["id"]])]
    assert len(QUESTIONS) == 30 and len(near) >= 24, sorted({row["id"] for row in QUESTIONS} - set(near))
