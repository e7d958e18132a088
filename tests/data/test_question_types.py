"""The questions with their types: counts of the card, nothing shared, and how many unseen ones get theirs."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from citegrain.tasks.published.route import TYPES, RouteConfig, make_routes
from tests.data.duplicates import shared_runs
from tests.data.training import CARD, FOLDER, TRAINING, card_row

LEARN, UNSEEN = (
    [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
    for name in ("question_types.jsonl", "question_types_test.jsonl")
)


@pytest.mark.parametrize("name", TYPES)
def test_rows_of_the_card(name: str) -> None:
    counts = [Counter(row["type"] for row in rows)[name] for rows in (LEARN, UNSEEN)]
    assert card_row(name) == [str(n) for n in counts]
    assert f"{len(LEARN)} questions with their type" in " ".join(CARD.split())


def test_no_text_stands_twice_and_no_seven_words_in_a_benchmark() -> None:
    texts = {f"{i}": row["text"] for i, row in enumerate([*LEARN, *UNSEEN])}
    assert len({text.casefold() for text in texts.values()}) == len(texts)
    assert shared_runs(texts, words=7) == [] and shared_runs(texts, TRAINING.benchmarks, words=7) == []


def test_most_unseen_questions_get_their_type() -> None:
    rows = make_routes({f"{i}": row["text"] for i, row in enumerate(UNSEEN)}, RouteConfig("learned"))
    right = sum(a["type"] == b["type"] for a, b in zip(rows.to_pylist(), UNSEEN, strict=True))
    assert right >= 78  # 82 of 100 when they were written
