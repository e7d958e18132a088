"""Stage ``expand``: parts, references and punishments of the first candidates join them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from types import MappingProxyType

import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, make_run, rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Chain, types_of
from citegrain.tasks.online.fuse import stand_ins
from citegrain.tasks.online.graph import LAW, Graph
from citegrain.tasks.online.steps import Progress, Step
from citegrain.tasks.published.configs import ExpandConfig

STAGE = Stage("expand", 1, (RUNS,))
EXPANDED = "expanded"
_PUNISHES = re.compile(
    r"\bshall be punish|\bpunish(?:ed|able) with|\bimprisonment (?:of|for|which)"
    r"|\bliable to (?:\w+ ){0,3}(?:fine|penalty)|\bpenalty (?:of|which)|\bshall forfeit",
    re.IGNORECASE,
)


def steps(chain: Chain) -> Chain:
    """``expanded``; nothing where no question brings anything."""
    config: ExpandConfig = chain.config.group("expand") or ExpandConfig()
    of_types = chain.differences.get("expand", {})
    expansions = {"": config} | {name: replace(config, **changes) for name, changes in of_types.items()}
    if not any(expansion.on for expansion in expansions.values()):
        return chain
    params = {name: asdict(expansion) for name, expansion in expansions.items()}
    instead = chain.differences.get("instead", {})
    types = dict.fromkeys((*chain.reads_types("expand"), *chain.reads_types("instead")))
    reads = ("query", chain.ranked, *types, *sorted(set(instead.values())))
    work = partial(_expand, chain, expansions, instead)
    source = chain.source | ({"instead": instead} if instead else {})
    return chain.then(Step(EXPANDED, STAGE, params, reads, source, work), ranked=EXPANDED)


def _expand(
    chain: Chain,
    expansions: Mapping[str, ExpandConfig],
    instead: Mapping[str, str],
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    by_query = types_of(tables, chain.types)
    configs = {query: expansions[name] for query, name in by_query.items() if name in expansions}
    configs |= dict.fromkeys(stand_ins(tables, by_query, instead), ExpandConfig())
    return expand(chain.build, tables["query"], tables[chain.ranked], expansions[""], configs)


def expand(
    build: PublishedBuild,
    queries: pa.Table,
    run: pa.Table,
    config: ExpandConfig,
    configs: Mapping[str, ExpandConfig] = MappingProxyType({}),
) -> pa.Table:
    """The candidates of each query with what joins them; only law of its day does.

    ``configs``: parameters of the queries for which others hold, by their id.
    """
    days = dict(zip(*queries.select(["query_id", "as_of"]).to_pydict().values(), strict=True))
    out = {}
    for query, ranked in rankings(run).items():
        expansion, law = configs.get(query, config), build.eligible(days[query])
        out[query] = _expanded(build, ranked, law, expansion) if expansion.on else ranked
    return make_run(out, "expanded")


def _expanded(build: PublishedBuild, ranked: Ranked, eligible: Mask, config: ExpandConfig) -> Ranked:
    def punishing(row: int) -> bool:
        return bool(eligible[row] and _PUNISHES.search(build.passage(row)["text"]))

    scores: dict[str, float] = {}
    provisions: set[str] = set()
    for rank, (chunk, score) in enumerate(ranked):
        scores.setdefault(chunk, score)
        rows = list(build.family(build.rows[chunk])) if rank < config.family else []
        cited = build.citations[chunk]
        if cited is not None and cited not in provisions:
            provisions.add(cited)
            if len(provisions) <= config.cited:
                rows += _firsts(build, cited, config.breadth, eligible.__getitem__)
            if len(provisions) <= config.punishing:
                rows += _firsts(build, cited, None, punishing)[: config.breadth]
        for row in rows:
            if eligible[row]:
                scores.setdefault(build.chunk_ids[row], score)
    return list(scores.items())[: config.most]


def _firsts(
    build: PublishedBuild, provision: str, breadth: int | None, fits: Callable[[int], bool]
) -> list[int]:
    """The first chunk that fits of each provision that one cites, and that cites it."""
    nodes, edges = build.graph_tables["nodes"], build.graph_tables["edges"]
    graph = build.shared("references between provisions", lambda: Graph(nodes, edges, LAW))
    node = graph.at.get(provision)
    near = [] if node is None else graph.neighbours(node, breadth or len(graph.ids))
    rows = (next(filter(fits, build.rows_of(graph.ids[other])), None) for other in near)
    return [row for row in rows if row is not None]
