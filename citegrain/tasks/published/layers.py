"""Layers above the chunks: an index of the summaries of documents, or of sections, and what is below each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.index import (
    SPACES,
    BuildError,
    IndexConfig,
    build_dense,
    read_dense,
    search_dense,
    write_dense,
)
from citegrain.tasks.offline.models import Matrix

if TYPE_CHECKING:
    from citegrain.tasks.offline.assemble import BuildContents
    from citegrain.tasks.online.builds import PublishedBuild

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


def write_layers(folder: Path, contents: BuildContents) -> None:
    """The layers above the chunks, in the vector space of each encoder."""
    for level, above in contents.plan.layers.items():
        texts = list(dict.fromkeys(above[chunk] for chunk in contents.chunk_ids if chunk in above))
        at = {text: row for row, text in enumerate(texts)}
        write_layer_rows(folder, level, [at.get(above.get(chunk, ""), -1) for chunk in contents.chunk_ids])
        for space, vectors in contents.text_vectors(texts).items():
            config = contents.setup.index.settled(len(vectors))
            write_layer_vectors(folder / SPACES / space if space else folder, level, vectors, config)


@dataclass(frozen=True)
class Layer:
    """Summaries in one vector space.

    ``above``: row of the summary above each searched chunk; -1 for none.
    """

    index: Any
    above: npt.NDArray[np.int64]

    @classmethod
    def read(cls, folder: Path, space: Path, level: str) -> Self:
        """The layer of a build, in the space of a folder.

        Raises OSError if it was indexed without.
        """
        above = np.load(folder / _FOLDER / f"{level}.npy", allow_pickle=False)
        return cls(read_dense(space / _FOLDER / f"{level}.faiss"), above)

    def below(self, query: Matrix, most: int, eligible: Mask) -> Mask:
        """Of the eligible chunks those below the ``most`` nearest summaries, and those without a summary.

        ``query``: vector of one query, shape (1, dimension). ``eligible``: bool, shape (searched chunks,). A
        summary counts if an eligible chunk stands below it.
        """
        summaries = np.zeros(self.index.ntotal, dtype=bool)
        summaries[self.above[eligible & (self.above >= 0)]] = True
        _, rows = search_dense(self.index, query, most, summaries)
        return np.asarray(eligible & np.isin(self.above, np.append(rows[0], -1)))


def layer_of(build: PublishedBuild, level: str) -> Layer:
    """Summaries of a level, ``document`` or ``section``, in the vector space in which a build is searched.

    Raises BuildError if it was indexed without them.
    """
    try:
        return build.shared(("layer", level), lambda: Layer.read(build.folder, build.vectors_folder, level))
    except OSError as error:
        raise BuildError(
            f"{build.folder}: no layer {level}; index with summarise.layers=[{level}], or summarise=layers"
        ) from error
