"""The working memory of the controller: M = (Q, E, G, h) of the thesis, 3.3.1. A record never changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

OPEN, COVERED, CONTRADICTED = "open", "covered", "contradicted"
STATES = (OPEN, COVERED, CONTRADICTED)
PLAN, RETRIEVE, READ, REFLECT, DECIDE = ("plan", "retrieve", "read", "reflect", "decide")


@dataclass(frozen=True, slots=True)
class Question:
    """A text to search for, by the law of a day."""

    text: str
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class Proposition:
    """What a passage says about a sub-question, with where it stands."""

    subquestion: str
    chunk_id: str
    provision_id: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A chunk as the cascade gives it.

    ``score``: of the last stage that scored. ``probability``: that it applies to what was searched; None
    where nothing is estimated. ``text``: what a policy reads; no part of the trace.
    """

    chunk_id: str
    provision_id: str
    score: float
    probability: float | None = None
    text: str = ""

    def says(self, subquestion: str, text: str, score: float | None = None) -> Proposition:
        """What it says about a sub-question; without a ``score`` with its own."""
        weight = self.score if score is None else score
        return Proposition(subquestion, self.chunk_id, self.provision_id, text, weight)


Retriever = Callable[[Sequence[Question]], Sequence[Sequence[RankedPassage]]]
"""How passages are searched: the passages of each text, best first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage in the pool: the query that brought it, in which round (from 1)."""

    passage: RankedPassage
    query: str
    round: int


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """A sub-question and whether it is resolved: one of :data:`STATES`."""

    text: str
    state: str = OPEN


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of a complaint after some rounds.

    ``queries``: Q, what was searched, in order. ``evidence``: E, the pool, in the order in which it came. It
    only grows. ``subquestions``: what was planned so far, each with its state; those that are not covered are
    G.
    """

    question: Question
    queries: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    subquestions: tuple[SubQuestion, ...] = ()
    propositions: tuple[Proposition, ...] = ()
    confidence: float = 0.0
    round: int = 0

    @property
    def pool(self) -> list[str]:
        """The chunks of the evidence, each once."""
        return list(dict.fromkeys(one.passage.chunk_id for one in self.evidence))

    @property
    def unresolved(self) -> tuple[SubQuestion, ...]:
        """G: sub-questions that are open or contradicted."""
        return tuple(s for s in self.subquestions if s.state != COVERED)

    def latest(self) -> tuple[Evidence, ...]:
        """What the last round brought."""
        return tuple(one for one in self.evidence if one.round == self.round)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a policy wants next: sub-questions that join G, and texts to search (none: it wants no more).

    ``thought``: why, in a model's words.
    """

    subquestions: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """A row of the trace: what an operation did.

    ``content``: what the policy or the cascade gave, as plain data: enough to run the loop again without
    either. ``pool``, ``unresolved``, ``confidence``: size of E and of G, and h, once the operation is over.
    """

    round: int
    operation: str
    content: dict[str, Any]
    pool: int
    unresolved: int
    confidence: float
