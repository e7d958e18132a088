"""The loop: it ends, its pool only grows, and its trace runs again to the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.online.answer import Operation
from citegrain.tasks.published.controller import (
    ControllerConfig,
    Memory,
    Plan,
    Policy,
    Proposition,
    Question,
    RankedPassage,
    control,
    replay,
    trace_table,
    traced,
    unresolved,
)
from citegrain.tasks.published.controller.operations import (
    agreement,
    coverage,
    planned,
    read,
    reflected,
    retrieved,
)

CONFIG = ControllerConfig(rounds=3, threshold=0.9, coverage=0.5, passages=2, queries=2, subquestions=3)
LAW = {
    "pay and notice": ("wages", "notice"),
    "pay": ("wages", "bonus", "fine"),
    "notice": ("notice", "month"),
}


def _search(questions: Sequence[Question]) -> list[list[RankedPassage]]:
    return [
        [RankedPassage(f"{name}#1", name, 1 / rank) for rank, name in enumerate(LAW.get(a.text, ()), 1)]
        for a in questions
    ]


def _supports(memory: Memory) -> list[Proposition]:
    """A passage supports the sub-question that was searched for it alone."""
    subquestions = {s.text for s in memory.subquestions}
    latest = [one for one in memory.latest() if one.query in subquestions]
    return [one.passage.says(one.query, "says so", one.passage.score) for one in latest]


class Halves(Policy):
    """The complaint first, then a part a round."""

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        return [
            Plan((), tuple(s.text for s in m.unresolved)[:1])
            if m.queries
            else Plan(tuple(m.question.text.split(" and ")), (m.question.text,))
            for m in memories
        ]

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        return [_supports(m) for m in memories]


def test_a_complaint_of_two_matters_takes_a_round_each_and_one_of_one_matter_a_single_one() -> None:
    two, one = control([Question("pay and notice"), Question("pay")], Halves(CONFIG), _search, CONFIG)
    assert two.memory.queries == ("pay and notice", "pay", "notice")
    assert two.memory.pool == ["wages#1", "notice#1", "bonus#1", "month#1"]  # two of each query
    assert (two.stopped, two.memory.round) == ("sufficient", 3) and not two.memory.unresolved
    assert (one.stopped, one.memory.round) == ("sufficient", 1)
    hs = [o.confidence for o in two.operations if o.operation == "decide"]
    assert hs == [0.0, 0.5 * 0.5 + 0.5, 1.0]  # half is covered, and all of that agrees
    assert [o.operation for o in one.operations] == ["plan", "retrieve", "read", "reflect", "decide"]


def test_the_budget_ends_it_and_what_is_unresolved_is_left() -> None:
    config = replace(CONFIG, rounds=2)
    (outcome,) = control([Question("pay and notice")], Halves(config), _search, config)
    assert outcome.stopped == "budget" and [s.text for s in outcome.memory.unresolved] == ["notice"]


def test_a_contradiction_lowers_confidence() -> None:
    memory = Memory(Question("q"))
    memory, queries = planned(memory, Plan(("a", "b", "a", " "), ("q", "q", "")), CONFIG)
    assert [s.text for s in memory.subquestions] == ["a", "b"] and queries == ("q",)
    memory = retrieved(memory, queries, [[RankedPassage("c1", "p1", 1.0), RankedPassage("c2", "p2", 0.5)]], 2)
    about = [Proposition(s, "c1", "p1", "", 1.0) for s in ("a", "b", "unasked")]
    memory = read(memory, [*about, Proposition("a", "elsewhere", "p9", "", 1.0)])
    assert len(memory.propositions) == 2
    agreed, split = reflected(memory, ["covered", "covered"]), reflected(memory, ["covered", "contradicted"])
    assert (coverage(agreed), agreement(agreed)) == (1, 1) and (coverage(split), agreement(split)) == (1, 0.5)
    assert Halves(CONFIG).confidence(agreed) == 1 and Halves(CONFIG).confidence(split) == 0.75
    assert [s.state for s in reflected(memory, ["bogus"]).subquestions] == ["open", "open"]


_TEXT = st.sampled_from(["", " ", "pay", "notice", "pay and notice", "x" * 5000])
_TEXTS = st.lists(_TEXT, max_size=30).map(tuple)
_PASSAGES = st.lists(
    st.builds(RankedPassage, st.sampled_from("abcdef"), st.sampled_from("pq"), st.floats(0, 1)), max_size=5
)


class Drawn(Policy):
    """Plans, reads and reflects whatever is drawn."""

    def __init__(self, config: ControllerConfig, data: st.DataObject) -> None:
        super().__init__(config)
        self.draw = data.draw
        self.seen: dict[str, list[str]] = {}

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        for memory in memories:
            before = self.seen.get(memory.question.text, [])
            assert memory.pool[: len(before)] == before  # it only grows
            self.seen[memory.question.text] = memory.pool
        return [Plan(self.draw(_TEXTS), self.draw(_TEXTS)) for _ in memories]

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        one = st.builds(Proposition, _TEXT, st.sampled_from("abcdefgh"), st.just("p"), _TEXT, st.floats(0, 1))
        return [self.draw(st.lists(one, max_size=6)) for _ in memories]

    def reflect(self, memories: Sequence[Memory]) -> Sequence[Sequence[str]]:
        states = st.sampled_from(["open", "covered", "contradicted", "bogus"])
        return [self.draw(st.lists(states, max_size=9)) for _ in memories]


@settings(max_examples=80)
@given(st.data(), st.integers(1, 4), st.floats(0, 1), st.floats(0, 1))
def test_every_planner_ends_within_the_limits_and_its_trace_runs_again(
    data: st.DataObject, rounds: int, threshold: float, weight: float
) -> None:
    config = replace(CONFIG, rounds=rounds, threshold=threshold, coverage=weight)
    questions = {"a": Question("pay"), "b": Question("pay and notice")}
    policy, calls = Drawn(config, data), []

    def search(texts: Sequence[Question]) -> list[list[RankedPassage]]:
        calls.append(len(texts))
        return [data.draw(_PASSAGES) for _ in texts]

    outcomes = dict(zip(questions, control(list(questions.values()), policy, search, config), strict=True))
    assert len(calls) <= rounds and max(calls, default=0) <= 2 * config.queries
    for outcome in outcomes.values():
        memory = outcome.memory
        assert outcome.stopped and memory.round <= rounds and 0 <= memory.confidence <= 1
        assert len(memory.subquestions) <= config.subquestions
        assert len(set(memory.queries)) == len(memory.queries) <= rounds * config.queries
        assert len(memory.evidence) <= rounds * config.queries * config.passages
        pools = [o.pool for o in outcome.operations]
        assert pools == sorted(pools)
    table = trace_table(outcomes)
    again = replay(table, questions, policy)
    assert trace_table(again).equals(table)
    assert all(again[name].memory == outcome.memory for name, outcome in outcomes.items())


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"threshold": 1.5}, {"coverage": -0.1}, {"kind": "oracle"}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="controller"):
        ControllerConfig(**wrong)  # type: ignore[arg-type]


def test_a_trace_in_words_has_every_operation_and_fits_the_answer() -> None:
    outcomes = {"q": control([Question("pay and notice")], Halves(CONFIG), _search, CONFIG)[0]}
    rows = traced(trace_table(outcomes))
    assert [Operation.model_validate(row).operation for row in rows][:5] == [
        "plan", "retrieve", "read", "reflect", "decide",
    ]  # fmt: skip
    assert rows[0]["what"] == "sub-question: pay; sub-question: notice; searches: pay and notice"
    assert rows[1]["what"] == "2 passages, first wages, notice" and rows[2]["what"] == "no proposition"
    assert rows[3]["what"] == "2 open" and rows[4]["what"] == "coverage 0.00, agreement 0.00; goes on"
    assert rows[-1]["what"].endswith("ends: confident enough")
    assert unresolved(trace_table(outcomes)) == {"q": []}
    half = {"q": control([Question("pay and notice")], Halves(CONFIG), _search, replace(CONFIG, rounds=2))[0]}
    assert unresolved(trace_table(half)) == {"q": ["notice"]}
