"""Channel ``colbert``: chunks by the vectors of their tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.token_index import QUERY_TOKENS, token_index_of


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
