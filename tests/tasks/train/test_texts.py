"""Lay texts and stories: what is read, and what is refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.evaluation.benchmark import BenchmarkError, Citation
from citegrain.tasks.train import (
    STYLES,
    LayQueries,
    read_asked,
    read_lay_queries,
    read_questions,
    read_stories,
)
from tests.tasks.evaluation.benchmark.samples import IPC, NIA, guide_record, write_lines

CHEQUE, CHEATING = {"act": NIA, "section": "138"}, {"act": IPC, "section": "420"}


def lay(**changes: Any) -> dict[str, Any]:
    record = CHEQUE | {"plain": "It came back.", "scene": "On Monday.", "message": "paisa nahi"} | changes
    return {name: value for name, value in record.items() if value is not ...}


def story(**changes: Any) -> dict[str, Any]:
    record = {"id": "s-1", "text": "He laughs.", "applicable": [CHEQUE, CHEATING]} | changes
    return {name: value for name, value in record.items() if value is not ...}


def test_lay_texts_of_a_provision(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "lay.jsonl", lay(), lay(section="139"))
    first, second = read_lay_queries(path)
    assert first.citation == Citation(act=NIA, section="138") and second.section == "139"
    assert first.texts == (("plain", "It came back."), ("scene", "On Monday."), ("message", "paisa nahi"))
    assert tuple(style for style, _ in first.texts) == STYLES
    assert hash(first) == hash(LayQueries(**lay())), "frozen, and equal where the fields are"


def test_questions_with_and_without_an_answer(tmp_path: Path) -> None:
    record = {"id": "q-1", "text": "Can he?", "incident_date": "2020-02-01", "applicable": [CHEQUE]}
    bare: dict[str, Any] = {"id": "q-2", "text": "Hello?", "incident_date": None, "applicable": []}
    first, second = read_questions(write_lines(tmp_path / "questions.jsonl", record, bare))
    assert first.applicable == (Citation(act=NIA, section="138"),) and first.incident_date == date(2020, 2, 1)
    assert second.applicable == () and second.incident_date is None
    with pytest.raises(BenchmarkError, match="incident_date"):
        read_questions(write_lines(tmp_path / "wrong.jsonl", record | {"incident_date": "2020"}))


def test_what_people_asked_is_read_from_a_benchmark(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "asked.jsonl", guide_record(id="a-1"))
    (question,) = read_asked(path, once=True)
    assert (
        question.id == "a-1"
        and question.text == guide_record()["text"]
        and question.applicable
        and question.once
    )


def test_a_story_has_its_primary_first(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "stories.jsonl", story(), story(id="s-2", applicable=[CHEATING, CHEQUE]))
    first, second = read_stories(path)
    assert first.applicable[0] == Citation(act=NIA, section="138") == second.applicable[1]
    assert first.applicable == second.applicable[::-1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lay(scene=...), "2: scene: is missing"),
        (lay(plain=None), "2: plain: must be a string, not null"),
        (lay(message=" "), "2: message: is blank"),
        (lay(note="x"), "2: note: unknown field"),
        (lay(section=139), "2: section: must be a string, not 139"),
        (lay(section="139(1)"), "2: section: a label names a whole section: write 139"),
        (lay(act="Negotiable Instruments Act"), "2: act: must be in lower case with hyphens"),
        (lay(), f"2: section: '{NIA}/138' is already on line 1"),
        (b"[]", "2: record: must be an object, not a list"),
        (b'{"act": "a", "act": "b"}', "2: act: appears twice in its object"),
    ],
)
def test_faults_of_lay_texts_are_reported(tmp_path: Path, wrong: Any, message: str) -> None:
    path = write_lines(tmp_path / "lay.jsonl", lay(), wrong)
    with pytest.raises(BenchmarkError) as error:
        read_lay_queries(path)
    assert str(error.value).startswith(f"{path}:{message}")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (story(id="s-2", applicable=[CHEQUE]), "2: applicable: two provisions or more are needed, not 1"),
        (story(id="s-2", applicable=[]), "2: applicable: two provisions or more are needed, not 0"),
        (story(id="s-2", applicable=[CHEQUE, CHEQUE]), f"2: applicable: {NIA}/138 appears twice"),
        (story(id="s-2", applicable="138"), "2: applicable: must be a list, not '138'"),
        (story(id="s-2", applicable=[CHEQUE, "x"]), "2: applicable.1: must be an object"),
        (story(id="s-2 "), "2: id: has white space at an end"),
        (story(), "2: id: 's-1' is already on line 1"),
        (story(id="s-2", primary=CHEQUE), "2: primary: unknown field"),
    ],
)
def test_faults_of_stories_are_reported(tmp_path: Path, wrong: Any, message: str) -> None:
    path = write_lines(tmp_path / "stories.jsonl", story(), wrong)
    with pytest.raises(BenchmarkError) as error:
        read_stories(path)
    assert str(error.value).startswith(f"{path}:{message}")


def test_ten_faults_are_reported_and_the_others_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "lay.jsonl", *[lay(section=f"{n}", scene=...) for n in range(1, 13)])
    with pytest.raises(BenchmarkError) as error:
        read_lay_queries(path)
    lines = str(error.value).splitlines()
    assert lines[0] == f"{path}:1: scene: is missing" and lines[10:] == ["... and 2 more"]


@pytest.mark.parametrize("read", [read_lay_queries, read_stories])
def test_no_file_no_texts_and_what_may_not_be_read(tmp_path: Path, read: Any) -> None:
    with pytest.raises(BenchmarkError, match="no such file"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(BenchmarkError, match="not a file"):
        read(tmp_path)
    with pytest.raises(BenchmarkError, match="contains no record"):
        read(write_lines(tmp_path / "empty.jsonl", b"", b" "))
