"""The steps that search for rewrites of complaints, and join what they find with what the complaints find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint, reply_rows
from citegrain.tasks.core.runs import Ranked, collapse, make_run, rankings, reciprocal_rank_fusion
from citegrain.tasks.core.schemas import EXPANSION, QUERIES, RUNS
from citegrain.tasks.core.stage import Stage, digest
from citegrain.tasks.online import rewrite as rewrite_stage
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.configuration import CascadeConfig
from citegrain.tasks.online.retrieve import nearest_lay_texts
from citegrain.tasks.online.rewrite import HINTED, Hint, make_rewrites
from citegrain.tasks.online.steps import Progress, Step, run_steps

FUSED, REWRITTEN, VARIANTS, JOINED = "fused", "rewritten", "variants", "joined"
JOIN = Stage("join", 1, (RUNS,))
Steps = Callable[[Mapping[str, str], Mapping[str, date | None]], list[Step]]
"""The steps of a cascade for some texts, by the law of their days."""


def joined_run(config: CascadeConfig) -> str:
    """The name of the run in which all that was searched is joined."""
    return JOINED if config.query.searched_apart else FUSED


@dataclass(frozen=True)
class Rewriting:
    """What rewrites are made and searched with.

    Attributes
    ----------
    below
        The steps of the same cascade without rewrites: with them each rewrite is searched by itself.
    vectors
        Of the complaints.
    """

    build: PublishedBuild
    config: CascadeConfig
    below: Steps
    vectors: Callable[[pa.Table], Matrix]
    endpoint: Endpoint | None
    store: Path | None

    def steps(self) -> list[Step]:
        """The steps behind the fused run of the complaints."""
        query, depth = self.config.query, self.config.fuse.depth
        asked = self.endpoint if query.asks_model else None
        source = {"build": self.build.folder.name}
        model = {"model": [asked.base_url, asked.model]} if asked else {}
        searched = [(s.name, s.stage.version, s.params, s.sources) for s in self._searching({}, {})]
        lay = {name: getattr(self.config.retrieve, name) for name in ("centre", "counterparts", "schedules")}
        params = query.of_rewrites() | lay
        reads = ("query", FUSED)
        return [
            Step(REWRITTEN, rewrite_stage.STAGE, params, reads, source | model, self._rewrite),
            Step(
                VARIANTS,
                JOIN,
                {"weight": query.weight},
                ("query", REWRITTEN),
                {"searched": digest(searched)},
                self._search,
            ),
            Step(JOINED, JOIN, {"depth": depth}, (FUSED, VARIANTS), {}, self._join),
        ]

    def _searching(self, texts: Mapping[str, str], as_of: Mapping[str, date | None]) -> list[Step]:
        steps = self.below(texts, as_of)
        return steps[: 1 + [step.name for step in steps].index(FUSED)]

    def _rewrite(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        queries, first = tables["query"], rankings(tables[FUSED])
        config, endpoint = self.config.query, self.endpoint
        vectors = dict(zip(queries.column("query_id").to_pylist(), self.vectors(queries), strict=True))
        asked = {row["query_id"]: row for row in queries.select(["query_id", "text", "as_of"]).to_pylist()}

        def hints(query: str) -> list[Hint]:
            return self._hints(first.get(query, []), asked[query]["as_of"], vectors[query])

        rows = None
        if self.store and endpoint:
            rows = reply_rows(self.store, rewrite_stage.STAGE.name, endpoint, config)
        texts = {query: row["text"] for query, row in asked.items()}
        return make_rewrites(texts, hints, self.build.encode_queries, config, endpoint, rows, progress)

    def _hints(self, ranked: Ranked, day: date | None, vector: Matrix) -> list[Hint]:
        """What the build says of the first provisions."""
        written = self.build.has(EXPANSION)
        lay_texts = nearest_lay_texts(self.build, self.config.retrieve, day, vector) if written else {}
        out = []
        for provision, chunk_id, _ in collapse(ranked, self.build.citations)[:HINTED]:
            chunk = self.build.chunk(chunk_id)
            heading = str(self.build.provision(provision, chunk["version_date"])["heading"])
            out.append(Hint(heading, lay_texts.get(provision, ""), str(chunk["text"])))
        return out

    def _search(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        """The run of the rewrites of each complaint, joined by ranks."""
        days = dict(zip(*tables["query"].select(["query_id", "as_of"]).to_pydict().values(), strict=True))
        rewrites = {str(i): row for i, row in enumerate(tables[REWRITTEN].to_pylist()) if row["texts"]}
        lists: dict[str, list[Ranked]] = {query: [] for query in days}
        if rewrites:
            hits = rankings(self._search_each(rewrites, days))
            for name, row in rewrites.items():
                lists[row["query_id"]].append(hits.get(name, []))
        weight = self.config.query.weight
        joined = {q: reciprocal_rank_fusion(of, weights=[weight] * len(of)) for q, of in lists.items()}
        return make_run(joined, VARIANTS)

    def _search_each(
        self, rewrites: Mapping[str, Mapping[str, Any]], days: Mapping[str, date | None]
    ) -> pa.Table:
        """What each rewrite finds when it is searched by itself."""
        texts = {name: row["texts"][0]["text"] for name, row in rewrites.items()}
        steps = self._searching(texts, {name: days[row["query_id"]] for name, row in rewrites.items()})
        at = [step.name for step in steps].index("query")
        tables = run_steps(steps[: at + 1])
        rows = tables["query"].to_pylist()
        for row in rows:
            row["texts"] = [*rewrites[row["query_id"]]["texts"], *row["texts"][1:]]
        return run_steps(steps[at + 1 :], tables | {"query": QUERIES.rows(rows)})[FUSED]

    def _join(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        """The complaints' lists and those of their rewrites, joined by reciprocal ranks."""
        variants, depth = rankings(tables[VARIANTS]), self.config.fuse.depth
        joined = {}
        for query, ranked in rankings(tables[FUSED]).items():
            scores = dict(reciprocal_rank_fusion([ranked]))
            for chunk, score in variants.get(query, []):
                scores[chunk] = scores.get(chunk, 0.0) + score
            joined[query] = sorted(scores.items(), key=lambda item: -item[1])[:depth]
        return make_run(joined, JOINED)
