"""The loop of Algorithm 2, over all complaints of a batch together; and the same loop run from its trace."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import TRACES
from citegrain.tasks.core.stage import canonical_json
from citegrain.tasks.online.controller.config import ControllerConfig
from citegrain.tasks.online.controller.operations import (
    SILENT,
    Mind,
    agreement,
    coverage,
    planned,
    read,
    reflected,
    retrieved,
    stop,
)
from citegrain.tasks.online.controller.records import (
    DECIDE,
    PLAN,
    READ,
    REFLECT,
    RETRIEVE,
    Asked,
    Memory,
    Operation,
    Passage,
    Plan,
    Proposition,
    Retriever,
)


@dataclass
class Course:
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
    asked: Sequence[Asked], mind: Mind, retrieve: Retriever, config: ControllerConfig
) -> list[Course]:
    """Search for complaints until each is answered, or what it may take is spent.

    Ends within ``config.rounds`` rounds, whatever mind and retriever give.

    Parameters
    ----------
    retrieve
        Called once a round, with the queries of all complaints.
    """
    courses = [Course(Memory(one), []) for one in asked]
    while active := [course for course in courses if not course.stopped]:
        _round(active, mind, retrieve, config)
    return courses


def _round(courses: Sequence[Course], mind: Mind, retrieve: Retriever, config: ControllerConfig) -> None:
    queries: list[tuple[str, ...]] = []
    for course, plan in zip(courses, mind.plan([c.memory for c in courses]), strict=True):
        known = len(course.memory.subquestions)
        course.memory, new = planned(course.memory, plan, config)
        added = tuple(s.text for s in course.memory.subquestions[known:])
        course.note(PLAN, asdict(Plan(added, new)), course.memory.round + 1)
        queries.append(new)
    for course, new in zip(courses, queries, strict=True):
        if not new:
            _decide(course, mind, config, SILENT)
    going = [(course, new) for course, new in zip(courses, queries, strict=True) if new]
    if not going:
        return
    results = deque(retrieve([replace(c.memory.asked, text=text) for c, new in going for text in new]))
    for course, new in going:
        of = [results.popleft()[: config.passages] for _ in new]
        course.memory = retrieved(course.memory, new, of, config.passages)
        course.note(RETRIEVE, {"passages": [[_plain(p) for p in passages] for passages in of]})
    working = [course for course, _ in going]
    for course, propositions in zip(working, mind.read([c.memory for c in working]), strict=True):
        before = len(course.memory.propositions)
        course.memory = read(course.memory, propositions)
        course.note(READ, {"propositions": [asdict(p) for p in course.memory.propositions[before:]]})
    for course, states in zip(working, mind.reflect([c.memory for c in working]), strict=True):
        course.memory = reflected(course.memory, states)
        course.note(REFLECT, {"states": [s.state for s in course.memory.subquestions]})
    for course in working:
        _decide(course, mind, config)


def _plain(passage: Passage) -> dict[str, Any]:
    """A passage as the trace keeps it: its text is the build's."""
    return {name: value for name, value in asdict(passage).items() if name != "text"}


def _decide(course: Course, mind: Mind, config: ControllerConfig, why: str = "") -> None:
    memory = course.memory
    course.memory = replace(memory, confidence=mind.confidence(memory))
    course.stopped = why or stop(course.memory, config)
    signals = {"coverage": coverage(memory), "agreement": agreement(memory)}
    course.note(DECIDE, signals | {"stop": course.stopped})


def trace_table(courses: Mapping[str, Course]) -> pa.Table:
    """Table ``traces``: a row an operation, by query."""
    return TRACES.rows(
        [
            {"query_id": query, "step": step} | asdict(one) | {"content": canonical_json(one.content)}
            for query, course in courses.items()
            for step, one in enumerate(course.operations, 1)
        ]
    )


def replay(traces: pa.Table, asked: Mapping[str, Asked], mind: Mind) -> dict[str, Course]:
    """Run the loop again from its trace: nothing is searched, and the mind only sums up its memory."""
    rows: dict[str, list[dict[str, Any]]] = {query: [] for query in asked}
    for row in traces.to_pylist():
        rows[row["query_id"]].append({"operation": row["operation"]} | json.loads(row["content"]))
    out = {}
    for query, one in asked.items():
        recorded = _Recorded(rows[query], mind)
        (out[query],) = control([one], recorded, recorded.retrieve, mind.config)
    return out


class _Recorded(Mind):
    """A mind, and what it searches, that give what a trace says they gave."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], mind: Mind) -> None:
        super().__init__(mind.config)
        self._rows = {
            name: deque(r for r in rows if r["operation"] == name) for name in (PLAN, RETRIEVE, READ, REFLECT)
        }
        self.confidence, self.kept = mind.confidence, mind.kept  # type: ignore[method-assign]

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        plan = self._rows[PLAN].popleft()
        return [Plan(tuple(plan["subquestions"]), tuple(plan["queries"]))]

    def retrieve(self, asked: Sequence[Asked]) -> Sequence[Sequence[Passage]]:
        lists = self._rows[RETRIEVE].popleft()["passages"]
        return [[Passage(**passage) for passage in passages] for passages in lists]

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        return [[Proposition(**p) for p in self._rows[READ].popleft()["propositions"]]]

    def reflect(self, memories: Sequence[Memory]) -> Sequence[Sequence[str]]:
        return [self._rows[REFLECT].popleft()["states"]]
