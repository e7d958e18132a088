"""The loop of Algorithm 2, over all complaints of a batch together; and the same loop run from its trace."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import TRACES
from citegrain.tasks.core.stage import canonical_json
from citegrain.tasks.published.configs import ControllerConfig
from citegrain.tasks.published.controller.operations import (
    SILENT,
    Policy,
    agreement,
    coverage,
    planned,
    read,
    reflected,
    retrieved,
    stop,
)
from citegrain.tasks.published.controller.records import (
    DECIDE,
    PLAN,
    READ,
    REFLECT,
    RETRIEVE,
    Memory,
    Operation,
    Plan,
    Proposition,
    Question,
    RankedPassage,
    Retriever,
)


@dataclass
class Search:
    """How the search for one complaint went: its memory now, what was done, and why it ended."""

    memory: Memory
    operations: list[Operation]
    stopped: str = ""

    def note(self, operation: str, content: dict[str, Any], over: int | None = None) -> None:
        """Add an operation to the trace; ``over`` is the round, by default that of the memory."""
        memory = self.memory
        now = memory.round if over is None else over
        sizes = len(memory.pool), len(memory.unresolved)
        self.operations.append(Operation(now, operation, content, *sizes, memory.confidence))


def control(
    questions: Sequence[Question], policy: Policy, retrieve: Retriever, config: ControllerConfig
) -> list[Search]:
    """Search for complaints until each is answered, or what it may take is spent.

    Ends within ``config.rounds`` rounds, whatever policy and retriever give.

    ``retrieve``: called once a round, with the queries of all complaints.
    """
    searches = [Search(Memory(one), []) for one in questions]
    while active := [search for search in searches if not search.stopped]:
        _round(active, policy, retrieve, config)
    return searches


def _round(searches: Sequence[Search], policy: Policy, retrieve: Retriever, config: ControllerConfig) -> None:
    queries: list[tuple[str, ...]] = []
    for search, plan in zip(searches, policy.plan([c.memory for c in searches]), strict=True):
        n_subquestions = len(search.memory.subquestions)
        search.memory, new = planned(search.memory, plan, config)
        added = tuple(s.text for s in search.memory.subquestions[n_subquestions:])
        thought = {"thought": plan.thought} if plan.thought else {}
        search.note(PLAN, {"subquestions": added, "queries": new} | thought, search.memory.round + 1)
        queries.append(new)
    for search, new in zip(searches, queries, strict=True):
        if not new:
            _decide(search, policy, config, SILENT)
    going = [(search, new) for search, new in zip(searches, queries, strict=True) if new]
    if not going:
        return
    results = deque(retrieve([replace(c.memory.question, text=text) for c, new in going for text in new]))
    for search, new in going:
        lists = [results.popleft()[: config.passages] for _ in new]
        search.memory = retrieved(search.memory, new, lists, config.passages)
        search.note(RETRIEVE, {"passages": [[_plain(p) for p in passages] for passages in lists]})
    working = [search for search, _ in going]
    for search, propositions in zip(working, policy.read([c.memory for c in working]), strict=True):
        before = len(search.memory.propositions)
        search.memory = read(search.memory, propositions)
        search.note(READ, {"propositions": [asdict(p) for p in search.memory.propositions[before:]]})
    for search, states in zip(working, policy.reflect([c.memory for c in working]), strict=True):
        search.memory = reflected(search.memory, states)
        search.note(REFLECT, {"states": [s.state for s in search.memory.subquestions]})
    for search in working:
        _decide(search, policy, config)


def _plain(passage: RankedPassage) -> dict[str, Any]:
    """A passage as the trace keeps it: its text is the build's."""
    return {name: value for name, value in asdict(passage).items() if name != "text"}


def _decide(search: Search, policy: Policy, config: ControllerConfig, why: str = "") -> None:
    memory = search.memory
    search.memory = replace(memory, confidence=policy.confidence(memory))
    search.stopped = why or stop(search.memory, config)
    signals = {"coverage": coverage(memory), "agreement": agreement(memory)}
    search.note(DECIDE, signals | {"stop": search.stopped})


def trace_table(searches: Mapping[str, Search]) -> pa.Table:
    """Table ``traces``: a row an operation, by query."""
    return TRACES.rows(
        [
            {"query_id": query, "step": step} | asdict(one) | {"content": canonical_json(one.content)}
            for query, search in searches.items()
            for step, one in enumerate(search.operations, 1)
        ]
    )


def replay(traces: pa.Table, questions: Mapping[str, Question], policy: Policy) -> dict[str, Search]:
    """Run the loop again from its trace: nothing is searched, and the policy only sums up its memory."""
    rows: dict[str, list[dict[str, Any]]] = {query: [] for query in questions}
    for row in traces.to_pylist():
        rows[row["query_id"]].append({"operation": row["operation"]} | json.loads(row["content"]))
    out = {}
    for query, one in questions.items():
        recorded = _Recorded(rows[query], policy)
        (out[query],) = control([one], recorded, recorded.retrieve, policy.config)
    return out


class _Recorded(Policy):
    """A policy, and what it searches, that give what a trace says they gave."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], policy: Policy) -> None:
        super().__init__(policy.config)
        self._rows = {
            name: deque(r for r in rows if r["operation"] == name) for name in (PLAN, RETRIEVE, READ, REFLECT)
        }
        self.confidence, self.ranking = policy.confidence, policy.ranking  # type: ignore[method-assign]

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        plan = self._rows[PLAN].popleft()
        return [Plan(tuple(plan["subquestions"]), tuple(plan["queries"]), plan.get("thought", ""))]

    def retrieve(self, questions: Sequence[Question]) -> Sequence[Sequence[RankedPassage]]:
        lists = self._rows[RETRIEVE].popleft()["passages"]
        return [[RankedPassage(**passage) for passage in passages] for passages in lists]

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        return [[Proposition(**p) for p in self._rows[READ].popleft()["propositions"]]]

    def reflect(self, memories: Sequence[Memory]) -> Sequence[Sequence[str]]:
        return [self._rows[REFLECT].popleft()["states"]]
