"""Fusion, worked by hand and against ranx."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.runs import Ranked, make_run, rankings, reciprocal_rank_fusion
from citegrain.tasks.online.fuse import FuseConfig, fuse
from citegrain.tasks.online.makers import channel_shares

DENSE: Ranked = [("a", 0.9), ("b", 0.8), ("c", 0.7)]
SPARSE: Ranked = [("c", 12.0), ("a", 3.0), ("d", 1.0)]
RUNS = {"dense": make_run({"q": DENSE}, "dense"), "sparse": make_run({"q": SPARSE}, "sparse")}


def chunks(config: FuseConfig, naming: tuple[str, ...] = ()) -> list[str]:
    return [c for c, _ in rankings(fuse(RUNS, config, {query: {"provision"} for query in naming}))["q"]]


def test_by_hand() -> None:
    fused = dict(reciprocal_rank_fusion([DENSE, SPARSE], 60))
    assert fused["a"] == pytest.approx(1 / 61 + 1 / 62)
    assert fused["b"] == pytest.approx(1 / 62)
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert fused["d"] == pytest.approx(1 / 63)
    assert [c for c, _ in reciprocal_rank_fusion([DENSE, SPARSE], 60)] == ["a", "c", "b", "d"]


def test_vectors_do_not_count_for_a_question_that_the_encoder_does_not_read() -> None:
    for method in ("rrf",):
        fused = fuse(RUNS, FuseConfig(method), lexical={"q"})
        assert [c for c, _ in rankings(fused)["q"]] == [c for c, _ in SPARSE]
        assert rankings(fuse(RUNS, FuseConfig(method), lexical={"other"})) == rankings(
            fuse(RUNS, FuseConfig(method))
        )


def test_encoders_are_fused_by_their_weights() -> None:
    """As the guide weighs its encoders: 1.0, 1.2 and 1.5 over 60 and the rank."""
    runs = RUNS | {
        name: make_run({"q": run}, name) for name, run in (("dense_two", SPARSE), ("dense_three", DENSE))
    }
    del runs["sparse"]
    fused = fuse(runs, FuseConfig(weights={"dense": 1.0, "dense_two": 1.2, "dense_three": 1.5}))
    expected = {
        "a": 1.0 / 61 + 1.2 / 62 + 1.5 / 61,
        "b": 1.0 / 62 + 1.5 / 62,
        "c": 1.0 / 63 + 1.2 / 61 + 1.5 / 63,
        "d": 1.2 / 63,
    }
    assert dict(rankings(fused)["q"]) == pytest.approx(expected)
    assert list(dict(rankings(fused)["q"])) == ["a", "c", "b", "d"]
    # an encoder that reads the question counts where another does not
    unread = fuse(runs, FuseConfig(), lexical={"q"}, unread=["dense", "dense_three"])
    assert list(dict(rankings(unread)["q"])) == [c for c, _ in SPARSE]


RANKED = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 1000), min_size=1).map(
    lambda d: sorted(((k, v + ord(k) / 1000) for k, v in d.items()), key=lambda i: -i[1])
)


@pytest.mark.slow
@pytest.mark.xdist_group("ranx")  # numba compiles for seconds, once a process
@settings(max_examples=30)
@given(RANKED, RANKED, st.integers(1, 100))
def test_as_ranx_has_it(one: Ranked, other: Ranked, k: int) -> None:
    import ranx  # here: else every process waits for it

    runs = [ranx.Run({"q": dict(r)}) for r in (one, other)]
    theirs = ranx.fuse(runs=runs, method="rrf", params={"k": k})["q"]
    assert dict(reciprocal_rank_fusion([one, other], k)) == pytest.approx(dict(theirs))


def test_weights_of_lay_texts_are_read_where_they_are_searched_alone() -> None:
    config = FuseConfig(
        weights={"dense": 2.0, "sparse": 1.0, "lay_dense": 2.0}, weights_named={"lay_sparse": 3.0}
    )
    common = {"method": "rrf", "k": 60, "depth": 20}
    # a weight of a channel that is not searched stayed in the key before there were lay texts: it still does
    plain = common | {"weights": {"dense": 2.0, "sparse": 1.0}, "weights_named": {}}
    assert config.parameters(["dense", "provision"]) == plain
    both = common | {"weights": dict(config.weights), "weights_named": {"lay_sparse": 3.0}}
    assert config.parameters(["dense", "lay_dense", "lay_sparse"]) == both
    assert FuseConfig("single").parameters(["dense"]) == {"method": "single", "depth": 20, "channel": ""}


def test_weights_and_those_of_queries_that_name_a_provision() -> None:
    config = FuseConfig(weights={"dense": 1.0, "sparse": 0.0}, weights_named={"sparse": 100.0})
    assert chunks(config) == ["a", "b", "c", "d"]
    assert chunks(config, ("q",)) == ["c", "a", "d", "b"]


def test_single_takes_one_channel_as_it_is() -> None:
    assert chunks(FuseConfig("single")) == ["a", "b", "c"]
    assert rankings(fuse(RUNS, FuseConfig("single", channel="sparse")))["q"] == SPARSE
    with pytest.raises(ValueError, match="provision"):
        fuse(RUNS, FuseConfig("single", channel="provision"))


def test_ties_keep_the_order_of_appearance() -> None:
    assert [c for c, _ in reciprocal_rank_fusion([[("x", 1.0)], [("y", 9.0)]], 60)] == ["x", "y"]


def test_runs_are_fused_query_by_query_to_the_depth() -> None:
    a = make_run({"q1": [("a", 1.0), ("b", 0.5)], "q2": [("c", 1.0)]}, "dense")
    b = make_run({"q1": [("b", 7.0)]}, "sparse")
    fused = fuse({"dense": a, "sparse": b}, FuseConfig(k=60, depth=1))
    assert {q: [c for c, _ in r] for q, r in rankings(fused).items()} == {"q1": ["b"], "q2": ["c"]}
    assert set(fused.column("channel").to_pylist()) == {"fused"}


@pytest.mark.parametrize("values", [{"k": 0}, {"method": "never"}, {"weights": {"dense": -1.0}}])
def test_parameters_are_checked(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="fuse"):
        FuseConfig(**values)  # type: ignore[arg-type]


def test_weights_follow_what_is_asked_by_the_table_of_the_paper() -> None:
    """The rows of KG-CiteRAG 7.3.1, and the sum that its 7.4.2 works out for one chunk."""
    config = load_settings(["corpus=folder", "corpus.path=.", "corpus.name=x", "fuse=asked"]).cascade.fuse
    usual = {"dense": 0.3, "name": 0.3, "graph": 0.2, "entity": 0.2, "date": 0.0, "bench": 0.0}
    assert config.weights_of(()) == usual
    assert config.weights_of({"provision"}) == usual | {
        "entity": 0.5,
        "dense": 0.2,
        "name": 0.2,
        "graph": 0.1,
    }
    assert config.weights_of({"year"}) == usual | {"date": 0.6, "dense": 0.15, "name": 0.15, "graph": 0.1}
    assert config.weights_of({"judge"}) == usual | {"bench": 0.6, "dense": 0.15, "name": 0.15, "graph": 0.1}
    case = {"name": 0.5, "dense": 0.25, "graph": 0.15, "entity": 0.1}
    assert config.weights_of({"case"}) == usual | case
    assert config.weights_of({"case", "year"}) == usual | {"date": 0.6} | case  # the later row goes first
    first = {channel: make_run({"q": [("maneka", 1.0)]}, channel) for channel in ("dense", "name", "entity")}
    score = rankings(fuse(first, config, {"q": {"provision"}}))["q"][0][1]
    assert score == pytest.approx(0.2 / 61 + 0.2 / 61 + 0.5 / 61)  # .00328 + .00328 + .00820


@pytest.mark.parametrize("rule", [{"when": "moon", "weights": {}}, {"when": "year"}])
def test_a_rule_that_cannot_hold_is_refused(rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"fuse\.rules"):
        FuseConfig(rules=[rule])


def test_a_rule_by_type_of_question_may_leave_a_channel_without_weight() -> None:
    config = FuseConfig(rules=[{"when": "penalty", "weights": {"dense": 0.0}}])
    routed = rankings(fuse(RUNS, config, {"q": {"penalty"}}))["q"]
    assert [c for c, _ in routed] == ["c", "a", "d", "b"]
    assert [s for _, s in routed] == pytest.approx([1 / 61, 1 / 62, 1 / 63, 0])
    assert rankings(fuse(RUNS, config, {"q": {"fact"}})) == rankings(fuse(RUNS, FuseConfig()))


def test_what_each_channel_adds_to_the_first_by_hand() -> None:
    words = ["retrieve.channels=[dense,sparse]", "fuse=rrf", "+fuse.weights.dense=2.0"]
    config = load_settings(words).cascade
    rows = [{"query_id": "q", "text": "t", "mentions": [], "acts": [], "dates": []}]
    tables = {
        "query": pa.Table.from_pylist(rows),
        "dense": make_run({"q": [("a", 0.9), ("b", 0.8)]}, "dense"),
        "sparse": make_run({"q": [("b", 5.0), ("c", 4.0)]}, "sparse"),
        "selected": make_run({"q": [("b", 1.0), ("a", 0.5), ("x", 0.1)]}, "selected"),
    }
    build: Any = None
    # b: 2/62 of 2/62 + 1/61 by vectors; a: all of it; x stands in no channel
    by_vectors = (2 / 62) / (2 / 62 + 1 / 61)
    (shares,) = channel_shares(build, config, tables).values()
    assert shares == pytest.approx({"dense": (by_vectors + 1) / 2, "sparse": (1 - by_vectors) / 2})
    (first,) = channel_shares(build, config, tables, first=1).values()
    assert first == pytest.approx({"dense": by_vectors, "sparse": 1 - by_vectors})
    assert channel_shares(build, config, tables | {"route": tables["query"]}) == {}
    assert channel_shares(build, load_settings(["experiment=default"]).cascade, tables) == {}
