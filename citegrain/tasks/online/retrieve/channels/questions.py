"""Channel ``questions``: provisions by the vectors of questions whose answers are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked, descending
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild, products
from citegrain.tasks.online.retrieve.answered import AnsweredQuestions, read_answered
from citegrain.tasks.online.retrieve.config import shipped
from citegrain.tasks.online.retrieve.stage import standing

_FIRST = 1000  # questions that are put in order first: the rest are seldom needed


def questions(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    vectors: Matrix,
    *,
    k: int,
    counterparts: bool,
    questions: str,
) -> dict[str, Ranked]:
    """The ``k`` provisions that apply to the questions nearest to each query, by the cosine of the nearest.

    Nothing is found where the questions were read by another reader than the build's.
    """
    answered = answered_of(build, questions)
    if answered is None:
        return {query["query_id"]: [] for query in queries}
    ids, stands = build.chunk_ids, standing(build, counterparts, eligible)
    likeness = products(vectors, answered.vectors)
    ranked = {}
    for query, scores in zip(queries, likeness, strict=True):
        passed_over = answered.passed_over(query["text"])
        best: dict[int, float] = {}
        for i in descending(scores, _FIRST):
            if i not in passed_over:
                for label in answered.labels[i]:
                    for row in stands(label):
                        best.setdefault(row, float(scores[i]))
            if len(best) >= k:
                break
        ranked[query["query_id"]] = [(ids[row], score) for row, score in list(best.items())[:k]]
    return ranked


def answered_of(build: PublishedBuild, sha256: str) -> AnsweredQuestions | None:
    """The questions of a digest for a build, which keeps them."""
    return build.shared(
        ("answered", sha256),
        lambda: read_answered(shipped("questions.safetensors", sha256), build.query_space),
    )
