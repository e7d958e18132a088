"""What the channels over lay texts share: which chunks the provisions with lay texts stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, top_rows
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.offline.embed import cached_vectors
from citegrain.tasks.offline.index import Expansion
from citegrain.tasks.offline.models import in_parts
from citegrain.tasks.online.builds import Matrix, PublishedBuild, products, unit
from citegrain.tasks.online.retrieve.stage import RetrieveConfig, lawful


def query_vectors(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], rows: RowStore | None = None
) -> Matrix:
    """One vector a query: the unit sum of its texts' vectors by weight, of those that are not words only.

    ``rows``: vectors by text, read before and added to after encoding; None keeps none, and each text is then
    encoded by itself: an encoder in int8 scales a text by those beside it.
    """
    read = [[t for t in q["texts"] if not t.get("words_only")] for q in queries]
    texts = list(dict.fromkeys(t["text"] for some in read for t in some))
    at = {text: i for i, text in enumerate(texts)}
    encode = build.encode_queries
    if rows is None:
        encoded = np.concatenate([encode([]), *in_parts(lambda text: encode([text]), texts)])
    else:
        encoded = cached_vectors(encode, texts, rows)
    out = np.zeros((len(queries), encoded.shape[1]), dtype=np.float32)
    for i, some in enumerate(read):
        for t in some:
            out[i] += t["weight"] * encoded[at[t["text"]]]
    return unit(out)


def centred(vectors: Matrix, build: PublishedBuild, share: float) -> Matrix:
    """Vectors without a share of the background stories' mean, of length 1 again."""
    mean = build.story_mean
    return vectors if not share or mean is None else unit(vectors - np.float32(share) * mean)


def nearest_chunks(
    build: PublishedBuild,
    queries: Sequence[Mapping[str, Any]],
    eligible: Mask,
    vectors: Matrix,
    *,
    k: int,
    centre: float,
) -> dict[str, Ranked]:
    """The ``k`` chunks nearest to each query by inner product.

    ``centre`` of the background stories' mean is taken off each query first: what every story
    says is no evidence for a provision. The same as taking off each chunk's likeness to that mean.
    """
    scores, rows = build.dense_search(centred(vectors, build, centre), k, eligible)
    ids = build.chunk_ids
    return {
        query["query_id"]: [
            (ids[int(r)], float(s)) for s, r in zip(scores[i], rows[i], strict=True) if r >= 0
        ]
        for i, query in enumerate(queries)
    }


_LAWS = 8  # laws of a day for which the standing of lay texts is cached


@dataclass(frozen=True)
class Standing:
    """What lay texts stand for under a law.

    ``rows``: row of the chunk by which each provision with lay texts stands, its first; -1 for none.
    ``without_lay_texts``: chunks that are law and of an Act that no lay text stands for: bool, shape
    (chunks,).
    """

    rows: npt.NDArray[np.int64]
    without_lay_texts: Mask


def standing_of(lay: Expansion, build: PublishedBuild, counterparts: bool, eligible: Mask) -> Standing:
    """What the lay texts stand for, worked out once a law: most complaints are of today's."""
    key = eligible.tobytes() + bytes([counterparts])
    cache: dict[bytes, Standing] = lay.by_law
    if key not in cache:
        by_provision = (lawful(build, p, build.rows_of(p), counterparts, eligible) for p in lay.provisions)
        first = np.array([rows[0] if rows else -1 for rows in by_provision], dtype=np.int64)
        acts = np.asarray(build.act_ids)
        with_lay_texts = np.unique(acts[first[first >= 0]])
        while len(cache) >= _LAWS:
            cache.pop(next(iter(cache)))
        others = eligible & ~np.isin(acts, with_lay_texts) & bool(len(with_lay_texts))
        cache[key] = Standing(first, others)
    return cache[key]


def top_chunks(build: PublishedBuild, scores: Matrix, rows: npt.NDArray[np.int64], k: int) -> Ranked:
    """The ``k`` best chunks by the scores of the provisions that stand by them, the highest if several do."""
    by_chunk = np.full(len(build.chunk_ids), -np.inf, dtype=np.float32)
    standing = rows >= 0
    np.maximum.at(by_chunk, rows[standing], scores[standing])
    return [(build.chunk_ids[int(r)], float(by_chunk[r])) for r in top_rows(by_chunk, k)]


def with_other_acts(
    build: PublishedBuild,
    standing: Standing,
    ranked: Mapping[str, Ranked],
    vectors: Matrix,
    k: int,
    eligible: Mask,
) -> dict[str, Ranked]:
    """The lists with the chunks of Acts without lay texts, each at the rank that its vector gives it.

    Else every provision with lay texts would go before all of an Act without any. Of an Act with lay texts
    a provision without any is left out: whoever wrote texts for the Act saw no need of it.

    ``ranked``: lists by query, in the order of ``vectors``.
    """
    if not standing.without_lay_texts.any():
        return dict(ranked)
    _, nearest = build.dense_search(vectors, k, eligible)
    ids, out = build.chunk_ids, {}
    for (query, hits), rows in zip(ranked.items(), nearest.tolist(), strict=True):
        others = {r: ids[row] for r, row in enumerate(rows) if row >= 0 and standing.without_lay_texts[row]}
        out[query] = _merged(hits, others, k)
    return out


def _merged(hits: Ranked, others: Mapping[int, str], k: int) -> Ranked:
    """``hits`` with each other chunk at its rank, or after the last; it takes the score before it."""
    out: Ranked = []
    rest, places = list(hits), dict(sorted(others.items()))
    while len(out) < k and (rest or places):
        here = min(places, default=k)
        if here <= len(out) or not rest:
            out.append((places.pop(here), out[-1][1] if out else (rest[0][1] if rest else 1.0)))
        else:
            out.append(rest.pop(0))
    return out


def nearest_lay_texts(
    build: PublishedBuild, config: RetrieveConfig, day: date | None, vector: Matrix
) -> dict[str, str]:
    """The lay text that is nearest to a query, for each provision that has lay texts or stands for one.

    ``vector``: of the query, shape (dimension,).
    """
    lay = build.expansion
    if lay is None:
        return {}
    law = build.eligible(day)
    standing = standing_of(lay, build, config.counterparts, law if config.schedules else law & build.citable)
    texts, searched = (centred(v, build, config.centre) for v in (lay.vectors, vector[None]))
    likeness = products(searched, texts)[0]
    texts, ends = lay.table.column("text"), [*lay.starts[1:], len(likeness)]
    best: dict[str, tuple[float, int]] = {}
    for row, start, end in zip(standing.rows.tolist(), lay.starts, ends, strict=True):
        cited = build.citations[build.chunk_ids[row]] if row >= 0 else None
        if cited is not None:
            nearest = int(start + likeness[start:end].argmax())
            candidate = float(likeness[nearest]), nearest
            best[cited] = max(best.get(cited, candidate), candidate)
    return {cited: texts[at].as_py() for cited, (_, at) in best.items()}
