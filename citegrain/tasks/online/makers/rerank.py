"""The step in which the candidates are scored anew."""

from collections.abc import Mapping
from functools import partial

import pyarrow as pa

from citegrain.tasks.online.cascade import Cascade, Chain
from citegrain.tasks.online.rerank import JUDGE, STAGE, make_scorer, pair_rows, rerank
from citegrain.tasks.online.steps import Progress, Step


def steps(chain: Chain) -> Chain:
    """``reranked``; of a judge ``judgements`` and what follows from them."""
    config = chain.config.rerank
    if config.scorer == JUDGE:
        from citegrain.tasks.online.makers import judge  # no other configuration reads it

        return judge.steps(chain)
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
