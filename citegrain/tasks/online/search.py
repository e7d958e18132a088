"""A build that is searched in one line.

``Build.open("artifacts/builds/mine").search("...")`` needs neither flows nor Prefect nor MLflow.
"""

from __future__ import annotations

from datetime import date

from citegrain.tasks.core.schemas import EXPANSION
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.hits import Hit


class Build(PublishedBuild):
    """A build on disk."""

    def search(self, text: str, k: int = 5, as_of: date | None = None) -> list[Hit]:
        """The ``k`` provisions that fit ``text`` best.

        Parameters
        ----------
        text
            A complaint or question in plain words.
        k
            Number of provisions.
        as_of
            Day whose law applies; None takes the latest version of each Act.
        """
        trained, expanded = bool(self.embed_config.query_model), EXPANSION.file in self.manifest["files"]
        config = CascadeConfig.chosen(k, trained=trained, expanded=expanded)
        return Cascade(self, config).run({"q": text}, as_of).hits["q"]
