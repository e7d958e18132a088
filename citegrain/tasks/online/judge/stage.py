"""Declarations of ``judge``: verdicts of the model, and the order that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint, EndpointError, ModelReply, ask_model, parse_reply
from citegrain.tasks.core.runs import Ranked, collapse, make_run, rankings
from citegrain.tasks.core.schemas import JUDGEMENTS, RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.hits import Hit, cite
from citegrain.tasks.online.judge.config import JudgeConfig
from citegrain.tasks.online.judge.prompt import judge_messages, shown_order, verdict_schema

JUDGE = Stage("judge", 1, (JUDGEMENTS,))
ORDER = Stage("judged", 1, (RUNS,))


def judge(
    build: PublishedBuild,
    queries: pa.Table,
    run: pa.Table,
    config: JudgeConfig,
    endpoint: Endpoint | None,
    rows: RowStore | None = None,
    progress: Callable[[int], None] = lambda n: None,
) -> pa.Table:
    """Table ``judgements``: one request a question. What fails is a row with its error, and no verdict.

    Parameters
    ----------
    run
        The candidates in their order, as they stand before.
    endpoint, rows
        The model's, and where its replies are kept.

    Raises
    ------
    EndpointError
        If the endpoint is missing.
    BatchPending
        If the requests were written to a file, and replies are missing.
    """
    if endpoint is None:
        raise EndpointError("rerank=judge needs an endpoint")
    texts = dict(zip(*queries.select(["query_id", "text"]).to_pydict().values(), strict=True))
    ranked = rankings(run)
    shown = {
        query: shown_order(_candidates(build, ranked.get(query, []), config.candidates), config.shown, text)
        for query, text in texts.items()
    }
    prompts = {q: judge_messages(texts[q], hits, config.chars) for q, hits in shown.items() if hits}
    replies: dict[str, ModelReply] = {}
    if prompts:
        replies = ask_model(prompts, endpoint, config, verdict_schema(config.candidates), rows, progress)
    return JUDGEMENTS.rows([_row(q, shown[q], replies.get(q), config) for q in texts])


def _candidates(build: PublishedBuild, ranked: Ranked, most: int) -> list[Hit]:
    """The first provisions of a ranked list, each by its best chunk."""
    return [cite(build, chunk) for _, chunk, _ in collapse(ranked, build.citations)[:most]]


def _row(query: str, hits: Sequence[Hit], reply: ModelReply | None, config: JudgeConfig) -> dict[str, object]:
    ids = [hit.provision_id for hit in hits]
    row: dict[str, object] = {
        "query_id": query,
        "candidates": ids,
        "primary": "",
        "applicable": [],
        "order": [],
        "p": None,
        "why": "",
        "error": "",
        "tokens_in": reply.tokens_in if reply else 0,
        "tokens_out": reply.tokens_out if reply else 0,
    }
    if reply is None:
        return row | {"error": "nothing was found that it could judge"}
    if reply.error:
        return row | {"error": reply.error}
    said = parse_reply(reply.text, verdict_schema(config.candidates))[0]
    named = {name: [ids[n - 1] for n in said[name] if n <= len(ids)] for name in ("set", "order")}
    first = [ids[said["primary"] - 1]] if 1 <= said["primary"] <= len(ids) else []
    applicable = list(dict.fromkeys([*first, *named["set"]]))
    return row | {
        "primary": first[0] if first else "",
        "applicable": applicable,
        "order": list(dict.fromkeys([*applicable, *named["order"]])),
        "p": said["p"] if first else 0.0,
        "why": said["why"],
    }


def order(run: pa.Table, judgements: pa.Table, citations: Mapping[str, str | None]) -> pa.Table:
    """The candidates as the judge orders them; those that it does not name stand behind, in their order.

    Scores are reciprocal ranks. A question without a verdict keeps its list, scores and all.
    """
    verdicts = {row["query_id"]: row["order"] for row in judgements.to_pylist() if not row["error"]}
    out = {}
    for query, ranked in rankings(run).items():
        place = {provision: n for n, provision in enumerate(verdicts.get(query, []))}
        if not place:
            out[query] = ranked
            continue
        moved = sorted(ranked, key=lambda item: place.get(citations[item[0]] or "", len(place)))
        out[query] = [(chunk, 1 / rank) for rank, (chunk, _) in enumerate(moved, 1)]
    return make_run(out, "reranked")
