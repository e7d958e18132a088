"""Channel ``questions``: provisions by the vectors of questions whose answers are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, descending
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild, products
from citegrain.tasks.online.retrieve.answered import answered_of
from citegrain.tasks.online.retrieve.stage import LAWS, standing

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
    # most questions are about law that is not here: one that was looked at in vain is not looked at again
    laws: dict[Any, npt.NDArray[np.bool_]] = build.shared(("answered here", questions), dict)
    law = eligible.tobytes(), counterparts
    if law not in laws and len(laws) >= LAWS:
        laws.clear()
    here = laws.setdefault(law, np.ones(len(answered.labels), dtype=np.bool_))
    likeness = products(vectors, answered.vectors)
    ranked = {}
    for query, scores in zip(queries, likeness, strict=True):
        passed_over = answered.passed_over(query["text"])
        best: dict[int, float] = {}
        rows = np.flatnonzero(here)
        for i in (int(rows[place]) for place in descending(scores[rows], _FIRST)):
            if i not in passed_over:
                standing_rows = [row for label in answered.labels[i] for row in stands(label)]
                here[i] = bool(standing_rows)
                for row in standing_rows:
                    best.setdefault(row, float(scores[i]))
            if len(best) >= k:
                break
        ranked[query["query_id"]] = [(ids[row], score) for row, score in list(best.items())[:k]]
    return ranked
