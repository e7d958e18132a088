"""Channel ``colbert``: chunks by the vectors of their tokens, at two bits a dimension (ColBERTv2 and PLAID).

Of a token is kept the nearest of some centroids and what lies between, in a product quantiser of FAISS: eight
bits for each four dimensions. Centroids lead to candidates, which are scored by their decompressed vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, top_rows
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.document import BuildPart
from citegrain.tasks.offline.index import BuildError, max_similarity, products, read_dense, write_dense
from citegrain.tasks.offline.models import Matrix, TokenMatrix

if TYPE_CHECKING:
    from citegrain.tasks.offline.assemble import BuildContents
    from citegrain.tasks.online.builds import PublishedBuild

COLBERT = "colbert"
COLBERT_VERSION = 1
PASSAGE_TOKENS, QUERY_TOKENS = 512, 64
"""How many tokens of a passage and of a query count at most."""

_CODEC, _CODES, _OFFSETS = "codec.faiss", "codes.npy", "offsets.npy"
_BITS, _TOGETHER = 8, 4  # two bits a dimension
_SAMPLE, _LEAST = 2**17, 2**_BITS
Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


def write_colbert(folder: Path, matrices: Callable[[], Iterator[TokenMatrix]], dimensions: int) -> None:
    """Compress token vectors, one matrix a searched chunk, into ``folder``; they are read three times.

    ``dimensions``: dimensions that are kept of them: those in which they differ most.
    """
    lengths = [min(len(matrix), PASSAGE_TOKENS) for matrix in matrices()]
    codec = _trained(_sample(matrices(), sum(lengths)), dimensions, sum(lengths))
    folder.mkdir(parents=True)
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    shape = (int(offsets[-1]), codec.sa_code_size())
    codes = np.lib.format.open_memmap(folder / _CODES, mode="w+", dtype=np.uint8, shape=shape)
    for start, matrix in zip(offsets, matrices(), strict=False):
        tokens_read = matrix[:PASSAGE_TOKENS].astype(np.float32)
        codes[start : start + len(tokens_read)] = codec.sa_encode(tokens_read)
    codes.flush()
    np.save(folder / _OFFSETS, offsets, allow_pickle=False)
    write_dense(codec, folder / _CODEC)


def _write(folder: Path, contents: BuildContents, dimensions: int) -> None:
    write_colbert(folder / COLBERT, contents.token_vectors, dimensions)


BUILD_PART = BuildPart(lambda dimensions: [COLBERT_VERSION, dimensions], _write)


def _sample(matrices: Iterator[TokenMatrix], tokens: int) -> Floats:
    """Tokens at equal distances."""
    step = max(1, tokens // _SAMPLE)
    return np.concatenate([matrix[:PASSAGE_TOKENS:step] for matrix in matrices]).astype(np.float32)


def _trained(sample: Floats, dimensions: int, tokens: int) -> Any:
    """Rotation, centroids and product quantiser, trained on some of the tokens."""
    # few tokens are repeated, so that each has a code word of its own
    sample = np.resize(sample, (max(len(sample), _LEAST), sample.shape[1]))
    rotation = _rotation(sample, dimensions)
    centroids = max(1, min(len(sample) // 32, 2 ** int(np.log2(2 * np.sqrt(max(1, tokens))))))
    flat = faiss.IndexFlatL2(dimensions)
    inner: Any = faiss.IndexIVFPQ(flat, dimensions, centroids, dimensions // _TOGETHER, _BITS)
    codec: Any = faiss.IndexPreTransform(rotation, inner)
    inner.pq.cp.niter, inner.pq.cp.max_points_per_centroid = 10, 64
    inner.train(rotation.apply(sample))
    codec.is_trained = True
    return codec


def _rotation(sample: Floats, dimensions: int) -> Any:
    """The main axes of token vectors, through the origin so that inner products stay.

    They are turned at random: what each group of four that is quantised together holds varies as much then.
    """
    _, axes = np.linalg.eigh((sample.T @ sample).astype(np.float64))
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(dimensions, dimensions)))[0]
    rotation: Any = faiss.LinearTransform(sample.shape[1], dimensions, False)
    matrix = (axes[:, ::-1][:, :dimensions] @ turn).T.astype(np.float32)
    faiss.copy_array_to_vector(np.ascontiguousarray(matrix).ravel(), rotation.A)
    rotation.is_trained = True
    return rotation


class TokenIndex:
    """Compressed token vectors of a build, memory-mapped.

    ``folder``: written by :func:`write_colbert`.
    """

    def __init__(self, folder: Path) -> None:
        self._codec = read_dense(folder / _CODEC)
        self._rotation: Any = faiss.downcast_VectorTransform(self._codec.chain.at(0))
        self._inner: Any = faiss.downcast_index(self._codec.index)
        self._codes = np.load(folder / _CODES, mmap_mode="r", allow_pickle=False)
        self._offsets = np.load(folder / _OFFSETS, allow_pickle=False)

    def rotated(self, vectors: Matrix) -> Floats:
        """Token vectors in the dimensions that are kept."""
        return np.asarray(self._rotation.apply(np.ascontiguousarray(vectors, dtype=np.float32)))

    def decompressed(self, rows: Rows) -> tuple[Floats, Rows]:
        """Token vectors of some chunks one after another, of length 1, and where those of each begin."""
        lengths = self._lengths[rows]
        starts = np.cumsum([0, *lengths[:-1]], dtype=np.int64)
        tokens = np.arange(lengths.sum()) + np.repeat(self._offsets[rows] - starts, lengths)
        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)  # a second pool of threads beside that of torch slows both down
        try:
            vectors = np.asarray(self._inner.sa_decode(np.ascontiguousarray(self._codes[tokens])))
        finally:
            faiss.omp_set_num_threads(threads)
        faiss.normalize_L2(vectors)  # code words are means, and so too short
        return vectors, starts

    def search(
        self,
        query: Matrix,
        weights: Floats,
        k: int,
        eligible: Mask,
        probes: int,
        candidates: int,
    ) -> tuple[Floats, Rows]:
        """Scores and rows of the ``k`` best chunks, ties by row number.

        ``query``: token vectors of a query, shape (tokens, dimension of the encoder). ``weights``: of each of
        them; the score is the sum of their best inner products by weight. ``probes``: nearest centroids of
        each query token through which chunks become candidates. ``candidates``: chunks that are scored by
        their decompressed vectors.
        """
        turned = self.rotated(query)
        rows = self._candidates(turned, weights, eligible & (self._lengths > 0), probes, candidates)
        if not len(rows) or not len(query):
            return np.zeros(0, np.float32), rows[:0]
        vectors, starts = self.decompressed(rows)
        scores = max_similarity(vectors, starts, turned) @ weights
        best = np.lexsort((rows, -scores))[:k]
        return scores[best], rows[best]

    def _candidates(
        self, query: Floats, weights: Floats, eligible: Mask, probes: int, candidates: int
    ) -> Rows:
        """The chunks whose nearest centroids are likest to the query.

        Where none of a chunk's centroids is probed for a token it counts as the last one that is, which it
        cannot exceed (the imputation of XTR: Lee and others 2023).
        """
        starts, chunks = self._lists
        likeness = products(query, self._centroids)
        probed = np.argsort(-likeness, axis=1, kind="stable")[:, :probes][:, ::-1]
        total = np.zeros(len(eligible), dtype=np.float32)
        for values, weight, centroids in zip(likeness, weights, probed, strict=True):
            best = np.full(len(eligible), values[centroids[0]])
            lists = [chunks[starts[centroid] : starts[centroid + 1]] for centroid in centroids]
            # the likest comes last, and the last one stays
            best[np.concatenate(lists)] = np.repeat(values[centroids], list(map(len, lists)))
            total += weight * best
        return top_rows(total, candidates, eligible)

    @cached_property
    def _lengths(self) -> Rows:
        return np.asarray(np.diff(self._offsets), dtype=np.int64)

    @cached_property
    def _centroids(self) -> Floats:
        return np.asarray(self._inner.quantizer.reconstruct_n(0, self._inner.nlist))

    @cached_property
    def _lists(self) -> tuple[Rows, Rows]:
        """Where the list of each centroid begins, and the chunks in the lists, each once a list."""
        size, chunks = self._inner.coarse_code_size(), len(self._lengths)
        nearest = self._codes[:, :size].astype(np.int64) @ (256 ** np.arange(size, dtype=np.int64))
        pairs = np.unique(nearest * chunks + np.repeat(np.arange(chunks), self._lengths))
        return np.searchsorted(pairs, np.arange(self._inner.nlist + 1) * chunks), pairs % chunks


def token_index_of(build: PublishedBuild) -> TokenIndex:
    """Compressed token vectors of the searched chunks of a build.

    Raises BuildError if it was indexed without them.
    """
    folder = build.folder / COLBERT
    if not folder.is_dir():
        raise BuildError(f"{build.folder}: holds no compressed token vectors; index with index=colbert")
    return build.shared("token_index", lambda: TokenIndex(folder))


def colbert(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    *,
    k: int,
    colbert_probes: int = 64,
    colbert_candidates: int = 384,
) -> dict[str, Ranked]:
    """The ``k`` chunks with the highest MaxSim, a mean over a query's tokens, of its texts by weight.

    Each of the first 64 tokens of a text leads by its ``colbert_probes`` nearest centroids to candidates, of
    which ``colbert_candidates`` are scored by their own tokens (PLAID: Santhanam and others 2022). Raises
    BuildError if the build was indexed without compressed token vectors.
    """
    index, ids = token_index_of(build), build.chunk_ids
    ranked: dict[str, Ranked] = {}
    for query in queries:
        # one by one: the encoder keeps the token vectors of the text that it read last
        matrices = [build.encoder.token_vectors([t["text"]], query=True)[0] for t in query["texts"]]
        matrices = [matrix[:QUERY_TOKENS] for matrix in matrices]
        shares = [t["weight"] / max(1, len(m)) for t, m in zip(query["texts"], matrices, strict=True)]
        weights = np.repeat(np.array(shares, dtype=np.float32), list(map(len, matrices)))
        tokens = np.concatenate(matrices).astype(np.float32)
        scores, rows = index.search(tokens, weights, k, eligible, colbert_probes, colbert_candidates)
        ranked[query["query_id"]] = [(ids[r], float(s)) for s, r in zip(scores, rows.tolist(), strict=True)]
    return ranked
