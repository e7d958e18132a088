"""The steps that join the channels: by ranks, or by a ranker that reads features of the candidates."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.tasks.core.runs import make_run, rankings
from citegrain.tasks.online import features as features_stage
from citegrain.tasks.online import fuse as fuse_stage
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, Chain, query_ids, types_of
from citegrain.tasks.online.configuration import CascadeConfig
from citegrain.tasks.online.estimate import (
    ESTIMATE,
    SCOPE_STAGE,
    Catalogue,
    Estimates,
    estimates_of,
    make_estimates,
    make_scope,
    with_named,
)
from citegrain.tasks.online.features import make_features, unlearned
from citegrain.tasks.online.fuse import (
    FuseConfig,
    Ranker,
    fuse,
    fuse_learned,
    ranker_of,
    stand_ins,
    weight_of,
)
from citegrain.tasks.online.retrieve import named_alone, split_space
from citegrain.tasks.online.steps import Judging, Progress, Step

_NAMING = "citegrain.tasks.published.mentions"
"""Where judges, cases and years are looked for; only rules of fusion read them."""


def steps(chain: Chain) -> Chain:
    """Those that join the channels, and behind a ranker those that say how probable the candidates are."""
    chain = fuse_steps(chain)
    return estimate_steps(chain) if chain.config.estimate.on else chain


def fuse_steps(chain: Chain) -> Chain:
    """``fused``, behind ``features`` where there is a ranker.

    Questions in a script that the encoder does not read are fused without vectors.
    """
    config, channels = chain.config, chain.config.retrieve.channels
    lexical = frozenset(q for q, text in chain.texts.items() if chain.build.lexical_only(text))
    weights, instead = (chain.differences.get(respect, {}) for respect in ("weights", "instead"))
    rules = [*config.fuse.rules, *({"when": t, "weights": w} for t, w in weights.items())]
    fusion = replace(config.fuse, rules=rules)
    joining = _Fusing(chain.build, config, fusion, lexical, chain.types, instead)
    ranker, params = ranker_of(config.fuse), joining.fusion.parameters(channels)
    reads = ("query", *channels)
    joins = (*reads, *dict.fromkeys((*chain.reads_types("weights"), *chain.reads_types("instead"))))
    sources: dict[str, Any] = {"lexical": sorted(lexical)} if lexical else {}
    sources |= {"instead": instead} if instead else {}
    if lexical and ranker is not None:  # the ranker reads no question that has no vectors
        sources |= {"by_words": replace(joining.fusion, method="rrf").parameters(channels)}
    if config.fuse.rules:  # judges and cases are those of the build
        sources |= chain.source
    if ranker is None:
        return chain.then(
            Step("fused", fuse_stage.STAGE, params, joins, sources, joining.fuse), ranked="fused"
        )
    seen = {"names": ranker.names, "ranker": ranker.sha256, "weights": config.fuse.weights}
    others = unlearned(channels)
    if others:
        seen["others"], params["k"] = others, config.fuse.k
    read = ("features", *(joins if lexical else others))
    return chain.then(
        Step("features", features_stage.STAGE, seen, reads, chain.source, partial(joining.features, ranker)),
        Step("fused", fuse_stage.STAGE, params, read, sources, partial(joining.fuse_learned, ranker)),
        ranked="fused",
    )


def channel_shares(
    build: PublishedBuild, config: CascadeConfig, tables: Mapping[str, pa.Table], first: int = 10
) -> dict[str, dict[str, float]]:
    """What each channel adds to the scores of the ``first`` chunks selected, in mean shares, by query.

    Only where channels are joined by ranks and types of questions change nothing; else empty. Source:
    KG-CiteRAG 7.5.1, which does not say how its shares are counted.
    """
    channels = config.retrieve.channels
    if config.fuse.method != "rrf" or len(channels) < 2 or "route" in tables:
        return {}
    mentioned = _Fusing(build, config, config.fuse, (), "", {}).mentioned(tables["query"])
    runs = {channel: rankings(tables[channel]) for channel in channels}
    out = {}
    for query, ranked in rankings(tables["selected"]).items():
        weights = config.fuse.weights_of(mentioned.get(query, ()))
        parts = np.zeros((len(channels), min(first, len(ranked))))
        for row, channel in enumerate(channels):
            places = {chunk: rank for rank, (chunk, _) in enumerate(runs[channel].get(query, []), 1)}
            for column, (chunk, _) in enumerate(ranked[:first]):
                if chunk in places:
                    parts[row, column] = weight_of(weights, channel) / (config.fuse.k + places[chunk])
        parts = parts[:, parts.any(axis=0)]
        if parts.size:
            out[query] = dict(zip(channels, (parts / parts.sum(axis=0)).mean(axis=1).tolist(), strict=True))
    return out


@dataclass(frozen=True)
class _Fusing:
    """The work of the steps; ``types`` names the table with the types of the questions.

    ``instead``: by type the channel that stands in place of all others, where ranks are joined.
    """

    build: PublishedBuild
    config: CascadeConfig
    fusion: FuseConfig
    lexical: Collection[str]
    types: str
    instead: Mapping[str, str]

    def fuse(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        """By ranks, or one channel as it is."""
        runs = {channel: tables[channel] for channel in self.config.retrieve.channels}
        types = types_of(tables, self.types)
        mentioned = self.mentioned(tables["query"])
        naming = {q: {*mentioned.get(q, ()), types.get(q, "")} for q in query_ids(tables["query"])}
        fused = fuse(runs, self.fusion, naming, self.lexical, self._unread() if self.lexical else ())
        if not (others := stand_ins(tables, types, self.instead)):
            return fused
        alone = {q: rankings(runs[channel])[q][: self.fusion.depth] for q, channel in others.items()}
        return make_run(rankings(fused) | alone, "fused")

    def features(self, ranker: Ranker, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        """What the ranker reads."""
        runs = {channel: tables[channel] for channel in self.config.retrieve.channels}
        weights = self.config.fuse.weights
        return make_features(self.build, tables["query"], runs, ranker.names, ranker.priors, weights)

    def fuse_learned(self, ranker: Ranker, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        """By the ranker, its order joined to the channels that it never saw; without vectors by ranks."""
        features, channels = tables["features"], self.config.retrieve.channels
        others = {channel: rankings(tables[channel]) for channel in unlearned(channels)}
        fused = fuse_learned(features, ranker, self.fusion, others, self.build.citations)
        if not self.lexical:
            return fused
        by_words = rankings(self.fuse(tables, progress))
        return make_run(rankings(fused) | {q: by_words.get(q, []) for q in self.lexical}, "fused")

    def mentioned(self, queries: pa.Table) -> dict[str, Collection[str]]:
        """What each query names, as far as the rules of fusion ask for it."""
        rows = queries.to_pylist()
        if not self.config.fuse.rules:
            return {row["query_id"]: {"provision"} for row in rows if row["mentions"]}
        what_is_named = import_module(_NAMING).what_is_named
        return {row["query_id"]: what_is_named(self.build, row) for row in rows}

    def _unread(self) -> list[str]:
        """The channels of vectors whose encoder does not read Devanagari."""
        spaces = {c: split_space(c)[1] for c in self.config.retrieve.channels}
        blind = [c for c, s in spaces.items() if s and not self.build.in_space(s).encoder.reads_devanagari]
        return [*fuse_stage.BY_VECTORS, *blind]


def estimate_steps(chain: Chain) -> Chain:
    """``scope`` and ``estimated``."""
    config = chain.config
    learned = estimates_of(config.estimate, config.fuse, chain.build.query_space)
    ranker = ranker_of(config.fuse)
    if learned is None or ranker is None:
        return chain
    params = config.estimate.parameters()
    source = chain.source | {"names": chain.names}
    scope = partial(_scope, chain.cascade, learned, ranker)
    estimate = partial(_estimate, chain.build, learned, ranker)
    return chain.then(
        Step("scope", SCOPE_STAGE, params, ("query", "features", "fused"), source, scope),
        Step("estimated", ESTIMATE, params, ("query", "fused", "scope"), source, estimate),
        judging=Judging("scope", "estimated"),
    )


def _scope(
    cascade: Cascade,
    learned: Estimates,
    ranker: Ranker,
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    config, queries, build = cascade.config.estimate, tables["query"], cascade.build
    catalogue = Catalogue.from_build(build, config.vectors, learned.catalogue)
    candidates = (tables["features"], ranker.names, tables["fused"])
    vectors = cascade.vectors(queries)
    new = _new(build, ranker)
    return make_scope(build, queries, vectors, candidates, learned, catalogue, config.decline_below, new)


def _estimate(
    build: PublishedBuild,
    learned: Estimates,
    ranker: Ranker,
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    estimates = make_estimates(
        tables["fused"], tables["scope"], tables["query"], build.citations, learned, *_new(build, ranker)
    )
    return with_named(estimates, named_alone(build, tables["query"]), build.citations)


def _new(build: PublishedBuild, ranker: Ranker) -> tuple[set[str], set[str]]:
    return build.shared(("new provisions", build.only, ranker.sha256), lambda: ranker.new(build))
