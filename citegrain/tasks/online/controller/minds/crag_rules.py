"""Corrective search without a model: quality by what is estimated, new wordings from headings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.controller.means import Means
from citegrain.tasks.online.controller.minds.crag import JUDGED, Corrective
from citegrain.tasks.online.controller.operations import Mind
from citegrain.tasks.online.controller.records import Memory


class ByRules(Corrective):
    """Takes for quality how probable it is that one of the first three passages applies.

    It searches for the complaint with the headings of those, then for the headings by themselves.
    """

    def __init__(self, means: Means) -> None:
        super().__init__(means.config)
        self._build: PublishedBuild = means.build

    def judge(self, memories: Sequence[Memory]) -> Sequence[tuple[float, str] | None]:
        """One less the probability that none of the first three applies, as if they were independent."""
        first = [memory.latest()[:JUDGED] for memory in memories]
        return [(1 - math.prod(1 - (one.passage.probability or 0.0) for one in of), "") for of in first]

    def reword(self, memories: Sequence[Memory]) -> Sequence[str]:
        """The headings of the first three passages, behind the complaint once."""
        return [self._reworded(memory) for memory in memories]

    def _reworded(self, memory: Memory) -> str:
        chunks = [chunk for chunk, _ in self.kept(memory)[:JUDGED]]
        headings = "; ".join(filter(None, map(self._heading, chunks)))
        before = f"{memory.asked.text} " if len(memory.queries) == 1 else ""
        return before + headings if headings else ""

    def _heading(self, chunk_id: str) -> str:
        chunk = self._build.chunk(chunk_id)
        return str(self._build.provision(chunk["citation"], chunk["version_date"])["heading"])


def crag_rules(means: Means) -> Mind:
    """Corrective search without a model."""
    return ByRules(means)
