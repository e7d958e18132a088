"""The steps in which a controller searches again for a complaint, part by part."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import partial
from itertools import zip_longest
from typing import Any

import pyarrow as pa

from citegrain.tasks.core import plugins
from citegrain.tasks.core.runs import Ranked, collapse, make_run, rankings
from citegrain.tasks.core.schemas import ESTIMATES, RUNS, TRACES
from citegrain.tasks.core.stage import Stage, canonical_json, digest
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, Chain, Steps
from citegrain.tasks.online.estimate import Catalogue, estimates_of
from citegrain.tasks.online.steps import Progress, Step, run_steps
from citegrain.tasks.published.configs import POLICIES, ControllerConfig
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
    COVERED,
    DECIDE,
    OPEN,
    PLAN,
    READ,
    REFLECT,
    RETRIEVE,
    Memory,
    Model,
    Operation,
    Plan,
    Proposition,
    Question,
    RankedPassage,
    Resources,
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


STAGE = Stage("controller", 1, (TRACES,))
POOL_STAGE = Stage("pooled", 2, (RUNS,))
TRACED, POOLED, RANKED = "traces", "pooled", "reranked"
EXPECTED = "expected"
EXPECT = Stage("expected", 1, (ESTIMATES,))


def steps(chain: Chain) -> Chain:
    """The loop: the trace of each complaint's search, the run of its pool, and probabilities of the pool."""
    cascade, likely = chain.cascade, chain.judging.estimates
    plain = cascade.config.with_group(STAGE.name, ControllerConfig())
    resources = _resources(cascade)
    below = partial(_below, cascade.with_config(plain))
    searched = [(s.name, s.stage.version, s.params, s.sources) for s in below({}, {}) if s.name != "query"]
    params = resources.config.parameters()
    reads = ("query", RANKED, *((likely,) if likely else ()))
    sources = {"cascade": digest(searched)} | (resources.model.source if resources.model else {})
    expected = Step(
        EXPECTED, EXPECT, {}, (POOLED, likely), chain.source, partial(_expect, chain.build, likely)
    )
    return chain.then(
        Step(TRACED, STAGE, params, reads, sources, partial(_trace, resources, below, likely)),
        Step(POOLED, POOL_STAGE, params, ("query", RANKED, TRACED), {}, partial(_pool, resources)),
        *([expected] if likely else []),
        ranked=POOLED,
        judging=chain.judging._replace(estimates=EXPECTED if likely else ""),
        traces=TRACED,
        unresolved=unresolved,
    )


def _resources(cascade: Cascade) -> Resources:
    """What the policy of a configuration has to think with."""
    config: ControllerConfig = cascade.config.group(STAGE.name)
    model, catalogue = None, None
    learned = estimates_of(cascade.config.estimate, cascade.config.fuse, cascade.build.query_space)
    if cascade.endpoint is not None and config.asks:
        model = Model(cascade.endpoint, config, cascade.store)
    if learned is not None:
        catalogue = partial(
            Catalogue.from_build, cascade.build, cascade.config.estimate.vectors, learned.catalogue
        )
    return Resources(cascade.build, config, model, catalogue)


def _below(cascade: Cascade, texts: Mapping[str, str], as_of: Mapping[str, date | None]) -> list[Step]:
    """The steps of a single search as far as it ranks and estimates, to which each round comes back."""
    steps = cascade.steps(texts, as_of)
    return steps[: 1 + next(i for i, step in enumerate(steps) if step.name == RANKED)]


def _expect(
    build: PublishedBuild, likely: str, tables: Mapping[str, pa.Table], progress: Progress
) -> pa.Table:
    """Table ``estimates`` of the pool: what only a part of a complaint brought has the pool's probability."""
    rows = tables[likely].to_pylist()
    estimated = {(row["query_id"], row["provision_id"]) for row in rows}
    for query, ranked in rankings(tables[POOLED]).items():
        rows += [
            {"query_id": query, "provision_id": p, "chunk_id": chunk, "applies": score, "primary": 0.0}
            for p, chunk, score in collapse(ranked, build.citations)
            if (query, p) not in estimated
        ]
    return ESTIMATES.rows(rows)


def _trace(
    resources: Resources, below: Steps, likely: str, tables: Mapping[str, pa.Table], progress: Progress
) -> pa.Table:
    """Table ``traces``: how each complaint was searched, round by round."""
    questions, policy = questions_of(tables["query"]), make_policy(resources)
    retrieve = _Searching(resources.build, below, likely, resources.config.passages)
    retrieve.know(questions, tables)
    searches = control(list(questions.values()), policy, retrieve, policy.config)
    return trace_table(dict(zip(questions, searches, strict=True)))


def _pool(resources: Resources, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
    """The run that is passed on, from the trace alone: the pool, then the rest of the single search."""
    policy, single = make_policy(resources), rankings(tables[RANKED])
    searches = replay(tables[TRACED], questions_of(tables["query"]), policy)
    pools = {query: policy.ranking(search.memory) for query, search in searches.items()}
    return make_run({query: _behind(pool, single.get(query, [])) for query, pool in pools.items()}, "pooled")


@dataclass
class _Searching:
    """A ``Retriever``: the cascade below, asked for a batch of texts at once; what it gave is given again.

    ``most``: passages that are given of each text, each of another provision.
    """

    build: PublishedBuild
    below: Steps
    likely: str
    most: int
    _given: dict[Question, list[RankedPassage]] = field(default_factory=dict)

    def __call__(self, questions: Sequence[Question]) -> Sequence[Sequence[RankedPassage]]:
        """Passages of each text, best first."""
        new = {str(i): one for i, one in enumerate(dict.fromkeys(questions)) if one not in self._given}
        if new:
            texts, days = {i: one.text for i, one in new.items()}, {i: one.as_of for i, one in new.items()}
            tables = run_steps(self.below(texts, days))
            self.know(new, tables)
        return [self._given[one] for one in questions]

    def know(self, questions: Mapping[str, Question], tables: Mapping[str, pa.Table]) -> None:
        """Take over what a search gave for questions as they were put; it may have read them otherwise."""
        ranked, likely = rankings(tables[RANKED]), _probabilities(tables.get(self.likely))
        for query, one in questions.items():
            cited = collapse(ranked.get(query, []), self.build.citations)[: self.most]
            self._given[one] = [
                RankedPassage(
                    chunk,
                    provision,
                    score,
                    likely.get((query, provision)),
                    str(self.build.chunk(chunk)["text"]),
                )
                for provision, chunk, score in cited
            ]


def _probabilities(estimates: pa.Table | None) -> dict[tuple[str, str], float]:
    """Probability that a provision applies, by query and provision."""
    if estimates is None:
        return {}
    columns = estimates.select(["query_id", "provision_id", "applies"]).to_pydict()
    return {(q, p): a for q, p, a in zip(*columns.values(), strict=True)}


def make_policy(resources: Resources) -> Policy:
    """The policy that the configuration names."""
    make = POLICIES.function(resources.config.kind)
    policy: Policy = make(resources, **plugins.parameters(make, resources.config))
    return policy


def unresolved(traces: pa.Table) -> dict[str, list[str]]:
    """The sub-questions that each complaint was left with, by query id."""
    planned: dict[str, list[str]] = {}
    states: dict[str, list[str]] = {}
    for row in traces.to_pylist():
        content, query = json.loads(row["content"]), row["query_id"]
        if row["operation"] == PLAN:
            planned.setdefault(query, []).extend(content["subquestions"])
        elif row["operation"] == REFLECT:
            states[query] = content["states"]
    return {
        query: [
            s
            for s, state in zip_longest(questions, states.get(query, ()), fillvalue=OPEN)
            if state != COVERED
        ]
        for query, questions in planned.items()
    }


def _behind(pool: Ranked, rest: Ranked) -> Ranked:
    """The pool, and behind it what else was ranked, with scores that go on falling."""
    last = min((score for _, score in pool), default=0.0)
    seen = {chunk for chunk, _ in pool}
    others = [chunk for chunk, _ in rest if chunk not in seen]
    return [*pool, *((chunk, last - place) for place, chunk in enumerate(others, 1))]


def questions_of(queries: pa.Table) -> Mapping[str, Question]:
    """What is questions, by query id."""
    rows = queries.select(["query_id", "text", "as_of"]).to_pylist()
    return {row["query_id"]: Question(row["text"], row["as_of"]) for row in rows}
