"""The steps that search: one a channel."""

from collections.abc import Mapping
from functools import partial

import pyarrow as pa

from citegrain.tasks.core.runs import rankings, reciprocal_rank_fusion
from citegrain.tasks.online.cascade import Cascade, Chain, query_ids
from citegrain.tasks.online.retrieve import STAGE, reads_others, search_channel, split_space
from citegrain.tasks.online.steps import Progress, Step


def steps(chain: Chain) -> Chain:
    """Those of the channels that search by themselves, then those that start from what these found."""
    config, build = chain.config.retrieve, chain.build
    searched = chain.source
    if build.correspondence is not None:
        searched |= {"counterparts": build.correspondence.sha256}
    first = tuple(c for c in config.channels if not reads_others(c))
    later = (c for c in config.channels if reads_others(c))
    return chain.then(
        *(
            Step(
                channel,
                STAGE,
                config.parameters(channel),
                ("query", *(first if reads_others(channel) else ())),
                searched,
                partial(_search, chain.cascade, channel, first),
            )
            for channel in (*first, *later)
        )
    )


def _search(
    cascade: Cascade,
    channel: str,
    others: tuple[str, ...],
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    queries, first = tables["query"], None
    rows, vectors = cascade.rows(queries), partial(cascade.vectors, queries, split_space(channel)[1])
    if reads_others(channel):
        lists = [rankings(tables[name]) for name in others]
        first = {q: reciprocal_rank_fusion([one.get(q, []) for one in lists]) for q in query_ids(queries)}
    return search_channel(cascade.build, rows, channel, cascade.config.retrieve, vectors, first)
