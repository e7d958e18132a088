"""Channel ``lay_dense``: provisions by the vectors of their lay texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import Matrix, PublishedBuild, products
from citegrain.tasks.online.retrieve.lay import centred, standing_of, top_chunks, with_other_acts

_AT_ONCE = 256  # queries whose likeness to every lay text is in memory at once


def lay_dense(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    vectors: Matrix,
    *,
    k: int,
    centre: float,
    counterparts: bool,
    others: bool,
) -> dict[str, Ranked]:
    """The ``k`` provisions with the lay text nearest to each query, by its cosine.

    ``centre`` of the background stories' mean is taken off query and texts before. With ``others`` the
    chunks of Acts without lay texts stand at the rank of their own vectors.
    """
    # Chunks stay as they are in the channel dense, lay texts do not: they are worded as queries are and have
    # the same mean m. With q = m + q' and t = m + t', what speaks for a provision is the cosine of q' and t'.
    # Taken off the query alone, m would leave the order of the product q't', in which a text counts by
    # how far it lies from all others: odd ones would come first and last, whatever is asked.
    lay = build.expansion
    if lay is None:
        return {query["query_id"]: [] for query in queries}
    texts, searched = centred(lay.vectors, build, centre), centred(vectors, build, centre)
    standing = standing_of(lay, build, counterparts, eligible)
    ranked = {}
    for at in range(0, len(queries), _AT_ONCE):
        likeness = products(searched[at : at + _AT_ONCE], texts)
        best = np.maximum.reduceat(likeness, lay.starts, axis=1)
        for query, scores in zip(queries[at : at + _AT_ONCE], best, strict=True):
            ranked[query["query_id"]] = top_chunks(build, scores, standing.rows, k)
    if not others:
        return ranked
    return with_other_acts(build, standing, ranked, searched, k, eligible)
