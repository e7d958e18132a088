"""Estimates learned from samples whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from citegrain.tasks.online.estimate import (
    KINDS,
    MANNERS,
    SCORES,
    Catalogue,
    Estimates,
    Logistic,
    ScopeQuestion,
    abroad_features,
    candidate_features,
)
from citegrain.tasks.online.estimate.catalogue import Entry
from citegrain.tasks.train import estimates
from citegrain.tasks.train.estimates import Sample

CATALOGUE = Catalogue(
    (Entry(title="An Act", kind="central", asked=("wages",)),), np.eye(3, dtype=np.float32)[:1]
)


def fit(samples: list[Sample]) -> dict[str, Any]:
    """Learns from samples over the one entry, which is law of India."""
    return estimates.fit(samples, np.array([False]))[0]


def sample(
    n: int, applicable: int, kind: str = "asked", grades: tuple[int, ...] = (2, 0, 1, 0), **more: Any
) -> Sample:
    """A question; those to which something applies are of another direction, and found with greater scores."""
    random = np.random.default_rng(n)
    vector = random.normal(scale=0.1, size=3) + np.eye(3)[0 if applicable else 1]
    scores = np.sort(random.normal(size=len(grades)))[::-1] + (3.0 if applicable else 0.0)
    query: dict[str, Any] = {"query_id": str(n), "text": f"text {n}", "mentions": [], "acts": []}
    direction, columns = vector.astype(np.float32), {name: scores.astype(np.float32) for name in SCORES}
    near, _ = CATALOGUE.near(direction, query["text"])
    question = ScopeQuestion(query, direction, columns, scores, near, near, near)
    row_grades = np.array(grades if applicable else [0] * len(grades))
    return Sample(more.get("id", f"{kind}-{n}"), kind, question, row_grades, np.array([True]), applicable)


def samples() -> list[Sample]:
    inside = [sample(n, 2, grades=(2, 0, 1, 0) if n % 4 else (0, 2, 0, 0)) for n in range(120)]
    return [*inside, *(sample(n, 0, "everyday") for n in range(200, 300))]


def test_what_is_learned_tells_them_apart() -> None:
    learned = Estimates.from_json(fit(samples()) | {"ranker": "", "space": "", "catalogue": ""})
    kinds = np.argmax(learned.kinds.logits(np.eye(3)[:2]), axis=1)
    assert [KINDS[k] for k in kinds] == ["legal", "everyday"]
    sure, not_sure = (candidate_features(np.array([4.0, 1.0, 0.5]), p, np.log(3)) for p in (0.95, 0.05))
    assert learned.primary.probability(sure)[0] > learned.primary.probability(not_sure)[0]
    assert (np.diff(learned.primary.probability(sure)) < 0).all()


def test_how_many_texts_are_out_of_scope_moves_no_probability_of_a_candidate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(estimates, "_scope", lambda *learned: lambda rows: np.full(len(rows), 0.5))
    row = candidate_features(np.array([4.0, 3.0, 2.5]), 0.5, np.log(3))

    def first(n: int) -> float:
        strange = (sample(m, 2, id=f"strange-{m}") for m in range(600, 600 + n))
        every = [*samples()[:120], *(replace(s, grades=0 * s.grades, applicable=0) for s in strange)]
        learned = Estimates.from_json(fit(every) | {"ranker": "", "space": "", "catalogue": ""})
        return float(learned.primary.probability(row)[0])

    assert abs(first(40) - first(400)) < 0.05


def test_the_lists_are_of_each_text_once_by_what_did_without_it() -> None:
    chunks = ("a", "b", "c", "d")
    every = [replace(s, chunks=chunks) for s in samples()]
    lacking = replace(every[0], applicable=0, grades=0 * every[0].grades)
    described, lists = estimates.fit([*every, lacking], np.array([False]))
    assert [one["id"] for one in lists] == [s.id for s in every] and described.keys() == fit(every).keys()
    assert lists[0]["inside"] and lists[0]["grades"] == [0, 2, 0, 0] and lists[0]["chunks"] == chunks
    assert all(len(one["primary"]) == len(one["all"]) == 4 for one in lists)
    inside = [one["scope"] for one in lists if one["inside"]]
    assert min(inside) > max(one["scope"] for one in lists if not one["inside"])
    # whoever had learned from the first text would know its unlikely order
    learned = Estimates.from_json(described | {"ranker": "", "space": "", "catalogue": ""})
    question = every[0].question
    rows = candidate_features(question.scores, lists[0]["scope"], np.log(len(question.query["text"].split())))
    assert lists[0]["primary"] != learned.primary.probability(rows).tolist()


def test_candidates_of_new_acts_have_regressions_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "_scope", lambda *learned: lambda rows: np.full(len(rows), 0.5))
    assert fit(samples())["bare"] == fit(samples())["written"] == [], "there are none"
    # the second of the four is of a new Act and never right, the first of one is right: whatever the scores
    of_new, home = np.array([True, True, False, False]), fit(samples())
    new = [
        replace(s, of_new=of_new, new_provisions=9, written=n % 2 == 0, grades=np.array([2, 0, 0, 0]))
        for n, s in enumerate(sample(n, 1) for n in range(700, 800))
    ]
    learned = fit([*samples(), *new])
    assert {name: learned[name] for name in ("applies", "primary", "kinds", "conformal")} == {
        name: home[name] for name in ("applies", "primary", "kinds", "conformal")
    }, "of Acts that were learned of nothing changes"
    signs = abroad_features(candidate_features(new[0].question.scores, 0.5, np.log(3)), 9)
    for name in ("bare", "written"):
        applies, primary = (Logistic(**model).probability(signs) for model in learned[name])
        assert applies[0] > 0.9 and applies[1] < 0.1 and primary[0] > 0.9


def test_each_manner_of_wording_has_conformal_scores_of_its_own() -> None:
    written = [
        replace(s, question=replace(s.question, vector=s.question.vector[::-1]))
        for s in (sample(n, 2, "question") for n in range(400, 460))
    ]
    learned = Estimates.from_json(fit([*samples(), *written]) | {"ranker": "", "space": "", "catalogue": ""})
    assert {name: len(scores) for name, scores in learned.conformal["primary"].items()} == {
        "asked": 120,
        "question": 60,
    }
    vectors = np.eye(3, dtype=np.float32)[[0, 2]]
    assert [len(scores) for scores in learned.alike("primary", vectors)] == [120, 60]
    alone = Estimates.from_json(fit(samples()) | {"ranker": "", "space": "", "catalogue": ""})
    assert [len(scores) for scores in alone.alike("all", vectors)] == [120, 120], "there is no other manner"
    assert set(learned.conformal["primary"]) <= set(MANNERS)


def test_sets_are_calibrated_by_texts_of_two_annotators_where_there_are_any() -> None:
    every = samples()
    some = [replace(s, once=n < 50) for n, s in enumerate(every)]
    assert len(fit(some)["conformal"]["primary"]["asked"]) == 70
    assert len(fit([replace(s, once=True) for s in every])["conformal"]["primary"]["asked"]) == 120
    assert fit(some)["primary"] == fit(every)["primary"], "all are learned from"


def test_a_text_in_doubt_is_taken_for_one_that_people_asked() -> None:
    between = np.array([[0.5, 0, 0.5]], np.float32)
    written = [
        replace(s, question=replace(s.question, vector=s.question.vector[::-1]))
        for s in (sample(n, 2, "question") for n in range(400, 520))
    ]
    model = estimates._manners([*samples(), *written])
    odds = model.logits(between)[0]
    assert 1 < odds[0] - odds[1] < 3, "as many of each, and e squared to one"


def test_a_text_in_a_smaller_corpus_counts_once_for_thresholds() -> None:
    every = samples()
    twice = [*every, *(sample(n, 1, grades=(2, 0), id=f"asked-{n}") for n in range(30))]
    assert len(fit(twice)["conformal"]["all"]["asked"]) == 120


def test_a_primary_that_is_not_found_is_beyond_every_set() -> None:
    every = samples()
    lost = [sample(n, 1, grades=(0, 0, 0)) for n in range(500, 530)]
    scores = fit([*every, *lost])["conformal"]
    for target in ("primary", "all"):
        of_asked = scores[target]["asked"]
        assert of_asked == sorted(of_asked) and of_asked.count(2.0) >= 30
        assert all(0 <= score <= 1 or score == 2 for score in of_asked)
    assert scores["primary"]["asked"].count(2.0) == 30, (
        "of the others each has its primary provision among the four"
    )
