"""Declaration of ``select``: from a ranked list to the few that are shown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, collapse, make_run, min_max, rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.select.config import SelectConfig

STAGE = Stage("select", 1, (RUNS,))
Matrix = npt.NDArray[np.float32]


def select(build: PublishedBuild, run: pa.Table, config: SelectConfig) -> pa.Table:
    """Keep at most ``config.k`` of each query's candidates, in the order they were chosen."""
    out = {query: _select(build, ranked, config) for query, ranked in rankings(run).items()}
    return make_run(out, "selected")


def _select(build: PublishedBuild, ranked: Ranked, config: SelectConfig) -> Ranked:
    if config.unit == "provision":
        ranked = [(chunk_id, score) for _, chunk_id, score in collapse(ranked, build.citations)]
    ranked = _before_gap(ranked, config.gap)
    if config.method == "mmr" and ranked:
        scores = [s for _, s in ranked]
        relevance = np.asarray(min_max(scores) if config.scale == "min_max" else scores)
        vectors = build.vectors([build.rows[c] for c, _ in ranked])
        order = maximal_marginal_relevance(relevance, vectors, config.balance)
        ranked = [ranked[i] for i in order]
    return _within_limits(build, ranked, config)


def maximal_marginal_relevance(
    relevance: npt.NDArray[np.float64], vectors: Matrix, balance: float
) -> list[int]:
    """All candidates in the order in which Eq. 3.5 chooses them.

    Each time the candidate with the greatest ``balance * relevance - (1 - balance) * likeness`` is taken,
    likeness being its greatest cosine to one already taken, 0 before the first. Ties go to
    the earlier candidate. Source: Carbonell and Goldstein 1998; Eq. 3.5.

    Parameters
    ----------
    relevance
        Shape (candidates,).
    vectors
        Unit vectors, shape (candidates, dimension).
    """
    cosines = vectors @ vectors.T
    likeness = np.full(len(relevance), -np.inf)
    left = list(range(len(relevance)))
    order: list[int] = []
    while left:
        penalty = likeness[left] if order else np.zeros(len(left))
        values = balance * relevance[left] - (1 - balance) * penalty
        chosen = left.pop(int(np.argmax(values)))
        order.append(chosen)
        likeness = np.maximum(likeness, cosines[chosen])
    return order


def _before_gap(ranked: Ranked, gap: float) -> Ranked:
    """The list up to the first drop of relevance that is greater than ``gap``."""
    if not gap:
        return ranked
    scaled = min_max([s for _, s in ranked])
    cut = next((i for i in range(1, len(scaled)) if scaled[i - 1] - scaled[i] > gap), len(scaled))
    return ranked[:cut]


def _within_limits(build: PublishedBuild, ranked: Ranked, config: SelectConfig) -> Ranked:
    kept: Ranked = []
    acts: dict[str, int] = {}
    tokens = 0
    for chunk_id, score in ranked:
        passage = build.passage(build.rows[chunk_id])
        if config.per_act and acts.get(passage["act_id"], 0) >= config.per_act:
            continue
        if config.tokens and kept and tokens + passage["n_tokens"] > config.tokens:
            continue
        kept.append((chunk_id, score))
        acts[passage["act_id"]] = acts.get(passage["act_id"], 0) + 1
        tokens += passage["n_tokens"]
        if len(kept) == config.k:
            break
    return kept
