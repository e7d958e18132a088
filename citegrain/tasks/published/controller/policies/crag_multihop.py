"""Both loops of the LegalBench guide's third tier: hop by hop, until what was found is good enough (T9, T10).

The quality of each hop is judged as ``crag`` does it. Where it is too low the model says what to search next,
as ``multihop`` does it; where it would answer already, the complaint is worded anew. All hops go on.
"""

from collections.abc import Sequence
from dataclasses import replace

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.published.controller.operations import Policy
from citegrain.tasks.published.controller.policies.crag import Corrective
from citegrain.tasks.published.controller.policies.multihop import Hops, sub_query
from citegrain.tasks.published.controller.records import Memory, Plan, Resources


class JudgedHops(Corrective):
    """Hops of which each is judged."""

    def __init__(self, resources: Resources) -> None:
        super().__init__(resources)
        self._hops = Hops(resources)

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        """The complaint, then a hop or a new wording a round, with the model's thought."""
        plans = super().plan(memories)
        return [replace(p, thought=self._hops.thoughts(m)[-1]) for p, m in zip(plans, memories, strict=True)]

    def reword(self, memories: Sequence[Memory]) -> Sequence[str]:
        """The model's next hop, else its new wording."""
        hops = [sub_query(step) for step in self._hops.next_steps(memories)]
        silent = [memory for memory, hop in zip(memories, hops, strict=True) if not hop]
        reworded = iter(super().reword(silent) if silent else ())
        return [hop or next(reworded) for hop in hops]

    def ranking(self, memory: Memory) -> Ranked:
        """What all hops found."""
        return Policy.ranking(self, memory)


def crag_multihop(resources: Resources) -> Policy:
    """Judged hops, by the configured endpoint."""
    return JudgedHops(resources)
