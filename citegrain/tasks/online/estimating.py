"""The steps of the chain that say how probable the candidates are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from citegrain.tasks.online import estimate as estimate_stage
from citegrain.tasks.online.builds import Matrix, PublishedBuild
from citegrain.tasks.online.estimate import Catalogue, EstimateConfig, Estimates, make_estimates, make_scope
from citegrain.tasks.online.fuse import Ranker
from citegrain.tasks.online.steps import Progress, Step


@dataclass(frozen=True)
class Estimating:
    """What probabilities are estimated with.

    Attributes
    ----------
    vectors
        Of queries.
    """

    build: PublishedBuild
    config: EstimateConfig
    learned: Estimates
    ranker: Ranker
    vectors: Callable[[pa.Table], Matrix]

    def steps(self, names: str) -> list[Step]:
        """``scope`` and ``estimated``; ``names`` is the digest of the names of the Acts."""
        params, source = self.config.parameters(), {"build": self.build.folder.name, "names": names}
        reads = ("query", "features", "fused")
        read = ("query", "fused", "scope")
        return [
            Step("scope", estimate_stage.SCOPE_STAGE, params, reads, source, self._scope),
            Step("estimated", estimate_stage.ESTIMATE, params, read, source, self._estimate),
        ]

    def _scope(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        config, queries, learned = self.config, tables["query"], self.learned
        catalogue = Catalogue.of(self.build, config.vectors, learned.catalogue)
        vectors, candidates = (
            self.vectors(queries),
            (tables["features"], self.ranker.names, tables["fused"]),
        )
        return make_scope(self.build, queries, vectors, candidates, learned, catalogue, config.decline_below)

    def _estimate(self, tables: Mapping[str, pa.Table], progress: Progress) -> pa.Table:
        fused, scope, queries = tables["fused"], tables["scope"], tables["query"]
        return make_estimates(fused, scope, queries, self.build.citations, self.learned)
