"""The dense index in Qdrant: a point a searched chunk, with what is needed to cite it (paper-QA, Table 4.2).

The file of the build stays the truth: from it the points are put into Qdrant, on a server or in this process.
Qdrant's own files are not used: its embedded mode keeps pickles in them, and no pickle is loaded here.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.index import BuildError
from citegrain.tasks.offline.models import Matrix
from citegrain.tasks.online.builds import PublishedBuild

_AT_ONCE = 256  # points or queries a request


def point_id(chunk_id: str) -> str:
    """Id of a chunk's point: the same whenever it is put in, so that nothing is there twice."""
    return str(uuid5(NAMESPACE_URL, f"citegrain:{chunk_id}"))


def connect(url: str = "", key: str = "") -> Any:
    """A client of the server at ``url``; without one, of an empty Qdrant in the memory of this process.

    Raises ImportError if qdrant-client is not installed.
    """
    from qdrant_client import QdrantClient

    return QdrantClient(url or ":memory:", api_key=key or None)


@contextmanager
def _asking() -> Iterator[None]:
    """Raise BuildError where the server is not there, or refuses; its address and key are not shown."""
    from qdrant_client.http.exceptions import ApiException

    try:
        yield
    except ApiException as error:
        line = next(iter(str(error).splitlines()), type(error).__name__)
        raise BuildError(f"Qdrant at CITEGRAIN_QDRANT_URL does not answer: {line}") from error


class Points:
    """The points of a build, searched exactly.

    Its methods raise BuildError where the server fails.

    ``name``: of the collection: one a build, because a build never changes. ``payloads``: of each row
    ``source``, ``page``, ``chunk_id`` and ``text``.
    """

    def __init__(self, client: Any, name: str, payloads: Sequence[Mapping[str, Any]]) -> None:
        self._client = client
        self._name = name
        self._payloads = payloads
        self._ids = [point_id(payload["chunk_id"]) for payload in payloads]
        self._rows = {point: row for row, point in enumerate(self._ids)}
        self._marked: set[str] = set()

    @_asking()
    def put(self, vectors: Matrix) -> None:
        """Put the points in, unless all are there. A point that is there is replaced, never doubled.

        ``vectors``: of each row, of length 1, so that the inner product is the cosine: shape (rows,
        dimension).
        """
        if not self._client.collection_exists(self._name):
            self._create(vectors.shape[1])
        elif self._client.count(self._name, exact=True).count == len(self._ids):
            return
        payloads = map(dict, self._payloads)
        self._client.upload_collection(
            self._name, vectors, payloads, self._ids, batch_size=_AT_ONCE, wait=True
        )

    def _create(self, dimension: int) -> None:
        from qdrant_client import models
        from qdrant_client.http.exceptions import UnexpectedResponse

        shape = models.VectorParams(size=dimension, distance=models.Distance.DOT)
        exact = models.HnswConfigDiff(m=0)  # no graph of neighbours: every search is exact
        try:
            self._client.create_collection(self._name, vectors_config=shape, hnsw_config=exact)
        except UnexpectedResponse:  # another process of a study was quicker
            if not self._client.collection_exists(self._name):
                raise

    @_asking()
    def search(
        self, queries: Matrix, k: int, eligible: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Matrix, npt.NDArray[np.int64]]:
        """As :func:`~citegrain.tasks.offline.index.stage.search_dense`; Qdrant does the filtering."""
        scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        for i, hits in enumerate(self._hits(queries, k, eligible)):
            ranked = sorted((-hit.score, self._rows[hit.id]) for hit in hits)
            scores[i, : len(ranked)] = [-score for score, _ in ranked]
            rows[i, : len(ranked)] = [row for _, row in ranked]
        return scores, rows

    def _hits(
        self, queries: Matrix, k: int, eligible: npt.NDArray[np.bool_] | None
    ) -> Iterator[Sequence[Any]]:
        """The best points of each query; nothing where nothing is eligible."""
        from qdrant_client import models

        if not self._ids or (eligible is not None and not eligible.any()):
            return
        law = self._filter(eligible)
        for at in range(0, len(queries), _AT_ONCE):
            part = queries[at : at + _AT_ONCE].tolist()
            requests = [models.QueryRequest(query=query, limit=k, filter=law) for query in part]
            for response in self._client.query_batch_points(self._name, requests):
                yield response.points

    def _filter(self, eligible: npt.NDArray[np.bool_] | None) -> Any:
        """The filter of a mask: its points are marked in their payload, once, under the mask's digest.

        Thousands of ids in every request would cost more than the search.
        """
        from qdrant_client import models

        if eligible is None or eligible.all():
            return None
        mark = f"law_{hashlib.sha256(eligible.tobytes()).hexdigest()[:16]}"
        if mark not in self._marked:
            ids = [self._ids[row] for row in np.flatnonzero(eligible)]
            self._client.set_payload(self._name, payload={mark: True}, points=ids)
            self._marked.add(mark)
        return models.Filter(must=[models.FieldCondition(key=mark, match=models.MatchValue(value=True))])


def search_of(build: PublishedBuild) -> Callable[..., tuple[Matrix, npt.NDArray[np.int64]]]:
    """What searches the vectors of a build, which are put into Qdrant unless they are there."""
    try:
        client = connect(*build.vector_server)
    except ImportError as error:
        raise BuildError("index.dense=qdrant needs qdrant-client: pip install 'citegrain[qdrant]'") from error
    rows = range(len(build.chunk_ids))
    name = "-".join(filter(None, ("citegrain", build.folder.name, build.space)))
    points = Points(client, name, [build.payload(row) for row in rows])
    points.put(build.vectors(rows))
    return points.search
