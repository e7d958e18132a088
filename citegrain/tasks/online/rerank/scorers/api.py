"""Scorer ``api``: a vendor's reranker behind an API."""

from collections.abc import Sequence

from citegrain.tasks.core.endpoint import VendorConfig, score_texts
from citegrain.tasks.core.stage import digest
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.rerank.config import Passage, Scorer, Scores


def api(
    build: PublishedBuild,
    *,
    model: str,
    batch_size: int,
    vendor: str,
    price: float = 0.0,
    attempts: int = 5,
    timeout: float = 60.0,
    per_minute: int = 0,
) -> Scorer:
    """A reranker of a vendor; the parameters after ``batch_size`` are those of ``VendorConfig``.

    Raises EndpointError if its key is missing.
    """
    config = VendorConfig(
        vendor=vendor, price=price, attempts=attempts, timeout=timeout, per_minute=per_minute
    )
    return ApiScorer(build, model, config, batch_size)


class ApiScorer:
    """The vendor's scores as they are; it is called when the first pair is scored."""

    def __init__(self, build: PublishedBuild, model: str, config: VendorConfig, size: int) -> None:
        self.identity = f"api-{digest([config.vendor, model])[:32]}"
        self._endpoint = config.endpoint(model, "rerank=api", build.account(config.vendor))
        self._config, self._size = config, size

    def forget(self) -> None:
        """Nothing: no passage is kept."""

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One score a passage."""
        texts = [passage.text for passage in passages]
        return score_texts(query, texts, self._endpoint, self._config, self._size)
