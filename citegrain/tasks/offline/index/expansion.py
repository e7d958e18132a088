"""Lay texts of provisions: what people say to whom a provision applies, searched in its place.

Document expansion without a model (Nogueira et al. 2019 have the texts predicted): a provision is found by
its own words, and besides by the vectors and the terms of the texts that are told of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.schemas import EXPANSION
from citegrain.tasks.core.tables import read_table, write_table
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.law.citations import Citations
from citegrain.tasks.offline.index.sparse import SparseIndex

Matrix = npt.NDArray[np.float32]
VECTORS, SPARSE = "expansion.npy", "expansion"


def expansion_table(told: Sequence[tuple[str, str, str]], provisions: pa.Table) -> tuple[pa.Table, int]:
    """Table ``expansion``, each text once a provision, and how many labels name nothing in the corpus.

    Parameters
    ----------
    told
        (act, section, text), the label as benchmarks write it.
    provisions
        Table ``provisions`` of the build.
    """
    columns = provisions.select(["kind", "act_id", "provision_id", "number"]).to_pydict()
    citations = Citations(zip(*columns.values(), strict=True))
    named = {label: citations.labelled(*label) for label in {(act, section) for act, section, _ in told}}
    texts: dict[str, dict[str, None]] = {}  # ordered sets: the rows of a provision stand together
    for act, section, text in told:
        for provision_id in named[act, section]:
            texts.setdefault(provision_id, {})[text] = None
    rows: list[dict[str, object]] = [
        {"text": text, "provision_id": p} for p, own in texts.items() for text in own
    ]
    return EXPANSION.rows(rows), sum(not found for found in named.values())


class Expansion:
    """The lay texts of a build.

    Attributes
    ----------
    table
        Table ``expansion``; the rows of a provision stand together.
    vectors
        Vector of each text, of length 1, shape (texts, dimension).
    provisions
        Id of each provision that has texts, in the order of the table.
    starts
        Row at which the texts of each begin, shape (provisions,).
    by_law
        For retrieval to keep what the texts stand for on a day.
    """

    def __init__(self, table: pa.Table, vectors: Matrix, sparse: SparseIndex) -> None:
        self.table = table
        self.vectors = vectors
        self._sparse = sparse
        ids = [(p, len(list(rows))) for p, rows in groupby(table.column("provision_id").to_pylist())]
        self.provisions = [p for p, _ in ids]
        self.by_law: dict[bytes, Any] = {}
        self.starts = np.cumsum([0, *(n for _, n in ids)], dtype=np.int64)[:-1]

    @classmethod
    def build(cls, table: pa.Table, vectors: Matrix, analyser: Analyser, k1: float, b: float) -> Expansion:
        """Index lay texts: of each provision its texts joined."""
        return cls(table, vectors, SparseIndex.build(list(_joined(table)), analyser, k1, b))

    def save(self, folder: Path) -> None:
        """Write table, vectors (float32, as all that is searched) and sparse index to ``folder``."""
        write_table(folder / EXPANSION.file, self.table, EXPANSION)
        np.save(folder / VECTORS, self.vectors, allow_pickle=False)
        (folder / SPARSE).mkdir()
        self._sparse.save(folder / SPARSE)

    @classmethod
    def read(cls, folder: Path) -> Expansion:
        """Open what :meth:`save` wrote; the numbers are mapped, and writable since torch takes no others."""
        vectors = np.load(folder / VECTORS, mmap_mode="c", allow_pickle=False)
        table = read_table(folder / EXPANSION.file, EXPANSION)
        return cls(table, vectors, SparseIndex.load(folder / SPARSE))

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """The texts of each provision that has any, in the order of the table."""
        columns = self.table.select(["provision_id", "text"]).to_pydict()
        rows = groupby(zip(*columns.values(), strict=True), key=lambda row: row[0])
        return {provision: [text for _, text in own] for provision, own in rows}

    def sparse_scores(self, text: str) -> Matrix:
        """BM25 of each provision's texts joined: float32, shape (provisions,)."""
        return self._sparse.scores(text)


def _joined(table: pa.Table) -> Iterator[str]:
    columns = table.select(["provision_id", "text"]).to_pydict()
    for _, rows in groupby(zip(*columns.values(), strict=True), key=lambda row: row[0]):
        yield "\n".join(text for _, text in rows)
