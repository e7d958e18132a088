"""What retrieval needs of a build, and what its channels have in common."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.index import Expansion
from citegrain.tasks.online.retrieve.config import RetrieveConfig

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float32]


class Searchable(Protocol):
    """What retrieval needs of a build."""

    @property
    def chunk_ids(self) -> Sequence[str]:
        """Ids of the searched chunks, in the order of the rows."""
        ...

    @property
    def act_ids(self) -> Sequence[str]:
        """Act of each searched chunk, in the order of the rows."""
        ...

    def eligible(self, as_of: date | None) -> Mask:
        """Searched chunks that are law on a day."""
        ...

    @property
    def citable(self) -> Mask:
        """Searched chunks that are cited like a section."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors of texts, L2-normalised, shape (texts, dimension)."""
        ...

    def dense_search(
        self, queries: Matrix, k: int, eligible: Mask | None
    ) -> tuple[Matrix, npt.NDArray[np.int64]]:
        """Scores and rows of the k nearest chunks a query; -1 for none."""
        ...

    def sparse_scores(self, text: str, rarity: bool = False) -> npt.NDArray[np.float32]:
        """BM25 of every searched chunk; terms weighed by their rarity in the background stories if told."""
        ...

    @property
    def story_mean(self) -> Matrix | None:
        """Mean vector of the background stories; None if the build has none."""
        ...

    @property
    def expansion(self) -> Expansion | None:
        """The lay texts of provisions; None where they tell of other Acts than those of the build.

        An error that says what to do where the build was indexed without any.
        """
        ...

    def rows_of(self, provision_id: str) -> Sequence[int]:
        """Rows of the chunks that cite a provision."""
        ...

    def numbered(self, kind: str, number: str, act_id: str | None) -> Sequence[tuple[str, Sequence[int]]]:
        """(provision_id, rows of its chunks) of every provision cited by this number."""
        ...

    def counterpart(self, provision_id: str, eligible: Mask | None) -> Sequence[int]:
        """Rows of the provision of the Act that replaced its own, or that its own replaced."""
        ...

    def family(self, row: int) -> Sequence[int]:
        """Rows of all chunks that cite what the chunk of ``row`` cites."""
        ...


def centred(vectors: Matrix, build: Searchable, config: RetrieveConfig) -> Matrix:
    """Vectors without ``config.centre`` of the background stories' mean, of length 1 again."""
    mean = build.story_mean
    if not config.centre or mean is None:
        return vectors
    vectors = vectors - np.float32(config.centre) * mean
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)


def lawful(
    build: Searchable, provision_id: str, own: Sequence[int], config: RetrieveConfig, eligible: Mask | None
) -> list[int]:
    """Which of a provision's own rows may be returned, or else, if told, those of its counterpart."""
    rows = [r for r in own if eligible is None or eligible[r]]
    if not rows and config.counterparts:
        rows = list(build.counterpart(provision_id, eligible))
    return rows
