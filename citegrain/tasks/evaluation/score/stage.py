"""Stage ``score``: metrics of each query, one's own too, and where each provision that applies was lost."""

import inspect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.plugins import Plugins
from citegrain.tasks.core.runs import Ranked, collapse, rankings, reciprocal_rank_fusion
from citegrain.tasks.core.schemas import FUNNEL, SCORES
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.evaluation.score.gold import (
    GoldItem,
    GoldQuery,
    Predicted,
    Stretch,
    nugget_scores,
    predicted,
    span_scores,
)
from citegrain.tasks.evaluation.score.metrics import KINDS, answer_scores, precision_5, ranking_scores
from citegrain.tasks.evaluation.score.prose import claims_of, grounding_scores, prose_of, prose_scores
from citegrain.tasks.online.builds import PublishedBuild

Described = Mapping[str, Sequence[str]]
"""Kind and meaning of metrics by name."""


def own_metrics(names: Iterable[str], key: str = "metrics") -> dict[str, tuple[str, str]]:
    """Kind and meaning of those of the names that are import paths.

    One that returns ``bool``, as it is annotated, is a proportion, any other a mean. The first line of its
    docstring is its meaning. Raises ValueError if one cannot be imported.
    """
    functions = {name: Plugins(key, ()).function(name) for name in names if ":" in name}
    return {name: (_kind(f), (inspect.getdoc(f) or "").partition("\n")[0]) for name, f in functions.items()}


def _kind(function: Any) -> str:
    returned = inspect.signature(function).return_annotation
    said = returned if isinstance(returned, str) else inspect.formatannotation(returned)
    is_bool = set(re.findall(r"\w+", said)) - {"None", "Optional", "typing"} == {"bool"}
    return "proportion" if is_bool else "mean"


def kinds_with(theirs: Described) -> dict[str, str]:
    """Kinds of all metrics, those of one's own among them."""
    return {**KINDS, **{name: kind for name, (kind, _) in theirs.items()}}


def own_scores(
    names: Iterable[str],
    build: PublishedBuild,
    query: GoldQuery,
    ranking: Sequence[str],
    answer: Predicted,
) -> dict[str, float]:
    """Values of a query; none of a metric that gives None.

    ``ranking``: provisions, best first. Raises ValueError if a function breaks, or gives no number.
    """
    out = {}
    for name in names:
        try:
            value = Plugins("metrics", ()).function(name)(build, query, ranking, answer)
            number = math.nan if value is None else float(value)
        except Exception as error:  # the function of another may raise anything
            what = f"{type(error).__name__}: {error}"
            raise ValueError(f"metric {name}, query {query.query_id}: {what}") from error
        if value is not None and not math.isfinite(number):
            raise ValueError(
                f"metric {name}, query {query.query_id}: {value} is no number; give None for none"
            )
        if value is not None:
            out[name] = number
    return out


LOSSES: Mapping[str, str] = {
    "not_indexed": "it is not indexed",
    "not_in_force": "it is indexed, but it is not law on the query's day",
    "not_retrieved": "no channel retrieved it",
    "cut_by_fusion": "a channel retrieved it, but it is not in the fused list",
    "cut_by_rerank": "reranking moved it out of the places that are selected",
    "cut_by_selection": "it is in the reranked list, but was not selected",
    "cut_by_generator": "it was selected, but the answer does not charge it",
    "wrong_order": "the primary one, charged but not first",
    "failed": "the query has no answer",
    "found": "it is charged, the primary one first",
}
"""What each value of ``lost_at`` means, in the order of the stages."""


def places_of(provisions: Sequence[str]) -> dict[str, int]:
    """Rank of each provision in a list, at its first place."""
    out: dict[str, int] = {}
    for provision in provisions:
        out.setdefault(provision, len(out) + 1)
    return out


def funnel_rows(
    query: GoldQuery, places: Mapping[str, Mapping[str, int]], answer: Predicted
) -> list[dict[str, Any]]:
    """Rows of ``funnel`` for one query in scope.

    ``places``: rank of each provision by its id, for ``retrieved``, ``fused``, ``reranked`` and ``selected``.
    """
    lists = {**places, "answered": places_of([p for p, _ in answer.charges])}
    rows = []
    for number, item in enumerate(query.items):
        ranks = {name: _rank(item, ranked) for name, ranked in lists.items()}
        rows.append(
            {
                "query_id": query.query_id,
                "act": item.citation.act,
                "section": item.citation.section,
                "primary": number == 0,
                "lost_at": _lost_at(item, number == 0, ranks, len(places["selected"]), answer.failed),
            }
            | ranks
        )
    return rows


def _rank(item: GoldItem, places: Mapping[str, int]) -> int | None:
    return min((places[p] for p in item.provisions if p in places), default=None)


def _lost_at(
    item: GoldItem, primary: bool, ranks: Mapping[str, int | None], selected: int, failed: bool
) -> str:
    """The first stage whose list lacks it.

    Reranking cuts nothing from the list; it is to blame where fusion had placed the provision
    among as many as were selected and reranking placed it behind them.
    """
    fused, reranked = ranks["fused"], ranks["reranked"]
    demoted = fused is not None and fused <= selected and (reranked is None or reranked > selected)
    charged = ranks["answered"]
    if failed:
        return "failed"
    for loss, lost in (
        ("not_indexed", not item.provisions),
        ("not_in_force", not item.in_force and charged is None),
        ("wrong_order", charged is not None and primary and charged > 1),
        ("found", charged is not None),
        ("not_retrieved", ranks["retrieved"] is None),
        ("cut_by_fusion", fused is None),
        ("cut_by_rerank", reranked is None or (ranks["selected"] is None and demoted)),
        ("cut_by_selection", ranks["selected"] is None),
    ):
        if lost:
            return loss
    return "cut_by_generator"


STAGE = Stage("score", 9, (SCORES, FUNNEL))


def full_ranking(build: PublishedBuild, runs: Mapping[str, pa.Table]) -> dict[str, list[str]]:
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
    theirs: Sequence[str] = (),
) -> Tables:
    """Tables ``scores`` and ``funnel`` of one configuration.

    Runs collapse to provisions first. The ranking that is scored is :func:`full_ranking`, to a
    depth of 20; to 100 the channels' lists stand behind it, joined by reciprocal ranks. Where gold is
    characters, chunks are scored as they stand.

    ``runs``: runs by step: the channels, ``fused``, ``reranked``, ``selected``; where others joined the fused
    candidates, ``joined``, or ``expanded`` behind it, stands for ``fused``; where a controller searched,
    ``pooled`` stands for ``fused`` and ``reranked``, and is a channel too. ``theirs``: metrics by path.
    """
    last = next(name for name in ("pooled", "expanded", "joined", "fused") if name in runs)
    candidates = {"fused": runs[last]} | ({"reranked": runs[last]} if last == "pooled" else {})
    runs = {name: run for name, run in runs.items() if name not in ("expanded", "joined")} | candidates
    by_step = {name: rankings(run) for name, run in runs.items()}
    channels = [name for name in runs if name not in ("fused", "reranked", "selected")]
    rows = {row["query_id"]: row for row in answers.to_pylist()}
    proses = {name: prose for name, row in rows.items() if (prose := prose_of(build, row))}

    def provisions(step: str, query: str) -> list[str]:
        return [p for p, _, _ in collapse(by_step[step].get(query, []), build.citations)]

    ranked = full_ranking(build, runs)
    fused, further = dict[str, list[str]](), dict[str, list[str]]()
    scores, losses = list[dict[str, Any]](), list[dict[str, Any]]()
    by_answer: dict[str, dict[str, float]] = {}
    for query in gold:
        name = query.query_id
        chosen = by_step["selected"].get(name, [])
        selected = list(dict.fromkeys(p for c, _ in chosen if (p := build.citations[c]) is not None))
        fused[name], reranked = provisions("fused", name), provisions("reranked", name)
        answer = predicted(rows.get(name))
        by_answer[name] = answer_scores(query, answer, [build.place(c) for c, _ in chosen])
        passages = dict.fromkeys(c for c, _ in (*chosen, *by_step["reranked"].get(name, [])))
        by_answer[name] |= own_scores(theirs, build, query, ranked.get(name, ()), answer)
        by_answer[name] |= precision_5(query, [build.citations[c] for c in passages])
        if name in proses and not proses[name].extracted:  # what is copied is borne out by construction
            by_answer[name] |= grounding_scores(*claims_of(build, proses[name], [c for c, _ in chosen]))
        if query.nugget:
            by_answer[name] |= nugget_scores(build, query.nugget, query.items[0].provisions, [*passages])
        lists = [provisions(channel, name) for channel in channels]
        joined = reciprocal_rank_fusion([[(provision, 0.0) for provision in listed] for listed in lists])
        further[name] = list(dict.fromkeys([*ranked.get(name, ()), *(p for p, _ in joined)]))
        ranked_by = {"fused": fused[name], "reranked": reranked, "selected": selected}
        places = {"retrieved": _best_places(lists)} | {s: places_of(r) for s, r in ranked_by.items()}
        losses += funnel_rows(query, places, answer)
    by_ranking = ranking_scores(gold, ranked, fused, further)
    for name, measured in prose_scores(build, gold, proses, by_step["selected"]).items():
        by_answer[name] |= measured
    for query in gold:
        measured = by_answer[query.query_id] | by_ranking.get(query.query_id, {})
        measured |= _by_characters(build, query, by_step) if query.spans else {}
        scores += [{"query_id": query.query_id, "metric": m, "value": v} for m, v in measured.items()]
    return {SCORES.name: SCORES.rows(scores), FUNNEL.name: FUNNEL.rows(losses)}


def _best_places(lists: Sequence[Sequence[str]]) -> dict[str, int]:
    """The best place of each provision in some lists."""
    out: dict[str, int] = {}
    for listed in lists:
        for provision, rank in places_of(listed).items():
            out[provision] = min(rank, out.get(provision, rank))
    return out


def _by_characters(
    build: PublishedBuild, query: GoldQuery, by_step: Mapping[str, Mapping[str, Ranked]]
) -> dict[str, float]:
    """Metrics of a query whose gold is characters: the chunks selected, then the rest of the reranked."""
    chosen = [c for c, _ in by_step["selected"].get(query.query_id, [])]
    rest = [c for c, _ in by_step["reranked"].get(query.query_id, [])]
    ranking = [Stretch(*build.span(c)) for c in dict.fromkeys([*chosen, *rest])]
    parts = [Stretch(*build.cited_span(c)) for c in chosen]
    return span_scores(query.spans, ranking, ranking[: len(chosen)], parts)
