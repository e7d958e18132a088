"""Declaration of ``fuse``, and several runs to one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.runs import (
    Ranked,
    collapse,
    groups,
    make_run,
    queries_of,
    rankings,
    reciprocal_rank_fusion,
)
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.features import matrix_of
from citegrain.tasks.online.fuse.ranker import Ranker, read_ranker

STAGE = Stage("fuse", 7, (RUNS,))
BY_VECTORS = ("dense", "layers", "lay_dense", "questions", "classifier", "colbert")
"""Channels that compare vectors."""


METHODS = ("rrf", "single", "learned")
TYPES = ("fact", "cross_reference", "penalty", "temporal", "conflict")
"""What a question may ask for (CivicSetu 4); the first where nothing says otherwise."""
MENTIONS = ("provision", "year", "judge", "case")
"""What a question may name, by which ``rules`` choose weights."""
DEPTH = 100
"""Length of the lists of the channels that the ranker learned from."""

RANKER_SHA256 = "7f54b1bab23989e0f5e86b0e98a5cfb395a53bc7717786faee686434890c52af"
"""Digest of the ranker that ships."""

_LATER = ("lay_dense", "lay_sparse", "questions", "classifier")


@dataclass(frozen=True)
class FuseConfig:
    """How ranked lists are joined.

    Attributes
    ----------
    method
        ``rrf`` joins by ranks (Eq. 3.3 of the thesis), ``single`` takes one channel as it is,
        ``learned`` orders by a trained ranker.
    k, depth
        Smoothing constant of reciprocal rank fusion; length of the fused list.
    weights
        Weight of each channel, one of your own by the name of its function; 1 if it is not named.
    weights_named
        Weights that hold instead for a query that names a provision, where they differ.
    rules
        Weights by what a question names, over the others: each has ``when`` (one of :data:`MENTIONS`, or a
        type of question: stage ``route``) and ``weights``. Of several that hold the later goes before the
        earlier, channel by channel (KG-CiteRAG 7.3.1).
    channel
        The channel of ``single``; empty takes the first.
    ranker, ranker_sha256
        File of the ranker of ``learned``, and its digest.
    """

    method: str = "rrf"
    k: int = 60
    depth: int = 20
    weights: dict[str, float] = field(default_factory=dict)
    weights_named: dict[str, float] = field(default_factory=dict)
    rules: list[Any] = field(default_factory=list)
    channel: str = ""
    ranker: str = "data:models/ranker_statutes/ranker.json"
    ranker_sha256: str = RANKER_SHA256

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"fuse.method={self.method}: one of {', '.join(METHODS)}")
        if self.k < 1 or self.depth < 1:
            raise ValueError("fuse.k and fuse.depth must be positive")
        if min([0.0, *self.weights.values(), *self.weights_named.values()]) < 0:
            raise ValueError("fuse.weights must not be negative")
        for rule in self.rules:
            if (
                rule.keys() != {"when", "weights"}
                or rule["when"] not in (*MENTIONS, *TYPES)
                or min([0.0, *rule["weights"].values()]) < 0
            ):
                allowed = ", ".join((*MENTIONS, *TYPES))
                raise ValueError(f"fuse.rules: {rule}: when (one of {allowed}) and weights, none negative")

    def weights_of(self, mentioned: Collection[str]) -> dict[str, float]:
        """The weights for a question that names such things."""
        table = self.weights | (self.weights_named if "provision" in mentioned else {})
        for rule in self.rules:
            table |= rule["weights"] if rule["when"] in mentioned else {}
        return table

    def parameters(self, channels: Collection[str]) -> dict[str, Any]:
        """The parameters that the method reads.

        ``channels``: the channels that are searched. Weights of lay texts are left out where those are not:
        what was fused before there were such channels keeps its key.
        """
        idle = [c for c in _LATER if c not in channels]
        read = {
            "single": ("channel",),
            "rrf": ("k", "weights", "weights_named"),
            "learned": ("ranker_sha256", "weights"),
        }
        values = {name: getattr(self, name) for name in ("method", "depth", *read[self.method])}
        if self.rules and "weights_named" in values:
            values["rules"] = self.rules
        for name in values.keys() & {"weights", "weights_named"}:
            values[name] = {c: w for c, w in values[name].items() if c not in idle}
        return values


def weight_of(weights: Mapping[str, float], channel: str) -> float:
    """The weight of a channel; an import path, which no override can hold, goes by its last name."""
    return weights.get(channel.rpartition(":")[2].rpartition(".")[2], 1.0)


def ranker_of(config: FuseConfig) -> Ranker | None:
    """The ranker of a configuration; None where channels are joined otherwise."""
    return read_ranker(located(config.ranker), config.ranker_sha256) if config.method == "learned" else None


def fuse(
    runs: Mapping[str, pa.Table],
    config: FuseConfig,
    naming: Mapping[str, Collection[str]] | None = None,
    lexical: Collection[str] = (),
    unread: Collection[str] = BY_VECTORS,
) -> pa.Table:
    """Fuse runs query by query; the result holds at most ``config.depth`` chunks a query.

    ``runs``: run of each channel, in the order that settles ties. ``naming``: what each query names, by its
    id, of ``MENTIONS``: ``config.weights_of`` says what that changes. ``lexical``: ids of the queries that
    the encoder does not read: for them the channels ``unread`` do not count.
    """
    if config.method == "single":
        channel = config.channel or next(iter(runs))
        if channel not in runs:
            raise ValueError(f"fuse.channel={channel}: not among retrieve.channels {', '.join(runs)}")
        runs = {channel: runs[channel]}
    by_run = {channel: rankings(run) for channel, run in runs.items()}
    queries = list(dict.fromkeys(q for run in runs.values() for q in queries_of(run)))
    fused = {}
    for query in queries:
        lists = [
            [] if query in lexical and c in unread else ranked.get(query, []) for c, ranked in by_run.items()
        ]
        table = config.weights_of((naming or {}).get(query, ()))
        weights = [weight_of(table, channel) for channel in by_run]
        single = config.method == "single"
        joined = lists[0] if single else reciprocal_rank_fusion(lists, config.k, weights)
        fused[query] = joined[: config.depth]
    return make_run(fused, "fused")


def stand_ins(
    tables: Mapping[str, pa.Table], types: Mapping[str, str], instead: Mapping[str, str]
) -> dict[str, str]:
    """The channel that stands in place of all others, by query, for those that have one.

    For a question that names a provision, where the channel finds something. ``instead``: channel by type.
    """
    if not instead:
        return {}
    rows = tables["query"].select(["query_id", "mentions"]).to_pylist()
    channels = {
        row["query_id"]: instead.get(types.get(row["query_id"], "")) for row in rows if row["mentions"]
    }
    hits = {channel: set(queries_of(tables[channel])) for channel in set(instead.values())}
    return {query: channel for query, channel in channels.items() if channel and query in hits[channel]}


_OF_NEW_ACTS = 0.8
"""How much less the score of a candidate counts whose Act nothing was learned of: of the texts from which the
ranker learned what such Acts are like, each was about them."""
_LOOK_UP, _SHORT = 20, 26
"""Words of the longest question that is taken for a look-up where it names a provision, and an Act."""


def fuse_learned(
    features: pa.Table,
    ranker: Ranker,
    config: FuseConfig,
    others: Mapping[str, Mapping[str, Ranked]] = MappingProxyType({}),
    citations: Mapping[str, str | None] = MappingProxyType({}),
) -> pa.Table:
    """The candidates in the order of a ranker, each by its chunk; at most ``config.depth`` a query.

    ``others``: rankings of channels of which the ranker has learned nothing. They move candidates by
    reciprocal ranks, and the scores stay with the places: by them probabilities are estimated.
    """
    columns = features.select(["query_id", "chunk_id", "provision_id"]).to_pydict()
    values = matrix_of(features, len(ranker.names))
    scores = ranker.model.scores(values) if len(values) else np.empty(0)
    looked_up, new, of_named_act = _standing(values, ranker.names)
    fused: dict[str, Ranked] = {}
    for query, first, after in groups(columns["query_id"]):
        part, chunks = scores[first:after], columns["chunk_id"][first:after]
        part += looked_up[first:after] * (np.ptp(part) + 1)  # before all others, in their order
        falling = np.sort(part)[::-1]  # by the scores of the places probabilities are estimated
        order = np.lexsort((_OF_NEW_ACTS * new[first:after] - part, ~of_named_act[first:after]))
        best: Ranked = [(chunks[row], float(falling[n])) for n, row in enumerate(order.tolist())]
        if others:
            chunk_of = dict(zip(columns["provision_id"][first:after], chunks, strict=True))
            lists = [
                [(chunk_of[provision], score) for provision, _, score in collapse(ranked[query], citations)]
                for ranked in others.values()
                if query in ranked
            ]
            weights = [
                1.0,
                *(weight_of(config.weights, c) for c, ranked in others.items() if query in ranked),
            ]
            # cut first: whatever the others found stands somewhere in its order
            joined = reciprocal_rank_fusion([best[: config.depth], *lists], config.k, weights)
            best = [(chunk, score) for (chunk, _), (_, score) in zip(joined, best, strict=False)]
        fused[query] = best[: config.depth]
    return make_run(fused, "fused")


def _standing(
    values: npt.NDArray[np.float32], names: Sequence[str]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which candidates are the one provision that a short question names, which are of Acts of which nothing
    was learned, and which of these are of an Act that a short question names.

    The ranker learned from people who tell what happened, and hardly from such questions. A short title has
    the name of its Act, too, and does not count unless it is asked for.
    """
    columns = dict.fromkeys(("words", "provision_score", "act_named"), np.full(len(values), np.nan))
    columns |= dict.fromkeys(("act_prior", "heading_title", "heading_share"), np.zeros(len(values)))
    columns |= {name: values[:, place] for place, name in enumerate(names)}
    words, new = columns["words"], np.isnan(columns["act_prior"])
    is_asked = (columns["heading_title"] == 0) | (columns["heading_share"] > 0)
    of_named_act = new & is_asked & (columns["act_named"] == 1) & (words <= np.log1p(_SHORT))
    return (words <= np.log1p(_LOOK_UP)) & (columns["provision_score"] == 1), new, of_named_act
