"""The online chain: complaints to checked answers. ``ask`` is a batch of one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint, reply_rows
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.runs import is_run, make_run, rankings, reciprocal_rank_fusion
from citegrain.tasks.core.schemas import ANSWERS
from citegrain.tasks.core.stage import digest
from citegrain.tasks.offline.embed import query_rows
from citegrain.tasks.online import features as features_stage
from citegrain.tasks.online import fuse as fuse_stage
from citegrain.tasks.online import query as query_stage
from citegrain.tasks.online import rerank as rerank_stage
from citegrain.tasks.online import retrieve as retrieve_stage
from citegrain.tasks.online import select as select_stage
from citegrain.tasks.online import verify as verify_stage
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.configuration import CascadeConfig
from citegrain.tasks.online.controller import OFF, ControllerConfig, unresolved
from citegrain.tasks.online.controlling import EXPECTED, POOLED, TRACES, controller_steps, means_of
from citegrain.tasks.online.estimate import Estimates, judgements, read_estimates
from citegrain.tasks.online.estimating import Estimating
from citegrain.tasks.online.features import make_features
from citegrain.tasks.online.fuse import Ranker, fuse, fuse_learned, read_ranker
from citegrain.tasks.online.generate import answer_schema, generate
from citegrain.tasks.online.hits import Hit, make_hits
from citegrain.tasks.online.query import make_queries
from citegrain.tasks.online.rerank import Scorer, make_scorer, pair_rows, rerank
from citegrain.tasks.online.result import CascadeResult
from citegrain.tasks.online.retrieve import (
    query_vectors,
    reads_others,
    search_channel,
    split_space,
    what_is_named,
)
from citegrain.tasks.online.rewriting import Rewriting, joined_run
from citegrain.tasks.online.routing import expand_steps, read_route, route_steps, types_of
from citegrain.tasks.online.select import provisions_named, select
from citegrain.tasks.online.steps import OnStep, Progress, Step, run_steps
from citegrain.tasks.online.verify import verify

__all__ = ["Cascade", "CascadeConfig", "CascadeResult"]


class Cascade:
    """The online stages over one build, with their models loaded once.

    Parameters
    ----------
    store
        Where query vectors, pair scores and replies are kept; None keeps none.
    endpoint
        That of a model, where one answers or routes questions.
    """

    def __init__(
        self,
        build: PublishedBuild,
        config: CascadeConfig,
        store: Path | None = None,
        endpoint: Endpoint | None = None,
    ) -> None:
        self.build = build
        self.config = config.deep_enough()
        self.schema = answer_schema(config.roles, config.attributes)
        self.endpoint = endpoint
        self._store = store
        self._vectors: dict[str, tuple[pa.Table, Matrix]] = {}
        self._hits: tuple[pa.Table, dict[str, list[Hit]]] | None = None

    def __reduce__(self) -> tuple[type[Cascade], tuple[Any, ...]]:
        """Pickled as what it was created from: another process opens the build and loads models itself."""
        return type(self), (self.build, self.config, self._store, self.endpoint)

    @cached_property
    def scorer(self) -> Scorer | None:
        """The scorer of the candidates, shared by all cascades over the build; None for none."""
        return make_scorer(self.build, self.config.rerank)

    @cached_property
    def ranker(self) -> Ranker | None:
        """The ranker that joins the channels; None for fusion by ranks or scores."""
        config = self.config.fuse
        learned = config.method == "learned"
        return read_ranker(located(config.ranker), config.ranker_sha256) if learned else None

    @cached_property
    def estimates(self) -> Estimates | None:
        """What was learned of probabilities beside the ranker and the encoder that are used; else None."""
        config, ranker = self.config.estimate, self.ranker
        if config.method == "none" or ranker is None:
            return None
        learned = read_estimates(located(config.model), config.model_sha256)
        fits = (learned.ranker, learned.space) == (ranker.sha256, self.build.query_space)
        return learned if fits else None

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
        searched = {"build": build.folder.name}
        if build.correspondence is not None:
            searched |= {"counterparts": build.correspondence.sha256}
        asked = {q: [text, as_of.get(q)] for q, text in texts.items()}
        lexical = frozenset(q for q, text in texts.items() if build.lexical_only(text))
        words = config.route.differences("words")
        return [
            *route_steps(texts, config.route, self.endpoint, self._store),
            Step(
                "query",
                query_stage.STAGE,
                config.query.parameters(words),
                read_route(config.route, "words"),
                {"queries": digest(asked), "names": self._names},
                partial(self._queries, texts, as_of),
            ),
            *(
                Step(
                    channel,
                    retrieve_stage.STAGE,
                    config.retrieve.parameters(channel),
                    ("query", *(self._first if reads_others(channel) else ())),
                    searched,
                    partial(self._search, channel),
                )
                for channel in (*self._first, *self._later)
            ),
            *self._fusing(lexical),
            *self._estimating(),
            *self._rewriting(),
            *self._judging(),
        ]

    @property
    def _names(self) -> str:
        """Digest of the names of the Acts."""
        return self.build.shared("digest of names", lambda: digest(self.build.names()))

    @property
    def _first(self) -> list[str]:
        """The channels that look by themselves."""
        return [c for c in self.config.retrieve.channels if not reads_others(c)]

    @property
    def _later(self) -> list[str]:
        """The channels that start from what the others found."""
        return [c for c in self.config.retrieve.channels if reads_others(c)]

    def _fusing(self, lexical: Collection[str]) -> list[Step]:
        """The steps that join the channels: by ranks or scores, or by a ranker that reads features.

        Questions in a script that the encoder does not read (``lexical``) are fused without vectors.
        """
        config, source = self.config.fusion, {"build": self.build.folder.name}
        channels = self.config.retrieve.channels
        params = config.parameters(channels)
        ranker = self.ranker
        reads = ("query", *channels)
        joins = (*reads, *read_route(self.config.route, "weights"))
        apart: dict[str, Any] = {"lexical": sorted(lexical)} if lexical else {}
        if lexical and ranker is not None:  # the ranker reads no question that has no vectors
            apart |= {"by_words": replace(config, method="rrf").parameters(channels)}
        if self.config.fuse.rules:  # judges and cases are those of the build
            apart |= source
        if ranker is None:
            return [Step("fused", fuse_stage.STAGE, params, joins, apart, partial(self._fuse, lexical))]
        seen = {"names": ranker.names, "ranker": ranker.sha256, "weights": config.weights}
        features, fused = partial(self._features, ranker), partial(self._fuse_learned, ranker, lexical)
        joined = ("features", *joins) if lexical else ("features",)
        return [
            Step("features", features_stage.STAGE, seen, reads, source, features),
            Step("fused", fuse_stage.STAGE, params, joined, apart, fused),
        ]

    def _estimating(self) -> list[Step]:
        """The steps that say how probable the candidates are; none where that was not learned."""
        if (learned := self.estimates) is None or (ranker := self.ranker) is None:
            return []
        config, names = self.config.estimate, self._names
        return Estimating(self.build, config, learned, ranker, self.vectors).steps(names)

    def _rewriting(self) -> list[Step]:
        """The steps that search for rewrites of the complaints; none where there are none."""
        query = self.config.query
        if not query.searched_apart:
            return []
        plain = replace(query, rewrites=[name for name in query.rewrites if name not in query.searched_apart])
        below = Cascade(self.build, replace(self.config, query=plain), self._store, self.endpoint)
        vectors, store = self.vectors, self._store
        return Rewriting(self.build, self.config, below.steps, vectors, self.endpoint, store).steps()

    def _judging(self) -> list[Step]:
        """The steps behind fusion: candidates are scored anew, cut down, and answered from."""
        config, build = self.config, self.build
        source = {"build": build.folder.name}
        scorer = {"scorer": self.scorer.identity} if self.scorer else {}
        answering = {
            "generate": config.generate.parameters(),
            "verify": asdict(config.verify),
            "roles": config.roles,
            "attributes": config.attributes,
        }
        asked = self.endpoint if config.generate.kind == "llm" else None
        model = {"model": [asked.base_url, asked.model]} if asked else {}
        expanded, looped = expand_steps(build, config), self._looping()
        likely = [EXPECTED if looped else "estimated"] if self.estimates is not None else []
        conformal = config.select.method == "conformal"
        questions = ["query"] if config.select.pinned or conformal else []
        # thresholds, and by which of them a question is judged
        alike = {"estimates": config.estimate.model_sha256, "space": build.query_space} if conformal else {}
        return [
            *expanded,
            Step(
                "reranked",
                rerank_stage.STAGE,
                config.rerank.parameters(),
                ("query", expanded[0].name if expanded else joined_run(config)),
                source | scorer,
                self._rerank,
            ),
            *looped,
            Step(
                "selected",
                select_stage.STAGE,
                config.select.parameters(),
                (POOLED if looped else "reranked", *questions, *likely),
                source | alike,
                self._select,
            ),
            Step(
                "answers",
                verify_stage.STAGE,
                answering,
                ("query", "selected", *(["scope"] if likely else []), *likely, *([TRACES] if looped else [])),
                source | model,
                self._answer,
            ),
        ]

    def _looping(self) -> list[Step]:
        """The steps of a controller, which searches with this chain but without itself; none without one."""
        if self.config.controller.kind == OFF:
            return []
        config = replace(self.config, controller=ControllerConfig())
        below = Cascade(self.build, config, self._store, self.endpoint)
        means = means_of(self.build, self.config, self.estimates, self.endpoint, self._store)
        return controller_steps(means, below.steps)

    def _queries(
        self,
        texts: Mapping[str, str],
        as_of: Mapping[str, date | None],
        tables: Mapping[str, pa.Table],
        progress: Progress,
    ) -> pa.Table:
        of_types = self.config.route.differences("words")
        words = {q: of_types[name] for q, name in types_of(tables).items() if name in of_types}
        return make_queries(texts, self.build.lexicon, self.config.query, as_of, words)

    def _search(self, channel: str, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        queries = tables["query"]
        vectors, first = partial(self.vectors, queries, split_space(channel)[1]), None
        if reads_others(channel):
            lists = [rankings(tables[name]) for name in self._first]
            first = {q: reciprocal_rank_fusion([one.get(q, []) for one in lists]) for q in _ids(queries)}
        return search_channel(self.build, queries, channel, self.config.retrieve, vectors, first)

    def _fuse(self, lexical: Collection[str], tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        runs = {channel: tables[channel] for channel in self.config.retrieve.channels}
        config, rows = self.config.fusion, tables["query"].to_pylist()
        types = types_of(tables)
        if self.config.fuse.rules:
            naming = {row["query_id"]: what_is_named(self.build, row) for row in rows}
        else:
            naming = {row["query_id"]: {"provision"} for row in rows if row["mentions"]}
        naming = {q: {*naming.get(q, ()), types.get(q, "")} for q in _ids(tables["query"])}
        return fuse(runs, config, naming, lexical, self._unread if lexical else ())

    @property
    def _unread(self) -> list[str]:
        """The channels of vectors whose encoder does not read Devanagari."""
        spaces = {c: split_space(c)[1] for c in self.config.retrieve.channels}
        blind = [c for c, s in spaces.items() if s and not self.build.in_space(s).encoder.reads_devanagari]
        return [*fuse_stage.BY_VECTORS, *blind]

    def _features(self, ranker: Ranker, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        runs = {channel: tables[channel] for channel in self.config.retrieve.channels}
        weights = self.config.fuse.weights
        return make_features(self.build, tables["query"], runs, ranker.names, ranker.priors, weights)

    def _fuse_learned(
        self,
        ranker: Ranker,
        lexical: Collection[str],
        tables: Mapping[str, pa.Table],
        progress: Progress,
    ) -> pa.Table:
        fused = fuse_learned(tables["features"], ranker, self.config.fuse.depth)
        if not lexical:
            return fused
        by_words = rankings(self._fuse(lexical, tables, progress))
        return make_run(rankings(fused) | {q: by_words.get(q, []) for q in lexical}, "fused")

    def _rerank(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        pairs = pair_rows(self._store, self.scorer) if self._store and self.scorer else None
        queries = tables["query"]
        (run,) = (table for name, table in tables.items() if name != "query")
        return rerank(self.build, queries, run, self.scorer, self.config.rerank, pairs, progress)

    def _select(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        config, queries, learned = self.config.select, tables.get("query"), self.estimates
        conformal: dict[str, Sequence[float]] = {}
        if queries is not None and learned and config.method == "conformal":
            alike = learned.alike(config.holds, self.vectors(queries))
            conformal = dict(zip(queries.column("query_id").to_pylist(), alike, strict=True))
        named = provisions_named(self.build, queries) if config.pinned and queries is not None else {}
        return select(
            self.build,
            tables.get(POOLED, tables.get("reranked")),
            config,
            tables.get(EXPECTED, tables.get("estimated")),
            conformal,
            named,
        )

    def _answer(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        """``generate`` and ``verify`` in one: no answer is kept whose citations are not checked."""
        config, queries = self.config, tables["query"]
        hits = self.hits(queries, tables["selected"])
        kept, judged = None, judgements(tables.get("scope"), tables.get(EXPECTED, tables.get("estimated")))
        if self._store and self.endpoint:
            kept = reply_rows(self._store, "generate", self.endpoint, config.generate)
        declined = {query for query, judgement in judged.items() if judgement.declined}
        left = unresolved(tables[TRACES]) if TRACES in tables else {}
        asked = queries, hits, config.generate, self.schema, self.endpoint, kept, progress, declined
        generated = generate(*asked, self.build.summaries, left)
        rows = verify(
            self.build, queries, generated, hits, self.schema, config.verify, config.generate, judged, left
        )
        return ANSWERS.rows(rows)

    def vectors(self, queries: pa.Table, space: str = "") -> Matrix:
        """Vector of each query in a space, shape (queries, dimension); kept for the table asked last."""
        if space not in self._vectors or self._vectors[space][0] is not queries:
            build, kept = self.build.in_space(space), None
            if self._store:
                dimension, prefix = int(build.manifest["dimension"]), build.embed_config.query_prefix
                kept = query_rows(self._store, build.query_space, prefix, dimension)
            rows = queries.select(["query_id", "texts"]).to_pylist()
            self._vectors[space] = (queries, query_vectors(build, rows, kept))
        return self._vectors[space][1]

    def hits(self, queries: pa.Table, selected: pa.Table) -> dict[str, list[Hit]]:
        """What was selected for each query, as it is shown; kept for the table asked last."""
        if self._hits is None or self._hits[0] is not selected:
            self._hits = (selected, make_hits(self.build, selected, queries))
        return self._hits[1]

    def run(
        self,
        texts: Mapping[str, str],
        as_of: date | None = None,
        on_step: OnStep = lambda step, table: None,
    ) -> CascadeResult:
        """Answer complaints.

        Parameters
        ----------
        texts
            Complaint by query id.
        as_of
            Only law in force on this day is searched; None searches the latest version of each Act.
        on_step
            Called after each step with its table.
        """
        steps = self.steps(texts, dict.fromkeys(texts, as_of))
        tables = run_steps(steps, on_step=on_step)
        runs = {name: table for name, table in tables.items() if is_run(table)}
        hits = self.hits(tables["query"], tables["selected"])
        more = (tables.get(name) for name in ("features", "scope", "estimated", TRACES))
        return CascadeResult(tables["query"], runs, hits, tables["answers"], *more)


def _ids(queries: pa.Table) -> list[str]:
    ids: list[str] = queries.column("query_id").to_pylist()
    return ids
