"""The two loops of the LegalBench guide, worked by hand, and against endpoints that misbehave."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.endpoint import Endpoint, Messages, ReplyModel
from citegrain.tasks.published.controller import (
    ControllerConfig,
    Model,
    Question,
    RankedPassage,
    Resources,
    Search,
    control,
    make_policy,
    replay,
    trace_table,
)
from tests.bad_server import misbehaving

CALLS: dict[str, Any] = {"timeout": 0.5, "attempts": 1, "longest_wait": 0.02}
LAW = {
    "pay": [("wages", 0.1), ("fine", 0.2), ("oil", 0.0), ("bell", 0.9)],
    "pay Wages; Fine; Oil": [("wages", 0.5), ("notice", 0.4)],
    "withheld wages": [("bonus", 0.9), ("wages", 0.8), ("fine", 0.1)],
    "month's notice": [("notice", 0.3), ("month", 0.2)],
}
Say = Callable[[dict[str, Any]], Any]


@cache
def loop(name: str) -> ControllerConfig:
    """The option of a controller, with calls that end at once."""
    config: ControllerConfig = load_settings([f"controller={name}"]).group("controller")
    return replace(config, **CALLS)


def search(questions: Sequence[Question]) -> list[list[RankedPassage]]:
    listed = [LAW.get(question.text, [("other", 0.0)]) for question in questions]
    return [[RankedPassage(name, name, 10 * p, p, f"{name} " * 100) for name, p in one] for one in listed]


class Scripted:
    """A model that says what a function makes of what it is shown."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.shown: list[dict[str, Any]] = []

    def __call__(self, prompts: Sequence[Messages], schema: type[ReplyModel]) -> list[dict[str, Any] | None]:
        out: list[dict[str, Any] | None] = []
        for messages in prompts:
            self.shown.append(json.loads(messages[-1]["content"]))
            said = self.say(self.shown[-1])
            out.append(schema.conform(said) if said is not None else None)
        return out


def outcome(config: ControllerConfig, model: Any, text: str = "pay") -> tuple[Search, list[str]]:
    """How the search for a text went, and what is passed on; its trace runs again to the same bytes."""
    policy = make_policy(Resources(BUILD, config, model))
    questions = {"q": Question(text)}
    (done,) = control([*questions.values()], policy, search, config)
    table = trace_table({"q": done})
    again = replay(table, questions, make_policy(Resources(BUILD, config, model)))
    assert trace_table(again).equals(table) and again["q"].memory.pool == done.memory.pool
    ranked = policy.ranking(again["q"].memory)
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True), "no provision loses its place"
    assert all(0 <= score <= 1 for score in scores), "probabilities, and no scores"
    return done, [chunk for chunk, _ in ranked]


BUILD: Any = SimpleNamespace(
    chunk=lambda chunk: {"citation": chunk, "version_date": None},
    provision=lambda provision, version: {"heading": provision.title()},
)


def judging(scores: Mapping[str, float], wordings: Sequence[str], *steps: Any) -> Scripted:
    """Judges by the first word of the first passage; words anew, and hops, by a list each."""
    words, hops = iter(wordings), iter(steps)

    def say(shown: dict[str, Any]) -> Any:
        if "hop" in shown:
            return next(hops)
        if "passages" not in shown:
            return {"query": next(words)}
        return {"score": scores[shown["passages"][0].split()[0]], "feedback": "no wages", "issues": ["pay"]}

    return Scripted(say)


def test_corrective_search_stops_when_what_is_found_is_good_enough() -> None:
    model = judging({"wages": 0.3, "bonus": 0.7}, ["withheld wages"])
    done, ranked = outcome(loop("crag"), model)
    assert (done.stopped, done.memory.round) == ("sufficient", 2) and ranked == ["bonus", "wages", "fine"]
    assert done.memory.pool == ["wages", "fine", "oil", "bell", "bonus"] and not done.memory.unresolved
    first, reworded, _ = model.shown
    assert [len(p) for p in first["passages"]] == [200, 200, 200]  # three, 200 characters of each
    assert reworded == {"complaint": "pay", "searched": "pay", "feedback": "no wages pay"}
    done, ranked = outcome(loop("crag"), judging({"wages": 0.9}, []))
    assert done.memory.round == 1 and ranked == ["wages", "fine", "oil", "bell"]


def test_corrective_search_keeps_the_best_of_three_rounds() -> None:
    model = judging({"wages": 0.2, "notice": 0.5, "bonus": 0.5}, ["month's notice", "withheld wages"])
    done, ranked = outcome(loop("crag"), model)
    assert (done.stopped, done.memory.round) == ("budget", 3)
    assert ranked == ["notice", "month"]  # first of equals
    assert done.memory.confidence == 0.5 and [s.text for s in done.memory.unresolved] == ["pay"]


def hops(*steps: Any) -> Scripted:
    left = iter(steps)
    return Scripted(lambda shown: next(left))


def step(text: str, action: str = "RETRIEVE") -> dict[str, str]:
    return {"thought": "hm", "action": action, "sub_query": text}


def test_hop_by_hop_until_it_can_answer() -> None:
    model = hops(step("pay"), step("month's notice"), step("", "ANSWER"))
    done, ranked = outcome(loop("multihop"), model, "a long story")
    assert done.memory.queries == ("pay", "month's notice") and done.stopped == "sufficient"
    assert done.memory.pool == ["wages", "fine", "oil", "bell", "notice", "month"]
    assert set(ranked) == set(done.memory.pool)
    assert not done.memory.unresolved and len(model.shown) == 3
    assert [len(shown["passages"]) for shown in model.shown] == [0, 4, 6]
    assert model.shown[2]["searched"] == ["pay", "month's notice"]


@pytest.mark.parametrize("name", ["crag", "multihop", "crag_multihop"])
def test_prompts_name_what_is_searched_and_for_what(name: str) -> None:
    config = replace(loop(name), collection="legal documents", about="question")
    prompts: list[Messages] = []

    def model(requests: Sequence[Messages], schema: type[ReplyModel]) -> list[None]:
        prompts.extend(requests)
        return [None] * len(requests)

    outcome(config, model)
    assert prompts and all("legal documents" in m[0]["content"] for m in prompts)
    assert not any(word in str(m) for m in prompts for word in ("statute", "complaint", "{about", "{coll"))
    assert all(json.loads(m[-1]["content"])["question"] == "pay" for m in prompts)


def test_what_the_model_thought_is_traced_and_shown_again() -> None:
    model = hops(step("pay") | {"thought": "first pay"}, step("month's notice"), step("", "ANSWER"))
    done, _ = outcome(loop("multihop"), model, "a long story")
    plans = [one.content for one in done.operations if one.operation == "plan"]
    assert [plan["thought"] for plan in plans] == ["first pay", "hm"]
    assert [shown["thoughts"] for shown in model.shown] == [[], ["first pay"], ["first pay", "hm"]]


def test_both_loops_hop_until_what_was_found_is_good_enough() -> None:
    model = judging({"wages": 0.2, "notice": 0.8}, [], step("month's notice"))
    done, ranked = outcome(loop("crag_multihop"), model)
    assert (done.stopped, done.memory.queries) == ("sufficient", ("pay", "month's notice"))
    assert set(ranked) == set(done.memory.pool) == {"wages", "fine", "oil", "bell", "notice", "month"}
    plans = [one.content for one in done.operations if one.operation == "plan"]
    assert "thought" not in plans[0] and plans[1]["thought"] == "hm"
    # it would answer, but what was found is poor: the complaint is worded anew
    done, _ = outcome(
        loop("crag_multihop"), judging({"wages": 0.2, "bonus": 0.9}, ["withheld wages"], step("", "ANSWER"))
    )
    assert done.memory.queries == ("pay", "withheld wages") and done.stopped == "sufficient"
    # three rounds at most
    poor = {"wages": 0.2, "bonus": 0.1, "notice": 0.1}
    done, _ = outcome(
        loop("crag_multihop"), judging(poor, [], step("withheld wages"), step("month's notice"))
    )
    assert (done.stopped, done.memory.round) == ("budget", 3)


def test_three_hops_at_most_and_no_step_is_asked_behind_the_last() -> None:
    model = hops(step("pay"), step("withheld wages"), step("month's notice"))
    done, _ = outcome(loop("multihop"), model)
    assert (done.stopped, done.memory.round, len(model.shown)) == ("budget", 3, 3)
    assert len(done.memory.unresolved) == 3


@pytest.mark.parametrize("first", [step("", "ANSWER"), step(" "), None])
def test_the_complaint_itself_is_searched_where_no_hop_is_named_at_first(first: Any) -> None:
    done, _ = outcome(loop("multihop"), hops(first, step("", "ANSWER")))
    assert done.memory.queries == ("pay",) and done.stopped == "sufficient"


LONG = "x " * 10_000


@pytest.mark.parametrize("name", ["crag", "multihop"])
@pytest.mark.parametrize(
    "said",
    [
        {"query": "pay", "score": 0.1, "feedback": "", "issues": [], **step("pay")},  # repeats itself
        {"query": "", "score": 0.0, "feedback": "", "issues": [], **step("")},
        {"query": LONG, "score": 0.0, "feedback": LONG, "issues": [], **step(LONG)},
        {"score": 7.0, "action": "WAIT", "query": ["a"] * 10_000},
        [f"question {i}" for i in range(10_000)],
    ],
)
def test_a_hostile_endpoint_gets_no_more_than_three_rounds(name: str, said: Any) -> None:
    wanted = ("query",), ("score", "feedback", "issues"), ("thought", "action", "sub_query")

    def reply(shown: dict[str, Any]) -> str:
        fields = wanted[2] if name == "multihop" else wanted["passages" in shown]
        return json.dumps({name: said.get(name) for name in fields} if isinstance(said, dict) else said)

    with misbehaving("good", script=reply) as server:
        done, ranked = outcome(loop(name), Model(Endpoint(server.url, "m"), loop(name), None))
        assert sum(server.calls.values()) <= 6
    assert done.stopped and done.memory.round <= 3 and ranked
    assert name == "multihop" or done.memory.queries[0] == "pay"
    assert all(len(query.split()) <= 200 for query in done.memory.queries)


@pytest.mark.parametrize("name", ["crag", "multihop"])
def test_an_endpoint_that_hangs_costs_no_more_than_its_calls(name: str) -> None:
    quick = replace(loop(name), timeout=0.05)
    with misbehaving("hang", script=lambda shown: "{}") as server:
        done, ranked = outcome(quick, Model(Endpoint(server.url, "m"), quick, None))
    assert done.memory.queries == ("pay",) and ranked[0] == "wages" and done.stopped == "nothing_asked"


def test_a_budget_of_calls_ends_the_loop() -> None:
    spent = replace(loop("multihop"), max_calls=1)
    number = iter(range(100))
    with misbehaving("good", script=lambda shown: json.dumps(step(f"question {next(number)}"))) as server:
        model = Model(Endpoint(server.url, "m"), spent, None)
        (done,) = control([Question("pay")], make_policy(Resources(BUILD, spent, model)), search, spent)
        assert sum(server.calls.values()) == 1
    assert done.memory.queries == ("question 0",) and done.stopped == "nothing_asked"
