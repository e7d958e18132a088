"""A build that is opened once and asked often: what asking takes from the environment, answers as JSON."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citegrain.flows.shared.answering import answered, reads_ahead, with_matters
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import StepTimes
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.endpoint import REPLIES, Endpoint
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.tables import leave_out_pandas
from citegrain.tasks.law.correspondence import Correspondence
from citegrain.tasks.online.answer import Answer, explain
from citegrain.tasks.online.cascade import Cascade, CascadeResult
from citegrain.tasks.online.estimate import estimates_of
from citegrain.tasks.online.fuse import ranker_of
from citegrain.tasks.online.select import promised

_ENDPOINT = ("CITEGRAIN_LLM_BASE_URL", "CITEGRAIN_LLM_MODEL", "CITEGRAIN_LLM_KEY")  # read here alone
_SECOND = tuple(name.replace("LLM", "LLM_SECOND") for name in _ENDPOINT)


def open_build(folder: Path | str, settings: Settings) -> Build:
    """A build with the user's table of counterparts, if the corpus names one."""
    path = settings.corpus.counterparts
    table = Correspondence.load(located(path)) if path else None
    return Build.open(folder, settings.models_folder, table)


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question with its answer.

    ``coverage`` and ``promised``: share of the questions like it whose primary provision the set is to hold
    (``select=conformal``; else 0), and whether a set of the candidates can.
    """

    answer: Answer
    result: CascadeResult
    seconds: dict[str, float]
    coverage: float = 0.0
    promised: bool = True

    @property
    def content(self) -> dict[str, Any]:
        """The answer as JSON."""
        return self.answer.to_dict()


class Asker:
    """A build with its models, loaded once. ``save``: whether pair scores and replies are stored."""

    def __init__(self, folder: Path, settings: Settings, save: bool = False) -> None:
        leave_out_pandas()
        self.build = open_build(folder, settings)
        corpus = settings.corpus
        # demo is what the settings say where no corpus is named
        if corpus.path and (corpus.kind != "demo" or self.build.corpus is None):
            self.build.corpus = located(corpus.path)
        store = settings.store_folder if save else None
        model = online_endpoint(settings)
        self._cascade = reads_ahead(Cascade(self.build, settings.cascade, store, model))

    def warm(self) -> None:
        """Do what is done once: models are loaded, tables read, the Acts that replaced others compared."""
        self.ask("a", "")
        for act in self.build.acts:
            self.build.counterparts(f"{act['act_id']}/")

    def ask(self, text: str, as_of: str, full: bool = False, matters: bool = False) -> AnsweredQuestion:
        """The answer to one question, by the law of the day that ``as_of`` gives (see ``answering.day_of``).

        ``full`` gives each charge the whole text of its provision; ``matters``: as ``Question`` has it.
        """
        times = StepTimes(self._cascade)
        answer, result = answered(self._cascade, text, as_of, full, times)
        if matters:
            answer = with_matters(self._cascade, answer, full)
        return AnsweredQuestion(answer, result, times.seconds, *self._promise(result))

    def _promise(self, result: CascadeResult) -> tuple[float, bool]:
        every = self._cascade.config
        config = every.select
        learned = estimates_of(every.estimate, every.fuse, self.build.query_space)
        if config.method != "conformal" or learned is None:
            return 0.0, True
        (alike,) = learned.alike(config.holds, self._cascade.vectors(result.queries))
        estimates = result.estimates
        estimated = estimates is not None and estimates.num_rows > 0  # none in another script
        return config.coverage, estimated and promised(config, alike)

    def explain(self, answered: AnsweredQuestion) -> list[dict[str, Any]]:
        """Where each provision of an answer stood at every stage, as ``online.answer.explain`` has it."""
        cascade, result = self._cascade, answered.result
        vector = cascade.vectors(result.queries)[0]
        return explain(self.build, cascade.config, result, vector, ranker_of(cascade.config.fuse))

    def trace(self, answered: AnsweredQuestion) -> list[dict[str, Any]]:
        """What the controller did, operation by operation; nothing without one."""
        traces = answered.result.tables.get("traces")
        if traces is None:
            return []
        from citegrain.tasks.published.controller import traced

        return traced(traces)

    def detailed(self, answered: AnsweredQuestion, explained: bool, traced: bool) -> Answer:
        """The answer with where its provisions stood at every stage, and with what the controller did."""
        details = {"explanation": self.explain(answered)} if explained else {}
        details |= {"trace": self.trace(answered)} if traced else {}
        return Answer.model_validate(answered.answer.to_dict() | details)


def endpoint_of(settings: Settings, setting: str, chosen: bool) -> Endpoint | None:
    """The endpoint that a setting such as ``generate=llm`` needs, if chosen. Raises EndpointError."""
    if not chosen:
        return None
    url, model, key = (os.environ.get(name, "") for name in _ENDPOINT)
    config = settings.endpoint
    replies = located(config.replies) if config.replies else settings.artifacts_folder / "batch" / REPLIES
    prices = config.price_in, config.price_out
    shared = setting, config.mode, replies, *prices, config.backend, config.api_version
    first = Endpoint(url, config.model or model, key, *shared)
    other_url, other_model, other_key = (os.environ.get(name, "") for name in _SECOND)
    if not (second := config.second or other_model):
        return first
    # a key goes to no other address than its own
    url, key = (other_url, other_key) if other_url else (url, other_key or key)
    backend = config.second_backend or config.backend
    return replace(first, second=replace(first, base_url=url, model=second, key=key, backend=backend))


def online_endpoint(settings: Settings) -> Endpoint | None:
    """The endpoint for routing, rewriting, searching and answering questions; None where no model does."""
    setting = settings.cascade.asking
    return endpoint_of(settings, setting, bool(setting))
