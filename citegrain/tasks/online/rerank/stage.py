"""Declaration of ``rerank``: pair scores, provenance, a new order."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.plugins import source
from citegrain.tasks.core.runs import make_run, min_max, rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.offline import embed
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.rerank.config import Passage, RerankConfig, Scorer

STAGE = Stage("rerank", 1, (RUNS,))
_SEGMENT = 400  # pairs that a kill loses at most, with those of one query
_PAIRS = pa.schema([("pair", pa.string()), ("score", pa.float32())])


def rerank(
    build: PublishedBuild,
    queries: pa.Table,
    run: pa.Table,
    scorer: Scorer | None,
    config: RerankConfig,
    pairs: RowStore | None = None,
    progress: Callable[[int], None] = lambda n: None,
) -> pa.Table:
    """Score the candidates of a run anew: s = scale(scorer) + lambda phi (Eq. 3.4).

    ``scorer``: None keeps the scores of ``run``. ``pairs``: scores by pair, read before and added to after
    scoring: a pair is scored once, ever. None keeps none.
    """
    by_id = {q["query_id"]: q for q in queries.to_pylist()}
    ranked = rankings(run)
    if scorer is None:
        scores = {q: [s for _, s in items] for q, items in ranked.items()}
    else:
        passages = {q: [_passage(build, c, config) for c, _ in items] for q, items in ranked.items()}
        texts = {q: by_id[q]["text"] for q in ranked}
        scores = _pair_scores(texts, passages, scorer, pairs, progress)
    out = {}
    for query, items in ranked.items():
        values = _scaled(scores[query], config)
        if scorer is not None and config.fused:
            before = _scaled([score for _, score in items], config)
            values = [(1 - config.fused) * a + config.fused * b for a, b in zip(values, before, strict=True)]
        if config.provenance:
            phi = [provenance(by_id[query], build.tag(c), config) for c, _ in items]
            values = [s + config.provenance * f for s, f in zip(values, phi, strict=True)]
        order = sorted(range(len(items)), key=lambda i: -values[i])
        out[query] = [(items[i][0], values[i]) for i in order]
    return make_run(out, "reranked")


def provenance(query: Mapping[str, Any], tag: Mapping[str, Any], config: RerankConfig) -> float:
    """phi(q, m) of Eq. 3.4: what a row of ``queries`` names that the chunk's row of ``tags`` carries."""
    section = (tag["section"] or "").upper()
    matches = [m for m in query["mentions"] if section and m["number"].partition("(")[0].upper() == section]
    if config.consistent:
        matches = [m for m in matches if m["act_id"] in (None, tag["act_id"])]
    return config.section * bool(matches) + config.act * (tag["act_id"] in query["acts"])


def _scaled(scores: Sequence[float], config: RerankConfig) -> list[float]:
    if config.scale == "logistic":
        return [float(p) for p in 1 / (1 + np.exp(-np.asarray(scores, dtype=np.float64)))]
    return min_max(scores) if config.scale == "min_max" else list(scores)


def read(build: PublishedBuild, row: int, lay: int = -1, passage: Mapping[str, Any] | None = None) -> str:
    """What a scorer reads of a chunk: header and text, and before them a lay text of its provision.

    ``lay``: number of the lay text; -1, or one that the provision has not, reads none. ``passage``: header
    and text that are read instead of the chunk's.
    """
    passage = passage or build.passage(row)
    text = embed.ChunkText(passage["header"], passage["text"]).joined
    lay_texts = build.lay_texts(row) if lay >= 0 else ()
    return f"{lay_texts[lay]}\n{text}" if 0 <= lay < len(lay_texts) else text


def _passage(build: PublishedBuild, chunk_id: str, config: RerankConfig) -> Passage:
    row = build.rows[chunk_id]
    lay = 0 if config.lay_texts else -1
    text = read(build, row, lay, build.parent(chunk_id) if config.parents else None)
    changed = config.parents or config.lay_texts
    key = hashlib.sha256(text.encode()).hexdigest() if changed else build.passage(row)["text_hash"]
    return Passage(row, text, key)


def pair_rows(store: Path, scorer: Scorer) -> RowStore:
    """Where the scores of a scorer's pairs are kept: of one that stands elsewhere, as it is written now."""
    name = "-".join(filter(None, (scorer.identity, source(type(scorer)))))
    return RowStore(store, STAGE.name, name, _PAIRS, "pair")


def _keep(pairs: RowStore, scores: Mapping[str, float]) -> None:
    pairs.append(pa.table({"pair": list(scores), "score": list(scores.values())}, schema=_PAIRS))


def _pair_scores(
    texts: Mapping[str, str],
    passages: Mapping[str, Sequence[Passage]],
    scorer: Scorer,
    pairs: RowStore | None,
    progress: Callable[[int], None],
) -> dict[str, list[float]]:
    """Scores of each query's passages, in their order; kept as they come, so that a kill loses few."""
    if pairs is None:
        scores = {}
        for query, candidates in passages.items():
            scores[query] = [float(s) for s in scorer.score(texts[query], candidates)]
            progress(1)
        return scores
    keys = {
        q: [hashlib.sha256(f"{texts[q]}\0{p.text_hash}".encode()).hexdigest() for p in candidates]
        for q, candidates in passages.items()
    }
    rows = pairs.read(list(dict.fromkeys(k for of_query in keys.values() for k in of_query))).to_pydict()
    cached: dict[str, float] = dict(zip(rows["pair"], rows["score"], strict=True))
    fresh: dict[str, float] = {}
    for query, candidates in passages.items():
        missing = [(k, p) for k, p in zip(keys[query], candidates, strict=True) if k not in cached]
        if missing:
            values = scorer.score(texts[query], [p for _, p in missing])
            fresh |= {k: float(np.float32(s)) for (k, _), s in zip(missing, values, strict=True)}
            cached |= fresh
        progress(1)
        if len(fresh) >= _SEGMENT:
            _keep(pairs, fresh)
            fresh = {}
    _keep(pairs, fresh)
    return {q: [float(cached[k]) for k in of_query] for q, of_query in keys.items()}
