"""The dense index: FAISS, exact by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.index.config import IndexConfig
from citegrain.tasks.offline.models import Matrix


def build_dense(vectors: Matrix, config: IndexConfig) -> Any:
    """Inner-product index over L2-normalised rows: HNSW, else ``IndexFlatIP``, which also fills Qdrant."""
    dimension = vectors.shape[1]
    index: Any
    if config.dense != "hnsw":
        index = faiss.IndexFlatIP(dimension)
        index.add(vectors)
        return index
    threads = faiss.omp_get_max_threads()
    index = faiss.IndexHNSWFlat(dimension, config.hnsw_m, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = config.hnsw_ef_construction
    index.hnsw.efSearch = config.hnsw_ef_search
    faiss.omp_set_num_threads(1)
    try:
        index.add(vectors)
    finally:
        faiss.omp_set_num_threads(threads)
    return index


def write_dense(index: Any, path: Path) -> None:
    """Write an index to ``path``."""
    faiss.write_index(index, str(path))


def read_dense(path: Path) -> Any:
    """Open an index, memory-mapped where its type allows it."""
    try:
        return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError:
        return faiss.read_index(str(path))


def search_dense(
    index: Any, queries: Matrix, k: int, eligible: npt.NDArray[np.bool_] | None = None
) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """Scores and row numbers of the ``k`` best rows a query, ties by row number.

    Shapes (queries, k); -1 stands where fewer rows exist. Rows that are not ``eligible`` are
    left out before the k best are taken.
    """
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    parameters: Any = None
    if eligible is not None:
        library: Any = faiss  # its stubs lack search parameters
        bits = np.packbits(eligible, bitorder="little")
        selector = library.IDSelectorBitmap(len(eligible), library.swig_ptr(bits))
        kind = library.SearchParametersHNSW if hasattr(index, "hnsw") else library.SearchParameters
        parameters = kind(sel=selector)
        if hasattr(index, "hnsw"):
            parameters.efSearch = index.hnsw.efSearch
    scores, rows = index.search(queries, k, params=parameters)
    order = np.lexsort((rows, -scores), axis=1)
    return np.take_along_axis(scores, order, 1), np.take_along_axis(rows, order, 1)
