"""Wall-clock times of the steps of a cascade: stages have no clock of their own."""

from __future__ import annotations

import time

import pyarrow as pa

from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.steps import Step

ENCODE = "encode"


class StepTimes:
    """Times of one run: pass it as ``on_step``. The clock starts when it is created.

    Queries are encoded right after the step ``query``, so that no channel pays for what all share.

    Attributes
    ----------
    seconds
        Time of each step by name, and of ``encode``.
    """

    def __init__(self, cascade: Cascade) -> None:
        self.seconds: dict[str, float] = {}
        self._cascade = cascade
        self._begun = time.perf_counter()

    def __call__(self, step: Step, table: pa.Table) -> None:
        self._stop(step.name)
        if step.name == "query":
            self._cascade.vectors(table)
            self._stop(ENCODE)

    def _stop(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self._begun = now - self._begun, now
