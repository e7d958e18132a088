"""The queries with the least scores: text, provisions that apply and where they were lost, the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citegrain.tasks.core.pages import page_of
from citegrain.tasks.evaluation.report.wording import DASH
from citegrain.tasks.evaluation.score import LOSSES, predicted
from citegrain.tasks.evaluation.studies import Row, StudyFolder, StudyReadError

STAGES = ("retrieved", "fused", "reranked", "selected", "answered")


@dataclass(frozen=True)
class Applicable:
    """A provision that applies: its label, where it was lost, its ranks by ``STAGES``."""

    label: str
    primary: bool
    lost_at: str
    meaning: str
    ranks: tuple[str, ...]


@dataclass(frozen=True)
class Charge:
    """A provision of the answer; ``applies`` is whether it is one of those that apply."""

    law: str
    heading: str
    link: str
    score: str
    check: str
    applies: bool


@dataclass(frozen=True)
class Worst:
    """A query with its score; ``problem`` says why there is no answer, ``page`` is that of the answer."""

    query_id: str
    score: float
    text: str
    rationale: str
    applicable: tuple[Applicable, ...]
    charges: tuple[Charge, ...]
    note: str
    problem: str
    page: str

    @property
    def lost(self) -> str:
        """Where its primary provision was lost."""
        return next((a.lost_at for a in self.applicable if a.primary), "")


def worst_queries(study: StudyFolder, configuration: str, number: int = 10) -> tuple[list[Worst], int]:
    """The queries with the least nDCG@10, ties by id, none that is perfect; and how many share the least.

    ``configuration``: whose answers are looked at.
    """
    values = {
        row["query_id"]: row["value"]
        for row in study.rows("scores")
        if row["configuration"] == configuration and row["metric"] == "ndcg_10"
    }
    chosen = sorted((value, query) for query, value in values.items() if value < 1)
    answers = study.answers(configuration)
    funnel: dict[str, list[Row]] = {}
    for row in study.rows("funnel"):
        if row["configuration"] == configuration:
            funnel.setdefault(row["query_id"], []).append(row)
    questions = study.facts["questions"]
    lost = study.facts["configurations"][configuration]["queries_that_failed"]
    listed = []
    for value, query in chosen[:number]:
        page = page_of(query) if (study.folder / page_of(query)).is_file() else ""
        parts = questions.get(query, {}), funnel.get(query, []), answers.get(query), lost.get(query, ""), page
        try:
            listed.append(_worst(query, value, *parts))
        except (ValueError, KeyError) as error:
            raise StudyReadError(
                f"the answer of {configuration} to {query} cannot be read: {error}"
            ) from error
    return listed, sum(value == chosen[0][0] for value, _ in chosen) if chosen else 0


def _worst(
    query: str,
    value: float,
    question: Mapping[str, Any],
    losses: list[Row],
    answer: Row | None,
    problem: str,
    page: str,
) -> Worst:
    content = json.loads(answer["answer"]) if answer and answer["answer"] else {}
    places = {row["answered"] for row in losses if row["answered"]}
    if not problem and answer is not None:
        problem = answer["error"]
    return Worst(
        query,
        value,
        question.get("text", ""),
        question.get("rationale", ""),
        tuple(_applicable(row) for row in losses),
        _charges(content.get("charges", []), answer, places),
        content.get("note", ""),
        problem,
        page,
    )


def _applicable(row: Row) -> Applicable:
    ranks = tuple(DASH if row[stage] is None else str(row[stage]) for stage in STAGES)
    meaning = LOSSES.get(row["lost_at"], "")
    return Applicable(f"{row['act']}/{row['section']}", row["primary"], row["lost_at"], meaning, ranks)


def _charges(charges: list[dict[str, Any]], answer: Row | None, right: set[int]) -> tuple[Charge, ...]:
    """The charges of an answer. Places are counted as in the funnel, each provision once.

    ``right``: places of charges that apply.
    """
    places = {p: place for place, (p, _) in enumerate(predicted(answer).charges, 1)}
    out = []
    for number, charge in enumerate(charges):
        place = places.get(charge["provision_id"] or f"?{number}")
        check = charge.get("verification", "")
        out.append(
            Charge(
                charge.get("law", ""),
                charge.get("heading") or charge.get("description", ""),
                charge.get("link", ""),
                f"{charge.get('score', 0.0):.3f}",
                "" if check == "verified" else check.replace("_", " "),
                place in right,
            )
        )
    return tuple(out)
