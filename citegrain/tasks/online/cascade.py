"""The online chain: complaints to checked answers. ``ask`` is a batch of one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from citegrain.tasks.core.schemas import ANSWERS, TableSchema
from citegrain.tasks.core.stage import Key, Stage, digest
from citegrain.tasks.online import fuse as fuse_stage
from citegrain.tasks.online import query as query_stage
from citegrain.tasks.online import rerank as rerank_stage
from citegrain.tasks.online import retrieve as retrieve_stage
from citegrain.tasks.online import select as select_stage
from citegrain.tasks.online import verify as verify_stage
from citegrain.tasks.online.fuse import FuseConfig, fuse
from citegrain.tasks.online.generate import AnswerSchema, Endpoint, GenerateConfig, generate, reply_rows
from citegrain.tasks.online.hits import Hit, make_hits
from citegrain.tasks.online.query import Lexicon, QueryConfig, make_queries
from citegrain.tasks.online.rerank import RerankConfig, Scorer, make_scorer, pair_rows, rerank
from citegrain.tasks.online.retrieve import (
    BY_VECTOR,
    RetrieveConfig,
    query_vectors,
    search_channel,
    vector_rows,
)
from citegrain.tasks.online.select import SelectConfig, select
from citegrain.tasks.online.verify import VerifyConfig, verify

if TYPE_CHECKING:
    from citegrain.tasks.online.builds import Build, Matrix

Progress = Callable[[int], None]


@dataclass(frozen=True)
class CascadeConfig:
    """Parameters of the online stages.

    Attributes
    ----------
    roles, attributes
        Keys of an answer that the corpus fixes: its parties, and what its law tells of a charge.
    """

    query: QueryConfig = field(default_factory=QueryConfig)
    retrieve: RetrieveConfig = field(default_factory=RetrieveConfig)
    fuse: FuseConfig = field(default_factory=FuseConfig)
    rerank: RerankConfig = field(default_factory=RerankConfig)
    select: SelectConfig = field(default_factory=SelectConfig)
    generate: GenerateConfig = field(default_factory=GenerateConfig)
    verify: VerifyConfig = field(default_factory=VerifyConfig)
    roles: tuple[str, ...] = ("victim", "culprit")
    attributes: tuple[str, ...] = ("bailable", "cognizable")

    @classmethod
    def chosen(cls, k: int = 5, *, trained: bool, expanded: bool) -> CascadeConfig:
        """What conf/experiment tells: ``default``, or ``untrained`` without its glossary; ``k`` provisions.

        Parameters
        ----------
        trained
            Whether a reader that was trained encodes the queries; else what all stories share is taken off.
        expanded
            Whether there are lay texts to search.
        """
        channels = ["dense", "provision", *(["lay_dense", "lay_sparse"] if expanded else [])]
        return cls(
            retrieve=RetrieveConfig(
                channels, schedules=False, counterparts=True, centre=0.0 if trained else 0.75, rarity=True
            ),
            fuse=FuseConfig(
                weights={"dense": 2.0, "sparse": 1.0, "provision": 1.0, "lay_dense": 2.0, "lay_sparse": 1.0},
                weights_named={"provision": 3.0},
            ),
            rerank=RerankConfig("none", scale="raw", provenance=0.0),
            select=SelectConfig(k=k),
        )


@dataclass(frozen=True)
class Step:
    """One stage run of the chain: what it reads, what shapes it and the work.

    Attributes
    ----------
    name
        Of its table: ``query``, a channel, ``fused``, ``reranked``, ``selected``, ``answers``.
    params
        The parameters that are read, and no others.
    reads
        Names of the steps whose tables it reads.
    sources
        Digest of whatever else shapes the result: the build, the model.
    work
        From tables by name to its own; the second argument is called with numbers of queries done.
    """

    name: str
    stage: Stage
    params: Mapping[str, Any]
    reads: tuple[str, ...]
    sources: Mapping[str, Any]
    work: Callable[[Mapping[str, pa.Table], Progress], pa.Table]

    @property
    def schema(self) -> TableSchema:
        """Schema of its table."""
        return self.stage.outputs[0]

    def key(self, contents: Mapping[str, str]) -> Key:
        """Its key, from the contents of what it reads."""
        return self.stage.key(self.params, {name: contents[name] for name in self.reads} | dict(self.sources))


@dataclass
class CascadeResult:
    """What every stage made.

    Attributes
    ----------
    runs
        Run of each step by name, in order: the channels, ``fused``, ``reranked``, ``selected``.
    hits
        What was selected, as it is shown, by query.
    answers
        Table ``answers``.
    seconds
        Wall-clock time of each step.
    """

    queries: pa.Table
    runs: dict[str, pa.Table]
    hits: dict[str, list[Hit]]
    answers: pa.Table
    seconds: dict[str, float]


class Cascade:
    """The online stages over one build, with their models loaded once.

    Parameters
    ----------
    store
        Where query vectors, pair scores and replies are kept; None keeps none.
    endpoint
        The generator's, where a model is asked.
    """

    def __init__(
        self,
        build: Build,
        config: CascadeConfig,
        store: Path | None = None,
        endpoint: Endpoint | None = None,
    ) -> None:
        self.build = build
        self.config = config
        self.lexicon = build.shared("lexicon", lambda: Lexicon(build.names()))
        self.schema = AnswerSchema(config.roles, config.attributes)
        self.endpoint = endpoint
        self._space = build.query_space
        # its model is loaded, and passages are encoded, once for all configurations
        self.scorer: Scorer | None = build.shared(
            ("scorer", *config.rerank.scoring().values()),
            lambda: make_scorer(
                config.rerank, lambda: build.encoder, self._space, build.token_vectors(), build.models
            ),
        )
        self._pairs = pair_rows(store, self.scorer) if store is not None and self.scorer else None
        self._replies = (
            reply_rows(store, endpoint, config.generate) if store is not None and endpoint else None
        )
        self._vector_rows = None
        if store is not None:
            dimension = int(build.manifest["dimension"])
            prefix = build.embed_config.query_prefix
            self._vector_rows = vector_rows(store, self._space, prefix, dimension)
        self._vectors: tuple[pa.Table, Matrix] | None = None
        self._hits: tuple[pa.Table, dict[str, list[Hit]]] | None = None

    def steps(self, texts: Mapping[str, str], as_of: Mapping[str, date | None]) -> list[Step]:
        """The chain for some complaints, in the order of the work.

        Parameters
        ----------
        texts
            Complaint by query id.
        as_of
            Day whose law is searched, by query id; None searches the latest version of each Act.
        """
        config, build = self.config, self.build
        held = {"build": build.folder.name}
        if build.correspondence is not None:
            held |= {"counterparts": build.correspondence.sha256}
        asked = {q: [text, as_of.get(q)] for q, text in texts.items()}
        return [
            Step(
                "query",
                query_stage.STAGE,
                config.query.parameters(),
                (),
                {"queries": digest(asked), "names": digest(build.names())},
                lambda tables, done: make_queries(texts, self.lexicon, config.query, as_of),
            ),
            *(
                Step(
                    channel,
                    retrieve_stage.STAGE,
                    config.retrieve.parameters(channel),
                    ("query",),
                    held,
                    partial(self._search, channel),
                )
                for channel in config.retrieve.channels
            ),
            Step(
                "fused",
                fuse_stage.STAGE,
                config.fuse.parameters(config.retrieve.channels),
                ("query", *config.retrieve.channels),
                {},
                lambda tables, done: fuse(
                    {c: tables[c] for c in config.retrieve.channels}, config.fuse, _naming(tables["query"])
                ),
            ),
            *self._judging(),
        ]

    def _judging(self) -> list[Step]:
        """The steps behind fusion: candidates are scored anew, cut down, and answered from."""
        config, build = self.config, self.build
        held = {"build": build.folder.name}
        scorer = {"scorer": self.scorer.identity} if self.scorer else {}
        answering = {
            "generate": config.generate.parameters(),
            "verify": asdict(config.verify),
            "roles": config.roles,
            "attributes": config.attributes,
        }
        model = {"model": [self.endpoint.base_url, self.endpoint.model]} if self.endpoint else {}
        return [
            Step(
                "reranked",
                rerank_stage.STAGE,
                config.rerank.parameters(),
                ("query", "fused"),
                held | scorer,
                lambda tables, done: rerank(
                    build, tables["query"], tables["fused"], self.scorer, config.rerank, self._pairs, done
                ),
            ),
            Step(
                "selected",
                select_stage.STAGE,
                config.select.parameters(),
                ("reranked",),
                held,
                lambda tables, done: select(build, tables["reranked"], config.select),
            ),
            Step(
                "answers",
                verify_stage.STAGE,
                answering,
                ("query", "selected"),
                held | model,
                self._answer,
            ),
        ]

    def _search(self, channel: str, tables: Mapping[str, pa.Table], done: Progress) -> pa.Table:
        vectors = self.vectors(tables["query"]) if channel in BY_VECTOR else None
        return search_channel(self.build, tables["query"], channel, self.config.retrieve, vectors)

    def _answer(self, tables: Mapping[str, pa.Table], done: Progress) -> pa.Table:
        """``generate`` and ``verify`` in one: no answer is kept whose citations are not checked."""
        config, queries = self.config, tables["query"]
        hits = self.hits(queries, tables["selected"])
        made = generate(queries, hits, config.generate, self.schema, self.endpoint, self._replies, done)
        rows = verify(
            self.build, self.lexicon, queries, made, hits, self.schema, config.verify, config.generate
        )
        return ANSWERS.rows(rows)

    def vectors(self, queries: pa.Table) -> Matrix:
        """Vector of each query, shape (queries, dimension); kept for the table asked last."""
        if self._vectors is None or self._vectors[0] is not queries:
            rows = queries.select(["query_id", "texts"]).to_pylist()
            self._vectors = (queries, query_vectors(self.build, rows, self._vector_rows))
        return self._vectors[1]

    def hits(self, queries: pa.Table, selected: pa.Table) -> dict[str, list[Hit]]:
        """What was selected for each query, as it is shown; kept for the table asked last."""
        if self._hits is None or self._hits[0] is not selected:
            vectors = self.vectors(queries)
            ids = queries.column("query_id").to_pylist()
            hits: dict[str, list[Hit]] = {q: [] for q in ids}
            hits |= make_hits(self.build, selected, {q: vectors[i] for i, q in enumerate(ids)})
            self._hits = (selected, hits)
        return self._hits[1]

    def run(
        self,
        texts: Mapping[str, str],
        as_of: date | None = None,
        progress: Progress = lambda n: None,
    ) -> CascadeResult:
        """Answer complaints.

        Parameters
        ----------
        texts
            Complaint by query id.
        as_of
            Only law in force on this day is searched; None searches the latest version of each Act.
        progress
            Called with the number of queries that a model has answered.
        """
        tables: dict[str, pa.Table] = {}
        seconds: dict[str, float] = {}
        for step in self.steps(texts, dict.fromkeys(texts, as_of)):
            begun = time.perf_counter()
            if step.name in BY_VECTOR and "encode" not in seconds:
                self.vectors(tables["query"])
                seconds["encode"] = time.perf_counter() - begun
                begun = time.perf_counter()
            done = progress if step.name == "answers" else (lambda n: None)
            tables[step.name] = step.work(tables, done)
            seconds[step.name] = time.perf_counter() - begun
        runs = {name: table for name, table in tables.items() if name not in ("query", "answers")}
        hits = self.hits(tables["query"], tables["selected"])
        return CascadeResult(tables["query"], runs, hits, tables["answers"], seconds)


def _naming(queries: pa.Table) -> set[str]:
    """Ids of the queries that name a provision."""
    columns = queries.select(["query_id", "mentions"]).to_pydict()
    return {q for q, mentions in zip(columns["query_id"], columns["mentions"], strict=True) if mentions}


def explain(result: CascadeResult, query_id: str, citations: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each provision selected: its best rank and score in every step.

    Returns
    -------
    list of dict
        ``provision_id``, and by step (rank, score) of its best chunk, None where it has no place.
    """
    places: dict[str, dict[str, tuple[int, float]]] = {}
    for name, run in result.runs.items():
        for row in run.to_pylist():
            if row["query_id"] == query_id:
                held = places.setdefault(str(citations[row["chunk_id"]]), {})
                held.setdefault(name, (row["rank"], row["score"]))
    return [
        {"provision_id": hit.provision_id}
        | {name: places[hit.provision_id].get(name) for name in result.runs}
        for hit in result.hits[query_id]
    ]
