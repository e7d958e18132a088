"""The online chain: complaints to checked answers. ``ask`` is a batch of one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tasks.fuse import FuseConfig, fuse
from tasks.generate import AnswerSchema, Endpoint, GenerateConfig, generate, reply_rows
from tasks.hits import Hit, make_hits
from tasks.query import Lexicon, QueryConfig, make_queries
from tasks.rerank import RerankConfig, Scorer, make_scorer, pair_rows, rerank
from tasks.retrieve import RetrieveConfig, query_vectors, retrieve
from tasks.schemas import ANSWERS
from tasks.select import SelectConfig, select
from tasks.verify import VerifyConfig, verify

if TYPE_CHECKING:
    from tasks.build import Build


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
        Where pair scores and replies are kept; None keeps none.
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
        self.lexicon = Lexicon(build.names())
        self.schema = AnswerSchema(config.roles, config.attributes)
        self.endpoint = endpoint
        self.scorer: Scorer | None = make_scorer(
            config.rerank,
            lambda: build.encoder,
            str(build.manifest.get("space", build.manifest["weights"]))[:32],
            build.token_vectors(),
            build.models,
        )
        self._pairs = pair_rows(store, self.scorer) if store is not None and self.scorer else None
        self._replies = (
            reply_rows(store, endpoint, config.generate) if store is not None and endpoint else None
        )

    def run(
        self,
        texts: Mapping[str, str],
        as_of: date | None = None,
        progress: Callable[[int], None] = lambda n: None,
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
        config, build = self.config, self.build
        clock = _Clock()
        queries = make_queries(texts, self.lexicon, config.query)
        rows = queries.to_pylist()
        clock.lap("query")
        eligible = build.eligible(as_of)
        clock.lap("filter")
        vectors = query_vectors(build, rows)
        clock.lap("encode")
        runs = retrieve(build, queries, config.retrieve, eligible, vectors)
        clock.lap("retrieve")
        naming = {q["query_id"] for q in rows if q["mentions"]}
        runs["fused"] = fuse(runs, config.fuse, naming)
        clock.lap("fuse")
        runs["reranked"] = rerank(build, queries, runs["fused"], self.scorer, config.rerank, self._pairs)
        clock.lap("rerank")
        runs["selected"] = select(build, runs["reranked"], config.select)
        by_id = {q["query_id"]: vectors[i] for i, q in enumerate(rows)}
        hits: dict[str, list[Hit]] = {q["query_id"]: [] for q in rows}
        hits |= make_hits(build, runs["selected"], by_id)
        clock.lap("select")
        made = generate(queries, hits, config.generate, self.schema, self.endpoint, self._replies, progress)
        clock.lap("generate")
        answers = verify(build, self.lexicon, made, hits, self.schema, config.verify, config.generate, as_of)
        clock.lap("verify")
        return CascadeResult(queries, runs, hits, ANSWERS.rows(answers), clock.seconds)


class _Clock:
    """Wall-clock seconds between laps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End the step ``name``."""
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now


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
