"""Channel ``questions``: provisions by the vectors of questions whose answers are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.embed import text_key
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.retrieve.answered import Answered, read_answered
from citegrain.tasks.online.retrieve.lawful import lawful


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

    A question is no evidence for itself: a text that is asked word for word is passed over. Nothing is found
    where the questions were read by another reader than the build's.
    """
    import torch

    answered = answered_of(build, questions)
    if answered is None:
        return {query["query_id"]: [] for query in queries}
    ids, law = build.chunk_ids, ("standing", questions, eligible.tobytes(), counterparts)
    standing: dict[tuple[str, str], list[int]] = build.shared(law, dict)
    # by torch and not numpy, as in lay_dense: two pools of threads slow the encoder down
    likeness = (
        torch.from_numpy(np.ascontiguousarray(vectors)) @ torch.from_numpy(answered.vectors).T
    ).numpy()
    ranked = {}
    for query, scores in zip(queries, likeness, strict=True):
        asked = text_key(query["text"])
        best: dict[int, float] = {}
        for i in np.argsort(-scores, kind="stable"):
            if answered.keys[i] != asked:
                for label in answered.labels[i]:
                    if label not in standing:  # only what is near: counterparts of all cost half a second
                        standing[label] = _standing(build, label, counterparts, eligible)
                    for row in standing[label]:
                        best.setdefault(row, float(scores[i]))
            if len(best) >= k:
                break
        ranked[query["query_id"]] = [(ids[row], score) for row, score in list(best.items())[:k]]
    return ranked


def answered_of(build: PublishedBuild, sha256: str) -> Answered | None:
    """The questions of a digest for a build, which keeps them."""
    return build.shared(("answered", sha256), lambda: read_answered(shipped(sha256), build.query_space))


def shipped(sha256: str) -> Path:
    """The file of a digest: one ships with each ranker.

    Raises
    ------
    ModelError
        If none has it.
    """
    for path in located("data:models").glob("*/questions.safetensors"):
        if hash_file(path) == sha256:
            return path
    raise ModelError(f"retrieve.questions={sha256}: no questions of that SHA-256 are in data/models")


def _standing(build: PublishedBuild, label: tuple[str, str], counterparts: bool, eligible: Mask) -> list[int]:
    """The chunks by which what a label means stands: of each provision the first that is law."""
    rows = (lawful(build, p, build.rows_of(p), counterparts, eligible) for p in build.labelled(*label))
    return [found[0] for found in rows if found]
