"""Types of questions: learned from a few hundred, named by a model; and what differs for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citegrain.flows.shared.settings import SettingsError, load_settings
from citegrain.tasks.core.endpoint import Endpoint, EndpointError
from citegrain.tasks.core.runs import rankings
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.published.configs import Route, RouteConfig
from citegrain.tasks.published.route import asking, make_routes, read_classifier, terms
from tests.bad_server import misbehaving
from tests.golden_outputs import golden_build

QUESTIONS = {"a": "What is the punishment for theft?", "b": "Within how many days must I appeal?"}
CALLS = RouteConfig("llm", timeout=5, attempts=1, longest_wait=0.02)


def test_two_plain_questions_get_their_types() -> None:
    rows = make_routes(QUESTIONS, RouteConfig("learned")).to_pylist()
    assert [(row["query_id"], row["type"]) for row in rows] == [("a", "penalty"), ("b", "temporal")]
    assert all(0.5 <= row["probability"] <= 1 for row in rows)
    unsure = make_routes(QUESTIONS, RouteConfig("learned", least=1.0)).to_pylist()
    assert {row["type"] for row in unsure} == {"fact"}
    assert make_routes({}, RouteConfig("learned")).num_rows == 0


def test_numbers_are_all_one_and_of_a_long_story_the_question_is_read() -> None:
    assert terms("Section 41A, rule 3") == ["section", "#", "rule", "#", "section #", "# rule", "rule #"]
    story = "He was punished once. " * 20
    assert asking(story + "How long does it take? He waits.").strip() == "How long does it take?"
    assert asking(story) == story and asking("Short. Is it?") == "Short. Is it?"


def test_other_texts_than_those_of_the_digest_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "types.jsonl"
    with pytest.raises(ModelError, match="No such file"):
        read_classifier(file, "0")
    file.write_text(json.dumps({"text": "why", "type": "fact"}) + "\n", encoding="utf-8")
    with pytest.raises(ModelError, match=r"route\.texts_sha256 is 0"):
        read_classifier(file, "0")


def test_a_model_names_the_type_and_one_that_names_none_leaves_a_fact() -> None:
    replies = {QUESTIONS["a"]: '{"type": "penalty"}', QUESTIONS["b"]: '{"type": "gossip"}'}
    with misbehaving("good", script=lambda data: replies[data["question"]]) as server:
        rows = make_routes(QUESTIONS, CALLS, Endpoint(server.url, "m")).to_pylist()
    assert [(row["type"], row["probability"]) for row in rows] == [("penalty", 1.0), ("fact", 0.0)]
    with pytest.raises(EndpointError, match="route=llm"):
        make_routes(QUESTIONS, CALLS)


def test_what_differs_counts_only_where_questions_are_routed() -> None:
    routes = {"penalty": Route({"graph": 1.0}, {"punishing": 2}), "temporal": Route(words="days")}
    assert RouteConfig("learned", routes=routes).differences("words") == {"temporal": "days"}
    with pytest.raises(ValueError, match="gossip: types are fact"):
        RouteConfig(routes={"gossip": Route()})
    assert RouteConfig(routes=routes).differences("weights") == {}


@pytest.mark.model
@pytest.mark.xdist_group("golden")
def test_the_steps_read_what_differs() -> None:
    overrides = ["route=learned", "fuse=rrf", "retrieve=dense", "+route.routes.conflict.weights.dense=0.5"]
    cascade = Cascade(golden_build(), load_settings(overrides).cascade)
    steps = {step.name: step for step in cascade.steps(QUESTIONS, {})}
    assert steps["fused"].params["rules"] == [{"when": "conflict", "weights": {"dense": 0.5}}]
    expansions = steps["expanded"].params
    assert (expansions["penalty"]["punishing"], expansions[""]["punishing"]) == (3, 0)


@pytest.mark.model
@pytest.mark.xdist_group("golden")
def test_a_channel_stands_in_place_of_the_search_where_a_section_is_named() -> None:
    channel = ["retrieve.channels=[sparse,graph]", "+retrieve.options.graph_starts=named"]
    channel += ["fuse=rrf", "expand=family"]
    types = [f"++route.routes.{name}.instead=graph" for name in ("penalty", "cross_reference")]
    plain = ["route.routes.cross_reference.expand.cited=0", "route.routes.penalty.expand.punishing=0"]
    routed = [*channel, "route=learned", *plain, *types]
    texts = {
        "named": "What is the punishment under section 5 of the Lantern Keepers (Welfare) Act, 2011?",
        "absent": "What is the punishment under section 999 of the Lantern Keepers (Welfare) Act, 2011?",
        "none": "What is the punishment for a keeper?",
    }
    search = Cascade(golden_build(), load_settings(channel).cascade).run(texts).tables
    tables = Cascade(golden_build(), load_settings(routed).cascade).run(texts).tables
    graph, fused, expanded = (rankings(tables[name]) for name in ("graph", "fused", "expanded"))
    assert graph.keys() == {"named"} and graph["named"] == fused["named"] == expanded["named"]
    before = rankings(search["fused"])
    assert fused["none"] == before["none"] and fused["absent"] == before["absent"]
    assert fused["named"] != before["named"]


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("route.method=guess", "one of none, learned, llm"),
        ("+route.routes.fact.expand.uncles=3", "uncles"),
        ("route.least=2", "0 to 1"),
    ],
)
def test_a_wrong_route_is_named(override: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        load_settings(["route=learned", override])
