"""The whole online chain over a small build."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.online.answer import explain
from citegrain.tasks.online.builds import BuildError
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.fuse import FuseConfig
from citegrain.tasks.online.generate import GenerateConfig, answer_schema
from citegrain.tasks.online.query import QueryConfig
from citegrain.tasks.online.rerank import RerankConfig
from citegrain.tasks.online.retrieve import RetrieveConfig
from citegrain.tasks.online.select import SelectConfig
from citegrain.tasks.online.steps import run_steps
from citegrain.tasks.published.configs import ControllerConfig, ExpandConfig, Route, RouteConfig
from tests.bad_server import misbehaving
from tests.golden_outputs import golden_build

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]
STORY = (
    "My wages were not paid for three months. The owner laughs when I ask him for them. "
    "Nobody gives me any oil for the lamp. I had to buy the kerosene with my own money."
)
COMPLAINTS = {
    "a": "My wages were not paid for three months",
    "b": "Who supplies the oil? Section 3A of the Lantern Keepers (Welfare) Act says so",
    "c": "What is a lantern, and what is a keeper?",
    "d": "zzz",
    "e": STORY,
}
CONFIG = CascadeConfig(
    retrieve=RetrieveConfig(["dense", "sparse", "provision"]),
    rerank=RerankConfig("late_interaction"),
    select=SelectConfig("mmr"),
)


@pytest.fixture(scope="module")
def build() -> Build:
    return golden_build()


def test_a_routed_question_brings_what_punishes_and_moves_no_other(build: Build) -> None:
    questions = {
        "pay": "Until when are wages due?",
        "fine": "What is the punishment for withholding the wages?",
    }
    plain = Cascade(build, CONFIG).run(questions)
    route = RouteConfig("learned", routes={"penalty": Route(expand={"punishing": 3, "cited": 3})})
    cascade = Cascade(build, CONFIG.with_group("route", route))
    routed = cascade.run(questions)
    reads = {step.name: step.reads for step in cascade.steps(questions, dict.fromkeys(questions))}
    assert reads["expanded"] == ("query", "fused", "route") and reads["reranked"] == ("query", "expanded")
    before, after = rankings(plain.runs["fused"]), rankings(routed.runs["expanded"])
    assert before == rankings(routed.runs["fused"]) and after["pay"] == before["pay"]
    assert {c for c, _ in before["fine"]} <= {c for c, _ in after["fine"]} and after["fine"] != before["fine"]


@pytest.mark.parametrize(
    "config",
    [
        CONFIG,
        CascadeConfig(),
        replace(CONFIG, query=QueryConfig(["sentences"])),
        replace(CONFIG, retrieve=RetrieveConfig(["sparse"], family=True), fuse=FuseConfig("single")),
        CONFIG.with_group("controller", ControllerConfig(kind="rules")),
        replace(CONFIG, select=SelectConfig(pinned=2, raw_gap=0.6)).with_group(
            "expand", ExpandConfig(family=3, cited=2)
        ),
        replace(CONFIG, query=QueryConfig(["sentences", "decompose", "expand", "feedback"], 0.5)),
    ],
)
def test_a_batch_gives_what_each_query_alone_gives(build: Build, config: CascadeConfig) -> None:
    cascade = Cascade(build, config)
    batch = cascade.run(COMPLAINTS)
    for query, text in COMPLAINTS.items():
        alone = cascade.run({query: text})
        for name, run in batch.runs.items():
            ours, theirs = rankings(run).get(query, []), rankings(alone.runs[name]).get(query, [])
            assert [c for c, _ in ours] == [c for c, _ in theirs], name
            assert [s for _, s in ours] == pytest.approx([s for _, s in theirs], abs=1e-4)
        row = next(r for r in batch.answers.to_pylist() if r["query_id"] == query)
        answer = alone.answers.to_pylist()[0]
        assert row["n_charges"] == answer["n_charges"]


ACT = "lantern-keepers-welfare-act-2011"
LAY = (
    (ACT, "3A", "I have to buy the kerosene out of my own pocket"),
    (ACT, "4", "boss has kept my salary since spring, can he go to jail"),
    (ACT, "4", "he sits on our pay"),
    (ACT, "99", "of no section that there is"),
)
EXPANDED = replace(
    CONFIG, retrieve=RetrieveConfig(["dense", "provision", "lay_dense", "lay_sparse"], centre=0.75)
)


def test_lay_texts_in_a_batch_and_alone(build: Build) -> None:
    cascade = Cascade(golden_build(LAY), EXPANDED)
    complaints = {
        "x": "must I buy kerosene myself?",
        "y": "salary not given, he sits on it",
        "z": COMPLAINTS["a"],
    }
    batch = cascade.run(complaints)
    for query, text in complaints.items():
        alone = cascade.run({query: text})
        for name, run in batch.runs.items():
            ours, theirs = rankings(run).get(query, []), rankings(alone.runs[name]).get(query, [])
            assert [c for c, _ in ours] == [c for c, _ in theirs], name
            assert [s for _, s in ours] == pytest.approx([s for _, s in theirs], abs=1e-4)
    for channel, query, section in (
        ("lay_dense", "x", "3A"),
        ("lay_dense", "y", "4"),
        ("lay_sparse", "x", "3A"),
        ("lay_sparse", "y", "4"),
    ):
        cited = [build.citations[chunk] for chunk, _ in rankings(batch.runs[channel])[query]]
        of_act = [
            c for c in cited if c and c.startswith(f"{ACT}/")
        ]  # the other Act keeps its ranks by vectors
        assert of_act[0] == build.labelled(ACT, section)[0]


def test_lay_texts_move_nothing_that_does_not_search_them(build: Build) -> None:
    config = replace(CONFIG, rerank=RerankConfig("none"))  # last bits of torch depend on where memory lies
    plain, expanded = (Cascade(b, config).run(COMPLAINTS) for b in (build, golden_build(LAY)))
    assert all(run.equals(expanded.runs[name]) for name, run in plain.runs.items())
    assert plain.answers.equals(expanded.answers)


def test_a_build_without_lay_texts_is_one_clear_line(build: Build) -> None:
    with pytest.raises(BuildError, match="index with index=expanded") as error:
        Cascade(build, EXPANDED).run(COMPLAINTS)
    assert "\n" not in str(error.value)


def test_extractive_answers_validate_and_their_citations_hold(build: Build) -> None:
    cascade = Cascade(build, CONFIG)
    assert CONFIG.attributes and not cascade.config.attributes, "no schedule of the build classifies offences"
    schema = answer_schema(CONFIG.roles, ())
    for row in cascade.run(COMPLAINTS).answers.to_pylist():
        assert schema.validate_answer(json.loads(row["answer"])) == json.loads(row["answer"])
        assert row["n_verified"] == row["n_charges"] > 0 and not row["error"]


def test_the_evidence_is_looked_for_in_the_whole_provision(build: Build) -> None:
    cut = Cascade(build, CONFIG).run({"a": "who pays the wages, within how many days?"})
    for hit in cut.hits["a"]:
        provision = build.provision_row(hit.provision_id, date.fromisoformat(hit.version))
        full_text = " ".join(provision["text"].split())
        assert hit.evidence and hit.evidence.removeprefix("… ").removesuffix(" …") in full_text


def test_a_named_provision_comes_first(build: Build) -> None:
    hits = Cascade(build, CONFIG).run(COMPLAINTS).hits["b"]
    assert (hits[0].act, hits[0].section) == ("lantern-keepers-welfare-act-2011", "3A")


def test_questions_that_are_fused_by_words_are_kept_apart_by_the_weights_of_that(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Build, "lexical_only", lambda self, text: not text.isascii())

    def sources(text: str, **values: Any) -> Any:
        fuse = FuseConfig("learned", **values)
        steps = Cascade(build, replace(CONFIG, fuse=fuse)).steps({"q": text}, {"q": None})
        return next(s for s in steps if s.name == "fused").sources

    assert sources("मजदूरी नहीं मिली", k=1) != sources("मजदूरी नहीं मिली", k=2)
    assert sources("wages", k=1) == sources("wages", k=2) == {}


def test_a_published_system_leaves_no_carried_amendment_out(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Cascade(build, CONFIG).run(COMPLAINTS).hits["a"]
    monkeypatch.setattr(Build, "carried", {before[0].provision_id: date(2000, 1, 1)})
    assert Cascade(build, CONFIG).run(COMPLAINTS).hits["a"] == before


def test_without_a_model_nothing_asks_one() -> None:
    asking = CascadeConfig(
        query=QueryConfig(["sentences", "hyde"]), generate=GenerateConfig("llm"),
        added={"route": RouteConfig("llm"), "controller": ControllerConfig(kind="crag")},
    )  # fmt: skip
    assert asking.asking == "route=llm" and not asking.without_model().asking
    off = {"route": RouteConfig(), "controller": ControllerConfig()}
    assert asking.without_model() == CascadeConfig(query=QueryConfig(["sentences"]), added=off)
    learned = replace(
        CONFIG, added={"route": RouteConfig("learned"), "controller": ControllerConfig(kind="rules")}
    )
    assert learned.without_model() == learned


def test_no_query_is_an_empty_answer(build: Build) -> None:
    result = Cascade(build, CONFIG).run({})
    assert result.answers.num_rows == 0 and result.hits == {}


def test_an_explanation_has_each_stage_and_why_others_fell_out(build: Build) -> None:
    def explained(config: CascadeConfig) -> tuple[list[str], list[dict[str, Any]]]:
        cascade = Cascade(build, config)
        result = cascade.run({"b": COMPLAINTS["b"]})
        assert set(result.runs) == {"dense", "sparse", "provision", "fused", "reranked", "selected"}
        rows = explain(build, config, result, cascade.vectors(result.queries)[0])
        assert all(set(row["stages"]) == set(result.runs) for row in rows)
        return [h.provision_id for h in result.hits["b"]], rows

    hits, rows = explained(replace(CONFIG, select=SelectConfig(k=2)))
    assert [r["provision_id"] for r in rows[:2]] == hits and [r["why"] for r in rows[:2]] == ["", ""]
    assert rows[0]["stages"]["provision"]["rank"] == 1 and "section 3A" in rows[0]["law"]
    assert 2 < len(rows) <= 12 and not any(r["returned"] for r in rows[2:])
    assert rows[2]["why"].endswith(
        "the reranker moved it from rank 2 to 3; the 2 before it are returned (select.k)"
    )
    for config, why in [
        (replace(CONFIG, fuse=FuseConfig(depth=3)), "not among the best 3 when the channels were joined"),
        (replace(CONFIG, select=SelectConfig(k=9, gap=0.01)), "behind a drop of the score greater than 0.01"),
        (
            replace(CONFIG, select=SelectConfig(k=9, tokens=50)),
            "it, or one before it, does not fit into 50 tokens",
        ),
        (
            replace(CONFIG, fuse=FuseConfig("single", channel="provision")),
            "only the channel provision is read",
        ),
    ]:
        assert any(row["why"].startswith(why) for row in explained(config)[1]), why


def test_what_is_kept_is_not_made_again(build: Build, tmp_path: Path) -> None:
    first = Cascade(build, CONFIG, tmp_path).run(COMPLAINTS)
    segments = sorted(tmp_path.rglob("*.parquet"))
    again = Cascade(build, CONFIG, tmp_path).run(COMPLAINTS)
    assert segments and sorted(tmp_path.rglob("*.parquet")) == segments
    assert again.runs["reranked"].equals(first.runs["reranked"])


def test_nothing_is_kept_unless_asked_for(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(build.folder.rglob("*"))
    Cascade(build, CONFIG).run(COMPLAINTS)
    assert sorted(build.folder.rglob("*")) == before and not list(tmp_path.rglob("*"))


def pickled(value: Any) -> Any:
    """A value as another process has it."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301


def test_a_process_opens_a_pickled_build_once(build: Build) -> None:
    assert pickled(build) is pickled(Cascade(build, CONFIG)).build


REWRITTEN = replace(EXPANDED, query=QueryConfig(["sentences", "decompose", "expand", "feedback"], 0.5))


@pytest.mark.parametrize("config", [CONFIG, REWRITTEN])
def test_a_pickled_step_gives_the_same_table(config: CascadeConfig, tmp_path: Path) -> None:
    days = dict.fromkeys(COMPLAINTS, date(2020, 1, 1))
    steps = Cascade(golden_build(LAY), config, tmp_path).steps(COMPLAINTS, days)
    tables = run_steps(steps)
    for step in steps:
        copy = pickled(step)
        assert run_steps([copy], tables)[step.name].equals(tables[step.name]), step.name
        assert copy.key(dict.fromkeys(tables, "")) == step.key(dict.fromkeys(tables, ""))


def test_a_runner_hands_each_step_what_it_reads_and_says_when_it_is_done(build: Build) -> None:
    done: list[tuple[str, int]] = []
    tables = run_steps(
        Cascade(build, CONFIG).steps(COMPLAINTS, {}), on_step=lambda s, t: done.append((s.name, t.num_rows))
    )
    assert done == [(name, table.num_rows) for name, table in tables.items()]
    assert list(tables) == ["query", *CONFIG.retrieve.channels, "fused", "reranked", "selected", "answers"]


def test_a_model_behind_an_endpoint(build: Build, tmp_path: Path) -> None:
    config = replace(CONFIG, generate=GenerateConfig("llm", attempts=2, longest_wait=0.02))
    with misbehaving("good", "invented") as server:
        result = Cascade(build, config, tmp_path, Endpoint(server.url, "bad")).run(COMPLAINTS)
    rows = result.answers.to_pylist()
    assert sum(r["n_verified"] for r in rows) == server.calls["good"]
    assert sum(r["n_not_in_corpus"] for r in rows) == server.calls["invented"]
    assert all(r["n_charges"] == 1 and r["tokens_in"] == 100 for r in rows)


def test_rewrites_are_a_weighted_sum(build: Build) -> None:
    config = replace(CONFIG, query=QueryConfig(["sentences"], 0.5))
    text = "The owner withheld my wages. Nobody gives me any oil for the lamp."
    result = Cascade(build, config).run({"q": text})
    parts = [text, "The owner withheld my wages.", "Nobody gives me any oil for the lamp."]
    vectors = build.encode_queries(parts)
    vector = vectors[0] + 0.5 * vectors[1] + 0.5 * vectors[2]
    chunk, score = rankings(result.runs["dense"])["q"][0]
    expected = float(build.vectors([build.rows[chunk]])[0] @ vector / np.linalg.norm(vector))
    assert score == pytest.approx(expected, abs=1e-4)
    sparse = sum(w * build.sparse_scores(p) for w, p in zip((1.0, 0.5, 0.5), parts, strict=True))
    chunk, score = rankings(result.runs["sparse"])["q"][0]
    assert score == pytest.approx(float(np.max(sparse)), abs=1e-4)


def test_rewrites_that_are_searched_by_themselves_join_by_their_ranks(build: Build) -> None:
    plain = Cascade(build, CONFIG)
    cascade = Cascade(build, replace(CONFIG, query=QueryConfig(["decompose"], 0.5)))
    tables: dict[str, pa.Table] = {}
    result = cascade.run(
        {"q": STORY, "z": COMPLAINTS["a"]}, on_step=lambda step, table: tables.update({step.name: table})
    )
    off = plain.run({"q": STORY, "z": COMPLAINTS["a"]})
    assert result.runs["fused"].equals(off.runs["fused"])
    lists = [rankings(off.runs["fused"])["q"]]
    matters = [row["texts"][0]["text"] for row in tables["rewritten"].to_pylist()]
    assert " ".join(matters) == STORY and len(matters) == 2
    for matter in matters:
        steps = plain.steps({"q": matter}, {"q": None})
        queries = run_steps(steps[:1])["query"].to_pylist()
        queries[0]["texts"].append({"text": STORY, "weight": 0.5})
        lists.append(rankings(run_steps(steps[1:5], {"query": QUERIES.rows(queries)})["fused"])["q"])
    scores: dict[str, float] = {}
    for weight, ranked in zip((1.0, 0.5, 0.5), lists, strict=True):
        for rank, (chunk, _) in enumerate(ranked, 1):
            scores[chunk] = scores.get(chunk, 0.0) + weight / (60 + rank)
    joined = rankings(result.runs["joined"])
    assert dict(joined["q"]) == pytest.approx(dict(sorted(scores.items(), key=lambda i: -i[1])[:20]))
    assert [c for c, _ in joined["z"]] == [c for c, _ in rankings(off.runs["fused"])["z"]]  # one sentence


def test_a_model_translates_what_was_typed_and_nothing_in_english(build: Build) -> None:
    query = QueryConfig(["translate"], replace=True, spelling=True, timeout=5, attempts=1, longest_wait=0.02)
    hindi, english = "मालिक ने दीप का तेल नहीं दिया", "The owner gave no oil for the lamp"
    read: list[str] = []

    def reply(data: Any) -> str:
        read.append(data["complaint"])
        return json.dumps({"english": english})

    with misbehaving("good", script=reply) as server:
        result = Cascade(build, replace(CONFIG, query=query), endpoint=Endpoint(server.url, "m")).run(
            {"hindi": hindi, "english": english}
        )
    joined = rankings(result.runs["joined"])
    assert read == [hindi] and [c for c, _ in joined["hindi"]] == [c for c, _ in joined["english"]]


def test_a_model_rewrites_and_one_that_fails_changes_nothing(build: Build, tmp_path: Path) -> None:
    config = replace(CONFIG, query=QueryConfig(["hyde"], timeout=5, attempts=1, longest_wait=0.02))
    oil = json.dumps({"text": "The owner shall supply the oil for the lantern."})
    plain = Cascade(build, CONFIG).run({"a": "wages", "b": "zzz"})
    with misbehaving("good", script=lambda data: oil if data["complaint"] == "wages" else "no") as server:
        endpoint = Endpoint(server.url, "m")
        first = Cascade(build, config, tmp_path, endpoint).run({"a": "wages", "b": "zzz"})
    again = Cascade(build, config, tmp_path, endpoint).run({"a": "wages"})  # the reply is kept
    before, after = rankings(plain.runs["fused"]), rankings(first.runs["joined"])
    assert [c for c, _ in before["b"]] == [c for c, _ in after["b"]] and before["a"] != after["a"]
    assert rankings(again.runs["joined"])["a"] == after["a"]


def test_a_wording_is_searched_in_place_of_the_question_by_all_channels(build: Build, tmp_path: Path) -> None:
    query = QueryConfig(["reword_llm"], replace=True, timeout=5, attempts=1, longest_wait=0.02)
    config, plain = replace(CONFIG, query=query), Cascade(build, CONFIG)
    said = json.dumps({"text": "Who supplies the oil for the lantern?"})
    with misbehaving("good", script=lambda data: said if data["complaint"] == "wages" else "no") as server:
        reworded = Cascade(build, config, tmp_path, Endpoint(server.url, "m")).run({"a": "wages", "b": "zzz"})
    expected = rankings(plain.run({"a": "Who supplies the oil for the lantern?"}).runs["fused"])["a"]
    joined = rankings(reworded.runs["joined"])
    assert [chunk for chunk, _ in joined["a"]] == [chunk for chunk, _ in expected]
    unanswered = rankings(plain.run({"b": "zzz"}).runs["fused"])["b"]
    assert [chunk for chunk, _ in joined["b"]] == [chunk for chunk, _ in unanswered]


@pytest.mark.parametrize(
    ("select", "name"),
    [(SelectConfig(threshold=0.999), "threshold"), (SelectConfig(raw_gap=1e-9), "raw_gap")],
)
def test_a_cut_by_the_score_itself_is_explained(build: Build, select: SelectConfig, name: str) -> None:
    cascade = Cascade(build, replace(CONFIG, select=select))
    result = cascade.run({"a": COMPLAINTS["a"]})
    rows = explain(build, cascade.config, result, cascade.vectors(result.queries)[0])
    reached = [row for row in rows if not row["returned"] and row["stages"]["reranked"]]
    assert reached and all(f"(select.{name})" in row["why"] for row in reached)
