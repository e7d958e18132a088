"""What a scorer is, and how the configured one is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core import plugins
from citegrain.tasks.core.stage import canonical_json
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.rerank.config import NONE, SCORERS, RerankConfig

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate: its row in the build, the text that is read and that text's hash."""

    row: int
    text: str
    text_hash: str


class Scorer(Protocol):
    """Scores pairs. ``identity`` tells two scorers apart whose scores may differ."""

    identity: str

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One score a passage, higher is better."""
        ...

    def forget(self) -> None:
        """Drop what is cached of passages scored before, so that times can be measured."""
        ...


def make_scorer(build: PublishedBuild, config: RerankConfig) -> Scorer | None:
    """The scorer that ``config`` names, one for a build, so its model is loaded once; None for ``none``."""
    if config.scorer == NONE:
        return None
    make = SCORERS.function(config.scorer)
    values = plugins.parameters(make, config)
    scorer: Scorer = build.shared((config.scorer, canonical_json(values)), partial(make, build, **values))
    return scorer
