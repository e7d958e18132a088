"""Declaration of ``index``: its parameters, the dense index (FAISS, exact by default), files of a build."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Self

import faiss
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core import schemas
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.core.tables import write_parts
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index.sparse import Expansion, SparseIndex
from citegrain.tasks.offline.models import Matrix, TokenMatrix

BACKENDS = ("flat", "hnsw", "ivf", "qdrant", "auto")
EXACT_ROWS = 100_000
"""So many rows are searched exactly in about 10 ms (docs/operations.md)."""


@dataclass(frozen=True)
class IndexConfig:
    """How the two indexes are built.

    Attributes
    ----------
    dense
        ``flat`` (exact), ``hnsw`` and ``ivf`` (approximate; built on one thread, so repeatable),
        ``qdrant`` (exact, searched in Qdrant: ``published.points``), or ``auto``: by the number of rows.
    hnsw_m, hnsw_ef_construction, hnsw_ef_search
        Parameters of HNSW (Malkov and Yashunin 2018).
    k1, b
        Saturation and length normalisation of BM25 (Eq. 3.2 of the thesis).
    stemmer
        Snowball stemmer of the sparse index, or ``none``.
    stopwords
        ``en`` leaves out English function words, ``none`` keeps all.
    background
        Benchmarks whose texts are the background stories (``offline.index.sparse``).
    expansion
        Files of lay texts, by which provisions are searched too (``offline.index.sparse``).
    relations
        Whether vectors of the graph are trained, which the channel ``relation`` searches
        (``published.channels.relation``).
    colbert
        Dimensions of the token vectors that the channel ``colbert`` searches, two bits each
        (``published.channels.colbert``); 0: none are kept.
    """

    dense: str = "flat"
    hnsw_m: int = 32
    hnsw_ef_construction: int = 200
    hnsw_ef_search: int = 128
    k1: float = 1.5
    b: float = 0.75
    stemmer: str = "english"
    stopwords: str = "en"
    background: list[str] = field(default_factory=list)
    expansion: list[str] = field(default_factory=list)
    relations: bool = False
    colbert: int = 0

    def __post_init__(self) -> None:
        if self.dense not in BACKENDS:
            raise ValueError(f"index.dense={self.dense}: one of {', '.join(BACKENDS)}")
        if self.colbert < 0 or self.colbert % 4:
            raise ValueError(f"index.colbert={self.colbert}: a multiple of 4, or 0 for none")
        if self.stemmer not in ("english", "none"):
            raise ValueError(f"index.stemmer={self.stemmer}: english or none")
        if self.stopwords not in ("en", "none"):
            raise ValueError(f"index.stopwords={self.stopwords}: en or none")
        if not (self.k1 >= 0 and 0 <= self.b <= 1):
            raise ValueError("index.k1 must not be negative, and index.b must lie in 0 to 1")
        if min(self.hnsw_m, self.hnsw_ef_construction, self.hnsw_ef_search) < 2:
            raise ValueError("the parameters of HNSW must be at least 2")

    def settled(self, rows: int) -> IndexConfig:
        """The same for so many rows, with the choice of ``auto`` in its place: a build's key has that."""
        if self.dense != "auto":
            return self
        return replace(self, dense="flat" if rows <= EXACT_ROWS else "ivf")

    def reason(self, rows: int) -> str:
        """What ``auto`` chose for so many rows, and why, in one line."""
        what = "searched exactly" if rows <= EXACT_ROWS else "searched by IVF, re-scored by the vectors"
        side = "at most" if rows <= EXACT_ROWS else "over"
        return f"index.dense={self.settled(rows).dense}: {rows:,} rows, {side} {EXACT_ROWS:,}, are {what}"


_TURNED = 256  # rows that are turned at once: they stay near the processor


def products(queries: Matrix, texts: Matrix) -> Matrix:
    """Inner product of each query with each text: shape (queries, texts)."""
    return np.asarray(queries @ texts.T)


def max_similarity(passages: Matrix, starts: npt.NDArray[np.int64], query: Matrix) -> Matrix:
    """The best inner product that each token of a query has in each passage.

    Returns an array of shape (passages, query tokens).

    ``passages``: token vectors of all passages one after another, shape (tokens, dimension). ``starts``:
    where those of each passage begin; none is empty. ``query``: shape (query tokens, dimension).
    """
    return np.asarray(np.maximum.reduceat(products(passages, query), starts, axis=0))


def by_columns(texts: npt.NDArray[Any], read: Callable[[Any], Matrix] = np.asarray) -> Matrix:
    """The same vectors, each dimension in one piece: one query is compared in two fifths of the time."""
    out = np.empty(texts.shape, np.float32, order="F")
    for at in range(0, len(texts), _TURNED):
        out[at : at + _TURNED] = read(texts[at : at + _TURNED])
    return out


def unit(vectors: Matrix) -> Matrix:
    """The same vectors, of length 1."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


def in_bytes(vectors: Matrix) -> npt.NDArray[np.int8]:
    """Each row with 127 for its greatest value: ``unit`` gives it back."""
    greatest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.asarray(np.rint(127 * vectors / np.maximum(greatest, 1e-12)), dtype=np.int8)


def from_bytes(rows: npt.NDArray[np.int8]) -> Matrix:
    """What :func:`in_bytes` gave, of length 1 again and by columns."""
    return by_columns(rows, lambda part: unit(part.astype(np.float32)))


def build_dense(vectors: Matrix, config: IndexConfig) -> Any:
    """Inner-product index over L2-normalised rows: HNSW, IVF, or flat, which also fills Qdrant."""
    make = _BUILT.get(config.dense)
    index = make(vectors, config) if make else faiss.IndexFlatIP(vectors.shape[1])
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # or the bytes depend on which thread was first
    try:
        index.train(vectors)
        index.add(vectors)
    finally:
        faiss.omp_set_num_threads(threads)
    return index


def _hnsw(vectors: Matrix, config: IndexConfig) -> Any:
    index: Any = faiss.IndexHNSWFlat(vectors.shape[1], config.hnsw_m, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = config.hnsw_ef_construction
    index.hnsw.efSearch = config.hnsw_ef_search
    return index


def _ivf(vectors: Matrix, config: IndexConfig) -> Any:
    """Lists of rows at a byte a dimension; what they give is scored again by the rows themselves."""
    rows, dimension = vectors.shape
    lists = max(1, min(2 ** round(math.log2(4 * math.sqrt(rows + 1))), rows // _TRAINED[0]))
    index: Any = faiss.index_factory(dimension, f"IVF{lists},SQ8,RFlat", faiss.METRIC_INNER_PRODUCT)
    base: Any = faiss.downcast_index(index.base_index)
    base.cp.min_points_per_centroid, base.cp.max_points_per_centroid = _TRAINED
    base.nprobe = _PROBED
    return index


_BUILT = {"hnsw": _hnsw, "ivf": _ivf}
_TRAINED = 32, 64  # rows a list that its centre is trained by: at least, at most
_PROBED = 128  # lists a query reads (docs/operations.md)
SHARD_ROWS = 250_000
"""Rows of a shard: what is in memory at a time while they are written."""


def write_dense(index: Any, path: Path) -> None:
    """Write an index to ``path``."""
    faiss.write_index(index, str(path))


def read_dense(path: Path) -> Any:
    """Open an index, memory-mapped where its type allows it."""
    try:
        return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError:
        return faiss.read_index(str(path))


def write_shards(folder: Path, parts: Iterable[Matrix], config: IndexConfig) -> None:
    """Write an index of each part of the rows into ``folder``, one part in memory at a time."""
    folder.mkdir()
    for number, vectors in enumerate(parts):
        write_dense(build_dense(vectors, config), folder / f"{number:05}.faiss")


@dataclass(frozen=True)
class Shards:
    """Indexes that follow one another, searched as one."""

    indexes: Sequence[Any]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Open what :func:`write_shards` wrote, memory-mapped."""
        return cls([read_dense(path) for path in sorted(folder.iterdir())])

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        """The first row of each index, and the number of all."""
        return np.array([0, *accumulate(index.ntotal for index in self.indexes)])

    def search(
        self, queries: Matrix, k: int, eligible: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Matrix, npt.NDArray[np.int64]]:
        """As :func:`search_dense`, over the rows of all."""
        few = eligible is not None and int(np.count_nonzero(eligible)) <= EXACT_ROWS
        hits = []
        for index, start, end in zip(self.indexes, self._starts, self._starts[1:], strict=False):
            among = None if eligible is None else eligible[start:end]
            scores, rows = search_dense(index, queries, k, among, few)
            hits.append((scores, np.where(rows < 0, rows, rows + start)))
        scores, rows = (np.concatenate(parts, axis=1) for parts in zip(*hits, strict=True))
        return _best(scores, rows, k)

    def vectors(self, rows: Sequence[int]) -> Matrix:
        """The vectors of rows: float32, shape (rows, dimension)."""
        shard = np.searchsorted(self._starts, rows, side="right") - 1
        out = [
            self.indexes[number].reconstruct(int(row - self._starts[number]))
            for number, row in zip(shard, rows, strict=True)
        ]
        return np.asarray(out, dtype=np.float32).reshape(len(rows), self.indexes[0].d)


def search_dense(
    index: Any,
    queries: Matrix,
    k: int,
    eligible: npt.NDArray[np.bool_] | None = None,
    few: bool | None = None,
) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """Scores and row numbers of the ``k`` best rows a query, ties by row number.

    Shapes (queries, k); -1 stands where fewer rows exist. Rows that are not ``eligible`` are
    left out before the k best are taken. Where they are ``few`` each is compared; None: where
    at most ``EXACT_ROWS`` are.
    """
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    parameters: Any = None
    if eligible is not None:
        library: Any = faiss  # its stubs lack search parameters
        bits = np.packbits(eligible, bitorder="little")
        selector = library.IDSelectorBitmap(len(eligible), library.swig_ptr(bits))
        few = int(np.count_nonzero(eligible)) <= EXACT_ROWS if few is None else few
        if hasattr(index, "refine_index") and few:
            index = index.refine_index  # a few lists may hold none of them
        parameters = _parameters(index, selector)
    scores, rows = index.search(queries, k, params=parameters)
    return _best(scores, rows, k)


def _best(scores: Matrix, rows: npt.NDArray[np.int64], k: int) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """The ``k`` best of each query in order, ties by row number; rows that do not exist come last."""
    order = np.lexsort((rows, -scores), axis=1)[:, :k]
    return np.take_along_axis(scores, order, 1), np.take_along_axis(rows, order, 1)


def _parameters(index: Any, selector: Any) -> Any:
    """Parameters of a search among the rows selected, by the kind of an index."""
    library: Any = faiss
    if hasattr(index, "hnsw"):
        return library.SearchParametersHNSW(sel=selector, efSearch=index.hnsw.efSearch)
    if not hasattr(index, "refine_index"):
        return library.SearchParameters(sel=selector)
    base = library.SearchParametersIVF(sel=selector, nprobe=_PROBED)
    return library.IndexRefineSearchParameters(k_factor=1.0, base_index_params=base)


STAGE = Stage(
    "index",
    18,
    (
        schemas.DOCUMENTS,
        schemas.PAGES,
        schemas.ACTS,
        schemas.SOURCES,
        schemas.PROVISIONS,
        schemas.CHUNKS,
        schemas.TAGS,
        schemas.REFERENCES,
        schemas.CLASSIFICATION,
        schemas.BACKGROUND,
        schemas.JUDGMENTS,
        schemas.PRECEDENTS,
        schemas.REPORTS,
        schemas.COVERAGE,
    ),
)
DENSE, SPARSE, TOKENS, TOKEN_OFFSETS = "dense", "sparse", "tokens.f16", "token_offsets.npy"
STORY_MEAN = "story_mean.npy"
SPACES = "spaces"
"""Folder of the vectors by further encoders."""


def searched_rows(chunks: pa.Table) -> list[dict[str, Any]]:
    """The chunks that are searched, in the order of the rows of both indexes."""
    columns = chunks.select(["chunk_id", "indexed", "header", "text", "text_hash"])
    return [row for row in columns.to_pylist() if row["indexed"]]


def write_files(
    folder: Path,
    tables: Tables,
    texts: Sequence[str],
    vectors: Iterable[Matrix],
    stories: Matrix,
    config: IndexConfig,
    tokens: Iterator[TokenMatrix] | None = None,
    expansion: tuple[pa.Table, Matrix] | None = None,
) -> None:
    """Write tables and indexes into ``folder``.

    ``texts``: what each searched chunk is indexed by, in order. ``vectors``: theirs, a matrix a shard:
    together shape (searched chunks, dimension). ``stories``: vectors of the background, shape (stories,
    dimension). ``tokens``: token vectors for late interaction, one matrix a chunk. ``expansion``: its table
    and the vector of each row. What is None or empty leaves its files out.
    """
    for schema in STAGE.outputs:
        write_parts(folder / schema.file, tables[schema.name], schema)
    write_vectors(folder, vectors, stories, config)
    analyser = Analyser(config.stemmer, config.stopwords)
    sparse = SparseIndex.build(texts, analyser, config.k1, config.b)
    (folder / SPARSE).mkdir()
    sparse.save(folder / SPARSE)
    if expansion is not None and expansion[0].num_rows:
        Expansion.build(*expansion, analyser, config.k1, config.b).save(folder)
    if tokens is not None:
        _write_tokens(folder, tokens)


def write_vectors(folder: Path, vectors: Iterable[Matrix], stories: Matrix, config: IndexConfig) -> None:
    """Write what is searched of a vector space: the chunks, a shard a matrix, and the mean of the stories."""
    folder.mkdir(parents=True, exist_ok=True)
    write_shards(folder / DENSE, vectors, config)
    if len(stories):
        np.save(folder / STORY_MEAN, stories.mean(axis=0), allow_pickle=False)


def _write_tokens(folder: Path, tokens: Iterator[TokenMatrix]) -> None:
    """Token vectors one after another, and where those of each chunk begin."""
    offsets = [0]
    with (folder / TOKENS).open("wb") as file:
        for matrix in tokens:
            file.write(np.ascontiguousarray(matrix, dtype=np.float16).tobytes())
            offsets.append(offsets[-1] + len(matrix))
    np.save(folder / TOKEN_OFFSETS, np.asarray(offsets, dtype=np.int64), allow_pickle=False)
