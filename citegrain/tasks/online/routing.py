"""The steps of the chain that depend on what a question asks for: its type, and what joins its candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint, reply_rows
from citegrain.tasks.core.stage import digest
from citegrain.tasks.online import expand as expand_stage
from citegrain.tasks.online import route as route_stage
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.configuration import CascadeConfig
from citegrain.tasks.online.expand import expand
from citegrain.tasks.online.rewriting import joined_run
from citegrain.tasks.online.route import RouteConfig, make_routes
from citegrain.tasks.online.steps import Progress, Step

ROUTE, EXPANDED = "route", "expanded"


def route_steps(
    texts: Mapping[str, str], config: RouteConfig, endpoint: Endpoint | None, store: Path | None
) -> list[Step]:
    """The step that gives each question its type; none where all go the same way."""
    if config.method == "none":
        return []
    asked = endpoint if config.method == "llm" else None
    model = {"model": [asked.base_url, asked.model]} if asked else {}
    work = partial(_route, texts, config, asked, store)
    return [Step(ROUTE, route_stage.STAGE, config.parameters(), (), {"texts": digest(texts)} | model, work)]


def _route(
    texts: Mapping[str, str],
    config: RouteConfig,
    endpoint: Endpoint | None,
    store: Path | None,
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    rows = reply_rows(store, route_stage.STAGE.name, endpoint, config) if store and endpoint else None
    return make_routes(texts, config, endpoint, rows, progress)


def read_route(config: RouteConfig, what: str) -> tuple[str, ...]:
    """The name of the step ``route``, for a step that reads it where types differ in one respect."""
    return (ROUTE,) if config.differences(what) else ()


def types_of(tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Type of each question, by its id; nothing where they have none."""
    if ROUTE not in tables:
        return {}
    columns = tables[ROUTE].select(["query_id", "type"]).to_pydict()
    return dict(zip(*columns.values(), strict=True))


def expand_steps(build: PublishedBuild, config: CascadeConfig) -> list[Step]:
    """The step in which candidates bring others; none where they bring nothing."""
    expansions = config.expansions()
    if not any(expansion.brings for expansion in expansions.values()):
        return []
    params = {name: asdict(expansion) for name, expansion in expansions.items()}
    reads = ("query", joined_run(config), *read_route(config.route, "expand"))
    source = {"build": build.folder.name}
    return [Step(EXPANDED, expand_stage.STAGE, params, reads, source, partial(_expand, build, config))]


def _expand(
    build: PublishedBuild, config: CascadeConfig, tables: Mapping[str, pa.Table], progress: Progress
) -> pa.Table:
    types, expansions = types_of(tables), config.expansions()
    configs = {query: expansions[name] for query, name in types.items() if name in expansions}
    return expand(build, tables["query"], tables[joined_run(config)], config.expand, configs)
