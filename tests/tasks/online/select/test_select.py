"""Selection: MMR by hand and against a plain loop, limits, gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.runs import make_run, rankings
from citegrain.tasks.core.schemas import ESTIMATES
from citegrain.tasks.online.hits import carried_by_the_law
from citegrain.tasks.online.select import (
    BEYOND,
    SelectConfig,
    maximal_marginal_relevance,
    promised,
    select,
    with_alone,
)
from tests.fakes import as_build

UNIT = np.asarray([[1, 0], [1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)


class Chunks:
    """c0 and c1 cite one provision; c0 to c2 stand in Act a, c3 in Act b."""

    rows: Mapping[str, int] = {f"c{i}": i for i in range(6)}
    citations: Mapping[str, str | None] = {
        "c0": "a/1", "c1": "a/1", "c2": "a/2", "c3": "b/1", "c4": "b/2", "c5": "b/3",
    }  # fmt: skip

    acts: Sequence[Mapping[str, Any]] = ()
    carried: Mapping[str, date] = {}

    def passage(self, row: int) -> Mapping[str, Any]:
        return {"n_tokens": 100 * (row + 1), "act_id": "aaabbb"[row]}

    def span(self, chunk_id: str) -> tuple[str, int, int]:
        return "xyxy"[self.rows[chunk_id]], 0, 1

    def vectors(self, rows: Sequence[int]) -> Any:
        return UNIT[list(rows)]


RUN = make_run({"q": [("c0", 1.0), ("c1", 0.9), ("c2", 0.5), ("c3", 0.4)]}, "reranked")


def chosen(**values: Any) -> list[str]:
    return [c for c, _ in rankings(select(as_build(Chunks()), RUN, SelectConfig(**values)))["q"]]


def test_equation_3_5_by_hand() -> None:
    # after c0: c1 .5*.9-.5*1 = -.05, c2 .25, c3 .2-.3 = -.1; after c2: c1 -.05, c3 .2-.4 = -.2
    assert maximal_marginal_relevance(np.asarray([1.0, 0.9, 0.5, 0.4]), UNIT, 0.5) == [0, 2, 1, 3]
    assert maximal_marginal_relevance(np.asarray([1.0, 0.9, 0.5, 0.4]), UNIT, 1.0) == [0, 1, 2, 3]


@settings(max_examples=60)
@given(st.integers(1, 8), st.integers(0, 1000), st.sampled_from([0.1, 0.3, 0.5, 0.9, 1.0]))
def test_as_a_plain_loop_has_it(n: int, seed: int, balance: float) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(n, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    relevance = random.normal(size=n)
    order: list[int] = []
    while len(order) < n:
        best, value = -1, -np.inf
        for i in range(n):
            if i not in order:
                like = max((float(vectors[i] @ vectors[j]) for j in order), default=0.0)
                gain = balance * relevance[i] - (1 - balance) * like
                if gain > value:
                    best, value = i, gain
        order.append(best)
    assert maximal_marginal_relevance(relevance, vectors, balance) == order


def test_provisions_or_chunks() -> None:
    assert chosen() == ["c0", "c2", "c3"]
    assert chosen(unit="chunk", k=2) == ["c0", "c1"]
    assert chosen(method="mmr", unit="chunk", scale="raw") == ["c0", "c2", "c1", "c3"]


def test_limits() -> None:
    # c0 and c1 are of one provision; where Act a is a case, c2 is of the case, too
    assert chosen(unit="chunk", per_case=1) == ["c0", "c2", "c3"]
    build = Chunks()
    build.acts = [{"act_id": "a", "kind": "judgment"}, {"act_id": "b", "kind": "act"}]
    config = SelectConfig(unit="chunk", per_case=1)
    assert [c for c, _ in rankings(select(as_build(build), RUN, config))["q"]] == ["c0", "c3"]
    config = SelectConfig(unit="chunk", per_case=2)
    assert [c for c, _ in rankings(select(as_build(build), RUN, config))["q"]] == ["c0", "c1", "c3"]
    assert chosen(unit="chunk", tokens=400) == ["c0", "c1"]
    assert chosen(unit="chunk", tokens=1) == ["c0"]
    # c2 has 300 tokens, c3 400, c0 100: nothing behind the first that is too long, not even what would fit
    run = make_run({"q": [("c2", 1.0), ("c3", 0.9), ("c0", 0.5)]}, "reranked")
    budgeted = select(as_build(Chunks()), run, SelectConfig(unit="chunk", tokens=600))
    assert [c for c, _ in rankings(budgeted)["q"]] == ["c2"]
    assert chosen(unit="chunk", gap=0.5) == ["c0", "c1"]
    assert chosen(unit="chunk", gap=0.9) == ["c0", "c1", "c2", "c3"]


ROWS = [("a/1", 0.9, 0.6), ("a/2", 0.2, 0.2), ("b/1", 0.1, 0.1)]
NAMES = ("provision_id", "applies", "primary")
ESTIMATED = ESTIMATES.rows(
    [dict(zip(NAMES, r, strict=True)) | {"query_id": "q", "chunk_id": ""} for r in ROWS]
)


def by_estimates(
    conformal: Sequence[float] = (), estimated: pa.Table = ESTIMATED, **values: Any
) -> list[str]:
    config = SelectConfig(**values)
    return [c for c, _ in rankings(select(as_build(Chunks()), RUN, config, estimated, {"q": conformal}))["q"]]


def test_as_many_as_are_expected_to_score_best() -> None:
    assert by_estimates(method="expected") == ["c0"]
    likely = [dict(zip(NAMES, r, strict=True)) for r in (("a/1", 0.8, 0.6), ("a/2", 0.45, 0.2))]
    two = ESTIMATES.rows([r | {"query_id": "q", "chunk_id": ""} for r in likely])
    # by hand: F1 .680 of one and .713 of both; exact .44 and .36
    assert by_estimates(estimated=two, method="expected", exactness=0.0) == ["c0", "c2"]
    assert by_estimates(estimated=two, method="expected", exactness=0.5) == ["c0"]
    assert chosen(method="expected", k=2) == ["c0", "c2"], "k of them where nothing is estimated"


def test_those_that_are_probable_enough_to_hold_the_primary_one() -> None:
    scores = [0.1, 0.2, 0.3, 0.35, 0.4, 0.6, 0.7, 0.75, 0.8]
    assert by_estimates(scores, method="conformal", coverage=0.5) == ["c0"]
    assert by_estimates(scores, method="conformal", coverage=0.9) == ["c0", "c2"]
    assert by_estimates(scores, method="conformal", coverage=0.95) == ["c0", "c2", "c3"], (
        "all, where it cannot be"
    )
    assert by_estimates([0.1] * 9, method="conformal", coverage=0.5) == ["c0"], "one at least"
    with pytest.raises(ValueError, match="it needs fuse=learned and estimate=learned"):
        chosen(method="conformal")
    sure, unsure = SelectConfig("conformal", coverage=0.9), SelectConfig("conformal", coverage=0.95)
    assert promised(sure, scores) and not promised(unsure, scores)
    assert not promised(sure, [*scores[:-1], BEYOND]) and not promised(sure, ())
    assert promised(SelectConfig(), ())


def test_a_set_of_a_question_of_which_nothing_is_estimated_has_k() -> None:
    config = SelectConfig("conformal", k=2)
    run = make_run({"r": [("c0", 9.0), ("c2", 8.0), ("c3", 7.0)]}, "reranked")
    assert [c for c, _ in rankings(select(as_build(Chunks()), run, config, ESTIMATED))["r"]] == ["c0", "c2"]


def test_scores_are_those_of_the_run() -> None:
    assert dict(rankings(select(as_build(Chunks()), RUN, SelectConfig("mmr")))["q"]) == {
        "c0": 1.0,
        "c2": 0.5,
        "c3": 0.4,
    }


@pytest.mark.parametrize(
    "values", [{"method": "x"}, {"unit": "x"}, {"k": 0}, {"balance": 2.0}, {"tokens": -1}]
)
def test_parameters_are_checked(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="select"):
        SelectConfig(**values)


def test_scores_themselves_cut_the_list() -> None:
    assert chosen(unit="chunk", threshold=0.5) == ["c0", "c1", "c2"]
    assert chosen(unit="chunk", raw_gap=0.4) == ["c0", "c1"] and chosen(raw_gap=0.6) == ["c0", "c2", "c3"]
    assert SelectConfig().parameters() == {
        name: value
        for name, value in SelectConfig(threshold=0.1, pinned=2, raw_gap=0.6).parameters().items()
        if name not in ("threshold", "pinned", "raw_gap")
    }


def test_provisions_that_are_named_come_first_whatever_their_scores() -> None:
    def first(*mentioned: list[str], **values: Any) -> list[str]:
        run = select(as_build(Chunks()), RUN, SelectConfig(**values), mentioned={"q": mentioned})
        assert rankings(run)["q"][0][1] == 1.0
        return [c for c, _ in rankings(run)["q"]]

    assert first(["c3"], pinned=2) == ["c3", "c0", "c2"]
    assert first(["c3"]) == ["c0", "c2", "c3"]
    assert first(["c3"], pinned=2, threshold=0.9) == ["c3", "c0"]
    assert first(["c2"], ["c3"], ["c0"], pinned=2) == ["c2", "c3", "c0"]
    assert first(["c3"], pinned=1, k=1) == ["c3"]
    # what fusion has not is given all the same, if nothing else can be meant; else the best candidate is
    assert first(["c4"], pinned=2, unit="chunk", k=2) == ["c4", "c0"]
    assert first(["c4", "c5"], pinned=2) == ["c0", "c2", "c3"]
    assert first(["c4", "c3", "c2"], pinned=2) == ["c2", "c0", "c3"]
    # another chunk of a pinned provision may follow it where chunks are given
    assert first(["c1"], pinned=1, unit="chunk") == ["c1", "c0", "c2", "c3"]
    assert first(["c1"], pinned=1) == ["c1", "c2", "c3"]


def test_what_a_question_only_names_is_all_that_it_is_given() -> None:
    run = select(as_build(Chunks()), RUN, SelectConfig())
    assert rankings(with_alone(run, {"q": ["c3", "c5"], "r": ["c1"]})) == {"q": [("c3", 0.4), ("c5", 1.0)]}
    assert with_alone(run, {}) is run


def test_the_best_documents_by_greatest_and_mean_score() -> None:
    def chunks_left(scores: Sequence[float], **values: Any) -> list[str]:
        run = make_run({"q": list(zip(("c0", "c1", "c2", "c3"), scores, strict=True))}, "reranked")
        config = SelectConfig(unit="chunk", **values)
        return [c for c, _ in rankings(select(as_build(Chunks()), run, config))["q"]]

    # x has c0 and c2: .6 * 1 + .4 * .55 = .82; y has c1 and c3: .6 * .9 + .4 * .475 = .73
    assert chunks_left([1.0, 0.9, 0.1, 0.05], documents=1) == ["c0", "c2"]
    assert (
        chunks_left([1.0, 0.9, 0.1, 0.08], documents=2)
        == chunks_left([1.0, 0.9, 0.1, 0.08])
        == ["c0", "c1", "c2", "c3"]
    )
    assert chunks_left([1.0, 0.95, 0.9, 0.85], documents=1, k=2) == ["c0", "c2"]
    # a document with one very good chunk gives way to one with two good ones: .76 and .87
    assert chunks_left([1.0, 0.9, -0.2, 0.75], documents=1) == ["c1", "c3"]
    # of the first 2 k alone
    assert chunks_left([1.0, 0.9, -0.2, 0.75], documents=1, k=1) == ["c0"]


def test_what_is_near_enough_to_the_best_and_the_first_of_them_anyway() -> None:
    assert chosen(unit="chunk", margin=0.1, fewest=1) == ["c0", "c1"], "the limit itself is near enough"
    assert chosen(unit="chunk", margin=0.55, fewest=1) == ["c0", "c1", "c2"]
    assert chosen(unit="chunk", margin=0.1, fewest=3) == ["c0", "c1", "c2"]
    assert chosen(unit="chunk", margin=0.1, fewest=7) == ["c0", "c1", "c2", "c3"]
    assert chosen(unit="chunk", margin=0.1, fewest=3, k=1) == ["c0"]
    # measured from the best of the documents that are kept: y has c1 .9 and c3 .4
    assert chosen(unit="chunk", margin=0.5, fewest=1, documents=2) == ["c0", "c1", "c2"]
    assert SelectConfig(fewest=3).parameters() == SelectConfig().parameters()
    assert {"margin", "fewest"} <= SelectConfig(margin=0.25).parameters().keys()


def test_amendments_that_the_law_carries_are_no_answers_unless_they_are_asked_for() -> None:
    build = Chunks()
    build.carried = {"a/1": date(2020, 1, 1), "b/1": date(2022, 1, 1)}
    questions = [  # text, Acts named, day, what is left out
        ("what is the fine?", [], date(2021, 5, 1), {"a/1"}),
        ("what is the fine?", [], None, {"a/1", "b/1"}),
        ("what does it say?", ["a"], None, {"b/1"}),
        ("what was amended?", [], None, set()),
    ]
    rows = [
        {"query_id": str(n), "text": t, "acts": a, "as_of": d} for n, (t, a, d, _) in enumerate(questions)
    ]
    out = carried_by_the_law(as_build(build), pa.Table.from_pylist(rows))
    assert [out.get(str(n), set()) for n in range(len(questions))] == [gone for *_, gone in questions]
    left = select(as_build(build), RUN, SelectConfig(), carried={"q": {"a/1"}, "another": {"a/1"}})
    assert [chunk for chunk, _ in rankings(left)["q"]] == ["c2", "c3"]
    all_gone = select(as_build(build), RUN, SelectConfig(), carried={"q": {"a/1", "a/2", "b/1"}})
    assert len(rankings(all_gone)["q"]) == 3, "something is given"
