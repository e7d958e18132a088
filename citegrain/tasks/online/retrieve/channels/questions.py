"""Channel ``questions``: provisions by the vectors of questions whose answers are known.

They ship with the ranker that learned beside them, as a file in safetensors: ``keys``, the first 16 bytes of
each text's SHA-256, and ``vectors`` in a byte a dimension. Its metadata hold, as JSON, the vector space and
what applies to each. It holds no text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, descending
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.embed import text_key
from citegrain.tasks.online.builds import Matrix, PublishedBuild, from_bytes, in_bytes, products
from citegrain.tasks.online.retrieve.stage import LAWS, read_labelled, shipped, standing, write_labelled

_FIRST = 1000  # questions that are put in order first: the rest are seldom needed
Labels = tuple[tuple[str, str], ...]
"""(act, section) of each provision that applies, as benchmarks write them, the primary first."""


@dataclass(frozen=True)
class AnsweredQuestions:
    """Questions with known answers."""

    keys: Sequence[bytes]
    labels: Sequence[Labels]
    vectors: Matrix

    @classmethod
    def from_texts(cls, texts: Sequence[str], labels: Sequence[Labels], vectors: Matrix) -> Self:
        """From texts and their vectors."""
        return cls([text_key(text) for text in texts], list(labels), vectors)

    @cached_property
    def _rows(self) -> Mapping[bytes, frozenset[int]]:
        rows: dict[bytes, set[int]] = {}
        for row, key in enumerate(self.keys):
            rows.setdefault(key, set()).add(row)
        return {key: frozenset(numbers) for key, numbers in rows.items()}

    def passed_over(self, text: str) -> frozenset[int]:
        """Rows that say nothing of a text: one that is asked word for word is no evidence for itself."""
        return self._rows.get(text_key(text), frozenset())

    def write(self, path: Path, space: str) -> None:
        """Write the file; ``space``: as :func:`write_labelled` has it."""
        keys = np.frombuffer(b"".join(self.keys), dtype=np.uint8).reshape(len(self.keys), -1)
        write_labelled(
            path, "answered", self.labels, space, {"keys": keys, "vectors": in_bytes(self.vectors)}
        )


def read_answered(path: Path, space: str) -> AnsweredQuestions | None:
    """The questions of a file; None where they are of another space than ``space``."""
    read = read_labelled(path, "answered", space)
    if read is None:
        return None
    labels, tensors = [tuple((act, section) for act, section in row) for row in read[0]], read[1]
    return AnsweredQuestions(
        [key.tobytes() for key in tensors["keys"]], labels, from_bytes(tensors["vectors"])
    )


def answered_of(build: PublishedBuild, sha256: str) -> AnsweredQuestions | None:
    """The questions of a digest for a build, which keeps them."""
    return build.shared(
        ("answered", sha256),
        lambda: read_answered(shipped("questions.safetensors", sha256), build.query_space),
    )


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
        for i in map(rows.tolist().__getitem__, descending(scores[rows], _FIRST)):
            if i not in passed_over:
                standing_rows = [row for label in answered.labels[i] for row in stands(label)]
                here[i] = bool(standing_rows)
                for row in standing_rows:
                    best.setdefault(row, float(scores[i]))
            if len(best) >= k:
                break
        ranked[query["query_id"]] = [(ids[row], score) for row, score in list(best.items())[:k]]
    return ranked
