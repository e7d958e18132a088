"""What a ranker's texts are read by: nothing that was learned from them, or was written after them."""

from __future__ import annotations

from datetime import date

import numpy as np

from citegrain.tasks.train import ASKED, FORUM, PARTS, QUESTION
from citegrain.tasks.train.examples import part_of
from citegrain.tasks.train.readings import CrossFittedQuestions, TrainingText, parts_of

WAGES = (("code-on-wages-2019", "17"),)


def text(name: str, kind: str) -> TrainingText:
    return TrainingText(
        name, kind, f"text of {name}", date(2026, 11, 1), WAGES, (frozenset({"code-on-wages-2019/sec_17"}),)
    )


def test_a_forum_question_has_the_part_of_the_nearest_that_people_asked() -> None:
    names = [f"a-{n}" for n in range(40)]
    texts = [*(text(n, ASKED) for n in names), *(text(f"f-{n}", FORUM) for n in names), text("w-1", QUESTION)]
    vectors = np.eye(40, dtype=np.float32)
    parts = parts_of(texts, np.concatenate([vectors, vectors + 0.01, vectors[:1]]))
    assert parts[:40] == parts[40:80] == [part_of(f"classifier/{n}", PARTS) for n in names]
    assert set(parts) == set(range(PARTS))
    assert parts_of(texts[:40], vectors) == parts[:40], "no forum question is there"
    assert parts_of(texts[40:], vectors[[*range(40), 0]]) == [-1] * 40 + parts[-1:], "nobody's are there"


def test_a_text_does_without_the_answered_questions_of_its_part() -> None:
    keys, vectors = [b"a" * 16, b"b" * 16], np.eye(2, dtype=np.float32)
    answered = CrossFittedQuestions(keys, [WAGES, WAGES], vectors, of_its_part={"x": frozenset({1})})
    assert answered.passed_over("x") == {1} and answered.passed_over("y") == set()
    answered = CrossFittedQuestions.from_texts(["x", "y", "x"], [WAGES] * 3, np.eye(3, dtype=np.float32))
    assert answered.passed_over("x") == {0, 2} and answered.passed_over("y") == {1}
