"""The funnel: for each provision that applies, the stage where it was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citegrain.tasks.evaluation.score.answers import Predicted
from citegrain.tasks.evaluation.score.gold import GoldItem, GoldQuery

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


@dataclass(frozen=True)
class Places:
    """Ranks of provisions (by id, from 1) for one query, stage by stage."""

    retrieved: Mapping[str, int]
    fused: Mapping[str, int]
    reranked: Mapping[str, int]
    selected: Mapping[str, int]


def places_of(provisions: Sequence[str]) -> dict[str, int]:
    """Rank of each provision in a list, at its first place."""
    out: dict[str, int] = {}
    for provision in provisions:
        out.setdefault(provision, len(out) + 1)
    return out


def funnel_rows(query: GoldQuery, places: Places, answer: Predicted) -> list[dict[str, Any]]:
    """Rows of ``funnel`` for one query in scope."""
    answered = places_of([p for p, _ in answer.charges])
    rows = []
    for number, item in enumerate(query.items):
        ranks = {
            name: _rank(item, place)
            for name, place in (
                ("retrieved", places.retrieved),
                ("fused", places.fused),
                ("reranked", places.reranked),
                ("selected", places.selected),
                ("answered", answered),
            )
        }
        rows.append(
            {
                "query_id": query.query_id,
                "act": item.citation.act,
                "section": item.citation.section,
                "primary": number == 0,
                "lost_at": _lost_at(item, number == 0, ranks, len(places.selected), answer.failed),
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
