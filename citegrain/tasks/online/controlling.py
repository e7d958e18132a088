"""The steps of the chain in which a controller searches again for a complaint, part by part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.runs import collapse, rankings
from citegrain.tasks.core.schemas import ESTIMATES
from citegrain.tasks.core.stage import Stage, digest
from citegrain.tasks.online import controller as controller_stage
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.configuration import CascadeConfig
from citegrain.tasks.online.controller import (
    MODEL,
    Asked,
    Means,
    Model,
    Passage,
    make_mind,
    make_pooled,
    make_traces,
)
from citegrain.tasks.online.estimate import Catalogue, Estimates
from citegrain.tasks.online.steps import Progress, Step, run_steps

TRACES, POOLED, RANKED = "traces", "pooled", "reranked"
ESTIMATED, EXPECTED = "estimated", "expected"
EXPECT = Stage("expected", 1, (ESTIMATES,))
Steps = Callable[[Mapping[str, str], Mapping[str, date | None]], list[Step]]


def means_of(
    build: PublishedBuild,
    config: CascadeConfig,
    learned: Estimates | None,
    endpoint: Endpoint | None,
    store: Path | None,
) -> Means:
    """What the mind of a configuration has to think with."""
    of, model, catalogue = config.controller, None, None
    if endpoint is not None and of.kind in MODEL:
        model = Model(endpoint, of, store)
    if learned is not None:
        catalogue = partial(Catalogue.of, build, config.estimate.vectors, learned.catalogue)
    return Means(build, of, model, catalogue)


def controller_steps(means: Means, cascade: Steps) -> list[Step]:
    """The steps of the loop; ``cascade`` gives those of a single search, to which each round comes back."""
    below = [
        (s.name, s.stage.version, s.params, s.sources) for s in _single(cascade, {}, {}) if s.name != "query"
    ]
    params, estimated = means.config.parameters(), means.catalogue is not None
    reads = ("query", RANKED, *((ESTIMATED,) if estimated else ()))
    sources = {"cascade": digest(below)} | (means.model.source if means.model else {})
    source = {"build": means.build.folder.name}
    expected = Step(EXPECTED, EXPECT, {}, (POOLED, ESTIMATED), source, partial(_expect, means.build))
    return [
        Step(TRACES, controller_stage.STAGE, params, reads, sources, partial(_trace, means, cascade)),
        Step(POOLED, controller_stage.POOLED, params, ("query", RANKED, TRACES), {}, partial(_pool, means)),
        *([expected] if estimated else []),
    ]


def _expect(build: PublishedBuild, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
    """Table ``estimates`` of the pool: what only a part of a complaint brought has the pool's probability."""
    rows = tables[ESTIMATED].to_pylist()
    known = {(row["query_id"], row["provision_id"]) for row in rows}
    for query, ranked in rankings(tables[POOLED]).items():
        rows += [
            {"query_id": query, "provision_id": p, "chunk_id": chunk, "applies": score, "primary": 0.0}
            for p, chunk, score in collapse(ranked, build.citations)
            if (query, p) not in known
        ]
    return ESTIMATES.rows(rows)


def _single(cascade: Steps, texts: Mapping[str, str], as_of: Mapping[str, date | None]) -> list[Step]:
    """The steps of a single search as far as it ranks and estimates."""
    steps = cascade(texts, as_of)
    return steps[: 1 + next(i for i, step in enumerate(steps) if step.name == RANKED)]


def _trace(means: Means, cascade: Steps, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
    queries = tables["query"]
    retrieve = Searching(means.build, cascade, means.config.passages)
    retrieve.know(queries, tables)
    return make_traces(queries, make_mind(means), retrieve)


def _pool(means: Means, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
    return make_pooled(tables["query"], tables[TRACES], tables[RANKED], make_mind(means))


@dataclass
class Searching:
    """A ``Retriever``: the cascade below, asked for a batch of texts at once; what it gave is given again.

    Attributes
    ----------
    most
        Passages that are given of each text, each of another provision.
    """

    build: PublishedBuild
    cascade: Steps
    most: int
    _given: dict[Asked, list[Passage]] = field(default_factory=dict)

    def __call__(self, asked: Sequence[Asked]) -> Sequence[Sequence[Passage]]:
        """Passages of each text, best first."""
        new = {str(i): one for i, one in enumerate(dict.fromkeys(asked)) if one not in self._given}
        if new:
            texts, days = {i: one.text for i, one in new.items()}, {i: one.as_of for i, one in new.items()}
            tables = run_steps(_single(self.cascade, texts, days))
            self.know(tables["query"], tables)
        return [self._given[one] for one in asked]

    def know(self, queries: pa.Table, tables: Mapping[str, pa.Table]) -> None:
        """Take over what a search gave."""
        ranked, likely = rankings(tables[RANKED]), _probabilities(tables.get(ESTIMATED))
        for query, one in controller_stage.asked_of(queries).items():
            cited = collapse(ranked.get(query, []), self.build.citations)[: self.most]
            self._given[one] = [
                Passage(chunk, provision, score, likely.get((query, provision)), self._text(chunk))
                for provision, chunk, score in cited
            ]

    def _text(self, chunk_id: str) -> str:
        return str(self.build.chunk(chunk_id)["text"])


def _probabilities(estimates: pa.Table | None) -> dict[tuple[str, str], float]:
    """Probability that a provision applies, by query and provision."""
    if estimates is None:
        return {}
    columns = estimates.select(["query_id", "provision_id", "applies"]).to_pydict()
    return {(q, p): a for q, p, a in zip(*columns.values(), strict=True)}
