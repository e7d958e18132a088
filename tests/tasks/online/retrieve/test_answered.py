"""Questions with known answers: the file, the channel, and that none is evidence for itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.retrieve.channels.questions import AnsweredQuestions, questions, read_answered
from citegrain.tasks.online.retrieve.stage import shipped
from tests.fakes import as_build

SPACE = "s" * 32
TEXTS = ["he hit me", "she took it", "they left"]
LABELS = [(("a", "1"), ("a", "2")), (("a", "2"),), (("b", "9"),)]
VECTORS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], np.float32)


class Law:
    """Sections 1 and 2 of an Act, two chunks of the first; the third label names nothing."""

    chunk_ids = ("c0", "c1", "c2")
    query_space = SPACE

    def __init__(self, answered: AnsweredQuestions | None) -> None:
        self._answered = answered

    def shared(self, key: tuple[object, ...], make: object) -> object:
        return self._answered if key[0] == "answered" else make()  # type: ignore[operator]

    def labelled(self, act: str, section: str) -> list[str]:
        return [f"{act}/{section}"] if act == "a" else []

    def rows_of(self, provision: str) -> list[int]:
        return {"a/1": [0, 1], "a/2": [2]}[provision]


def ranking(
    answered: AnsweredQuestions | None, text: str = "who hit me", k: int = 5
) -> list[tuple[str, float]]:
    eligible = np.ones(3, dtype=bool)
    query = [{"query_id": "q", "text": text}]
    vectors = np.array([[1.0, 0.0]], np.float32)
    ranked = questions(
        as_build(Law(answered)), query, eligible, vectors, k=k, counterparts=False, questions="x"
    )
    return ranked["q"]


def test_provisions_stand_by_their_first_chunk_at_the_nearest_question() -> None:
    answered = AnsweredQuestions.from_texts(TEXTS, LABELS, VECTORS)
    assert ranking(answered) == [("c0", 1.0), ("c2", 1.0)]
    assert ranking(answered, k=1) == [("c0", 1.0)]


def test_a_question_is_no_evidence_for_itself() -> None:
    ranked = ranking(AnsweredQuestions.from_texts(TEXTS, LABELS, VECTORS), text=TEXTS[0])
    assert [c for c, _ in ranked] == ["c2"] and ranked[0][1] == pytest.approx(0.8)


def test_nothing_is_found_by_questions_of_another_reader() -> None:
    assert ranking(None) == []


def test_the_file_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "questions.safetensors"
    AnsweredQuestions.from_texts(TEXTS, LABELS, VECTORS).write(path, SPACE + "more")
    read = read_answered(path, SPACE)
    assert read is not None and list(read.labels) == LABELS
    assert read.keys == AnsweredQuestions.from_texts(TEXTS, LABELS, VECTORS).keys
    assert np.allclose(read.vectors, VECTORS, atol=0.005)
    assert read_answered(path, "t" * 32) is None
    assert not any(text.encode() in path.read_bytes() for text in TEXTS), "it holds no text"


def test_a_digest_that_no_file_has_is_refused() -> None:
    with pytest.raises(ModelError, match=r"no questions\.safetensors of that SHA-256"):
        shipped("questions.safetensors", "0" * 64)
