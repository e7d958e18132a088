"""A policy that is a language model: it plans, reads and reflects in JSON, a schema for each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from citegrain.tasks.core.endpoint import ReplyModel, Shown, messages_of
from citegrain.tasks.core.stage import digest
from citegrain.tasks.published.controller.operations import Policy
from citegrain.tasks.published.controller.records import (
    DATA,
    ITEMS,
    SHAPE,
    Memory,
    Plan,
    Proposition,
    RankedPassage,
    Resources,
)

_PLAN = (
    "You plan how statutes are searched for a complaint. "
    + DATA
    + "List the matters of law that the complaint raises and that are not listed yet, each as a short "
    "sub-question, and the texts that should be searched next for those that are unresolved. Give empty "
    "lists if nothing is missing." + SHAPE + '{"subquestions": ["..."], "queries": ["..."]}'
)
_READ = (
    "You read passages of statutes for a complaint. "
    + DATA
    + "For each passage that answers a sub-question give the number of both and what it says on it, in one "
    "sentence. Leave out all others."
    + SHAPE
    + '{"propositions": [{"subquestion": 1, "passage": 1, "text": "..."}]}'
)
_REFLECT = (
    "You check what was read of statutes for a complaint. "
    + DATA
    + "For each sub-question, in order: covered if a proposition answers it, contradicted if two of them "
    "cannot both apply, else open." + SHAPE + '{"states": ["open", "covered", "contradicted"]}'
)


class PlanReply(ReplyModel):
    """What is to be searched."""

    subquestions: list[str]
    queries: list[str]


class Said(BaseModel):
    """A proposition, by the numbers of its sub-question and passage, from 1."""

    model_config = ConfigDict(strict=True, extra="forbid")

    subquestion: int
    passage: int
    text: str


class ReadReply(ReplyModel):
    """What passages say."""

    propositions: list[Said]


class ReflectReply(ReplyModel):
    """The state of each sub-question."""

    states: list[Literal["open", "covered", "contradicted"]]


class LanguageModel(Policy):
    """Searches for the complaint first, whatever the model says; where it says nothing, so does the policy.

    ``chars``: characters of each passage that the model reads.
    """

    def __init__(self, resources: Resources, chars: int) -> None:
        super().__init__(resources.config)
        self._model, self._chars = resources.needed_model(), chars

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        """What the model plans; at first its sub-questions alone, behind the complaint's own search."""
        return [
            _first(m, reply) if not m.queries else Plan(*_lists(reply))
            for m, reply in self._ask(_PLAN, PlanReply, memories, _planned)
        ]

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        """What the model read in the last round's passages."""
        replies = self._ask(_READ, ReadReply, memories, self._passages, self._shown)
        return [list(_propositions(m, reply)) for m, reply in replies]

    def reflect(self, memories: Sequence[Memory]) -> Sequence[Sequence[str]]:
        """What the model thinks of the propositions; without it, any covers its sub-question."""
        plain = super().reflect(memories)
        pairs = self._ask(_REFLECT, ReflectReply, memories, _propositions_so_far)
        return [reply["states"] if reply else states for (_, reply), states in zip(pairs, plain, strict=True)]

    def _ask(
        self,
        instruction: str,
        schema: type[ReplyModel],
        memories: Sequence[Memory],
        show: Callable[[Memory], dict[str, Any]],
        about: Callable[[Memory], Shown] | None = None,
    ) -> list[tuple[Memory, dict[str, Any] | None]]:
        """Each memory with the model's reply to what is shown of it."""
        prompts = [messages_of(instruction, show(m)) for m in memories]
        shown = [about(m) for m in memories] if about else []
        return list(zip(memories, self._model(prompts, schema, shown), strict=True))

    def _passages(self, memory: Memory) -> dict[str, Any]:
        texts = [one.passage.text[: self._chars] for one in memory.latest()]
        return _planned(memory) | {"passages": [{"number": i, "text": t} for i, t in enumerate(texts, 1)]}

    def _shown(self, memory: Memory) -> Shown:
        items = tuple(one.passage.provision_id for one in memory.latest())
        return Shown(items, digest([_READ, _planned(memory), self._chars]))


def _planned(memory: Memory) -> dict[str, Any]:
    numbered = enumerate(memory.subquestions, 1)
    questions = [{"number": i, "text": s.text, "state": s.state} for i, s in numbered]
    return {"complaint": memory.question.text, "searched": list(memory.queries), "subquestions": questions}


def _propositions_so_far(memory: Memory) -> dict[str, Any]:
    said = [{"subquestion": p.subquestion, "text": p.text} for p in memory.propositions]
    return _planned(memory) | {"propositions": said}


def _first(memory: Memory, reply: Mapping[str, Any] | None) -> Plan:
    text = memory.question.text
    return Plan(_lists(reply)[0] or (text,), (text,))


def _lists(reply: Mapping[str, Any] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (tuple(reply["subquestions"]), tuple(reply["queries"])) if reply else ((), ())


def _propositions(memory: Memory, reply: Mapping[str, Any] | None) -> list[Proposition]:
    """Propositions whose numbers are those of a sub-question and a passage."""
    questions, out = memory.subquestions, []
    passages: list[RankedPassage | None] = [one.passage for one in memory.latest()]
    if reply and (items := reply.get(ITEMS)):  # it was recorded, and numbers them as they were read
        today = {one.provision_id: one for one in passages if one}
        passages = [today.get(item) for item in items]
    for said in reply["propositions"] if reply else ():
        about, place = said["subquestion"] - 1, said["passage"] - 1
        if 0 <= about < len(questions) and 0 <= place < len(passages) and (p := passages[place]):
            out.append(p.says(questions[about].text, said["text"]))
    return out


def llm(resources: Resources, *, read_chars: int = 800) -> Policy:
    """A policy that asks the configured endpoint."""
    return LanguageModel(resources, read_chars)
