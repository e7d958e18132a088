"""The policy that is a language model, behind endpoints that behave and that do not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from citegrain.tasks.core.endpoint import Endpoint, EndpointError
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.controller import (
    ControllerConfig,
    Model,
    Question,
    RankedPassage,
    Resources,
    control,
    make_policy,
    replay,
    trace_table,
)
from tests.bad_server import Script, misbehaving

CONFIG = ControllerConfig(
    kind="llm", threshold=1.0, passages=2, queries=2, subquestions=3, timeout=5, attempts=1, longest_wait=0.02
)
QUESTIONS = {"a": Question("wages and notice"), "b": Question("a dog")}
BUILD = cast(PublishedBuild, None)  # the model sees passages alone


def _search(questions: Sequence[Question]) -> list[list[RankedPassage]]:
    return [
        [RankedPassage(f"{word}#1", word, 1.0, None, f"Of {word}.") for word in a.text.split()]
        for a in questions
    ]


def _run(url: str, config: ControllerConfig, store: Path | None = None) -> tuple[Any, Model]:
    model = Model(Endpoint(url, "m"), config, store)
    policy = make_policy(Resources(BUILD, config, model))
    outcomes = dict(zip(QUESTIONS, control(list(QUESTIONS.values()), policy, _search, config), strict=True))
    table = trace_table(outcomes)
    assert trace_table(replay(table, QUESTIONS, policy)).equals(table)
    return outcomes, model


def _sensible(data: dict[str, Any]) -> str:
    """Plans a part a round and covers it by the passage of its name."""
    subquestions = data["subquestions"]
    if "propositions" in data:
        said = {p["subquestion"] for p in data["propositions"]}
        return json.dumps({"states": ["covered" if s["text"] in said else "open" for s in subquestions]})
    if "passages" in data:
        pairs = [(s, p) for s in subquestions for p in data["passages"] if s["text"] in p["text"]]
        rows = [{"subquestion": s["number"], "passage": p["number"], "text": p["text"]} for s, p in pairs]
        return json.dumps({"propositions": [*rows, {"subquestion": 99, "passage": -1, "text": "?"}]})
    if data["searched"]:
        unanswered = [s["text"] for s in subquestions if s["state"] == "open"]
        return json.dumps({"subquestions": [], "queries": unanswered})
    return json.dumps({"subquestions": data["complaint"].replace(" and ", " ").split()[:2], "queries": []})


def test_a_model_plans_reads_and_reflects_and_its_replies_are_kept(tmp_path: Path) -> None:
    with misbehaving("good", script=_sensible) as server:
        config = replace(CONFIG, passages=1)
        outcomes, model = _run(server.url, config, tmp_path)
        done = outcomes["a"]
        assert done.stopped == "sufficient" and done.memory.queries == ("wages and notice", "notice")
        assert done.memory.confidence == 1 and not done.memory.unresolved
        assert model.calls == len(server.bodies) and model.tokens == 110 * model.calls
        again, second = _run(server.url, config, tmp_path)
        assert second.calls == 0 and trace_table(again).equals(trace_table(outcomes))


def _greedy(data: dict[str, Any]) -> str:
    n = len(data["searched"])
    if "propositions" in data:
        return json.dumps({"states": ["contradicted", "covered"] * 5000})
    if "passages" in data:
        return json.dumps({"propositions": [{"subquestion": 1, "passage": 1, "text": "yes"}] * 3000})
    many = [f"{n}.{i}" for i in range(10_000)]
    return json.dumps({"subquestions": many, "queries": [f"q{one}" for one in many]})


def _parrot(data: dict[str, Any]) -> str:
    return json.dumps({"subquestions": ["a dog"] * 9, "queries": [data["complaint"]] * 9})


def _silent(data: dict[str, Any]) -> str:
    return json.dumps({"subquestions": [], "queries": []})


@pytest.mark.parametrize("script", [_greedy, _parrot, _silent, _sensible])
@pytest.mark.parametrize("moods", [("good",), ("good", "prose", "empty", "not json", "500", "no choices")])
def test_a_hostile_model_ends_within_rounds_and_budget(script: Script, moods: tuple[str, ...]) -> None:
    with misbehaving(*moods, script=script) as server:
        outcomes, model = _run(server.url, replace(CONFIG, max_calls=9))
        assert len(server.bodies) <= 9 >= model.calls
    for question, outcome in zip(QUESTIONS.values(), outcomes.values(), strict=True):
        memory = outcome.memory
        assert outcome.stopped and memory.round <= 3 and memory.queries[0] == question.text
        assert len(memory.subquestions) <= 3 and len(memory.queries) <= 6 and len(memory.propositions) <= 30


def test_a_model_that_hangs_costs_its_time_and_no_more() -> None:
    with misbehaving("hang", script=_sensible) as server:
        outcomes, _ = _run(server.url, replace(CONFIG, timeout=0.1))
        assert {c.stopped for c in outcomes.values()} == {"nothing_asked"} and outcomes["a"].memory.pool
        _, hasty = _run(server.url, replace(CONFIG, max_seconds=0.9))  # a ninth of it for each ask
        assert hasty.calls == 0


def test_tokens_are_a_budget_and_a_mind_without_a_model_is_refused() -> None:
    with misbehaving("good", script=_greedy) as server:
        _, model = _run(server.url, replace(CONFIG, max_tokens_in_all=220))
        assert model.tokens == 220 and len(server.bodies) == 2  # both complaints were planned, nothing read
    with pytest.raises(EndpointError, match="controller=llm"):
        make_policy(Resources(BUILD, CONFIG))
