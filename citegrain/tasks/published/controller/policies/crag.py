"""A policy that judges what was found and words the complaint anew until it is good enough (CRAG).

Source: Yan and others 2024, as the LegalBench guide has it (T9): quality of the first three passages at 200
characters, threshold .7, at most three rounds, the best round is kept.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from citegrain.tasks.core.endpoint import ReplyModel, messages_of
from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.published.controller.operations import Policy, as_found
from citegrain.tasks.published.controller.records import (
    COVERED,
    DATA,
    OPEN,
    SHAPE,
    Memory,
    Plan,
    Proposition,
    Resources,
    worded,
)

JUDGED = 3
"""Passages of which the quality is judged."""
_CHARS, _WORDS = 200, 200  # of a passage that is judged; of a new wording
_JUDGE = (
    "You judge how relevant passages of {collection} are to a {about}. "
    + DATA
    + "Give a score from 0.0 (none is relevant) to 1.0 (they answer it), one sentence of feedback, and a "
    "list of what is missing." + SHAPE + '{"score": 0.5, "feedback": "...", "issues": ["..."]}'
)
_REWORD = (
    "Passages of {collection} were searched for a {about}, and what was found is not good enough. "
    + DATA
    + "Write a better text to search with, which mends what the feedback says."
    + SHAPE
    + '{"query": "..."}'
)


class SearchQuality(ReplyModel):
    """Quality of what was found."""

    score: Annotated[float, Field(ge=0, le=1)]
    feedback: str
    issues: list[str]


class Reworded(ReplyModel):
    """A better text to search with."""

    query: str


class Corrective(Policy):
    """Searches for the complaint, then for new wordings of it; a language model judges and words anew.

    Each wording is a sub-question. A proposition about it is the judgement of what it found: feedback, and as
    its score the quality. The complaint is covered once a quality reaches the threshold.
    """

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources.config)
        self._model = resources.needed_model()

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        """The complaint, then a new wording a round."""
        searching = [m for m in memories if m.queries]
        reworded = iter(self.reword(searching))
        texts = [next(reworded) if m.queries else m.question.text for m in memories]
        return [Plan((text,), (text,)) if text.strip() else Plan() for text in texts]

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        """The judgement of the last round."""
        out: list[list[Proposition]] = [[] for _ in memories]
        for said, memory, judged in zip(out, memories, self.judge(memories), strict=True):
            if judged:
                score, feedback = judged
                said += [one.passage.says(one.query, feedback, score) for one in memory.latest()[:1]]
        return out

    def reflect(self, memories: Sequence[Memory]) -> Sequence[Sequence[str]]:
        """The complaint by the best quality; a wording is no question of its own."""
        complaint = [COVERED if self.confidence(m) >= self.config.threshold else OPEN for m in memories]
        return [
            [state, *[COVERED] * (len(m.subquestions) - 1)]
            for m, state in zip(memories, complaint, strict=True)
        ]

    def confidence(self, memory: Memory) -> float:
        """The best quality of a round; 0 where none was judged."""
        return max((p.score for p in memory.propositions), default=0.0)

    def ranking(self, memory: Memory) -> Ranked:
        """What the best round found; the first of equals."""
        best = max(memory.propositions, key=lambda p: p.score, default=None)
        query = best.subquestion if best else next(iter(memory.queries), "")
        return as_found([e.passage for e in memory.evidence if e.query == query])

    def judge(self, memories: Sequence[Memory]) -> Sequence[tuple[float, str] | None]:
        """Quality of the first three passages of the last round, 0 to 1, with feedback; None for none.

        The model reads 200 characters of each.
        """
        prompts = []
        for memory in memories:
            passages = [one.passage.text[:_CHARS] for one in memory.latest()[:JUDGED]]
            shown = {self.config.about: memory.question.text, "passages": passages}
            prompts.append(messages_of(worded(_JUDGE, self.config), shown))
        replies = self._model(prompts, SearchQuality)
        return [(r["score"], " ".join([r["feedback"], *r["issues"]])) if r else None for r in replies]

    def reword(self, memories: Sequence[Memory]) -> Sequence[str]:
        """The text that the model would search for; empty for none."""
        prompts = [messages_of(worded(_REWORD, self.config), self._judged(m)) for m in memories]
        texts = [(reply or {"query": ""})["query"] for reply in self._model(prompts, Reworded)]
        return [" ".join(text.split()[:_WORDS]) for text in texts]

    def _judged(self, memory: Memory) -> dict[str, Any]:
        feedback = memory.propositions[-1].text if memory.propositions else ""
        about, searched = memory.question.text, memory.queries[-1]
        return {self.config.about: about, "searched": searched, "feedback": feedback}


def crag(resources: Resources) -> Policy:
    """Corrective search by the configured endpoint."""
    return Corrective(resources)
