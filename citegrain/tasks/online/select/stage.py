"""Declaration of ``select``: from a ranked list to the few that are shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, collapse, make_run, min_max, rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.builds import PublishedBuild

STAGE = Stage("select", 1, (RUNS,))
Matrix = npt.NDArray[np.float32]
METHODS = ("top", "mmr")
UNITS = ("chunk", "provision")
SCALES = ("raw", "min_max")


@dataclass(frozen=True)
class SelectConfig:
    """Which candidates are kept.

    Attributes
    ----------
    method
        ``top`` keeps the order, ``mmr`` trades relevance against likeness (Eq. 3.5).
    unit
        ``provision`` keeps one chunk a provision, its best; ``chunk`` may keep several.
    k
        How many are kept (k_2 of the thesis).
    balance
        lambda_mmr of Eq. 3.5: 1 is relevance alone.
    scale
        Scale of relevance in Eq. 3.5: ``raw`` (the thesis) or ``min_max``, 0..1 a query.
    gap
        Nothing is kept behind a drop of relevance (0..1 a query) greater than this; 0 for no such cut.
    per_act
        Most that are kept of one Act; 0 for no limit.
    tokens
        Most tokens that all kept chunks may have together; 0 for no limit. The first is always kept.
    """

    method: str = "top"
    unit: str = "provision"
    k: int = 5
    balance: float = 0.5
    scale: str = "min_max"
    gap: float = 0.0
    per_act: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        for name, value, known in (
            ("method", self.method, METHODS),
            ("unit", self.unit, UNITS),
            ("scale", self.scale, SCALES),
        ):
            if value not in known:
                raise ValueError(f"select.{name}={value}: one of {', '.join(known)}")
        if self.k < 1 or not 0 <= self.balance <= 1 or not 0 <= self.gap <= 1:
            raise ValueError("select: k must be positive, balance and gap lie in 0 to 1")
        if min(self.per_act, self.tokens) < 0:
            raise ValueError("select.per_act and select.tokens must not be negative")

    def parameters(self) -> dict[str, Any]:
        """The parameters that the method reads."""
        unread = () if self.method == "mmr" else ("balance", "scale")
        return {name: value for name, value in asdict(self).items() if name not in unread}


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
