"""The online chain: complaints to checked answers. ``ask`` is a batch of one.

The chain knows no option. It walks the stages of the configuration (``configuration.ONLINE_STAGES``): each
takes the chain as it stands and returns it with its own steps behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.stage import digest
from citegrain.tasks.offline.embed import query_rows
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.configuration import CascadeConfig
from citegrain.tasks.online.hits import Hit, make_hits
from citegrain.tasks.online.retrieve import query_vectors
from citegrain.tasks.online.steps import NOT_JUDGED, CascadeResult, Judging, OnStep, Step, run_steps

__all__ = ["Cascade", "CascadeConfig", "CascadeResult", "Chain", "Steps"]

Steps = Callable[[Mapping[str, str], Mapping[str, date | None]], list[Step]]
"""The steps of a cascade for some texts, by the law of their days."""


class Cascade:
    """The online stages over one build, with their models loaded once.

    ``store``: where query vectors, pair scores and replies are kept; None keeps none.
    """

    def __init__(
        self,
        build: PublishedBuild,
        config: CascadeConfig,
        store: Path | None = None,
        endpoint: Endpoint | None = None,
    ) -> None:
        self.build = build
        classified = build.manifest["counts"].get("classification")  # else no text says what an offence is
        self.config = replace(config.deep_enough(), attributes=config.attributes if classified else ())
        self.store = store
        self.endpoint = endpoint
        self._vectors: dict[str, tuple[pa.Table, Matrix]] = {}
        self._rows: tuple[pa.Table, list[dict[str, Any]]] | None = None
        self._hits: tuple[pa.Table, dict[str, list[Hit]]] | None = None

    def __reduce__(self) -> tuple[type[Cascade], tuple[Any, ...]]:
        """Pickled as what it was created from: another process opens the build and loads models itself."""
        return type(self), (self.build, self.config, self.store, self.endpoint)

    def over(self, build: PublishedBuild) -> Cascade:
        """The same over another view of the build."""
        return Cascade(build, self.config, self.store, self.endpoint)

    def with_config(self, config: CascadeConfig) -> Cascade:
        """The same over the same build, with another configuration."""
        return Cascade(self.build, config, self.store, self.endpoint)

    def steps(self, texts: Mapping[str, str], as_of: Mapping[str, date | None]) -> list[Step]:
        """The chain for some complaints, in the order of the work.

        ``as_of``: day whose law is searched, by query id; None searches the latest version of each Act.
        """
        return list(self._chain(texts, as_of).steps)

    def _chain(self, texts: Mapping[str, str], as_of: Mapping[str, date | None]) -> Chain:
        chain = Chain(self, texts, as_of)
        for stage in self.config.stages():
            chain = import_module(stage.maker).steps(chain)
        return chain

    def rows(self, queries: pa.Table) -> list[dict[str, Any]]:
        """The rows of a table of queries; cached for the last table."""
        if self._rows is None or self._rows[0] is not queries:
            self._rows = (queries, queries.to_pylist())
        return self._rows[1]

    def vectors(self, queries: pa.Table, space: str = "") -> Matrix:
        """Vector of each query in a space, shape (queries, dimension); cached for the last table."""
        if space not in self._vectors or self._vectors[space][0] is not queries:
            build, cached = self.build.in_space(space), None
            if self.store:
                dimension, prefix = int(build.manifest["dimension"]), build.embed_config.query_prefix
                cached = query_rows(self.store, build.query_space, prefix, dimension)
            self._vectors[space] = (queries, query_vectors(build, self.rows(queries), cached))
        return self._vectors[space][1]

    def hits(self, queries: pa.Table, selected: pa.Table) -> dict[str, list[Hit]]:
        """What was selected for each query, as it is shown; cached for the last table."""
        if self._hits is None or self._hits[0] is not selected:
            self._hits = (selected, make_hits(self.build, selected, queries))
        return self._hits[1]

    def run(
        self,
        texts: Mapping[str, str],
        as_of: date | Mapping[str, date | None] | None = None,
        on_step: OnStep = lambda step, table: None,
    ) -> CascadeResult:
        """Answer complaints.

        ``as_of``: only law in force on this day, or that of each, is searched; None searches the latest
        version of each Act. ``on_step``: called after each step with its table.
        """
        days = as_of if isinstance(as_of, Mapping) else dict.fromkeys(texts, as_of)
        chain = self._chain(texts, days)
        tables = run_steps(chain.steps, on_step=on_step)
        return CascadeResult(tables, self.hits(tables["query"], tables["selected"]), chain.judging)


@dataclass(frozen=True)
class Chain:
    """The chain as far as it stands, for the stage that comes next.

    ``ranked``: name of the run that has the candidates in their order. ``traces``, ``unresolved``: name of
    the table that says how each complaint was searched again, and what reads from it which parts were left
    open. ``types``: name of the table with the type of each question; empty where all are treated alike.
    ``differences``: what differs for a type: by respect (``words``, ``weights``, ...), then by type.
    """

    cascade: Cascade
    texts: Mapping[str, str]
    as_of: Mapping[str, date | None]
    steps: tuple[Step, ...] = ()
    ranked: str = ""
    judging: Judging = NOT_JUDGED
    traces: str = ""
    unresolved: Callable[[pa.Table], Mapping[str, Sequence[str]]] | None = None
    types: str = ""
    differences: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def build(self) -> PublishedBuild:
        """The build that is searched."""
        return self.cascade.build

    @property
    def config(self) -> CascadeConfig:
        """The parameters of all stages."""
        return self.cascade.config

    @property
    def source(self) -> dict[str, Any]:
        """The build, as a source of a step."""
        return {"build": self.build.folder.name}

    @property
    def names(self) -> str:
        """Digest of the names of the Acts."""
        return self.build.shared("digest of names", lambda: digest(self.build.names()))

    def then(self, *steps: Step, **changes: Any) -> Chain:
        """The chain with steps behind, and what changes by them."""
        return replace(self, steps=(*self.steps, *steps), **changes)

    def reads_types(self, respect: str) -> tuple[str, ...]:
        """The table of types, for a step that reads it where types differ in one respect."""
        return (self.types,) if self.differences.get(respect) else ()


def types_of(tables: Mapping[str, pa.Table], name: str) -> dict[str, str]:
    """Type of each question, by its id; nothing where they have none."""
    if name not in tables:
        return {}
    columns = tables[name].select(["query_id", "type"]).to_pydict()
    return dict(zip(*columns.values(), strict=True))


def query_ids(queries: pa.Table) -> list[str]:
    """Ids of a table of queries, in their order."""
    ids: list[str] = queries.column("query_id").to_pylist()
    return ids
