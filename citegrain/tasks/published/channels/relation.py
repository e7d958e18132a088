"""Channel ``relation``: where the relations of the provisions found, or named, lead among vectors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.graph import LAW
from citegrain.tasks.published.channels.graph import starts_of, walks_of
from citegrain.tasks.published.relations import relations_of


def relation(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    first_pass: Mapping[str, Ranked],
    *,
    k: int,
    relation_seeds: int = 5,
) -> dict[str, Ranked]:
    """The ``k`` provisions nearest to where a relation leads from, or back from, some others.

    It starts where the channel ``graph`` does. The score is minus the distance to the nearest such place
    (Bordes and others 2013). Those of the first pass at which it starts are left out. Raises BuildError if
    the build was indexed without them.
    """
    walks, vectors = walks_of(build, eligible), relations_of(build)
    here = np.array([vectors.at[node] for node in walks.graph.ids], dtype=np.int64)
    kinds = [kind for kind in LAW if kind in vectors.kinds]
    ranked: dict[str, Ranked] = {}
    for query in queries:
        first = first_pass.get(query["query_id"], [])
        start, from_query = starts_of(build, walks, query, first, relation_seeds)
        near = [
            vectors.nearness(here[seed], kind, back)
            for seed in start
            for kind in kinds
            for back in (False, True)
        ]
        scores = np.max(near, axis=0)[here] if near else np.zeros(0)
        if not from_query:
            scores[list(start)] = -np.inf
        best = [n for n in np.argsort(-scores, kind="stable")[:k].tolist() if np.isfinite(scores[n])]
        ranked[query["query_id"]] = [(build.chunk_ids[walks.rows[n]], float(scores[n])) for n in best]
    return ranked
