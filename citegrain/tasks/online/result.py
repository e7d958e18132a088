"""What a run of the chain gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from citegrain.tasks.core.runs import is_run
from citegrain.tasks.online.hits import Hit


@dataclass(frozen=True)
class CascadeResult:
    """What a run of the chain gives.

    Attributes
    ----------
    tables
        Table of each step by name, in order.
    hits
        What was selected, as it is shown, by query.
    """

    tables: Mapping[str, pa.Table]
    hits: Mapping[str, list[Hit]]

    @property
    def queries(self) -> pa.Table:
        """Table ``queries``."""
        return self.tables["query"]

    @property
    def answers(self) -> pa.Table:
        """Table ``answers``."""
        return self.tables["answers"]

    @property
    def runs(self) -> dict[str, pa.Table]:
        """Run of each step that gives one: the channels, ``fused``, ``reranked``, ``selected`` and others."""
        return {name: table for name, table in self.tables.items() if is_run(table)}

    def table(self, name: str) -> pa.Table | None:
        """The table of a step; None where the configuration has no such step."""
        return self.tables.get(name)
