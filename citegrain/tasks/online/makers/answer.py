"""The step that answers: ``generate`` and ``verify`` in one, so that no answer is kept unchecked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial

import pyarrow as pa

from citegrain.tasks.core.endpoint import reply_rows
from citegrain.tasks.core.schemas import ANSWERS
from citegrain.tasks.online.cascade import Cascade, Chain
from citegrain.tasks.online.estimate import judgements
from citegrain.tasks.online.generate import answer_schema, generate
from citegrain.tasks.online.steps import Judging, Progress, Step, has_errors
from citegrain.tasks.online.verify import STAGE, verify


def steps(chain: Chain) -> Chain:
    """``answers``."""
    config, cascade = chain.config, chain.cascade
    params = {
        "generate": config.generate.parameters(),
        "verify": asdict(config.verify),
        "roles": config.roles,
        "attributes": config.attributes,
    }
    endpoint = cascade.endpoint if config.generate.asks else None
    model = {"model": [*endpoint.identity, endpoint.price_in, endpoint.price_out]} if endpoint else {}
    judged = chain.judging if chain.judging.estimates else ()
    reads = ("query", "selected", *judged, *([chain.traces] if chain.traces else []))
    work = partial(_answer, cascade, chain.judging, chain.traces, chain.unresolved)
    return chain.then(Step("answers", STAGE, params, reads, chain.source | model, work, has_errors))


def _answer(
    cascade: Cascade,
    judging: Judging,
    traces: str,
    unresolved: Callable[[pa.Table], Mapping[str, Sequence[str]]] | None,
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    config, build, queries = cascade.config, cascade.build, tables["query"]
    schema = answer_schema(config.roles, config.attributes)
    hits = cascade.hits(queries, tables["selected"])
    replies, judged = None, judgements(*(tables.get(name) for name in judging))
    if cascade.store and cascade.endpoint:
        replies = reply_rows(cascade.store, "generate", cascade.endpoint, config.generate)
    declined = {query for query, judgement in judged.items() if judgement.declined}
    left = unresolved(tables[traces]) if unresolved else {}
    arguments = queries, hits, config.generate, schema, cascade.endpoint, replies, progress, declined
    generated = generate(*arguments, build.summaries, left)
    rows = verify(build, queries, generated, hits, schema, config.verify, cascade.endpoint, judged, left)
    return ANSWERS.rows(rows)
