"""Declaration of ``rewrite``: the texts that are searched for a complaint besides, each by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint, EndpointError, Reply, ask_model, parse_reply
from citegrain.tasks.core.schemas import REWRITES
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.online.query import QueryConfig
from citegrain.tasks.online.rewrite.asking import REQUESTS
from citegrain.tasks.online.rewrite.rules import RULES, Encode, Hint, Weighted

STAGE = Stage("rewrite", 1, (REWRITES,))


def make_rewrites(
    texts: Mapping[str, str],
    hints: Callable[[str], Sequence[Hint]],
    encode: Encode,
    config: QueryConfig,
    endpoint: Endpoint | None = None,
    rows: RowStore | None = None,
    progress: Callable[[int], None] = lambda n: None,
) -> pa.Table:
    """Table ``rewrites`` of complaints by id. What a model does not give is a row without texts.

    Parameters
    ----------
    hints
        What a complaint found when it was searched as it is, by its id, best first.
    endpoint, rows
        The model's, and where its replies are kept.

    Raises
    ------
    EndpointError
        If a model is to be asked and its endpoint is missing.
    """
    if config.asks_model and endpoint is None:
        raise EndpointError("query.rewrites needs an endpoint")
    out: dict[str, list[dict[str, Any]]] = {query: [] for query in texts}
    for name in config.searched_apart:
        if name in RULES:
            for query, text in texts.items():
                rewritten = RULES[name](text, hints(query), encode)
                out[query] += [_row(query, name, weighted) for weighted in rewritten]
        elif endpoint is not None:
            prompts = {query: REQUESTS[name].messages(text) for query, text in texts.items()}
            replies = ask_model(prompts, endpoint, config, REQUESTS[name].schema, rows, progress)
            for query, reply in replies.items():
                out[query] += _by_model(query, name, reply)
    return REWRITES.rows([row for of_query in out.values() for row in of_query])


def _by_model(query: str, name: str, reply: Reply) -> list[dict[str, Any]]:
    if reply.error:
        return [_row(query, name, [], reply.error)]
    request = REQUESTS[name]
    said = request.read(parse_reply(reply.text, request.schema)[0])
    return [_row(query, name, [(text, 1.0)]) for text in said]


def _row(query: str, name: str, texts: Weighted, error: str = "") -> dict[str, Any]:
    weighted = [{"text": text, "weight": weight} for text, weight in texts]
    return {"query_id": query, "rewrite": name, "texts": weighted, "error": error}
