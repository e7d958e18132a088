"""The step that keeps the few that are given."""

from collections.abc import Mapping, Sequence
from functools import partial

import pyarrow as pa

from citegrain.tasks.online.cascade import Cascade, Chain, query_ids
from citegrain.tasks.online.estimate import estimates_of
from citegrain.tasks.online.hits import carried_by_the_law
from citegrain.tasks.online.retrieve import named_alone
from citegrain.tasks.online.select import STAGE, provisions_named, select, with_alone
from citegrain.tasks.online.steps import Progress, Step


def steps(chain: Chain) -> Chain:
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
    return chain.then(Step("selected", STAGE, config.parameters(), reads, chain.source | alike, work))


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
