"""What each kind of step costs on this machine: queries asked one by one, without what is stored.

The cells of a study share their steps. A kind is a step with its parameters on a build: it is timed once,
and a cell's time is the sum of its kinds. The time of a kind is an artefact of the store, so that a study
that is run again shows the same times.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from citegrain.flows.shared.timing import ENCODE, StepTimes
from citegrain.flows.study.nodes import Work
from citegrain.flows.study.study import Member, Study
from citegrain.tasks.core.stage import Key, Stage
from citegrain.tasks.core.store import Store
from citegrain.tasks.core.store.files import environment
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.rerank import make_scorer
from citegrain.tasks.online.steps import run_steps

STAGE = Stage("timing", 1, ())
_FREE = {"provenance", "section", "act", "consistent"}  # arithmetic, which costs nothing beside a model


class Stopwatch:
    """Times of kinds of steps on this machine.

    Parameters
    ----------
    queries
        How many queries each kind is timed on.
    keep
        Whether times that are measured are stored.
    """

    def __init__(self, store: Store, queries: int, keep: bool = True) -> None:
        self._store = store
        self._queries = queries
        self._keep = keep
        self._machine = str(environment()["machine"])
        self._ms: dict[str, float] = {}

    def of(self, member: Member) -> dict[str, float | None]:
        """Milliseconds a query of each step of a configuration, and of encoding; None where not timed."""
        return {name: self._find(key) for name, key in self._kinds(member).items()}

    def total(self, member: Member) -> float | None:
        """Milliseconds a query; None where a step of it was not timed."""
        times = self.of(member).values()
        return None if None in times else sum(ms for ms in times if ms is not None)

    def time(self, study: Study) -> None:
        """Time the kinds that were not timed before, on as few configurations as have them all."""
        if not self._queries or len(study.texts) < 2:
            return
        for member in study.living:
            asks_model = member.cascade is not None and member.cascade.endpoint is not None
            if not asks_model and None in self.of(member).values():
                try:
                    self._time(member, study)
                except Exception:  # the flow reports it
                    continue

    def _time(self, member: Member, study: Study) -> None:
        if member.cascade is None:
            return
        cascade = Cascade(member.cascade.build, member.cascade.config)
        if scorer := make_scorer(cascade.build, cascade.config.rerank):
            scorer.forget()
        seconds: dict[str, list[float]] = {}
        for query, text in list(study.texts.items())[: self._queries + 1]:
            times = StepTimes(cascade)
            run_steps(cascade.steps({query: text}, {query: study.as_of[query]}), on_step=times)
            for name, taken in times.seconds.items():
                seconds.setdefault(name, []).append(taken)
        for name, key in self._kinds(member).items():
            if self._find(key) is None:  # the first query loads models
                self._note(key, round(1000 * statistics.median(seconds[name][1:]), 3))

    def _kinds(self, member: Member) -> dict[str, Key]:
        """Kind by name of step, and that of encoding a query, which every configuration needs."""
        space = member.cascade.build.query_space if member.cascade else ""
        encoding = self._key(ENCODE, {}, {"space": space})
        return {ENCODE: encoding} | {name: self._kind(node.work) for name, node in member.nodes.items()}

    def _kind(self, work: Work) -> Key:
        """What steps of the same cost have in common: all of their key but the tables they read."""
        sources = {name: value for name, value in work.sources.items() if name != "queries"}
        params = {name: value for name, value in work.params.items() if name not in _FREE}
        return self._key(work.name, params, sources | {"stage": [work.stage.name, work.stage.version]})

    def _key(self, name: str, params: Mapping[str, object], inputs: Mapping[str, object]) -> Key:
        return STAGE.key({"step": name, **params}, {"machine": self._machine, **inputs})

    def _find(self, key: Key) -> float | None:
        if key.digest not in self._ms and (artefact := self._store.find(key)) is not None:
            self._ms[key.digest] = float(artefact.facts["ms"])
        return self._ms.get(key.digest)

    def _note(self, key: Key, ms: float) -> None:
        self._ms[key.digest] = ms
        if self._keep:
            self._ms[key.digest] = float(self._store.commit(key, lambda folder: None, {"ms": ms}).facts["ms"])
