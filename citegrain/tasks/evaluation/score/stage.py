"""Declaration of ``score``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, collapse, rankings
from citegrain.tasks.core.schemas import FUNNEL, SCORES
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.evaluation.score.answers import predicted
from citegrain.tasks.evaluation.score.funnel import Places, funnel_rows, places_of
from citegrain.tasks.evaluation.score.gold import GoldQuery
from citegrain.tasks.evaluation.score.metrics import answer_scores, ranking_scores
from citegrain.tasks.evaluation.score.spans import Stretch, span_scores
from citegrain.tasks.online.builds import PublishedBuild

STAGE = Stage("score", 3, (SCORES, FUNNEL))


def whole_ranking(build: PublishedBuild, runs: Mapping[str, pa.Table]) -> dict[str, list[str]]:
    """What a user would read, by query id: the provisions selected, then the rest of the reranked."""
    selected, reranked = rankings(runs["selected"]), rankings(runs.get("pooled", runs["reranked"]))
    out = {}
    for query in dict.fromkeys([*selected, *reranked]):
        first = [build.citations[c] for c, _ in selected.get(query, [])]
        rest = [p for p, _, _ in collapse(reranked.get(query, []), build.citations)]
        out[query] = list(dict.fromkeys(p for p in [*first, *rest] if p is not None))
    return out


def score(
    build: PublishedBuild,
    gold: Sequence[GoldQuery],
    runs: Mapping[str, pa.Table],
    answers: pa.Table,
) -> Tables:
    """Tables ``scores`` and ``funnel`` of one configuration.

    Runs collapse to provisions first. The ranking that is scored is :func:`whole_ranking`, to a
    depth of 20. Where gold is characters, chunks are scored as they stand.

    Parameters
    ----------
    gold
        Every query that was asked; one without a row in ``answers`` has failed.
    runs
        Runs by step: the channels, ``fused``, ``reranked``, ``selected``; where others joined the fused
        candidates, ``joined``, or ``expanded`` behind it, stands for ``fused``; where a controller searched,
        ``pooled`` stands for ``fused`` and ``reranked``, and is a channel too.
    """
    last = next(name for name in ("pooled", "expanded", "joined", "fused") if name in runs)
    candidates = {"fused": runs[last]} | ({"reranked": runs[last]} if last == "pooled" else {})
    runs = {name: run for name, run in runs.items() if name not in ("expanded", "joined")} | candidates
    by_step = {name: rankings(run) for name, run in runs.items()}
    channels = [name for name in runs if name not in ("fused", "reranked", "selected")]
    rows = {row["query_id"]: row for row in answers.to_pylist()}

    def provisions(step: str, query: str) -> list[str]:
        return [p for p, _, _ in collapse(by_step[step].get(query, []), build.citations)]

    ranked = whole_ranking(build, runs)
    fused: dict[str, list[str]] = {}
    scores: list[dict[str, Any]] = []
    losses: list[dict[str, Any]] = []
    by_answer: dict[str, dict[str, float]] = {}
    for query in gold:
        name = query.query_id
        chosen = by_step["selected"].get(name, [])
        cited = [build.citations[c] for c, _ in chosen]
        selected = list(dict.fromkeys(p for p in cited if p is not None))
        fused[name], reranked = provisions("fused", name), provisions("reranked", name)
        answer = predicted(rows.get(name))
        by_answer[name] = answer_scores(query, answer, [build.place(c) for c, _ in chosen])
        retrieved: dict[str, int] = {}
        for channel in channels:
            for provision, rank in places_of(provisions(channel, name)).items():
                retrieved[provision] = min(rank, retrieved.get(provision, rank))
        places = Places(retrieved, places_of(fused[name]), places_of(reranked), places_of(selected))
        losses += funnel_rows(query, places, answer)
    by_ranking = ranking_scores(gold, ranked, fused)
    for query in gold:
        if query.spans:
            by_answer[query.query_id] |= _by_characters(build, query, by_step)
    for query in gold:
        measured = by_answer[query.query_id] | by_ranking.get(query.query_id, {})
        scores += [{"query_id": query.query_id, "metric": m, "value": v} for m, v in measured.items()]
    return {SCORES.name: SCORES.rows(scores), FUNNEL.name: FUNNEL.rows(losses)}


def _by_characters(
    build: PublishedBuild, query: GoldQuery, by_step: Mapping[str, Mapping[str, Ranked]]
) -> dict[str, float]:
    """Metrics of a query whose gold is characters: the chunks selected, then the rest of the reranked."""
    chosen = [c for c, _ in by_step["selected"].get(query.query_id, [])]
    rest = [c for c, _ in by_step["reranked"].get(query.query_id, [])]
    ranking = [Stretch(*build.span(c)) for c in dict.fromkeys([*chosen, *rest])]
    parts = [Stretch(*build.cited_span(c)) for c in chosen]
    return span_scores(query.spans, ranking, ranking[: len(chosen)], parts)
