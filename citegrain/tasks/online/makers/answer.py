"""Select and answer; ``generate``, ``verify`` and the decision are one: no answer stays unchecked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.endpoint import reply_rows
from citegrain.tasks.core.runs import make_run, rankings
from citegrain.tasks.core.schemas import ANSWERS
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.online.answer import decided, with_judgments
from citegrain.tasks.online.cascade import Cascade, Chain, query_ids, types_of
from citegrain.tasks.online.estimate import Judgement, estimates_of, judgements
from citegrain.tasks.online.generate import PROSE, Generated, Support, Surroundings, answer_schema, generate
from citegrain.tasks.online.hits import Hit, carried_by_the_law, make_hits
from citegrain.tasks.online.retrieve import named_alone
from citegrain.tasks.online.select import STAGE as SELECT
from citegrain.tasks.online.select import provisions_named, select, with_alone
from citegrain.tasks.online.steps import Judging, Progress, Step, has_errors
from citegrain.tasks.online.verify import STAGE, verify

if TYPE_CHECKING:
    from citegrain.tasks.online.verify import Judge, Statement


def steps(chain: Chain) -> Chain:
    """``selected`` and ``answers``."""
    chain = select_steps(chain)
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
    prose = config.generate.kind == PROSE
    types, ranked = (chain.types, chain.ranked) if prose else ("", "")
    reads = ("query", "selected", *judged, *filter(None, [chain.traces, types, ranked]))
    sources = chain.source | model | {"texts": digest(dict(chain.texts))}
    work = partial(
        _answer, cascade, chain.texts, chain.judging, chain.traces, chain.unresolved, types, ranked
    )
    return chain.then(Step("answers", STAGE, params, reads, sources, work, has_errors))


def _answer(
    cascade: Cascade,
    texts: Mapping[str, str],
    judging: Judging,
    traces: str,
    unresolved: Callable[[pa.Table], Mapping[str, Sequence[str]]] | None,
    types: str,
    ranked: str,
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
            [case["law"] for case in with_judgments(build, charges, day, most)["landmarks"]],
            left.get(query, ()),
            build.summaries,
        )
        for query, charges, day in (
            (q, [{"provision_id": hit.provision_id} for hit in hits.get(q, [])], as_of or date.max)
            for q, as_of in (row.values() for row in queries.select(["query_id", "as_of"]).to_pylist())
        )
    }
    arguments = queries, hits, config.generate, schema, cascade.endpoint, replies, progress, declined
    generated = generate(*arguments, surroundings, build)
    selected = {query: [hit.provision_id for hit in chosen] for query, chosen in hits.items()}
    hits = hits | {query: list(one.read) for query, one in generated.items() if one.read}
    if ranked and config.generate.validate != "none":
        generated = _validated(cascade, queries, hits, tables[ranked], generated, surroundings, replies)
    flag = None
    if cascade.endpoint:
        from citegrain.tasks.online.check import flag_citations  # few answers are in the words of a model

        flag = partial(flag_citations, build)
    checked = build, queries, generated, hits, schema, config.verify, cascade.endpoint, judged, left
    given = {row["query_id"]: row for row in queries.to_pylist()}
    carried = carried_by_the_law(build, queries)
    rows = []
    for row in verify(*checked, flag):
        query = row["query_id"]
        facts = selected.get(query, []), judged.get(query, Judgement()), carried.get(query, set())
        rows.append(decided(build, texts[query], given[query], *facts, row))
    return ANSWERS.rows(rows)


def _validated(
    cascade: Cascade,
    queries: pa.Table,
    hits: Mapping[str, Sequence[Hit]],
    ranked: pa.Table,
    generated: Mapping[str, Generated],
    surroundings: Mapping[str, Surroundings],
    replies: RowStore | None,
) -> dict[str, Generated]:
    """The answers, held against what they cite; what was not selected is given to those that fail."""
    from citegrain.tasks.online.verify import ROUNDS, by_model, validated  # few answers are in words

    config, endpoint = cascade.config, cascade.endpoint
    judge = by_rules(cascade.build.encode_queries)
    if config.generate.validate == "model" and endpoint:
        judge = by_model(endpoint, config.generate, replies, judge)
    given = {query: {hit.chunk_id for hit in chosen} for query, chosen in hits.items()}
    rest = {
        query: [row for row in rows if row[0] not in given[query]][: ROUNDS * max(1, len(given[query]))]
        for query, rows in rankings(ranked).items()
        if given.get(query)
    }
    others = make_hits(cascade.build, make_run(rest, "selected"), queries)
    schema = answer_schema(config.roles, config.attributes)

    def again(more: Mapping[str, Sequence[Hit]]) -> dict[str, Generated]:
        chosen = queries.filter(pc.is_in(queries.column("query_id"), pa.array(list(more), pa.string())))
        return generate(chosen, more, config.generate, schema, endpoint, replies, surroundings=surroundings)

    texts = dict(zip(*queries.select(["query_id", "text"]).to_pydict().values(), strict=True))
    return validated(generated, texts, hits, others, judge, again, config.generate)


def by_rules(encode: Callable[[Sequence[str]], Any] | None = None) -> Judge:
    """The judge that needs no language model; ``encode`` as ``claims.judge_claims`` has it."""
    from citegrain.tasks.online.claims import context_of, judge_claims

    def judge(statements: Mapping[str, Statement]) -> dict[str, Support]:
        out = {}
        for query, (question, prose, contexts) in statements.items():
            passages = [replace(context_of(c.hit), text=c.text) for c in contexts]
            claims = judge_claims(prose, passages, question=question, encode=encode)
            rows = [{"text": c.text, "verdict": c.verdict, "message": c.message} for c in claims]
            out[query] = Support(rows)
        return out

    return judge


def select_steps(chain: Chain) -> Chain:
    """``selected``."""
    config = chain.config.select
    conformal = config.method == "conformal"
    likely = chain.judging.estimates  # without, amendments stay in: published systems have no table of them
    questions = ["query"] if config.pinned or conformal or likely else []
    # thresholds, and by which of them a question is judged
    space = chain.build.query_space
    alike = {"estimates": chain.config.estimate.model_sha256, "space": space} if conformal else {}
    reads = (chain.ranked, *questions, *([likely] if likely else []))
    work = partial(_select, chain.cascade, chain.ranked, likely)
    return chain.then(Step("selected", SELECT, config.parameters(), reads, chain.source | alike, work))


def _select(
    cascade: Cascade, ranked: str, likely: str, tables: Mapping[str, pa.Table], progress: Progress
) -> pa.Table:
    config, queries, build = cascade.config.select, tables.get("query"), cascade.build
    conformal: dict[str, Sequence[float]] = {}
    learned = estimates_of(cascade.config.estimate, cascade.config.fuse, cascade.build.query_space)
    if config.method == "conformal" and queries is not None and learned:
        alike = learned.alike(config.holds, cascade.vectors(queries))
        conformal = dict(zip(query_ids(queries), alike, strict=True))
    mentioned = provisions_named(build, queries) if config.pinned and queries is not None else {}
    carried = carried_by_the_law(build, queries) if likely and queries is not None else {}
    run = select(build, tables[ranked], config, tables.get(likely), conformal, mentioned, carried)
    return with_alone(run, named_alone(build, queries) if likely and queries is not None else {})
