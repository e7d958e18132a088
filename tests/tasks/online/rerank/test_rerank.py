"""Pair scores, provenance and late interaction, by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from citegrain.tasks.core.runs import make_run, rankings
from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.offline.models import find_model
from citegrain.tasks.online.rerank import (
    CrossEncoderScorer,
    Passage,
    RerankConfig,
    make_scorer,
    pair_rows,
    provenance,
    read,
    rerank,
)
from citegrain.tasks.online.rerank.scorers.late_interaction import LateInteraction
from tests.fakes import as_build
from tests.tiny_model import write_tiny_cross_encoder


def query(**values: Any) -> dict[str, Any]:
    row = {
        "query_id": "q",
        "text": "wages",
        "acts": [],
        "mentions": [],
        "dates": [],
        "amounts": [],
        "texts": [],
    }
    return row | values


def mention(number: str, act: str | None = None) -> dict[str, Any]:
    return {"kind": "section", "number": number, "act_id": act}


class Chunks:
    """Three chunks: sections 1 and 2 of Act a, section 1 of Act b."""

    rows: Mapping[str, int] = {"a1": 0, "a2": 1, "b1": 2}

    def passage(self, row: int) -> Mapping[str, Any]:
        return {"header": "", "text": f"text {row}", "text_hash": f"hash{row}"}

    def lay_texts(self, row: int) -> Sequence[str]:
        return ["they kept my pay", "my pay is kept"] if row == 1 else []

    def tag(self, chunk_id: str) -> Mapping[str, Any]:
        return {"act_id": chunk_id[0], "section": chunk_id[1]}


class Fixed:
    """Scores by row; counts the pairs it was asked for."""

    identity = "fixed"

    def __init__(self, *scores: float) -> None:
        self.scores = scores
        self.scored = 0

    def forget(self) -> None: ...

    def score(self, query: str, passages: Sequence[Passage]) -> Any:
        self.scored += len(passages)
        return np.asarray([self.scores[p.row] for p in passages], dtype=np.float32)


RUN = make_run({"q": [("a1", 0.03), ("a2", 0.02), ("b1", 0.01)]}, "fused")


@pytest.mark.parametrize(
    ("mentions", "acts", "consistent", "phi"),
    [
        ([], [], True, {"a1": 0.0, "a2": 0.0, "b1": 0.0}),
        ([mention("1")], [], True, {"a1": 1.0, "a2": 0.0, "b1": 1.0}),
        ([mention("1", "b")], ["b"], True, {"a1": 0.0, "a2": 0.0, "b1": 1.5}),
        ([mention("1", "b")], ["b"], False, {"a1": 1.0, "a2": 0.0, "b1": 1.5}),
        ([], ["a"], True, {"a1": 0.5, "a2": 0.5, "b1": 0.0}),
    ],
)
def test_provenance_by_hand(
    mentions: list[dict[str, Any]], acts: list[str], consistent: bool, phi: dict[str, float]
) -> None:
    config = RerankConfig(consistent=consistent)
    row = query(mentions=mentions, acts=acts)
    assert {c: provenance(row, Chunks().tag(c), config) for c in phi} == phi


def test_equation_3_4() -> None:
    queries = QUERIES.rows([query(mentions=[mention("2")], acts=["a"])])
    config = RerankConfig("cross_encoder", scale="raw", provenance=0.15)
    done = rankings(rerank(as_build(Chunks()), queries, RUN, Fixed(3.0, 2.9, 1.0), config))["q"]
    assert [c for c, _ in done] == ["a2", "a1", "b1"]
    assert dict(done) == pytest.approx({"a2": 2.9 + 0.15 * 1.5, "a1": 3.0 + 0.15 * 0.5, "b1": 1.0})
    scaled = rankings(
        rerank(as_build(Chunks()), queries, RUN, Fixed(3.0, 2.9, 1.0), RerankConfig("cross_encoder"))
    )
    assert dict(scaled["q"])["b1"] == 0.0 and dict(scaled["q"])["a1"] == pytest.approx(1.075)


def test_fusion_may_keep_a_share_of_the_score() -> None:
    queries = QUERIES.rows([query()])
    config = RerankConfig("cross_encoder", provenance=0.0, fused=0.25)
    done = rankings(rerank(as_build(Chunks()), queries, RUN, Fixed(1.0, 3.0, 2.0), config))["q"]
    # on 0..1: fusion has 1, .5, 0 and the scorer 0, 1, .5
    assert dict(done) == pytest.approx({"a2": 0.75 + 0.125, "b1": 0.375, "a1": 0.25})
    raw = RerankConfig("cross_encoder", provenance=0.0, fused=1.0, scale="raw")
    assert rankings(rerank(as_build(Chunks()), queries, RUN, Fixed(1.0, 3.0, 2.0), raw)) == rankings(RUN)


def test_a_lay_text_is_read_before_the_passage_and_makes_another_pair(tmp_path: Path) -> None:
    assert (
        read(as_build(Chunks()), 1) == "text 1"
        and read(as_build(Chunks()), 1, 0) == "they kept my pay\ntext 1"
    )
    assert read(as_build(Chunks()), 1, 1) == "my pay is kept\ntext 1"
    assert read(as_build(Chunks()), 1, 2) == "text 1" and read(as_build(Chunks()), 0, 0) == "text 0"

    class Seen(Fixed):
        def score(self, query: str, passages: Sequence[Passage]) -> Any:
            seen.extend(p.text for p in passages)
            return super().score(query, passages)

    seen: list[str] = []
    scorer, queries = Seen(0.1, 0.2, 0.3), QUERIES.rows([query()])
    for lay_texts in (False, True, True):
        rerank(
            as_build(Chunks()),
            queries,
            RUN,
            scorer,
            RerankConfig("cross_encoder", lay_texts=lay_texts),
            pair_rows(tmp_path, scorer),
        )
    assert seen == ["text 0", "text 1", "text 2", "text 0", "they kept my pay\ntext 1", "text 2"]


def test_what_is_not_used_is_in_no_key() -> None:
    plain = RerankConfig("cross_encoder").parameters()
    assert "lay_texts" not in plain and "fused" not in plain
    assert RerankConfig("cross_encoder", lay_texts=True, fused=0.5).parameters() == plain | {
        "lay_texts": True,
        "fused": 0.5,
    }
    assert RerankConfig("none", lay_texts=True, fused=0.5).parameters() == RerankConfig("none").parameters()


def test_none_keeps_the_order_of_fusion() -> None:
    queries = QUERIES.rows([query()])
    done = rankings(rerank(as_build(Chunks()), queries, RUN, None, RerankConfig(scale="raw", provenance=0.0)))
    assert done["q"] == rankings(RUN)["q"]


def test_a_pair_is_scored_once_ever(tmp_path: Path) -> None:
    queries = QUERIES.rows([query(), query(query_id="p", text="other")])
    run = make_run({"q": [("a1", 1.0), ("a2", 0.5)], "p": [("a1", 1.0)]}, "fused")
    config = RerankConfig("cross_encoder", scale="raw")
    scorer = Fixed(0.1, 0.2, 0.3)
    first = rerank(as_build(Chunks()), queries, run, scorer, config, pair_rows(tmp_path, scorer))
    assert scorer.scored == 3
    again = rerank(as_build(Chunks()), queries, run, scorer, config, pair_rows(tmp_path, scorer))
    assert scorer.scored == 3 and again.equals(first)
    more = make_run({"q": [("a1", 1.0), ("b1", 0.5)]}, "fused")
    rerank(as_build(Chunks()), queries, more, scorer, config, pair_rows(tmp_path, scorer))
    assert scorer.scored == 4


class Tokens:
    """Token vectors given by hand."""

    def __init__(self, **texts: list[list[float]]) -> None:
        self.texts = texts
        self.calls: list[str] = []

    def itself(self) -> Tokens:
        return self

    def token_vectors(self, texts: Sequence[str], *, query: bool = False) -> list[Any]:
        self.calls += texts
        return [np.asarray(self.texts[t], dtype=np.float16).reshape(-1, 2) for t in texts]


def test_maxsim_by_hand() -> None:
    encoder = Tokens(q=[[1, 0], [0, 1]], x=[[1, 0]], y=[[0.6, 0.8], [0, 1]], empty=[])
    passages = [Passage(i, t, t) for i, t in enumerate(("x", "y", "empty"))]
    assert LateInteraction(cast(Any, encoder.itself), "t").score("q", passages) == pytest.approx(
        [0.5, 0.8, 0.0], abs=1e-3
    )


def test_stored_token_vectors_are_used() -> None:
    encoder = Tokens(q=[[1, 0]])
    scorer = LateInteraction(
        cast(Any, encoder.itself), "t", lambda row: np.asarray([[row, 0]], dtype=np.float16)
    )
    assert scorer.score("q", [Passage(1, "x", "x"), Passage(0, "y", "y")]) == pytest.approx([1.0, 0.0])
    assert encoder.calls == ["q"]


def test_a_passage_is_encoded_once_for_a_batch_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    passages = [Passage(i, t, t) for i, t in enumerate(["b", "c"])]
    for limit, encoded in ((10**6, ["b", "c"]), (1, ["b", "c", "b", "c"])):
        monkeypatch.setattr("citegrain.tasks.online.rerank.scorers.late_interaction._KEPT_BYTES", limit)
        encoder = Tokens(q=[[1, 0]], b=[[1, 0]], c=[[0.6, 0.8]])
        scorer = LateInteraction(cast(Any, encoder.itself), "t")
        first, second = scorer.score("q", passages), scorer.score("q", passages[::-1])
        assert first.tolist() == second.tolist()[::-1]
        assert sorted(t for t in encoder.calls if t != "q") == sorted(encoded)


class Models:
    """A build that has a folder for models."""

    def __init__(self, models: Path) -> None:
        self.models = models

    def shared(self, key: Any, make: Callable[[], Any]) -> Any:
        return make()


def test_a_cross_encoder_of_the_hubs_layout(tmp_path: Path) -> None:
    folder = write_tiny_cross_encoder(tmp_path / "cross")
    files = find_model(str(folder), tmp_path)
    config = RerankConfig("cross_encoder", model=str(folder), batch_size=2)
    scorer = CrossEncoderScorer(files, batch_size=2)
    passages = [Passage(i, t, t) for i, t in enumerate(["the oil", "wages of the keeper " * 30, "lamp"])]
    together = scorer.score("who pays the wages", passages)
    alone = [float(scorer.score("who pays the wages", [p])[0]) for p in passages]
    assert together == pytest.approx(alone, abs=1e-5) and len(set(alone)) == 3
    halves = CrossEncoderScorer(files, batch_size=2, precision="bf16")
    assert halves.identity != scorer.identity
    assert halves.score("who pays the wages", passages) == pytest.approx(together, abs=0.1)
    either = CrossEncoderScorer(files, batch_size=2, precision="auto")
    assert either.score("who pays the wages", passages) == pytest.approx(together, abs=0.1)
    chosen = make_scorer(as_build(Models(tmp_path)), config)
    assert chosen is not None and chosen.identity == scorer.identity


@pytest.mark.parametrize(
    "values",
    [{"scorer": "never"}, {"scale": "log"}, {"provenance": -1.0}, {"fused": 2.0}, {"precision": "int8"}],
)
def test_parameters_are_checked(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="rerank"):
        RerankConfig(**values)


def test_a_logit_by_itself_lies_between_0_and_1() -> None:
    config = RerankConfig("late_interaction", scale="logistic", provenance=0.0)
    run = make_run({"q": [("a1", 3.0), ("a2", 2.0), ("b1", 1.0)]}, "fused")
    out = rankings(
        rerank(as_build(Chunks()), QUERIES.rows([query(as_of=None)]), run, Fixed(0.0, 100.0, -100.0), config)
    )
    assert [c for c, _ in out["q"]] == ["a2", "a1", "b1"]
    assert [s for _, s in out["q"]] == pytest.approx([1, 0.5, 0])


def test_the_whole_is_read_of_a_part() -> None:
    class Parts(Chunks):
        def parent(self, chunk_id: str) -> Mapping[str, Any]:
            return {"header": "", "text": f"the whole of {chunk_id}"}

    read_texts: list[str] = []

    class Reads(Fixed):
        def score(self, query: str, passages: Sequence[Passage]) -> Any:
            read_texts.extend(p.text for p in passages)
            assert len({p.text_hash for p in passages}) == len(passages)
            return super().score(query, passages)

    config = RerankConfig("late_interaction", parents=True)
    run = make_run({"q": [("a1", 3.0), ("a2", 2.0)]}, "fused")
    rerank(as_build(Parts()), QUERIES.rows([query(as_of=None)]), run, Reads(0.0, 1.0, 2.0), config)
    assert read_texts == ["the whole of a1", "the whole of a2"]
    assert config.parameters() != RerankConfig("late_interaction").parameters()
