"""The five operations on a memory, as pure functions (3.3.2 of the thesis), and their traces in words."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain, repeat
from textwrap import shorten
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.runs import Ranked, reciprocal_rank_fusion
from citegrain.tasks.published.configs import ControllerConfig
from citegrain.tasks.published.controller.records import (
    CONTRADICTED,
    COVERED,
    DECIDE,
    OPEN,
    PLAN,
    READ,
    REFLECT,
    RETRIEVE,
    STATES,
    Evidence,
    Memory,
    Plan,
    Proposition,
    RankedPassage,
    SubQuestion,
)

SUFFICIENT, RESOLVED, BUDGET, SILENT = "sufficient", "resolved", "budget", "nothing_asked"
"""Why a loop ends: h >= tau, G is empty, T_max, or the policy asks for nothing that was not searched."""

PART = 0.5
"""Weight of what a part of a complaint finds (docs/published-systems.md)."""

_LONGEST = 160  # characters of a text that are shown
_WHY = {
    SUFFICIENT: "ends: confident enough",
    RESOLVED: "ends: nothing is unresolved",
    BUDGET: "ends: the rounds are spent",
    SILENT: "ends: nothing else to search for",
    "": "goes on",
}


def planned(memory: Memory, plan: Plan, config: ControllerConfig) -> tuple[Memory, tuple[str, ...]]:
    """A memory with the sub-questions of a plan, and its queries that are new; both cut at their limits."""
    texts = [s.text for s in memory.subquestions]
    new = _new(plan.subquestions, texts, config.subquestions - len(texts))
    queries = _new(plan.queries, memory.queries, config.queries)
    return replace(memory, subquestions=(*memory.subquestions, *map(SubQuestion, new))), queries


def _new(texts: Iterable[str], earlier: Iterable[str], most: int) -> tuple[str, ...]:
    """Texts that are not empty and not known, each once."""
    given = (text.strip() for text in texts)
    seen = {"", *earlier}
    return tuple(text for text in dict.fromkeys(given) if text not in seen)[: max(0, most)]


def retrieved(
    memory: Memory, queries: Sequence[str], results: Sequence[Sequence[RankedPassage]], most: int
) -> Memory:
    """A memory with the first passages of each query in its pool; a round begins."""
    now = memory.round + 1
    joined = [
        Evidence(passage, query, now)
        for query, passages in zip(queries, results, strict=True)
        for passage in passages[:most]
    ]
    queries, evidence = (*memory.queries, *queries), (*memory.evidence, *joined)
    return replace(memory, queries=queries, evidence=evidence, round=now)


def read(memory: Memory, propositions: Iterable[Proposition]) -> Memory:
    """A memory with propositions; only those about a sub-question of it, that stand in its pool."""
    sought, pool = {s.text for s in memory.subquestions}, set(memory.pool)
    sound = [p for p in propositions if p.subquestion in sought and p.chunk_id in pool]
    return replace(memory, propositions=tuple(dict.fromkeys((*memory.propositions, *sound))))


def reflected(memory: Memory, states: Sequence[str]) -> Memory:
    """A memory with the state of each sub-question; one without a proposition is open, whatever is said."""
    supported = {p.subquestion for p in memory.propositions}
    judged = [
        SubQuestion(s.text, state if s.text in supported and state in STATES else OPEN)
        for s, state in zip(memory.subquestions, chain(states, repeat(OPEN)), strict=False)
    ]
    return replace(memory, subquestions=tuple(judged))


def coverage(memory: Memory) -> float:
    """Share of the sub-questions that have a proposition; 0 where there are none."""
    supported = sum(s.state != OPEN for s in memory.subquestions)
    return supported / len(memory.subquestions) if memory.subquestions else 0.0


def agreement(memory: Memory) -> float:
    """Share of those whose propositions do not contradict each other; 0 where there are none."""
    states = [s.state for s in memory.subquestions]
    supported = len(states) - states.count(OPEN)
    return 1 - states.count(CONTRADICTED) / supported if supported else 0.0


def stop(memory: Memory, config: ControllerConfig) -> str:
    """Why the loop ends after a round; empty where it goes on."""
    if memory.confidence >= config.threshold:
        return SUFFICIENT
    if not memory.unresolved:
        return RESOLVED
    return BUDGET if memory.round >= config.rounds else ""


class Policy:
    """What thinks: plans, reads, reflects. Each is asked for all complaints of a round at once."""

    def __init__(self, config: ControllerConfig) -> None:
        self.config = config

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        """The next step of each; before the first round a memory holds the complaint alone."""
        raise NotImplementedError

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        """Propositions of the evidence that the last round brought (``memory.latest()``)."""
        raise NotImplementedError

    def reflect(self, memories: Sequence[Memory]) -> Sequence[Sequence[str]]:
        """State of each sub-question of each memory, in their order; here covered by any proposition."""
        return [_covered(memory) for memory in memories]

    def confidence(self, memory: Memory) -> float:
        """h of the thesis, 3.3.3: from the memory alone."""
        weight = self.config.coverage
        return weight * coverage(memory) + (1 - weight) * agreement(memory)

    def ranking(self, memory: Memory) -> Ranked:
        """The pool in the order in which it is passed on; of a complaint searched once, in that search's."""
        if len(memory.queries) < 2:
            return as_found([one.passage for one in memory.evidence])
        return merged(memory)


def surest(passages: Sequence[RankedPassage]) -> list[float]:
    """The probability of each, or that of the surest that stands behind it: so all keep their order."""
    return list(accumulate((p.probability or 0.0 for p in reversed(passages)), max))[::-1]


def as_found(passages: Sequence[RankedPassage]) -> Ranked:
    """Passages of one search in their order, by probability; by its scores where nothing is estimated."""
    estimated = any(p.probability is not None for p in passages)
    scores = surest(passages) if estimated else [p.score for p in passages]
    return [(p.chunk_id, score) for p, score in zip(passages, scores, strict=True)]


def merged(memory: Memory) -> Ranked:
    """What the complaint itself found, in its order; among it what only its parts did, by probability.

    A provision of parts has the probability that some of them finds what applies, a part counting
    :data:`PART` of the complaint. It stands behind all of the complaint's that are as probable, so that no
    surer provision loses its place. Without probabilities all lists are joined by ranks.
    """
    lists: dict[str, list[RankedPassage]] = {query: [] for query in memory.queries}
    for one in memory.evidence:
        lists[one.query].append(one.passage)
    chunks: dict[str, str] = {}
    for one in memory.evidence:
        chunks.setdefault(one.passage.provision_id, one.passage.chunk_id)
    if all(one.passage.probability is None for one in memory.evidence):
        ranked = [[(p.provision_id, p.score) for p in passages] for passages in lists.values()]
        weights = [1.0 if query == memory.question.text else PART for query in lists]
        ordered = reciprocal_rank_fusion(ranked, weights=weights)
    else:
        first = lists.pop(memory.question.text, [])
        parts: dict[str, float] = {}
        for passage in chain.from_iterable(lists.values()):
            missed = (1 - parts.get(passage.provision_id, 0.0)) * (1 - (passage.probability or 0.0)) ** PART
            parts[passage.provision_id] = 1 - missed
        least_of = {p.provision_id: least for p, least in zip(first, surest(first), strict=True)}
        new = [one for one in parts.items() if one[0] not in least_of]
        ordered = sorted([*least_of.items(), *new], key=lambda item: -item[1])
    return [(chunks[provision], score) for provision, score in ordered]


def _covered(memory: Memory) -> list[str]:
    supported = {p.subquestion for p in memory.propositions}
    return [COVERED if s.text in supported else OPEN for s in memory.subquestions]


def traced(traces: pa.Table) -> list[dict[str, Any]]:
    """The operations on one complaint, each with ``what`` it did in a sentence."""
    rows = []
    for row in traces.to_pylist():
        content = json.loads(row.pop("content"))
        del row["query_id"]
        rows.append(row | {"what": _SENTENCES[row["operation"]](content), "content": content})
    return rows


def _plan(content: Mapping[str, Any]) -> str:
    parts = [f"sub-question: {_short(s)}" for s in content["subquestions"]]
    parts += [f"searches: {_short(q)}" for q in content["queries"]]
    thought = [f"thinks: {_short(content['thought'])}"] if content.get("thought") else []
    return "; ".join([*thought, *parts]) or "nothing new"


def _retrieve(content: Mapping[str, Any]) -> str:
    firsts = [", ".join(p["provision_id"] for p in passages[:3]) for passages in content["passages"]]
    return "; ".join(
        f"{len(p)} passages, first {f}" for p, f in zip(content["passages"], firsts, strict=True)
    )


def _read(content: Mapping[str, Any]) -> str:
    said = [f"{p['provision_id']}: {_short(p['text'])}" for p in content["propositions"]]
    return "; ".join(said) or "no proposition"


def _reflect(content: Mapping[str, Any]) -> str:
    return ", ".join(f"{n} {state}" for state, n in Counter(content["states"]).items()) or "no sub-question"


def _decide(content: Mapping[str, Any]) -> str:
    signals = f"coverage {content['coverage']:.2f}, agreement {content['agreement']:.2f}"
    return f"{signals}; {_WHY[content['stop']]}"


def _short(text: str) -> str:
    return shorten(text, _LONGEST, placeholder=" …")


_SENTENCES = {PLAN: _plan, RETRIEVE: _retrieve, READ: _read, REFLECT: _reflect, DECIDE: _decide}
