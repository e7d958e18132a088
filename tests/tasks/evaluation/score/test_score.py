"""Metrics and funnel against numbers worked by hand and against ranx."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.runs import make_run
from citegrain.tasks.core.schemas import ANSWERS
from citegrain.tasks.evaluation.benchmark import Benchmark, Citation, Record
from citegrain.tasks.evaluation.compare.summary import POOLED_METRICS
from citegrain.tasks.evaluation.score import (
    KINDS,
    LOSSES,
    LOWER,
    METRICS,
    GoldItem,
    GoldQuery,
    Predicted,
    full_ranking,
    make_gold,
    predicted,
    score,
    stage,
)
from citegrain.tasks.evaluation.score.metrics import answer_scores, precision_5, ranking_scores
from citegrain.tasks.evaluation.score.prose import Prose
from citegrain.tasks.evaluation.score.stage import funnel_rows, places_of
from citegrain.tasks.online.claims import ClaimContext, judge_claims
from tests.fakes import as_build

DAY = date(2025, 1, 1)


def item(
    section: str, grade: int = 1, *, act: str = "lamp", indexed: bool = True, law: bool = True
) -> GoldItem:
    provisions = (f"{act}/sec_{section}",) if indexed else ()
    pages = frozenset({("doc", int(section))}) if indexed and law else frozenset()
    return GoldItem(Citation(act, section), grade, provisions, indexed and law, pages)


GOLD = GoldQuery("q", (item("1", 2), item("2")))
NOTHING = GoldQuery("n")


def test_of_five_passages_each_that_stands_in_an_applicable_provision_counts() -> None:
    one, two = (entry.provisions[0] for entry in GOLD.items)
    assert precision_5(GOLD, [one, one, "lamp/sec_9", None, two, two]) == {"precision_5": 0.6}
    assert precision_5(GOLD, [two]) == {"precision_5": 0.2} and precision_5(GOLD, []) == {"precision_5": 0.0}
    assert precision_5(NOTHING, [one]) == {}


def charges(*sections: str, act: str = "lamp") -> Predicted:
    return Predicted(tuple((f"{act}/sec_{s}", act) for s in sections), 1.0)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        # the two measures of section 4.5: order decides the first alone, extras and gaps the second alone
        (charges("1", "2"), {"primary_accuracy": 1, "complete_accuracy": 1, "set_jaccard": 1, "set_f1": 1}),
        (charges("2", "1"), {"primary_accuracy": 0, "complete_accuracy": 1, "set_f1": 1}),
        (charges("1"), {"primary_accuracy": 1, "complete_accuracy": 0, "set_recall": 0.5, "set_precision": 1}),
        (charges("1", "2", "3", "4"), {"primary_accuracy": 1, "complete_accuracy": 0, "set_precision": 0.5,
                                       "set_f1": 2 / 3, "set_jaccard": 0.5}),
        (charges("1", act="bell"), {"primary_accuracy": 0, "wrong_act_rate": 1, "set_f1": 0}),
        (Predicted((("?0", ""), ("lamp/sec_1", "lamp")), 0.5),
         {"primary_accuracy": 0, "set_precision": 0.5, "citation_validity": 0.5, "wrong_act_rate": 0.5}),
        (Predicted(abstained=True), {"primary_accuracy": 0, "set_precision": 0, "abstained_in_scope": 1}),
        (Predicted(failed=True), {"primary_accuracy": 0, "failed": 1, "utility": 0}),
    ],
)  # fmt: skip
def test_an_answer_by_hand(answer: Predicted, expected: dict[str, float]) -> None:
    scores = answer_scores(GOLD, answer, [])
    assert {name: scores[name] for name in expected} == pytest.approx(expected)


def test_without_a_charge_there_is_no_share_of_charges() -> None:
    scores = answer_scores(GOLD, Predicted(abstained=True), [])
    assert "wrong_act_rate" not in scores and "citation_validity" not in scores


def test_out_of_scope_counts_for_abstention_and_nothing_else() -> None:
    shown = [("lamp", ("doc", 1))]
    assert answer_scores(NOTHING, Predicted(abstained=True), shown) == {
        "failed": 0, "abstained_out_of_scope": 1, "utility": 1
    }  # fmt: skip
    assert answer_scores(NOTHING, charges("1"), shown)["abstained_out_of_scope"] == 0
    assert answer_scores(NOTHING, Predicted(failed=True), shown) == {"failed": 1, "utility": 0}
    assert ranking_scores([NOTHING], {"n": ["lamp/sec_1"]}, {}) == {}


def test_confidence_is_scored_where_it_was_estimated() -> None:
    right = answer_scores(GOLD, replace(charges("1", "9"), confidence=0.8), [])
    wrong = answer_scores(GOLD, replace(charges("2", "1"), confidence=0.8), [])
    beyond = answer_scores(NOTHING, replace(charges("1"), confidence=0.3), [])
    assert [s["confidence"] for s in (right, wrong, beyond)] == [0.8, 0.8, 0.3]
    assert [s["brier"] for s in (right, wrong, beyond)] == pytest.approx([0.04, 0.64, 0.09])
    for answer in (charges("1"), Predicted(abstained=True), Predicted(failed=True)):
        assert not {"confidence", "brier"} & answer_scores(GOLD, answer, []).keys()


@pytest.mark.parametrize(
    ("elsewhere", "expected"),
    [
        ("The Indian Easements Act, 1882", 1),
        ("Indian Easements Act 1882", 1),
        ("The Indian Trusts Act, 1882", 0),
        ("", 0),
        (None, None),  # it was not estimated whether anything applies
    ],
)
def test_the_act_that_governs_instead_must_be_named(elsewhere: str | None, expected: float | None) -> None:
    absent = GoldQuery("n", elsewhere="The Indian Easements Act, 1882")
    scores = answer_scores(absent, Predicted(abstained=True, elsewhere=elsewhere), [])
    assert scores.get("elsewhere_accuracy") == expected
    declined = Predicted(abstained=True, elsewhere=elsewhere)
    assert "elsewhere_accuracy" not in answer_scores(NOTHING, declined, [])
    assert "elsewhere_accuracy" not in answer_scores(absent, Predicted(failed=True), [])


def test_source_and_page_are_shares_of_what_applies() -> None:
    query = GoldQuery("q", (item("1", 2), item("7"), item("3", act="bell")))
    scores = answer_scores(query, charges("1"), [("lamp", ("doc", 1)), ("lamp", ("doc", 9))])
    assert scores["source_accuracy"] == 0.5 and scores["page_accuracy"] == pytest.approx(1 / 3)
    none = answer_scores(query, charges("1"), [])
    assert (none["source_accuracy"], none["page_accuracy"]) == (0, 0)


def test_a_ranking_by_hand() -> None:
    listed = ["lamp/sec_9", "lamp/sec_2", "lamp/sec_8", "lamp/sec_1"]
    scores = ranking_scores([GOLD], {"q": listed}, {"q": ["lamp/sec_1"]})["q"]
    ideal = 2 / math.log2(2) + 1 / math.log2(3)
    assert scores["ndcg_10"] == pytest.approx((1 / math.log2(3) + 2 / math.log2(5)) / ideal)
    assert scores["mrr"] == 0.5 and scores["map"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert (scores["hit_1"], scores["hit_5"], scores["primary_1"], scores["primary_5"]) == (0, 1, 0, 1)
    assert (scores["recall_5"], scores["fused_primary_20"], scores["fused_recall_20"]) == (1, 1, 0.5)
    assert scores["fused_set_20"] == 0
    assert (scores["recall_1"], scores["recall_100"], scores["mrr_10"]) == (0, 1, 0.5)
    far = {"q": [*(f"lamp/sec_{n}" for n in range(10, 20)), "lamp/sec_2", "lamp/sec_1"]}
    deep = ranking_scores([GOLD], {"q": listed[:2]}, {}, far)["q"]
    assert (deep["recall_5"], deep["recall_100"], deep["mrr"], deep["mrr_10"]) == (0.5, 1, 0.5, 0)
    both = ranking_scores([GOLD], {}, {"q": ["lamp/sec_2", "lamp/sec_9", "lamp/sec_1"]})["q"]
    assert both["fused_set_20"] == both["fused_recall_20"] == 1


def test_a_query_without_a_list_scores_nothing() -> None:
    scores = ranking_scores([GOLD], {}, {})["q"]
    assert set(scores.values()) == {0.0} and "ndcg_10" in scores


@pytest.mark.slow
@pytest.mark.xdist_group("ranx")  # numba compiles for seconds, once a process
@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 6), st.integers(1, 30))
def test_rankings_are_scored_as_ranx_scores_them(rng: random.Random, queries: int, length: int) -> None:
    import ranx

    gold, ranked = [], {}
    for number in range(queries):
        sections = rng.sample(range(1, 40), rng.randint(1, 4))
        items = tuple(item(str(s), 1 + (i == 0)) for i, s in enumerate(sections))
        gold.append(GoldQuery(f"q{number}", items))
        ranked[f"q{number}"] = [f"lamp/sec_{s}" for s in rng.sample(range(1, 60), length)]
    scores = ranking_scores(gold, ranked, {})
    qrels = ranx.Qrels({q.query_id: {i.label: i.grade for i in q.items} for q in gold})
    names = {"ndcg_10": "ndcg@10", "mrr": "mrr", "map": "map", "recall_5": "recall@5", "recall_20": "recall@20",
             "hit_1": "hit_rate@1", "hit_5": "hit_rate@5"}  # fmt: skip
    further = {"recall_1": "recall@1", "recall_100": "recall@100", "mrr_10": "mrr@10"}
    for depth, theirs in ((20, names), (100, further)):
        cut = {q: [p.replace("sec_", "") for p in listed[:depth]] for q, listed in ranked.items()}
        run = ranx.Run({q: {d: 100.0 - i for i, d in enumerate(listed)} for q, listed in cut.items()})
        ranx.evaluate(qrels, run, list(theirs.values()))
        for name, their in theirs.items():
            for query, value in run.scores[their].items():
                assert scores[query][name] == pytest.approx(value, abs=1e-9), (name, query)


def test_answers_are_read_as_they_were_written() -> None:
    answer: dict[str, Any] = {
        "charges": [
            {"provision_id": "lamp/sec_1", "act": "lamp", "verification": "verified"},
            {"provision_id": "lamp/sec_1", "act": "lamp", "verification": "verified"},
            {"provision_id": "bell/sec_2", "act": "", "verification": "not_in_context"},
            {"provision_id": "", "act": "", "verification": "not_in_corpus"},
        ]
    }
    row = {"answer": json.dumps(answer), "error": "", "abstained": False, "parse_pass": 0}
    charged = predicted(row)
    assert charged.confidence is None and charged.elsewhere is None
    answer["charges"][0] |= {"probability": 0.9, "primary": 0.7}
    answer |= {"decision": "answer", "reason": "", "elsewhere": "", "probability": 0.8}
    sure = predicted(row | {"answer": json.dumps(answer)})
    assert sure == replace(charged, confidence=0.7, elsewhere="")
    unsure = json.dumps(answer | {"charges": [], "decision": "decline", "elsewhere": "The Trusts Act, 1882"})
    declined = predicted(row | {"answer": unsure, "abstained": True})
    assert declined.confidence is None and declined.elsewhere == "The Trusts Act, 1882"
    assert charged.charges == (("lamp/sec_1", "lamp"), ("bell/sec_2", "bell"), ("?3", "?3"))
    assert charged.verified == 0.5 and not charged.failed
    assert predicted(None).failed and charged.extracted is None
    assert predicted(row | {"error": "late"}) == replace(charged, extracted=True)
    assert predicted(row | {"parse_pass": 1}) == replace(charged, extracted=False)
    cited = predicted(row | {"answer": json.dumps(answer | {"citations": {"hallucinated": 1, "rate": 0.5}})})
    assert (cited.hallucinated, cited.verification_rate) == (True, 0.5) and charged.hallucinated is None
    scores = answer_scores(GOLD, cited, [])
    assert (scores["hallucination_detected"], scores["verification_rate"]) == (1, 0.5)


def ranks(**steps: list[str]) -> dict[str, dict[str, int]]:
    names = ("retrieved", "fused", "reranked", "selected")
    return {name: places_of([f"lamp/sec_{s}" for s in steps.get(name, [])]) for name in names}


FAR = ["9", "8", "7"]


@pytest.mark.parametrize(
    ("gold", "places", "answer", "loss"),
    [
        (item("1", indexed=False), ranks(), charges(), "not_indexed"),
        (item("1", law=False), ranks(), charges(), "not_in_force"),
        (item("1"), ranks(retrieved=FAR, fused=FAR, reranked=FAR, selected=["9"]), charges("9"), "not_retrieved"),
        (item("1"), ranks(retrieved=["1"], fused=FAR, reranked=FAR, selected=["9"]), charges("9"), "cut_by_fusion"),
        (item("1"), ranks(retrieved=["1"], fused=["1", *FAR], reranked=[*FAR, "1"], selected=["9"]),
         charges("9"), "cut_by_rerank"),
        (item("1"), ranks(retrieved=["1"], fused=[*FAR, "1"], reranked=[*FAR, "1"], selected=["9"]),
         charges("9"), "cut_by_selection"),
        (item("1"), ranks(retrieved=["1"], fused=["1"], reranked=["1"], selected=["9"]), charges("9"),
         "cut_by_selection"),
        (item("1"), ranks(retrieved=["1"], fused=["1"], reranked=["1"], selected=["1"]), charges(),
         "cut_by_generator"),
        (item("1"), ranks(retrieved=["1"], fused=["1"], reranked=["1"], selected=["1"]), charges("9", "1"),
         "wrong_order"),
        (item("1"), ranks(retrieved=["1"], fused=["1"], reranked=["1"], selected=["1"]), charges("1"), "found"),
        (item("1"), ranks(retrieved=["1"]), Predicted(failed=True), "failed"),
    ],
)  # fmt: skip
def test_each_loss(gold: GoldItem, places: dict[str, dict[str, int]], answer: Predicted, loss: str) -> None:
    row = funnel_rows(GoldQuery("q", (gold,)), places, answer)[0]
    assert row["lost_at"] == loss and loss in LOSSES and row["primary"]


def test_only_the_primary_can_stand_in_wrong_order() -> None:
    both = ranks(retrieved=["1", "2"], fused=["1", "2"], reranked=["1", "2"], selected=["1", "2"])
    rows = funnel_rows(GOLD, both, charges("2", "1"))
    assert [(r["lost_at"], r["answered"]) for r in rows] == [("wrong_order", 2), ("found", 1)]


class Lamps:
    """Six chunks of the Lamp Act: two of section 1, then one a section; c9 cites nothing."""

    citations: ClassVar[dict[str, str | None]] = {
        "c1a": "lamp/sec_1", "c1b": "lamp/sec_1", "c2": "lamp/sec_2", "c3": "lamp/sec_3", "c9": None
    }  # fmt: skip

    def place(self, chunk_id: str) -> tuple[str, tuple[str, int]]:
        return "lamp", ("doc", 1 if chunk_id.startswith("c1") else 2)

    def in_force(self, provision_id: str, as_of: date | None) -> bool:
        return provision_id != "lamp/sec_3"

    def pages(self, provision_id: str, as_of: date | None) -> Sequence[tuple[str, int]]:
        return [("doc", int(provision_id[-1]))]


BUILD = as_build(Lamps())


def answers(**provisions_by_query: list[str]) -> Any:
    rows = []
    for query, provisions in provisions_by_query.items():
        listed = [{"provision_id": p, "act": "lamp", "verification": "verified"} for p in provisions]
        row: dict[str, Any] = {f.name: 0 for f in ANSWERS.arrow}
        row |= {"query_id": query, "answer": json.dumps({"charges": listed}), "error": ""}
        rows.append(row | {"abstained": not listed})
    return ANSWERS.rows(rows)


def test_a_whole_configuration() -> None:
    lamp = {s: Citation("lamp", s) for s in "123"}
    records = (
        Record(id="q", text="a", primary=lamp["1"], applicable=(lamp["1"], lamp["3"])),
        Record(id="n", text="b", kind="state", elsewhere="rent control"),
        Record(id="lost", text="c", primary=lamp["2"], applicable=(lamp["2"],)),
    )
    ids = {citation: (f"lamp/sec_{s}",) for s, citation in lamp.items()}
    days = dict.fromkeys(("q", "n", "lost"), DAY)
    gold = make_gold(Benchmark("b", "test", records), ids, BUILD, days)
    assert [[i.in_force for i in q.items] for q in gold] == [[True, False], [], [True]]
    assert [q.elsewhere for q in gold] == ["", "rent control", ""]
    fused = {"q": [("c9", 3.0), ("c2", 2.0), ("c1b", 1.0)], "n": [("c2", 1.0)]}
    runs = {
        "dense": make_run({"q": [("c1a", 0.9), ("c2", 0.8)]}, "dense"),
        "fused": make_run(fused, "fused"),
        "reranked": make_run(fused, "reranked"),
        "selected": make_run({"q": [("c1b", 0.1), ("c2", 0.9)], "n": [("c2", 1.0)]}, "selected"),
    }
    assert full_ranking(BUILD, runs)["q"] == ["lamp/sec_1", "lamp/sec_2"]
    tables = score(BUILD, gold, runs, answers(q=["lamp/sec_1", "lamp/sec_2"], n=[]))
    values = {(r["query_id"], r["metric"]): r["value"] for r in tables["scores"].to_pylist()}
    assert values["q", "primary_accuracy"] == 1 and values["q", "set_jaccard"] == pytest.approx(1 / 3)
    assert values["q", "primary_1"] == 1 and values["q", "page_accuracy"] == 0.5
    assert values["n", "abstained_out_of_scope"] == 1 and ("n", "primary_accuracy") not in values
    assert values["lost", "failed"] == 1 and values["lost", "ndcg_10"] == 0
    losses = {(r["query_id"], r["section"]): r["lost_at"] for r in tables["funnel"].to_pylist()}
    assert losses == {("q", "1"): "found", ("q", "3"): "not_in_force", ("lost", "2"): "failed"}
    for last in ("joined", "expanded"):  # stands for the fused run, which is no channel
        others = runs | {"fused": make_run({"q": [("c9", 1.0)]}, "fused"), last: make_run(fused, last)}
        again = score(BUILD, gold, others, answers(q=["lamp/sec_1", "lamp/sec_2"], n=[]))
        assert all(again[name].equals(table) for name, table in tables.items())


@pytest.mark.parametrize("extracted", [True, False])
def test_extracts_are_not_judged_as_the_words_of_a_model(
    monkeypatch: pytest.MonkeyPatch, extracted: bool
) -> None:
    claims = judge_claims("The bell is rung at noon.", [ClaimContext("The bell is rung at noon.")])
    monkeypatch.setattr(stage, "prose_of", lambda build, row: Prose("", [], extracted))
    monkeypatch.setattr(stage, "claims_of", lambda *_: (claims, 1))
    runs = {name: make_run({"q": [("c2", 1.0)]}, name) for name in ("fused", "reranked", "selected")}
    rows = score(BUILD, [GoldQuery("q")], runs, answers(q=[]))["scores"].to_pylist()
    assert ("faithfulness" in {row["metric"] for row in rows}) is not extracted


def test_every_metric_has_a_kind_and_a_meaning() -> None:
    assert set(KINDS.values()) == {"proportion", "mean", "pooled"}
    assert all(meaning for _, meaning in METRICS.values())
    assert {"wrong_act_rate", "brier", "mismatch_4"} < LOWER
    assert not {"ndcg_10", "abstained_out_of_scope"} & LOWER
    assert {name for name, kind in KINDS.items() if kind == "pooled"} == set(POOLED_METRICS)
