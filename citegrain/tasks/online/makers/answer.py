"""The step that answers: ``generate`` and ``verify`` in one, so that no answer is kept unchecked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from functools import partial

import pyarrow as pa

from citegrain.tasks.core.endpoint import reply_rows
from citegrain.tasks.core.schemas import ANSWERS
from citegrain.tasks.online.answer import with_judgments
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, Chain, types_of
from citegrain.tasks.online.estimate import judgements
from citegrain.tasks.online.generate import PROSE, Surroundings, answer_schema, generate
from citegrain.tasks.online.hits import Hit
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
    types = chain.types if config.generate.kind == PROSE else ""
    reads = ("query", "selected", *judged, *filter(None, [chain.traces, types]))
    work = partial(_answer, cascade, chain.judging, chain.traces, chain.unresolved, types)
    return chain.then(Step("answers", STAGE, params, reads, chain.source | model, work, has_errors))


def _answer(
    cascade: Cascade,
    judging: Judging,
    traces: str,
    unresolved: Callable[[pa.Table], Mapping[str, Sequence[str]]] | None,
    types: str,
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
    type_by_query = types_of(tables, types)
    most = config.generate.landmarks if config.generate.kind == PROSE else 0
    surroundings = {
        query: Surroundings(
            type_by_query.get(query, ""),
            _landmarks(build, chosen, day, most),
            left.get(query, ()),
            build.summaries,
        )
        for query, chosen, day in (
            (row["query_id"], hits.get(row["query_id"], []), row["as_of"])
            for row in queries.select(["query_id", "as_of"]).to_pylist()
        )
    }
    arguments = queries, hits, config.generate, schema, cascade.endpoint, replies, progress, declined
    generated = generate(*arguments, surroundings)
    flag = None
    if cascade.endpoint:
        from citegrain.tasks.online.check import flag_citations  # few answers are in the words of a model

        flag = partial(flag_citations, build)
    checked = build, queries, generated, hits, schema, config.verify, cascade.endpoint, judged, left
    rows = verify(*checked, flag)
    return ANSWERS.rows(rows)


def _landmarks(build: PublishedBuild, hits: Sequence[Hit], day: date | None, most: int) -> list[str]:
    """Names of the judgments that the graph suggests beside what was selected, ``most`` of them."""
    charges = [{"provision_id": hit.provision_id} for hit in hits]
    return [case["law"] for case in with_judgments(build, charges, day or date.max, most)["landmarks"]]
