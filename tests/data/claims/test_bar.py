"""Answers with planted faults over the Acts of a build: what is detected, by kind."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from mcp import Client

from citegrain.flows.shared.library import Build
from tests.data.claims.faults import (
    KINDS,
    Base,
    acts_in_two,
    make_answers,
    measured,
    template_bases,
    written_bases,
)
from tests.flows.serving.test_assistants import Call, as_assistant

pytestmark = [pytest.mark.slow, pytest.mark.corpus, pytest.mark.model]


@pytest.fixture(scope="module")
def build() -> Build:
    folder = Path(os.environ.get("CITEGRAIN_ARTIFACTS", "artifacts")) / "builds" / "acts"
    if not (folder / "current").is_file():
        pytest.skip("needs a build of the 51 Acts, CITEGRAIN_ARTIFACTS/builds/acts")
    return Build.open(folder)


def bases_of(build: Build, half: str) -> list[Base]:
    return (
        template_bases(build, acts_in_two(build)[0], 1, 160) if half == "templates" else written_bases(half)
    )


@pytest.mark.parametrize("half", ["templates", "prose", "later"])
def test_planted_faults_are_detected(build: Build, half: str) -> None:
    wrong: Counter[str] = Counter()
    count: Counter[str] = Counter()
    absent: Counter[tuple[bool, bool]] = Counter()
    for answer, checked in measured(build, make_answers(build, bases_of(build, half), 11, 100, 25)):
        count[answer.fault] += 1
        wrong[answer.fault] += checked.wrong
        if answer.fault != "wrong_act":  # there the number may exist or not
            said = any(citation.status == "no_such_provision" for citation in checked.citations)
            absent[answer.fault == "no_such_section", said] += 1
    hits = sum(wrong[kind] for kind in KINDS)
    assert hits / (hits + wrong[""]) >= 0.95, wrong
    assert hits / sum(count[kind] for kind in KINDS) >= 0.9, wrong
    assert all(wrong[kind] / count[kind] >= 0.8 for kind in KINDS), wrong
    assert absent[True, False] <= 1 and absent[False, True] == 0, absent


def test_assistants_get_the_citations_of_the_600_answers_as_check_finds_them(build: Build) -> None:
    answers = [
        answer
        for half in ("templates", "prose")
        for answer in make_answers(build, bases_of(build, half), 11, 100, 25)
    ]
    artifacts = build.folder.parent.parent.parent

    async def work(client: Client, call: Call) -> None:
        for answer in answers:
            verified = await call("verify_citations", text=answer.text, build="acts")
            checked = build.check_text(answer.text)
            assert verified["citations"] == [citation.model_dump() for citation in checked.citations]
            assert verified["as_of"] == checked.as_of

    as_assistant(artifacts, work)
    assert len(answers) == 600
