"""The steps that say how probable the candidates are; none where that was not learned."""

from collections.abc import Mapping
from functools import partial

import pyarrow as pa

from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, Chain
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
from citegrain.tasks.online.fuse import Ranker, ranker_of
from citegrain.tasks.online.retrieve import named_alone
from citegrain.tasks.online.steps import Judging, Progress, Step


def steps(chain: Chain) -> Chain:
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
