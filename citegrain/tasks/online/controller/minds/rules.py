"""A mind without a model."""

from __future__ import annotations

from collections.abc import Sequence

from citegrain.tasks.online.controller.means import Means
from citegrain.tasks.online.controller.operations import Mind
from citegrain.tasks.online.controller.records import Memory, Plan, Proposition


class Rules(Mind):
    """Searches for the complaint itself, and takes what is probable for support."""

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        """The complaint, once."""
        return [Plan((m.asked.text,), (m.asked.text,)) if not m.queries else Plan() for m in memories]

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        """Nothing yet."""
        return [() for _ in memories]


def rules(means: Means) -> Mind:
    """A mind that plans by rules."""
    return Rules(means.config)
