"""Lay texts of provisions: how people describe cases to which a provision applies.

Document expansion without a model (Nogueira et al. 2019 predict the texts): a search hits a provision by its
wording, and also by the vectors and the terms of its lay texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.schemas import EXPANSION
from citegrain.tasks.core.tables import grouped, read_table, write_parts
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.law.citations import Citations
from citegrain.tasks.offline.index.sparse import SparseIndex
from citegrain.tasks.offline.models import Matrix

VECTORS, SPARSE = "expansion.npy", "expansion"


def expansion_table(lay_texts: Sequence[tuple[str, str, str]], provisions: pa.Table) -> tuple[pa.Table, int]:
    """Table ``expansion``, each text once a provision, and the number of labels that match no provision.

    ``lay_texts``: (act, section, text), the label as benchmarks write it. ``provisions``: table
    ``provisions`` of the build.
    """
    columns = provisions.select(["kind", "act_id", "provision_id", "number"]).to_pydict()
    citations = Citations(zip(*columns.values(), strict=True))
    provisions_of = {
        label: citations.labelled(*label) for label in {(act, section) for act, section, _ in lay_texts}
    }
    texts: dict[str, dict[str, None]] = {}  # ordered sets: the rows of a provision stand together
    for act, section, text in lay_texts:
        for provision_id in provisions_of[act, section]:
            texts.setdefault(provision_id, {})[text] = None
    rows: list[dict[str, object]] = [
        {"text": text, "provision_id": p} for p, of_provision in texts.items() for text in of_provision
    ]
    return EXPANSION.rows(rows), sum(not ids for ids in provisions_of.values())


class Expansion:
    """The lay texts of a build.

    ``table``: ``expansion``; the rows of a provision stand together. ``vectors``: of each text, of length 1,
    shape (texts, dimension). ``sparse``: BM25 index, of each provision its texts joined. ``provisions``: ids,
    in the order of the table. ``starts``: row at which the texts of each begin, shape (provisions,).
    ``by_law``: cache of retrieval: what the texts stand for on a day.
    """

    def __init__(self, table: pa.Table, vectors: Matrix, sparse: SparseIndex) -> None:
        self.table = table
        self.vectors = vectors
        self.sparse = sparse
        ids = [(p, len(list(rows))) for p, rows in groupby(table.column("provision_id").to_pylist())]
        self.provisions = [p for p, _ in ids]
        self.by_law: dict[bytes, Any] = {}
        self.starts = np.cumsum([0, *(n for _, n in ids)], dtype=np.int64)[:-1]

    @classmethod
    def build(cls, table: pa.Table, vectors: Matrix, analyser: Analyser, k1: float, b: float) -> Expansion:
        """Index lay texts: of each provision its texts joined."""
        joined = ["\n".join(texts) for texts in _by_provision(table).values()]
        return cls(table, vectors, SparseIndex.build(joined, analyser, k1, b))

    def save(self, folder: Path) -> None:
        """Write table, vectors (float32) and sparse index to ``folder``."""
        write_parts(folder / EXPANSION.file, self.table, EXPANSION)
        np.save(folder / VECTORS, self.vectors, allow_pickle=False)
        (folder / SPARSE).mkdir()
        self.sparse.save(folder / SPARSE)

    @classmethod
    def read(cls, folder: Path) -> Expansion:
        """Open what :meth:`save` wrote; vectors are memory-mapped."""
        vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
        table = read_table(folder / EXPANSION.file, EXPANSION)
        return cls(table, vectors, SparseIndex.load(folder / SPARSE))

    def with_vectors(self, vectors: Matrix) -> Expansion:
        """The same lay texts with vectors by another reader."""
        return Expansion(self.table, vectors, self.sparse)

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """The texts of each provision that has any, in the order of the table."""
        return _by_provision(self.table)


def _by_provision(table: pa.Table) -> dict[str, list[str]]:
    columns = (table.column(name).to_pylist() for name in ("provision_id", "text"))
    return grouped(zip(*columns, strict=True))
