"""What each kind of step costs on this machine: queries asked one by one, with nothing kept.

The cells of a study share their steps: a kind, which is a step with its parameters on a build, is timed once,
and a cell's time is the sum of its kinds. What was timed is kept beside the store, so that a study that is
made again tells the same times.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from filelock import FileLock

from citegrain.flows.shared.timing import ENCODE, StepTimes
from citegrain.flows.study.study import Member, Study
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store.files import environment, write_atomically
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.steps import Step, run_steps

FILE = "timings.json"
# arithmetic, which costs nothing beside a model
_FREE = {"provenance", "section", "act", "consistent"}


def kind(step: Step) -> str:
    """What steps of the same cost have in common: all that makes them but what they read."""
    sources = {name: told for name, told in step.sources.items() if name != "queries"}
    params = {name: told for name, told in step.params.items() if name not in _FREE}
    return digest([step.name, step.stage.name, step.stage.version, params, sources])[:32]


class Stopwatch:
    """Times of kinds of steps, read from a file and added to it.

    Parameters
    ----------
    artifacts
        Folder of everything produced.
    queries
        How many queries each kind is timed on.
    """

    def __init__(self, artifacts: Path, queries: int) -> None:
        self._file = artifacts / FILE
        self._queries = queries
        self._machine = str(environment()["machine"])
        self._held: dict[str, float] = self._read()

    def of(self, member: Member) -> dict[str, float | None]:
        """Milliseconds a query of each step of a configuration; None where it was not timed."""
        steps = {name: self._held.get(self._key(node.step)) for name, node in member.nodes.items()}
        return {ENCODE: self._held.get(self._encoding(member))} | steps

    def total(self, member: Member) -> float | None:
        """Milliseconds a query; None where a step of it was not timed."""
        told = list(self.of(member).values())
        return None if None in told else sum(ms for ms in told if ms is not None)

    def time(self, study: Study) -> None:
        """Time the kinds that were not, on as few configurations as have them all."""
        texts = list(study.texts.items())[: self._queries + 1]  # the first loads models
        if not self._queries or len(texts) < 2:
            return
        for member in study.living:
            if any(ms is None for ms in self.of(member).values()) and member.settings.generate.kind != "llm":
                try:
                    self._keep(self._timed(member, texts, study.as_of))
                except Exception:
                    continue

    def _timed(
        self, member: Member, texts: Sequence[tuple[str, str]], as_of: Mapping[str, date | None]
    ) -> dict[str, float]:
        if member.cascade is None:
            return {}
        cascade = Cascade(member.cascade.build, member.settings.cascade)
        if cascade.scorer:
            cascade.scorer.forget()
        taken: dict[str, list[float]] = {}
        for query, text in texts:
            steps = cascade.steps({query: text}, {query: as_of[query]})
            times = StepTimes(cascade)
            run_steps(steps, on_step=times)
            keys = {step.name: self._key(step) for step in steps} | {ENCODE: self._encoding(member)}
            for name, seconds in times.seconds.items():
                taken.setdefault(keys[name], []).append(seconds)
        return {key: round(1000 * statistics.median(own[1:]), 3) for key, own in taken.items()}

    def _key(self, step: Step) -> str:
        return f"{self._machine} {kind(step)}"

    def _encoding(self, member: Member) -> str:
        space = member.cascade.build.query_space if member.cascade else ""
        return f"{self._machine} {ENCODE} {space}"

    def _read(self) -> dict[str, float]:
        try:
            told = json.loads(self._file.read_text(encoding="utf-8"))
            return {str(k): float(v) for k, v in told.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _keep(self, fresh: Mapping[str, float]) -> None:
        """Add what was not timed before; what another run has timed since stands."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._file.with_suffix(".lock")):
            self._held = {**fresh, **self._read(), **self._held}
            write_atomically(self._file, json.dumps(self._held, indent=1, sort_keys=True) + "\n")
