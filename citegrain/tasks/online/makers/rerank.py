"""The steps in which the candidates are scored anew, by a scorer or by a language model that judges them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pyarrow as pa

from citegrain.tasks.core.endpoint import reply_rows
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, Chain
from citegrain.tasks.online.judge import (
    JUDGE,
    ORDER,
    WEIGH,
    WEIGH_SCOPE,
    JudgeModel,
    judge,
    order,
    read_model,
    weigh,
    weigh_scope,
)
from citegrain.tasks.online.rerank import JUDGE as JUDGE_SCORER
from citegrain.tasks.online.rerank import STAGE, make_scorer, pair_rows, rerank
from citegrain.tasks.online.steps import Judging, Progress, Step, has_errors

JUDGEMENTS, JUDGED, WEIGHED, WEIGHED_SCOPE = "judgements", "reranked", "weighed", "weighed_scope"


def judged(chain: Chain) -> Chain:
    """``judgements`` and ``reranked``; with estimates also ``weighed_scope`` and ``weighed``."""
    config, endpoint, ranked = chain.config.rerank.judge, chain.cascade.endpoint, chain.ranked
    sources = chain.source | ({"model": endpoint.identity} if endpoint else {})
    work, ordering = partial(_judge, chain.cascade, ranked), partial(_order, chain.build, ranked)
    chain = chain.then(
        Step(JUDGEMENTS, JUDGE, config.parameters(), ("query", ranked), sources, work, has_errors),
        Step(JUDGED, ORDER, {}, (ranked, JUDGEMENTS), chain.source, ordering),
        ranked=JUDGED,
    )
    decided, likely = chain.judging
    if not likely or not config.model_sha256:
        return chain
    learned = read_model(located(config.model), config.model_sha256)
    below = chain.config.estimate.decline_below
    params, learned_of = {"decline_below": below}, {"model_sha256": config.model_sha256}
    source = chain.source | learned_of
    scope = partial(_weigh_scope, chain.build, decided, learned, below)
    return chain.then(
        Step(WEIGHED_SCOPE, WEIGH_SCOPE, params, (decided, JUDGEMENTS, "query"), source, scope),
        Step(WEIGHED, WEIGH, {}, (likely, JUDGEMENTS), learned_of, partial(_weigh, likely, learned)),
        judging=Judging(WEIGHED_SCOPE, WEIGHED),
    )


def _judge(cascade: Cascade, ranked: str, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
    config, endpoint = cascade.config.rerank.judge, cascade.endpoint
    rows = reply_rows(cascade.store, "judge", endpoint, config) if cascade.store and endpoint else None
    return judge(cascade.build, tables["query"], tables[ranked], config, endpoint, rows, progress)


def _order(
    build: PublishedBuild, ranked: str, tables: Mapping[str, pa.Table], progress: Progress
) -> pa.Table:
    return order(tables[ranked], tables[JUDGEMENTS], build.citations)


def _weigh_scope(
    build: PublishedBuild,
    scope: str,
    learned: JudgeModel,
    below: float,
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    return weigh_scope(build, tables["query"], tables[scope], tables[JUDGEMENTS], learned, below)


def _weigh(likely: str, learned: JudgeModel, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
    return weigh(tables[likely], tables[JUDGEMENTS], learned)


def steps(chain: Chain) -> Chain:
    """``reranked``; of a judge ``judgements`` and what follows from them."""
    config = chain.config.rerank
    if config.scorer == JUDGE_SCORER:
        return judged(chain)
    scorer = make_scorer(chain.build, config)
    source = chain.source | ({"scorer": scorer.identity} if scorer else {})
    work = partial(_rerank, chain.cascade, chain.ranked)
    return chain.then(
        Step("reranked", STAGE, config.parameters(), ("query", chain.ranked), source, work),
        ranked="reranked",
    )


def _rerank(cascade: Cascade, ranked: str, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
    config, store = cascade.config.rerank, cascade.store
    scorer = make_scorer(cascade.build, config)
    pairs = pair_rows(store, scorer) if store and scorer else None
    return rerank(cascade.build, tables["query"], tables[ranked], scorer, config, pairs, progress)
