"""Layers above the chunks: an index of the summaries of documents, or of sections, and what is below each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.index.config import IndexConfig
from citegrain.tasks.offline.index.dense import build_dense, read_dense, search_dense, write_dense
from citegrain.tasks.offline.models import Matrix

_FOLDER = "layers"
Mask = npt.NDArray[np.bool_]


def write_layer_rows(folder: Path, level: str, rows: Sequence[int]) -> None:
    """Write, of each searched chunk, the row of the summary above it; -1 for none."""
    (folder / _FOLDER).mkdir(exist_ok=True)
    np.save(folder / _FOLDER / f"{level}.npy", np.asarray(rows, dtype=np.int64), allow_pickle=False)


def write_layer_vectors(folder: Path, level: str, vectors: Matrix, config: IndexConfig) -> None:
    """Write the index of a layer into the folder of a vector space."""
    (folder / _FOLDER).mkdir(exist_ok=True)
    write_dense(build_dense(vectors, config), folder / _FOLDER / f"{level}.faiss")


@dataclass(frozen=True)
class Layer:
    """Summaries in one vector space.

    Attributes
    ----------
    index
        Of their vectors.
    above
        Row of the summary above each searched chunk; -1 for none.
    """

    index: Any
    above: npt.NDArray[np.int64]

    @classmethod
    def read(cls, folder: Path, space: Path, level: str) -> Self:
        """The layer of a build, in the space of a folder.

        Raises
        ------
        OSError
            If it was indexed without.
        """
        above = np.load(folder / _FOLDER / f"{level}.npy", allow_pickle=False)
        return cls(read_dense(space / _FOLDER / f"{level}.faiss"), above)

    def below(self, query: Matrix, most: int, eligible: Mask) -> Mask:
        """Of the eligible chunks those below the ``most`` nearest summaries, and those without a summary.

        Parameters
        ----------
        query
            Vector of one query, shape (1, dimension).
        eligible
            bool, shape (searched chunks,). A summary counts if an eligible chunk stands below it.
        """
        summaries = np.zeros(self.index.ntotal, dtype=bool)
        summaries[self.above[eligible & (self.above >= 0)]] = True
        _, rows = search_dense(self.index, query, most, summaries)
        return np.asarray(eligible & np.isin(self.above, np.append(rows[0], -1)))
