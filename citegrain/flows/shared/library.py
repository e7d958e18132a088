"""A build that is searched in one line.

``Build.open("artifacts/builds/mine").answer("...")`` needs neither Hydra nor Prefect nor MLflow. It stands in
``flows`` because it reads the clock and the environment, which no stage does.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, date, datetime

from citegrain.tasks.law.asof import AsOf, resolve
from citegrain.tasks.law.counterparts import changes_of
from citegrain.tasks.online.answer import QUESTION, Answer, answer_of
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig, CascadeResult
from citegrain.tasks.online.estimate import Judgement, judgements
from citegrain.tasks.online.hits import Hit

EMPTY = "the question is empty"


def today() -> date:
    """Today where the user is."""
    return datetime.now(UTC).astimezone().date()


class Build(PublishedBuild):
    """A build on disk."""

    @property
    def vector_server(self) -> tuple[str, str]:
        """Address and key of a Qdrant server, from the environment; empty: in the memory of this process."""
        return os.environ.get("CITEGRAIN_QDRANT_URL", ""), os.environ.get("CITEGRAIN_QDRANT_KEY", "")

    def search(self, text: str, k: int = 5, as_of: date | None = None) -> list[Hit]:
        """The ``k`` provisions that fit ``text`` best; none where nothing here seems to apply.

        Raises ValueError if ``text`` is empty.

        Parameters
        ----------
        text
            A complaint or question in plain words.
        k
            Number of provisions.
        as_of
            Day whose law applies; None: today.
        """
        *_, result = self._run(text, k, as_of)
        judged = judgements(result.scope, result.estimates).get(QUESTION, Judgement())
        if judged.declined:
            return []
        return [
            replace(hit, probability=judged.estimates_of(hit.provision_id).get("probability"))
            for hit in result.hits[QUESTION]
        ]

    def answer(self, text: str, k: int = 5, as_of: date | None = None) -> Answer:
        """The answer to a complaint, as ``citegrain ask`` gives it by the default configuration.

        ``text``, ``k``, ``as_of``: as :meth:`search` has them. Raises ValueError if ``text`` is empty.
        """
        cascade, day, result = self._run(text, k, as_of)
        return answer_of(cascade, text, day, result)

    def _run(self, text: str, k: int, as_of: date | None) -> tuple[Cascade, AsOf, CascadeResult]:
        if not text.strip():
            raise ValueError(EMPTY)
        config = CascadeConfig.chosen(k)
        cascade = self.shared(("search", k), lambda: Cascade(self, config))  # slow to make for many Acts
        day = day_of(as_of.isoformat() if as_of else "", text, today(), self)
        return cascade, day, cascade.run({QUESTION: text}, day.day)


def day_of(as_of: str, text: str, today: date, build: PublishedBuild) -> AsOf:
    """The day whose law applies to a complaint, as ``law.asof.resolve`` has it."""
    return resolve(as_of, text, today, changes_of(build.acts))
